package reward

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/perception/meaning"
)

// fakeSentences makes vectors that speak for blame, whatever the text.
type fakeSentences struct {
	size int
	err  error
}

func (f fakeSentences) ChangedStates(string, *meaning.Changes) ([]float32, error) {
	states := make([]float32, f.size)
	l, err := embeddedLayer()
	if err != nil {
		return nil, err
	}
	for k := range states {
		for v := range neutral {
			states[k] += l.head.weight.Data[v*l.head.weight.Stride+k]
		}
	}
	return states, f.err
}

func embeddedLayer() (*Layer, error) {
	w, err := readTables(layerFile)
	if err != nil {
		return nil, err
	}
	return w.layer()
}

func TestJudge(t *testing.T) {
	const text = "the table is brown"
	alone := Default().Score(text)
	all := meaning.Layers * meaning.Size
	for name, f := range map[string]fakeSentences{"no vectors": {all, errors.New("broken")}, "other vectors": {12, nil}} {
		j := NewJudge(f)
		if got := j.Score(text); fmt.Sprint(got) != fmt.Sprint(alone) || j.Check() == nil {
			t.Errorf("%s: %+v, the network alone says %+v; %v", name, got, alone, j.Check())
		}
		_ = j.Close()
	}
	j := NewJudge(fakeSentences{size: all})
	if err := j.Check(); err != nil || !j.Layered() {
		t.Errorf("%v, layered %v", err, j.Layered())
	}
	for range 2 {
		if got := j.Score(text); ClassOf(got.Reward) != Blame {
			t.Errorf("with the layer: %+v", got)
		}
		j.rest()
	}
	if got := j.Score("That was perfect!"); got.Reward != 1 {
		t.Errorf("plain sentences have their worth: %+v", got)
	}
	if got := j.Score("…"); got.Reward != 0 {
		t.Errorf("%+v", got)
	}
	if err := errors.Join(j.Close(), j.Close()); err != nil {
		t.Error(err)
	}
	if j := NewJudge(nil); j.Layered() || j.Check() != nil || j.Score("That was perfect!").Reward != 1 || j.Close() != nil {
		t.Error("without a model of sentences")
	}
}

func TestWeightsThatAreNone(t *testing.T) {
	changed := func(old, with string) string {
		if !strings.Contains(networkFile, old) {
			t.Errorf("the network's file has no %s", old)
		}
		return strings.Replace(networkFile, old, with, 1)
	}
	for says, bad := range map[string]string{
		"begins": changed("reward 2", "reward 9"), "bytes are left": networkFile[:len(networkFile)/2], "its head": changed(`{"words"`, `["words"`),
		"bytes of words":      changed(`{"words":40`, `{"words":-1`),
		"a table level of 14": changed(`"name":"level"`, `"name":"levee"`),
	} {
		w, err := readTables(bad)
		if err == nil {
			_, err = w.network()
		}
		if !errors.Is(err, ErrWeights) || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, without %q", err, says)
		}
	}
	if _, err := readLinear(linearFile[1:]); !errors.Is(err, ErrWeights) {
		t.Error(err)
	}
	w, err := readTables(networkFile)
	if err == nil {
		_, err = w.layer()
	}
	if !errors.Is(err, ErrWeights) {
		t.Errorf("the network's weights as those of the layer: %v", err)
	}
}

func FuzzWeights(f *testing.F) {
	f.Add("reward 2\n\x02\x00\x00\x00{}")
	f.Add(networkFile[:2000])
	f.Fuzz(func(t *testing.T, data string) {
		if w, err := readTables(data); err == nil {
			_, _ = w.network()
			_, _ = w.layer()
		}
	})
}
