package sense

import (
	"math"
	"testing"

	"github.com/reachyd/reachyd/perception/client"
)

// busySpotter is for one sound only.
type busySpotter struct{ t *testing.T }

func (s busySpotter) Hear([]float32) (int, bool) {
	s.t.Error("a recording goes through the microphone's spotter")
	return 0, false
}
func (s busySpotter) Flush() (int, bool) { return s.Hear(nil) }
func (s busySpotter) Reset()             { s.Hear(nil) }

// Where somebody is who has called is told at once, and of every voice anew.
func TestACallSaysWhereItCameFrom(t *testing.T) {
	r := newRig(t, nil)
	r.watching()
	r.audio.happened(r.Server, client.Event{Type: client.SpeechStarted, Turn: 1})
	r.audio.direction.Store(math.Float64bits(33))
	r.audio.happened(r.Server, client.Event{Type: client.Called, Turn: 1})
	if e := r.event(client.Called); e.Direction == nil || *e.Direction != 33 {
		t.Errorf("%+v", e)
	}
	r.audio.happened(r.Server, client.Event{Type: client.SpeechStarted, Turn: 2})
	r.audio.happened(r.Server, client.Event{Type: client.Called, Turn: 2})
	if e := r.event(client.Called); e.Turn != 2 || e.Direction != nil {
		t.Errorf("%+v", e)
	}
}

func TestARecordingNeedsNoPhrase(t *testing.T) {
	r := newRig(t, func(r *rig) {
		r.Hearing.Settings.WakePhrase, r.Hearing.Settings.Spotter, r.Hearing.NoSpotter = "bo", busySpotter{t}, "too short"
	})
	h, err := r.Listen(t.Context(), wav(sentence(t, "look left")), nil)
	if err != nil || len(h.Utterances) != 1 {
		t.Errorf("%+v, %v", h, err)
	}
	st, err := r.Client.State(t.Context())
	if err != nil || st.Hearing.WakePhrase != "bo" || st.Hearing.NoSpotter != "too short" {
		t.Errorf("%+v, %v", st.Hearing, err)
	}
}
