package main

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/perception/client"
	"github.com/reachyd/reachyd/perception/stt"
	"github.com/reachyd/reachyd/perception/stt/commandmodel"
	"github.com/reachyd/reachyd/perception/voice"
)

// written is a recogniser with a fixed result.
type written struct {
	stt.Result
	err error
}

func (w written) Transcribe(context.Context, []float32) (stt.Result, error) { return w.Result, w.err }
func (written) Info() stt.Info                                              { return stt.Info{} }
func (written) Close() error                                                { return nil }

func TestWhyThereAreNoWordsIsSaid(t *testing.T) {
	for _, c := range []struct {
		discarded stt.Discard
		reason    string
	}{
		{"", ""},
		{stt.TooShort, client.ReasonTooShort},
		{stt.Silence, client.ReasonNoSpeech},
		{stt.NoSpeech, client.ReasonNoSpeech},
		{stt.Phantom, client.ReasonHallucination},
		{stt.Repetition, client.ReasonHallucination},
		{stt.Babble, client.ReasonHallucination},
		{stt.Unsure, client.ReasonNotUnderstood},
		{commandmodel.NotACommand, client.ReasonNotUnderstood},
		{"something new", client.ReasonNotUnderstood},
	} {
		got, err := (&ear{all: written{Result: stt.Result{Text: "look left", Confidence: 0.5, Discarded: c.discarded}}}).Transcribe(t.Context(), nil)
		if err != nil || got.Reason != c.reason || (got.Message == "") != (c.reason == "") || got.Confidence != 0.5 {
			t.Errorf("%q: %+v, %v", c.discarded, got, err)
		}
	}
	broken := errors.New("broken")
	if _, err := (&ear{all: written{err: broken}}).Transcribe(t.Context(), nil); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
}

// command is what the command model makes of something.
func command(text string, confidence float64) written {
	return written{Result: stt.Result{Text: text, Raw: text, Confidence: confidence}}
}

func TestTwoModelsHearTogether(t *testing.T) {
	other := func(text string, confidence float64, alternatives ...string) written {
		w := command(text, confidence)
		for _, a := range alternatives {
			w.Alternatives = append(w.Alternatives, stt.Reading{Text: a, Confidence: confidence})
		}
		return w
	}
	for name, c := range map[string]struct {
		quick, slow written
		want        string
		stops       bool
	}{
		"the command model is sure":      {command("nod", 0.97), other("head on", 0.9), "nod", false},
		"it is not, and nobody agrees":   {command("nod", 0.9), other("Head on.", 0.9), "Head on.", false},
		"the other has it as well":       {command("nod twice", 0.8), other("Head on twice.", 0.6, "add twice", "Nod twice."), "nod twice", false},
		"the other understands nothing":  {command("nod", 0.9), written{Result: stt.Result{Discarded: stt.Unsure, Raw: "gnarl"}}, "nod", false},
		"neither does":                   {command("nod", 0.8), written{Result: stt.Result{Discarded: stt.Unsure, Raw: "gnarl"}}, "", false},
		"a stop at a low confidence":     {written{Result: stt.Result{Discarded: stt.Unsure, Raw: "halt", Confidence: 0.55}}, other("Hold.", 0.9), "", true},
		"a stop that a guard throws out": {command("", 0), written{Result: stt.Result{Discarded: stt.Repetition, Raw: "Stop. Stop. Stop."}}, "", true},
	} {
		got, err := (&ear{commands: c.quick, all: c.slow}).Transcribe(t.Context(), nil)
		if err != nil || got.Text != c.want || slices.ContainsFunc(got.Heard, voice.IsStop) != c.stops {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func TestWhatIsMeantForTheRobot(t *testing.T) {
	e := &ear{planner: planner.New()}
	for text, want := range map[string]bool{
		"look left": true, "Robot, tell me a story.": true, "Hello!": true, "What do you see?": true, "Reachy": true,
		"the beach is lovely in the morning": false, "it was the best of times": false,
		"and we went on to the coast where the boats come in with all the fish that they have caught that night out on the sea with nets": false,
	} {
		if got := e.meant(text, 0.9); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
	if e.meant("look left", 0.3) {
		t.Error("a command that is not certain")
	}
}
