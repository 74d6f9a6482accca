package main

import (
	"context"
	"errors"
	"testing"

	"github.com/reachyd/reachyd/perception/client"
	"github.com/reachyd/reachyd/perception/stt"
	"github.com/reachyd/reachyd/perception/stt/commandmodel"
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
		got, err := (&transcriber{written{Result: stt.Result{Text: "look left", Confidence: 0.5, Discarded: c.discarded}}}).Transcribe(t.Context(), nil)
		if err != nil || got.Reason != c.reason || (got.Message == "") != (c.reason == "") || got.Confidence != 0.5 {
			t.Errorf("%q: %+v, %v", c.discarded, got, err)
		}
	}
	broken := errors.New("broken")
	if _, err := (&transcriber{written{err: broken}}).Transcribe(t.Context(), nil); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
}
