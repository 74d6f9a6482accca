package perception

import (
	"fmt"

	"github.com/reachyd/reachyd/agents/memory/faces"
	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/daemon/command"
)

// Faces are those that the robot knows by name.
type Faces struct{ Memory *faces.Memory }

// List implements command.Faces.
func (f Faces) List() api.FaceList {
	list := api.FaceList{Faces: []api.KnownFace{}}
	for _, p := range f.Memory.All() {
		list.Faces = append(list.Faces, api.KnownFace{Name: p.Name, Learned: api.Time(p.At), Samples: len(p.Samples)})
	}
	return list
}

// Forget implements command.Faces.
func (f Faces) Forget(name string) (api.ForgottenFaces, error) {
	gone, err := f.Memory.Forget(name)
	if err == nil && len(gone) == 0 && name != "" {
		err = &command.Error{Code: command.CodeUnknownName, Message: fmt.Sprintf("name: there is no face of %.80q", name)}
	}
	return api.ForgottenFaces{Forgotten: append([]string{}, gone...)}, err
}

var _ command.Faces = Faces{}
