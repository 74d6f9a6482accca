package persist

import (
	"strings"

	"github.com/reachyd/reachyd/agents/memory/faces"
	"github.com/reachyd/reachyd/daemon/store"
)

// Faces keeps what faces are told by, a document a person. It is not pruned by age: people have it forgotten.
type Faces struct{ bucket *store.Bucket[faces.Person] }

// NewFaces returns the faces in a store.
func NewFaces(s *store.Store) *Faces {
	return &Faces{store.NewBucket[faces.Person](s, "faces", store.Keep{Count: faces.MaxPeople})}
}

// faceID is the id of a person's document.
func faceID(name string) string { return strings.ToLower(name) }

// SaveFace implements faces.Store.
func (f *Faces) SaveFace(p faces.Person) error { return f.bucket.Put(faceID(p.Name), p) }

// DeleteFace implements faces.Store.
func (f *Faces) DeleteFace(name string) error { return f.bucket.Delete(faceID(name)) }

// LoadFaces implements faces.Store.
func (f *Faces) LoadFaces() ([]faces.Person, error) { return f.bucket.List("", faces.MaxPeople) }

var _ faces.Store = (*Faces)(nil)
