package coder

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/toolsandbox/registry"
)

// fakeSentences are vectors that know two subjects. It counts what it is asked.
type fakeSentences struct {
	asked  int
	broken error
}

func (f *fakeSentences) Vector(text string) ([]float32, error) {
	f.asked++
	for i, words := range [][]string{{"weather", "umbrella"}, {"nap", "rest"}} {
		for _, w := range words {
			if strings.Contains(text, w) {
				v := make([]float32, 3)
				v[i] = 1
				return v, f.broken
			}
		}
	}
	return []float32{0, 0, 1}, f.broken
}

func version(name, summary string) *registry.Version {
	v := &registry.Version{Name: name, Digest: name + summary}
	v.Doc.Summary = summary
	return v
}

func TestToolsAreFoundByMeaningWithoutALanguageModel(t *testing.T) {
	f := &fakeSentences{}
	x := newIndex(nil, f)
	tools := []*registry.Version{version("forecast", "Tells the weather."), version("snooze", "Takes a nap.")}
	scores, from := x.near(t.Context(), tools, "shall I take an umbrella?")
	if scores["forecast"] < from || scores["snooze"] >= from {
		t.Errorf("%v, from %g", scores, from)
	}
	before := f.asked
	if scores, _ = x.near(t.Context(), tools, "have a rest"); scores["snooze"] < from || f.asked != before+1 {
		t.Errorf("%v; it was asked %d times more", scores, f.asked-before)
	}
	tools[0] = version("forecast", "Sings.")
	if scores, _ = x.near(t.Context(), tools, "umbrella"); scores["forecast"] >= from {
		t.Errorf("a tool that was changed is found by what it was: %v", scores)
	}
	f.broken = errors.New("broken")
	if scores, _ = x.near(t.Context(), tools, "umbrella"); scores != nil {
		t.Errorf("without vectors: %v", scores)
	}
	if scores, _ = newIndex(nil, nil).near(t.Context(), tools, "umbrella"); scores != nil {
		t.Errorf("without anybody to tell: %v", scores)
	}
}

// One turn does not wait for hundreds of vectors; the next ones go on.
func TestManyToolsAreReadInPortions(t *testing.T) {
	f := &fakeSentences{}
	x := newIndex(nil, f)
	tools := make([]*registry.Version, 0, 2*mostFresh)
	for i := range cap(tools) {
		tools = append(tools, version(fmt.Sprintf("tool_%d", i), "Tells the weather."))
	}
	for _, want := range []int{mostFresh, 2 * mostFresh, 2 * mostFresh} {
		before := f.asked
		if scores, _ := x.near(t.Context(), tools, "umbrella"); len(scores) != want || f.asked-before > mostFresh+1 {
			t.Errorf("%d tools are known; %d are wanted, with at most %d questions of %d", len(scores), want, mostFresh+1, f.asked-before)
		}
	}
}
