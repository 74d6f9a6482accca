// Package connection follows how this host is connected: it tells of changes, and says an address that nobody can know yet.
package connection

import (
	"context"
	"math"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"github.com/reachyd/reachyd/hal"
)

const (
	// Every is how often it is looked.
	Every = 10 * time.Second
	// notable is by how much the signal of a wireless network must change to be told, dB: it always moves a little.
	notable = 6
	// sayLimit is how long it may take to say a sentence.
	sayLimit = 20 * time.Second
	// said is the name under which it is kept which address was said last.
	said = "address-said"
)

// Keep keeps a few texts over a restart; persist.Texts is one.
type Keep interface {
	LoadText(key string) (string, error) // empty when there is none
	SaveText(key, text string) error
}

// Watch follows the connection. Fill in the exported fields, then Run it.
type Watch struct {
	Read func() (hal.Link, error)
	Tell func(hal.Link) // it is another connection, or a better or worse one
	Keep Keep
	// Say says a sentence and returns when it was said; nil when addresses are not to be said.
	Say func(ctx context.Context, text string) error
	Log zerolog.Logger

	mu     sync.Mutex
	newest hal.Link
	known  bool

	told   hal.Link // as it was published last
	begun  bool     // anything was
	failed string   // why it could not be said, as it stands in the log
}

// Newest is how the host is connected; nil when that is not known.
func (w *Watch) Newest() *hal.Link {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.known {
		return nil
	}
	link := w.newest
	return &link
}

// Run looks at once and with every tick until ctx ends.
func (w *Watch) Run(ctx context.Context, tick <-chan time.Time) error {
	for {
		w.look(ctx)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick:
		}
	}
}

func (w *Watch) look(ctx context.Context) {
	link, err := w.Read()
	w.mu.Lock()
	w.newest, w.known = link, err == nil
	w.mu.Unlock()
	if err != nil {
		w.Log.Debug().Err(err).Msg("how this host is connected is not known")
		return
	}
	if !w.begun || differs(link, w.told) {
		w.told, w.begun = link, true
		w.Tell(link)
	}
	if w.Say != nil && link.Address != "" {
		w.sayAddress(ctx, link.Address)
	}
}

// differs says that people would call it another connection, or a better or worse one.
func differs(a, b hal.Link) bool {
	louder := math.Abs(a.Signal - b.Signal)
	a.Signal, b.Signal = 0, 0
	return a != b || louder >= notable
}

// sayAddress says an address once: after the first start, and whenever it is another one. Where it cannot be said it is tried again.
func (w *Watch) sayAddress(ctx context.Context, address string) {
	before, err := w.Keep.LoadText(said)
	if err != nil || before == address {
		return
	}
	limit, cancel := context.WithTimeout(ctx, sayLimit)
	defer cancel()
	if err := w.Say(limit, Sentence(address)); err != nil {
		if why := err.Error(); why != w.failed && ctx.Err() == nil {
			w.failed = why
			w.Log.Info().Err(err).Str("address", address).Msg("the robot's address is not said yet")
		}
		return
	}
	w.failed = ""
	w.Log.Info().Str("address", address).Msg("the robot has said its address")
	if err := w.Keep.SaveText(said, address); err != nil {
		w.Log.Warn().Err(err).Msg("that the address was said is not kept: it will be said again")
	}
}

// Sentence tells an address.
func Sentence(address string) string { return "I am at " + address + "." }
