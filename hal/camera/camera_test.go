package camera

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// fake is a source whose pictures come every gap; see its fields for what can go wrong.
type fake struct {
	gap time.Duration

	mu      sync.Mutex
	fail    error // of Open
	silent  bool  // open, but without pictures
	last    int   // breaks off after so many pictures; 0 is never
	streams int
	open    int
}

func (s *fake) Open(context.Context) (Stream, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fail != nil {
		return nil, s.fail
	}
	s.streams++
	s.open++
	return &fakeStream{s: s, closed: make(chan struct{}), silent: s.silent, left: s.last}, nil
}
func (s *fake) Intrinsics(w, h int) Intrinsics { return WebcamIntrinsics(w, h) }
func (s *fake) String() string                 { return "fake" }

func (s *fake) set(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
}

type fakeStream struct {
	s      *fake
	closed chan struct{}
	silent bool
	left   int
}

var errBroke = errors.New("broke off")

func (s *fakeStream) Next() (Frame, error) {
	tick := time.After(s.s.gap)
	if s.silent {
		tick = nil
	}
	select {
	case <-s.closed:
		return Frame{}, errors.New("closed")
	case <-tick:
	}
	if s.left--; s.left == 0 {
		return Frame{}, errBroke
	}
	return Frame{Time: time.Now()}, nil
}

func (s *fakeStream) Close() error {
	s.s.set(func() { s.s.open-- })
	close(s.closed)
	return nil
}

func TestOpensWhenAskedAndClosesWhenIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &fake{gap: 50 * time.Millisecond}
		c := &Camera{Source: s}
		defer c.Close()
		time.Sleep(time.Hour)
		if got := c.Stats(); got != (Stats{}) {
			t.Errorf("before the first question: %+v", got)
		}
		for round := 1; round <= 3; round++ {
			for range 20 { // questions that come more often than the idle time keep it open
				if _, err := c.Frame(t.Context()); err != nil {
					t.Fatal(err)
				}
				time.Sleep(DefaultIdle / 2)
			}
			if got := c.Stats(); !got.Open || got.Opened != uint64(round) {
				t.Errorf("round %d: %+v", round, got)
			}
			time.Sleep(2 * DefaultIdle)
			synctest.Wait()
			if got := c.Stats(); got.Open || s.open != 0 {
				t.Errorf("round %d: still open %v after the last question: %+v", round, 2*DefaultIdle, got)
			}
		}
		if got := c.Stats(); got.Failed != 0 {
			t.Errorf("%+v", got)
		}
	})
}

func TestNewestPicture(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &Camera{Source: &fake{gap: 50 * time.Millisecond}}
		defer c.Close()
		a, err := c.Frame(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		b, err := c.Frame(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if age := time.Since(b.Time); age > 50*time.Millisecond {
			t.Errorf("a slow reader got a picture that was %v old", age)
		}
		if b.Seq < a.Seq+19 {
			t.Errorf("numbers %d, %d a second later", a.Seq, b.Seq)
		}
		n, err := c.Next(t.Context(), b.Seq)
		if err != nil || n.Seq != b.Seq+1 {
			t.Errorf("after %d came %d, %v", b.Seq, n.Seq, err)
		}
		at := time.Now().Add(120 * time.Millisecond)
		s, err := c.Since(t.Context(), at)
		if err != nil || s.Time.Before(at) {
			t.Errorf("a picture of %v was asked for, got one of %v, %v", at, s.Time, err)
		}
		if got := c.Stats(); got.Dropped == 0 || got.Opened != 1 {
			t.Errorf("%+v", got)
		}
	})
}

// An old picture must not be taken for what is there now.
func TestNothingOldAfterAPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &Camera{Source: &fake{gap: 50 * time.Millisecond}}
		defer c.Close()
		a, _ := c.Frame(t.Context())
		time.Sleep(time.Hour)
		b, err := c.Frame(t.Context())
		if err != nil || time.Since(b.Time) > 0 || b.Seq <= a.Seq {
			t.Errorf("got number %d (before: %d), %v old, %v", b.Seq, a.Seq, time.Since(b.Time), err)
		}
	})
}

func TestStalledCameraIsAnErrorInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &fake{gap: 50 * time.Millisecond, silent: true}
		c := &Camera{Source: s}
		defer c.Close()
		began := time.Now()
		_, err := c.Frame(t.Context())
		if !errors.Is(err, ErrStalled) || time.Since(began) != DefaultPatience {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
		s.set(func() { s.silent = false }) // the next stream is healthy
		if _, err := c.Frame(t.Context()); err != nil {
			t.Errorf("opened anew: %v", err)
		}
		if got := c.Stats(); got.Failed != 1 || got.Opened != 2 || s.open != 1 {
			t.Errorf("%+v, %d streams open", got, s.open)
		}
	})
}

func TestSourceThatFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &fake{gap: 50 * time.Millisecond, fail: errors.New("no such device")}
		c := &Camera{Source: s}
		defer c.Close()
		began := time.Now()
		_, err := c.Frame(t.Context())
		if err == nil || !strings.Contains(err.Error(), "no such device") || time.Since(began) > time.Second {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
		s.set(func() { s.fail, s.last = nil, 5 }) // now there, but it breaks off every 4 pictures
		var seq uint64
		for i := range 20 {
			f, err := c.Next(t.Context(), seq)
			if err != nil {
				t.Fatalf("picture %d: %v", i, err)
			}
			seq = f.Seq
		}
		if got := c.Stats(); got.Opened != 5 && got.Opened != 6 {
			t.Errorf("20 pictures, 4 a stream: %+v", got)
		}
	})
}

// The pauses between attempts grow, so that a camera that is not there costs nothing.
func TestBackOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &fake{fail: errors.New("no such device")}
		c := &Camera{Source: s, Patience: time.Minute}
		defer c.Close()
		end := time.Now().Add(time.Minute)
		for time.Now().Before(end) {
			c.Frame(t.Context())
		}
		if got := c.Stats().Failed; got < 10 || got > 25 {
			t.Errorf("%d attempts in a minute", got)
		}
	})
}

func TestWaitingEndsWithContextAndClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &Camera{Source: &fake{silent: true}}
		ctx, cancel := context.WithCancelCause(t.Context())
		why := errors.New("changed my mind")
		time.AfterFunc(time.Second, func() { cancel(why) })
		if _, err := c.Frame(ctx); !errors.Is(err, why) {
			t.Errorf("got %v", err)
		}
		time.AfterFunc(time.Second, func() { c.Close() })
		if _, err := c.Frame(t.Context()); !errors.Is(err, ErrClosed) {
			t.Errorf("got %v", err)
		}
		c.Close()
		if _, err := c.Frame(t.Context()); !errors.Is(err, ErrClosed) {
			t.Errorf("after Close: %v", err)
		}
	})
}

func TestManyAskAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &Camera{Source: &fake{gap: 10 * time.Millisecond, last: 50}, Idle: 100 * time.Millisecond}
		var all sync.WaitGroup
		for i := range 20 {
			all.Go(func() {
				var seq uint64
				for range 50 {
					f, err := c.Next(t.Context(), seq)
					if err != nil || f.Seq <= seq {
						t.Errorf("after %d: %d, %v", seq, f.Seq, err)
						return
					}
					seq = f.Seq
					time.Sleep(time.Duration(i*i) * time.Millisecond)
				}
			})
		}
		all.Wait()
		c.Close()
	})
}

func TestParse(t *testing.T) {
	for address, want := range map[string]string{
		"sim:/run/sim.sock":  "simulated eye (/run/sim.sock)",
		"/dev/video2":        "/dev/video2",
		"device:/dev/video2": "/dev/video2",
		"rpicam":             "rpicam-vid",
		"file:a.png":         "file a.png",
	} {
		s, err := Parse(address)
		if err != nil || s.String() != want {
			t.Errorf("%s: %v, %v", address, s, err)
		}
	}
	for _, address := range []string{"", "sim:", "sim", "file:", "usb", "http://x", "rpicam:1"} {
		if s, err := Parse(address); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("%q", address)) {
			t.Errorf("%q: %v, %v", address, s, err)
		}
	}
}
