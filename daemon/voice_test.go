package daemon

import (
	"context"
	"slices"
	"strconv"
	"testing"

	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/daemon/config"
	"github.com/reachyd/reachyd/learner/feedback"
	"github.com/reachyd/reachyd/learner/preference"
	"github.com/reachyd/reachyd/perception/client"
)

// throat is the part of reachy-sense that speaks.
type throat struct {
	volume int
	engine string
	rate   float64 // at which was spoken last
}

func (s *throat) Speak(ctx context.Context, _ string) (client.Spoken, error) {
	s.rate = client.Rate(ctx)
	return client.Spoken{}, nil
}

func (s *throat) SetVolume(_ context.Context, level int) error { s.volume = level; return nil }

func (s *throat) State(context.Context) (client.State, error) {
	return client.State{Speech: client.Speech{Volume: s.volume, Engine: s.engine}}, nil
}

type noShelf struct{}

func (noShelf) Put(feedback.Piece) error         { return nil }
func (noShelf) Delete(string) error              { return nil }
func (noShelf) All() ([]feedback.Piece, error)   { return nil, nil }
func person(ctx context.Context) context.Context { return tool.WithSession(ctx, "p") }

func newManner(t *testing.T, fixed map[string]int) (*manner, *throat) {
	t.Helper()
	tastes := preference.New(fixed, 1)
	book, err := feedback.Open(feedback.Options{Store: noShelf{}, Learner: tastes})
	if err != nil {
		t.Fatal(err)
	}
	s := &throat{volume: 60, engine: withRates}
	m := &manner{sense: s, tastes: tastes, book: book}
	m.usual.Store(60)
	return m, s
}

// complain lets a person hear the robot and say something, n times.
func complain(t *testing.T, m *manner, text string, n int) {
	t.Helper()
	for range n {
		if _, err := m.Speak(person(t.Context()), "hello"); err != nil {
			t.Fatal(err)
		}
		if _, err := m.book.Give(feedback.Given{Session: "p", Text: text}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := m.Speak(person(t.Context()), "hello"); err != nil {
		t.Fatal(err)
	}
}

func TestItSpeaksAsLoudAndFastAsPeopleLike(t *testing.T) {
	m, s := newManner(t, nil)
	if m.Speak(person(t.Context()), "hello"); s.volume != 60 || s.rate != 0 {
		t.Fatalf("at first: volume %d, rate %g", s.volume, s.rate)
	}
	complain(t, m, "that was too loud", 3)
	if s.volume >= 60 {
		t.Errorf("volume %d after it was too loud", s.volume)
	}
	if s.rate != 0 {
		t.Errorf("rate %g, of which nothing was said", s.rate)
	}
	complain(t, m, "you speak too fast", 3)
	if s.rate == 0 || s.rate >= 1 {
		t.Errorf("rate %g after it spoke too fast", s.rate)
	}
	if _, err := m.book.Forget(preference.Volume); err != nil {
		t.Fatal(err)
	}
	if complain(t, m, "you speak too fast", 1); s.volume != 60 {
		t.Errorf("volume %d after what was learned of it is forgotten", s.volume)
	}
}

func TestTheOwnersVoiceStays(t *testing.T) {
	usual := map[string]int{preference.Volume: 2, preference.Rate: 2}
	m, s := newManner(t, usual)
	complain(t, m, "too loud, and you speak too fast", 5)
	if s.volume != 60 || s.rate != 0 {
		t.Errorf("volume %d, rate %g, though the configuration fixes them", s.volume, s.rate)
	}
}

func TestAVolumeThatWasAskedForStays(t *testing.T) {
	m, s := newManner(t, nil)
	complain(t, m, "that was too loud", 4)
	s.volume = 90 // somebody has said: set the volume to 90
	if m.Speak(person(t.Context()), "hello"); s.volume != 90 {
		t.Errorf("volume %d, though 90 was asked for", s.volume)
	}
}

func TestTheLoudestIsTheMost(t *testing.T) {
	m, s := newManner(t, map[string]int{preference.Volume: 4})
	m.usual.Store(80)
	s.volume = 80
	if m.Speak(person(t.Context()), "hello"); s.volume != 100 {
		t.Errorf("volume %d", s.volume)
	}
}

func TestAVoiceOfOneRateKeepsIt(t *testing.T) {
	m, s := newManner(t, nil)
	s.engine = "piper"
	complain(t, m, "you speak too fast", 4)
	if s.rate != 0 {
		t.Errorf("rate %g of a voice that has one only", s.rate)
	}
	for _, l := range m.book.Learned("p") {
		if l.Parameter == preference.Rate && l.Learned {
			t.Errorf("%+v", l)
		}
	}
}

func TestTheSpeechModelIsTunedUnlessTheSettingsSayOtherwise(t *testing.T) {
	for _, tuned := range []bool{true, false} {
		d := &Daemon{Config: &config.Config{Sense: config.Sense{Tuned: tuned}}}
		if args := d.newSenseWorker().Args; !slices.Contains(args, "--untuned="+strconv.FormatBool(!tuned)) {
			t.Errorf("%v: %q", tuned, args)
		}
	}
}
