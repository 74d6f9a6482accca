package tools

import (
	"context"
	"errors"
	"strings"

	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/perception/recognize"
	"github.com/reachyd/reachyd/perception/scene"
)

// Portraitist takes pictures of faces, by which they are told apart.
type Portraitist interface {
	// Portraits takes so many pictures and returns the faces in each, from left to right.
	Portraits(ctx context.Context, pictures int) ([][]recognize.Portrait, error)
}

// Faces remembers whose faces are whose.
type Faces interface {
	// Learn adds samples of a person's face.
	Learn(name string, samples []recognize.Descriptor) error
	// Who says whose a face is.
	Who(d recognize.Descriptor) recognize.Verdict
	// Forget forgets the face of a name, or with an empty one all, and returns whose they were.
	Forget(name string) ([]string, error)
}

// noFaces is the memory of a robot that has none.
type noFaces struct{}

func (noFaces) Learn(string, []recognize.Descriptor) error { return errNoFaces }
func (noFaces) Who(recognize.Descriptor) recognize.Verdict { return recognize.Verdict{Distance: 1} }
func (noFaces) Forget(string) ([]string, error)            { return nil, nil }

var errNoFaces = errors.New("there is no memory for faces")

// How a face is looked at: a person who is learned is seen in several pictures, over two seconds; one who is recognised in a few, of which
// the surest counts.
const (
	learnedFrom    = 8
	leastLearned   = 3
	recognisedFrom = 3
)

func rememberFace(p Portraitist, f Faces, why string) tool.Tool {
	type args struct{ Name string }
	return tool.Func(available("remember_face", p == nil, why), func(ctx context.Context, a args) tool.Result {
		pictures, err := p.Portraits(ctx, learnedFrom)
		if err != nil {
			return failed(ctx, "look at the face", err)
		}
		var samples []recognize.Descriptor
		most, small := 0, false
		for _, faces := range pictures {
			most = max(most, len(faces))
			if len(faces) == 1 {
				if faces[0].Descriptor == nil {
					small = true
				} else {
					samples = append(samples, faces[0].Descriptor)
				}
			}
		}
		switch {
		case most == 0:
			return tool.Errorf(tool.CodeFailed, "I see no face, so I have not remembered %s.", a.Name)
		case len(samples) < leastLearned && most > 1:
			return tool.Errorf(tool.CodeFailed, "I see %s and do not know which is %s: please let only one be in view.", scene.Count(most, scene.Face), a.Name)
		case len(samples) < leastLearned && small:
			return tool.Errorf(tool.CodeFailed, "The face is too far away: please come closer.")
		case len(samples) < leastLearned:
			return tool.Errorf(tool.CodeFailed, "I did not see the face well enough: please look at me and say it again.")
		}
		if err := f.Learn(a.Name, samples); err != nil {
			return failed(ctx, "remember the face", err)
		}
		return tool.Success("I will know the face of "+a.Name+" from now on.", map[string]any{"name": a.Name, "samples": len(samples)})
	})
}

// seenFace is a face in view and whose it is.
type seenFace struct {
	recognize.Verdict
	small bool
}

func recognizeFace(p Portraitist, f Faces, why string) tool.Tool {
	return tool.Func(available("recognize_face", p == nil, why), func(ctx context.Context, _ struct{}) tool.Result {
		pictures, err := p.Portraits(ctx, recognisedFrom)
		if err != nil {
			return failed(ctx, "look at the face", err)
		}
		seen := recognised(pictures, f)
		verdicts := make([]recognize.Verdict, len(seen))
		for i, s := range seen {
			verdicts[i] = s.Verdict
		}
		return tool.Success(whoIsThere(seen), map[string]any{"faces": verdicts})
	})
}

// recognised are the faces of the pictures that show the most, from left to right, each as in the picture in which it is the surest.
func recognised(pictures [][]recognize.Portrait, f Faces) (seen []seenFace) {
	for _, faces := range pictures {
		if len(faces) > len(seen) {
			seen = make([]seenFace, len(faces))
			for i := range seen {
				seen[i] = seenFace{recognize.Verdict{Distance: 1}, true}
			}
		}
	}
	for _, faces := range pictures {
		for i := range faces {
			if len(faces) != len(seen) || faces[i].Descriptor == nil {
				continue
			}
			if v := f.Who(faces[i].Descriptor); v.Distance < seen[i].Distance || seen[i].small {
				seen[i] = seenFace{v, false}
			}
		}
	}
	return seen
}

// whoIsThere says whose the faces are.
func whoIsThere(seen []seenFace) string {
	if len(seen) == 0 {
		return "I see no face."
	}
	if len(seen) == 1 {
		switch s := seen[0]; {
		case s.small:
			return "I see a face, but too far away to tell whose it is."
		case s.Sure:
			return "This is " + s.Name + "."
		case s.Name != "":
			return "I am not sure; it might be " + s.Name + "."
		}
		return "I do not know this face."
	}
	words := make([]string, len(seen))
	for i, s := range seen {
		switch {
		case s.Sure:
			words[i] = s.Name
		case s.Name != "":
			words[i] = "somebody who might be " + s.Name
		default:
			words[i] = "somebody whose face I do not know"
		}
	}
	return "I see " + scene.List(words) + "."
}

func forgetFace(f Faces) tool.Tool {
	type args struct{ Name string }
	return tool.Func(Spec("forget_face"), func(ctx context.Context, a args) tool.Result {
		gone, err := f.Forget(strings.TrimSpace(a.Name))
		if err != nil {
			return failed(ctx, "forget the face", err)
		}
		data := map[string]any{"forgotten": append([]string{}, gone...)}
		switch {
		case len(gone) == 0 && a.Name != "":
			return tool.Success("I do not know the face of "+a.Name+".", data)
		case len(gone) == 0:
			return tool.Success("I do not know any faces.", data)
		}
		return tool.Success("I have forgotten the face of "+scene.List(gone)+".", data)
	})
}
