//go:build whisper

package commandmodel

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/reachyd/reachyd/perception/speechtest"
	"github.com/reachyd/reachyd/perception/stt"
)

// What is demanded of voices that the model has never heard, in percent: a little less than it reaches.
const (
	leastRight   = 85
	mostAccepted = 5
)

func TestUnheardVoicesAreUnderstood(t *testing.T) {
	m := model(t)
	all := append(speak(t, 6, 3), noises(t)...)
	heard, _ := ours(t, m, all)
	c := newTally()
	for i := range all {
		c.add(&all[i], heard[i])
	}
	right, n := c.commands()
	wrong := c.all["other speech"] - c.right["other speech"]
	t.Logf("%d of %d commands; %d of %d other sentences and %d of %d noises accepted\n%s", right, n,
		wrong, c.all["other speech"], c.all["noise alone"]-c.right["noise alone"], c.all["noise alone"], c.worst(10))
	if right*100 < leastRight*n {
		t.Errorf("%d of %d commands were understood, at least %d %% should be", right, n, leastRight)
	}
	if wrong*100 > mostAccepted*c.all["other speech"] {
		t.Errorf("%d of %d other sentences were taken for commands, at most %d %% may be", wrong, c.all["other speech"], mostAccepted)
	}
	if c.right["noise alone"] != c.all["noise alone"] {
		t.Errorf("noise was taken for a command")
	}
}

func TestWhatIsNoSpeechIsNoCommand(t *testing.T) {
	m := model(t)
	for name, x := range map[string][]float32{
		"nothing": nil, "a click": {0, 1, 0}, "silence": speechtest.Pause(2 * time.Second),
		"too long": speechtest.Gain(speechtest.Noise(t, speechtest.Babble, 60*speechtest.Rate, 1), -20),
	} {
		r, err := m.Transcribe(context.Background(), x)
		if err != nil || r.Text != "" || r.Discarded == "" {
			t.Errorf("%s: %q, discarded %q, %v", name, r.Text, r.Discarded, err)
		}
	}
}

func TestCloseEndsIt(t *testing.T) {
	m := model(t)
	if w := m.Info().Window; w != 5120*time.Millisecond {
		t.Errorf("the window is %v", w)
	}
	for range 2 {
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := m.Transcribe(context.Background(), speechtest.Say(t, "espeak:en-us", "stop")); !errors.Is(err, stt.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

// BenchmarkCommand is one command from the end of speech to its text.
func BenchmarkCommand(b *testing.B) {
	m := model(b)
	x := pad(speechtest.Say(b, "espeak:en-us", "look at the apple"))
	for b.Loop() {
		if _, err := m.Transcribe(context.Background(), x); err != nil {
			b.Fatal(err)
		}
	}
}
