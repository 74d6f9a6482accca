package perception

import (
	"context"
	"errors"
	"testing"

	"github.com/reachyd/reachyd/agents/llm"
	"github.com/reachyd/reachyd/agents/llm/llmtest"
	"github.com/reachyd/reachyd/agents/tools"
)

// plainEyes describe by what the detectors find.
type plainEyes struct{ tools.Vision }

func (plainEyes) Describe(_ context.Context, photo, prompt string) (string, error) {
	return "by detectors: " + photo + " " + prompt, nil
}

// fakePhotos has one picture, or none.
type fakePhotos struct {
	asked string
	err   error
}

func (a *fakePhotos) Frame(ctx context.Context) ([]byte, error) { return a.Photo(ctx, "the newest") }

func (a *fakePhotos) Photo(_ context.Context, name string) ([]byte, error) {
	a.asked = name
	return []byte("jpeg"), a.err
}

func TestALanguageModelThatCanSeeDescribes(t *testing.T) {
	broken := errors.New("the camera is away")
	for _, c := range []struct {
		name    string
		step    llmtest.Step
		away    error
		picture error
		want    string
	}{
		{"it sees", llmtest.Say(" A red apple. "), nil, nil, "A red apple."},
		{"there is none", llmtest.Step{}, llm.ErrAway, nil, "by detectors: p1 what is it?"},
		{"it dies in the middle", llmtest.Fail(llm.ErrIncomplete), nil, nil, "by detectors: p1 what is it?"},
		{"it says nothing", llmtest.Say(" "), nil, nil, "by detectors: p1 what is it?"},
		{"no picture", llmtest.Say("A red apple."), nil, broken, "by detectors: p1 what is it?"},
	} {
		m := llmtest.New().In(llm.RoleSee, c.step)
		m.Away(c.away)
		pictures := &fakePhotos{err: c.picture}
		s := describer{plainEyes{}, m, pictures}
		got, err := s.Describe(t.Context(), "p1", "what is it?")
		if err != nil || got != c.want {
			t.Errorf("%s: %q, %v", c.name, got, err)
		}
		if c.want == "A red apple." {
			r := m.Asked()[0]
			if pictures.asked != "p1" || len(r.Messages) != 1 || len(r.Messages[0].Images) != 1 || string(r.Messages[0].Images[0]) != "jpeg" {
				t.Errorf("%s: asked for %q, then %+v", c.name, pictures.asked, r)
			}
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	m := llmtest.New().In(llm.RoleSee, llmtest.Step{Do: func(llm.Request) llmtest.Step { cancel(); return llmtest.Fail(llm.ErrIncomplete) }})
	pictures := &fakePhotos{}
	s := describer{plainEyes{}, m, pictures}
	if got, err := s.Describe(ctx, "", "what is it?"); !errors.Is(err, context.Canceled) {
		t.Errorf("given up, and then %q, %v", got, err)
	}
	if pictures.asked != "the newest" {
		t.Errorf("without a name the picture %q was asked for", pictures.asked)
	}
}
