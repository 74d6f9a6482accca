package daemon

import (
	"context"
	"math"
	"sync"
	"sync/atomic"

	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/learner/feedback"
	"github.com/reachyd/reachyd/learner/preference"
	"github.com/reachyd/reachyd/perception/client"
)

// speaking is the part of reachy-sense with which the robot speaks.
type speaking interface {
	Speak(ctx context.Context, text string) (client.Spoken, error)
	SetVolume(ctx context.Context, level int) error
	State(ctx context.Context) (client.State, error)
}

// manner lets the robot speak as loud and as fast as people like it, and notes for the book how it has spoken.
type manner struct {
	sense  speaking
	tastes *preference.Learner
	book   *feedback.Book
	usual  atomic.Int32 // the volume of the configuration, 0…100

	mu  sync.Mutex
	set int // the volume that was set last by this, 0: none
}

// withRates is the engine that can speak faster and slower than usual.
const withRates = "espeak-ng"

// Speak says text and returns when it has been said. A volume that somebody has asked for stays.
func (m *manner) Speak(ctx context.Context, text string) (client.Spoken, error) {
	person := tool.Session(ctx)
	now, err := m.sense.State(ctx)
	if err != nil {
		return m.sense.Speak(ctx, text) // which says why it cannot
	}
	choices := map[string]int{}
	if option, ok := m.atVolume(ctx, person, now.Speech.Volume); ok {
		choices[preference.Volume] = option
	}
	if now.Speech.Engine == withRates {
		rate, option := m.tastes.Value(person, preference.Rate)
		choices[preference.Rate] = option
		if rate != 1 {
			ctx = client.WithRate(ctx, rate)
		}
	}
	said, err := m.sense.Speak(ctx, text)
	if err == nil && len(choices) > 0 {
		m.book.Spoke(person, choices)
	}
	return said, err
}

// atVolume sets the volume that a person likes, unless another one than that of the configuration was asked for.
func (m *manner) atVolume(ctx context.Context, person string, now int) (option int, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	usual := int(m.usual.Load())
	if now != usual && (m.set == 0 || now != m.set) {
		return 0, false
	}
	factor, option := m.tastes.Value(person, preference.Volume)
	level := min(100, int(math.Round(float64(usual)*factor)))
	if level == now {
		return option, true
	}
	if err := m.sense.SetVolume(ctx, level); err != nil {
		return 0, false
	}
	m.set = level
	return option, true
}

// mannered is reachy-sense with such a voice.
type mannered struct {
	*client.Client
	manner *manner
}

// Speak implements perception.Worker and perception.Voice.
func (v mannered) Speak(ctx context.Context, text string) (client.Spoken, error) {
	return v.manner.Speak(ctx, text)
}

// openVoice makes the voice of a robot that has senses.
func (d *Daemon) openVoice(context.Context) error {
	d.manner = &manner{sense: d.sense, tastes: d.tastes, book: d.book}
	d.manner.usual.Store(int32(d.Config.Sense.Volume)) //nolint:gosec // 0…100
	return nil
}

func (d *Daemon) voice() mannered { return mannered{d.sense, d.manner} }

// length is how long the answer is to be that a person gets now: below 0 short, above 0 long. What is said of it next is about that.
func (d *Daemon) length(person string) float64 {
	value, option := d.tastes.Value(person, preference.Length)
	d.book.Spoke(person, map[string]int{preference.Length: option})
	return value
}

// answering says to a language model how a person likes answers; empty when nothing of that was learned.
func (d *Daemon) answering(person string) string {
	if d.length(person) == 0 {
		return ""
	}
	p, _ := preference.Named(preference.Length)
	option, _ := d.tastes.Best(person, p.Name)
	return "The person likes it when you " + p.Options[option].Words + "."
}

var _ speaking = (*client.Client)(nil)
