package registry

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// Draft is a tool that somebody wants to register.
type Draft struct {
	Name     string `json:"name"`
	Language string `json:"language,omitempty"` // "python" when empty
	Source   string `json:"source"`
	// Cases are the tests, JSON; see package tester.
	Cases json.RawMessage `json:"cases,omitempty"`
	// Grants names the host calls that the owner allows to the tool and to the tools that it calls.
	Grants []string `json:"grants,omitempty"`
	// Uses are the tools that it calls. Version 0 means the one that is active now; it is pinned.
	Uses []Use `json:"uses,omitempty"`

	Author  string `json:"author,omitempty"`
	Model   string `json:"model,omitempty"`   // language model that wrote it
	Prompt  string `json:"prompt,omitempty"`  // what it was asked for
	Parents []Use  `json:"parents,omitempty"` // versions that it was made from
	Licence string `json:"licence,omitempty"` // SPDX expression
	Notes   []Note `json:"notes,omitempty"`

	// AllowDuplicate registers it though there is a tool that is nearly the same.
	AllowDuplicate bool `json:"allow_duplicate,omitempty"`
	// AllowUntested keeps it when there is no sandbox to test it. It then waits for review, and cannot be approved before
	// it was tested: see Registry.Complete.
	AllowUntested bool `json:"allow_untested,omitempty"`
	// Inactive leaves the active version as it is.
	Inactive bool `json:"inactive,omitempty"`
}

// Version is one version of a tool.
type Version struct {
	Name     string          `json:"name"`
	Number   int             `json:"number"`
	Digest   string          `json:"digest"` // SHA-256, hexadecimal, of what runs: see digest
	Language string          `json:"language"`
	Source   string          `json:"source"`
	Schema   json.RawMessage `json:"schema"` // of the parameters, derived from the source
	Returns  json.RawMessage `json:"returns,omitempty"`
	Doc      Doc             `json:"doc"`
	Cases    json.RawMessage `json:"cases,omitempty"`
	Grants   []string        `json:"grants,omitempty"`
	Uses     []Use           `json:"uses,omitempty"`
	Calls    []string        `json:"calls,omitempty"` // every tool that it calls, also by way of others
	Depth    int             `json:"depth"`           // 1 when it calls none

	Created    time.Time  `json:"created"`
	Provenance Provenance `json:"provenance"`
	Licence    string     `json:"licence,omitempty"`
	Notes      []Note     `json:"notes,omitempty"`
	Findings   []Finding  `json:"findings,omitempty"` // warnings
	Report     *Report    `json:"report,omitempty"`   // nil: never tested
	Metrics    Metrics    `json:"metrics"`
	Score      Score      `json:"score"`
}

// Use is one version of a tool, as another depends on it.
type Use struct {
	Name    string `json:"name"`
	Version int    `json:"version,omitempty"`
	Digest  string `json:"digest,omitempty"`
}

// Doc is what a tool says of itself.
type Doc struct {
	Summary string `json:"summary"`
	Text    string `json:"text,omitempty"` // the whole docstring
}

// Provenance says where a version comes from. All of it is what somebody claimed, except Imported.
type Provenance struct {
	Author   string    `json:"author,omitempty"`
	Model    string    `json:"model,omitempty"`
	Prompt   string    `json:"prompt,omitempty"`
	Parents  []Use     `json:"parents,omitempty"`
	Imported *Imported `json:"imported,omitempty"`
}

// Imported says which version of which file was imported.
type Imported struct {
	File    string    `json:"file"` // SHA-256 of the file, hexadecimal
	Version int       `json:"version"`
	Created time.Time `json:"created"`
}

// Kinds of notes.
const (
	NoteLicence       = "licence"
	NoteVulnerability = "vulnerability"
	NoteReview        = "review"
)

// Note is a remark on a version.
type Note struct {
	Kind string    `json:"kind"` // NoteLicence, NoteVulnerability or NoteReview
	Text string    `json:"text"`
	By   string    `json:"by,omitempty"`
	At   time.Time `json:"at,omitzero"`
}

// Check says why a note cannot be kept.
func (n Note) Check() error {
	if !slices.Contains([]string{NoteLicence, NoteVulnerability, NoteReview}, n.Kind) {
		return fmt.Errorf("kind of a note: %.80q, allowed %s, %s, %s", n.Kind, NoteLicence, NoteVulnerability, NoteReview)
	}
	if n.Text == "" || len(n.Text) > MaxText || len(n.By) > MaxText {
		return fmt.Errorf("note: %d bytes of text by %d bytes, allowed 1 to %d", len(n.Text), len(n.By), MaxText)
	}
	return nil
}

// digest names what runs and how it was tested: the same digest is the same tool, whoever registered it and when.
// Numbers of versions differ from robot to robot and do not count.
func (v *Version) digest() string {
	uses := make([]Use, len(v.Uses))
	for i, u := range v.Uses {
		uses[i] = Use{Name: u.Name, Digest: u.Digest}
	}
	text, err := json.Marshal([]any{v.Name, v.Language, v.Source, string(v.Cases), v.Grants, uses})
	if err != nil {
		panic(err) // strings only
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
