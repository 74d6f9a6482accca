package connection

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"github.com/reachyd/reachyd/hal"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// texts keeps texts as a store does.
type texts map[string]string

func (t texts) LoadText(key string) (string, error) { return t[key], nil }

func (t texts) SaveText(key, text string) error {
	t[key] = text
	return nil
}

// home is a host whose connection the test changes, and a robot that notes what it says and tells.
type home struct {
	link hal.Link
	err  error
	mute error
	kept texts
	said []string
	told []hal.Link
}

func (h *home) watch() *Watch {
	return &Watch{
		Read: func() (hal.Link, error) { return h.link, h.err }, Tell: func(l hal.Link) { h.told = append(h.told, l) }, Keep: h.kept,
		Say: func(_ context.Context, text string) error {
			if h.mute == nil {
				h.said = append(h.said, text)
			}
			return h.mute
		},
		Log: zerolog.Nop(),
	}
}

func at(address string, signal float64) hal.Link {
	return hal.Link{Interface: "wlan0", Address: address, Wireless: true, Name: "home", Signal: signal}
}

func TestAnAddressIsSaidOnce(t *testing.T) {
	h := &home{kept: texts{}}
	w := h.watch()
	expect := func(when string, said ...string) {
		t.Helper()
		w.look(t.Context())
		if !slices.Equal(h.said, said) {
			t.Fatalf("%s it has said %q, want %q", when, h.said, said)
		}
	}
	expect("without a network")
	h.link, h.mute = at("192.168.1.20", -50), errors.New("no loudspeaker yet")
	expect("while it cannot speak")
	h.mute = nil
	expect("after the first start", "I am at 192.168.1.20.")
	expect("later", "I am at 192.168.1.20.")
	w = h.watch()
	expect("after another start", "I am at 192.168.1.20.")
	h.link = hal.Link{}
	expect("while the network is away", "I am at 192.168.1.20.")
	h.link = at("192.168.1.20", -50)
	expect("when it is back", "I am at 192.168.1.20.")
	h.link = at("10.0.0.7", -50)
	expect("with another address", "I am at 192.168.1.20.", "I am at 10.0.0.7.")
	w.Say = nil
	h.link = at("10.0.0.8", -50)
	expect("where it is not to", "I am at 192.168.1.20.", "I am at 10.0.0.7.")
}

func TestChangesAreTold(t *testing.T) {
	h := &home{kept: texts{}}
	w := h.watch()
	for _, c := range []struct {
		link hal.Link
		err  error
		told int
	}{
		{hal.Link{}, errors.New("no netlink"), 0},
		{hal.Link{}, nil, 1}, // also that there is none
		{hal.Link{}, nil, 1},
		{at("192.168.1.20", -50), nil, 2},
		{at("192.168.1.20", -55), nil, 2}, // it always moves a little
		{at("192.168.1.20", -56), nil, 3},
		{at("192.168.1.20", -51), nil, 3}, // from what was told last
		{at("192.168.1.21", -51), nil, 4},
	} {
		h.link, h.err = c.link, c.err
		w.look(t.Context())
		if len(h.told) != c.told {
			t.Errorf("%+v: told %d times, want %d", c.link, len(h.told), c.told)
		}
		newest := w.Newest()
		if (newest == nil) != (c.err != nil) || newest != nil && *newest != c.link {
			t.Errorf("newest is %+v, want %+v (%v)", newest, c.link, c.err)
		}
	}
}

func TestRunLooksWithEveryTick(t *testing.T) {
	h := &home{kept: texts{}}
	w := h.watch()
	tick, links := make(chan time.Time), make(chan hal.Link)
	w.Read = func() (hal.Link, error) { return <-links, nil }
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- w.Run(ctx, tick) }()
	links <- hal.Link{} // at once
	for range 2 {
		tick <- time.Time{}
		links <- at("192.168.1.20", -50)
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if len(h.told) != 2 || len(h.said) != 1 {
		t.Errorf("told %v, said %q", h.told, h.said)
	}
}
