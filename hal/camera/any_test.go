package camera

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A source that is there and has no camera behind it is passed over without a fault, and not tried again while another gives pictures.
func TestTheFirstThatGivesAPictureIsTaken(t *testing.T) {
	for name, bad := range map[string]*fake{
		"it cannot be opened": {fail: errors.New("no cameras available")}, "it ends before a picture": {last: 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				good := &fake{gap: 50 * time.Millisecond}
				c := &Camera{Source: &Any{Sources: []Source{bad, good}}}
				defer c.Close()
				for range 2 {
					if _, err := c.Frame(t.Context()); err != nil {
						t.Fatal(err)
					}
					time.Sleep(2 * DefaultIdle)
					synctest.Wait()
				}
				if got := c.Stats(); got.Failed != 0 || got.Opened != 2 || bad.streams > 1 || bad.open != 0 || good.open != 0 {
					t.Errorf("%+v, %d tries of what gives none, %d and %d left open", got, bad.streams, bad.open, good.open)
				}
			})
		})
	}
}

// A source that opens and is silent takes the time that there is once; the other comes first then.
func TestASilentSourceIsTriedLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		silent, good := &fake{silent: true}, &fake{gap: 50 * time.Millisecond}
		c := &Camera{Source: &Any{Sources: []Source{silent, good}}}
		defer c.Close()
		if _, err := c.Frame(t.Context()); !errors.Is(err, ErrStalled) {
			t.Errorf("%v", err)
		}
		if _, err := c.Frame(t.Context()); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		if got := c.Stats(); got.Failed != 1 || silent.streams != 1 || silent.open != 0 {
			t.Errorf("%+v, %d tries, %d left open", got, silent.streams, silent.open)
		}
	})
}

func TestWhyNoneGivesAPictureIsSaid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &fake{fail: errors.New("no cameras available")}
		b := &fake{last: 1}
		c := &Camera{Source: &Any{Sources: []Source{a, b}}}
		defer c.Close()
		_, err := c.Frame(t.Context())
		if err == nil || !strings.Contains(err.Error(), "no cameras available") || !errors.Is(err, errBroke) {
			t.Errorf("%v", err)
		}
		b.set(func() { b.last = 0 }) // somebody plugs one in
		if _, err := c.Frame(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
