package tools

import (
	"context"
	"errors"
	"testing"

	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/perception/recognize"
)

// album is an eye for faces, and a memory that knows them by the second byte.
type album struct {
	pictures [][]recognize.Portrait
	err      error
	known    map[byte]recognize.Verdict
	learned  []string
}

func (a *album) Portraits(_ context.Context, n int) ([][]recognize.Portrait, error) {
	return a.pictures[:min(n, len(a.pictures))], a.err
}

func (a *album) Learn(name string, s []recognize.Descriptor) error {
	a.learned = append(a.learned, name)
	return a.err
}
func (a *album) Who(d recognize.Descriptor) recognize.Verdict { return a.known[d[1]] }
func (a *album) Forget(name string) ([]string, error)         { return []string{"Anna", "Tom"}, a.err }

// shown are pictures with the faces of each; 0 is one too small.
func shown(pictures ...[]byte) (all [][]recognize.Portrait) {
	for _, faces := range pictures {
		p := []recognize.Portrait{}
		for _, f := range faces {
			if f == 0 {
				p = append(p, recognize.Portrait{})
				continue
			}
			p = append(p, recognize.Portrait{Descriptor: recognize.Descriptor{'b', f}})
		}
		all = append(all, p)
	}
	return all
}

func TestFaces(t *testing.T) {
	a := &album{known: map[byte]recognize.Verdict{
		1: {Name: "Anna", Sure: true, Distance: 0.1}, 2: {Name: "Anna", Distance: 0.26}, 3: {Distance: 0.4}, 4: {Name: "Tom", Sure: true, Distance: 0.2},
	}}
	r := registry(t, Options{Body: &bodyDouble{}, Portraits: a, Faces: a})
	one, none, two := []byte{1}, []byte{}, []byte{1, 4}
	for _, c := range []struct {
		tool, args string
		pictures   [][]recognize.Portrait
		says       string
		ok         bool
	}{
		{"remember_face", `{"name":"Anna"}`, shown(one, none, one, one), "I will know the face of Anna from now on.", true},
		{"remember_face", `{"name":"Anna"}`, shown(none, none), "I see no face, so I have not remembered Anna.", false},
		{"remember_face", `{"name":"Anna"}`, shown(two, two, one), "I see two faces and do not know which is Anna: please let only one be in view.", false},
		{"remember_face", `{"name":"Anna"}`, shown([]byte{0}, []byte{0}), "The face is too far away: please come closer.", false},
		{"remember_face", `{"name":"Anna"}`, shown(one, none, none), "I did not see the face well enough: please look at me and say it again.", false},
		{"recognize_face", ``, shown(none, none), "I see no face.", true},
		{"recognize_face", ``, shown(none, []byte{2}, one), "This is Anna.", true}, // the surest counts
		{"recognize_face", ``, shown([]byte{2}), "I am not sure; it might be Anna.", true},
		{"recognize_face", ``, shown([]byte{3}), "I do not know this face.", true},
		{"recognize_face", ``, shown([]byte{0}), "I see a face, but too far away to tell whose it is.", true},
		{"recognize_face", ``, shown([]byte{4, 2, 3}, one), "I see Tom, somebody who might be Anna and somebody whose face I do not know.", true},
		{"forget_face", ``, nil, "I have forgotten the face of Anna and Tom.", true},
	} {
		a.pictures, a.learned = c.pictures, nil
		res := call(r, c.tool, c.args)
		if res.Message != c.says || res.OK() != c.ok || c.tool == "remember_face" && res.OK() != (len(a.learned) == 1) {
			t.Errorf("%s: %+v, learned %q; want %q", c.tool, res, a.learned, c.says)
		}
	}
	a.err = errors.New("broken")
	for _, name := range []string{"remember_face", "recognize_face", "forget_face"} {
		if res := call(r, name, map[bool]string{true: `{"name":"Anna"}`}[name == "remember_face"]); res.Code != tool.CodeFailed {
			t.Errorf("%s: %+v", name, res)
		}
	}
	if res := call(registry(t, Options{Body: &bodyDouble{}}), "recognize_face", ``); res.Code != tool.CodeUnavailable {
		t.Errorf("without a camera: %+v", res)
	}
}
