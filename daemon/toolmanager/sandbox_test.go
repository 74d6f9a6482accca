package toolmanager

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/reachyd/reachyd/toolsandbox/guest"
)

// counted are workers whose calls take a minute.
type counted struct{ open *int }

func (counted) Call(context.Context, *guest.Request) (guest.Result, error) {
	time.Sleep(time.Minute) // in a bubble
	return guest.Result{Reason: guest.ReasonOK}, nil
}

func (c counted) Close() error { *c.open--; return nil }

func TestIdleWorkersAreGivenBackAndComeBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		opened, open := 0, 0
		s := newSandbox(10*time.Second, func(context.Context) (workers, error) {
			opened++
			open++
			return counted{&open}, nil
		})
		if opened > 0 {
			t.Error("there are workers before the first call")
		}
		call := func() {
			t.Helper()
			if _, err := s.Call(t.Context(), &guest.Request{}); err != nil {
				t.Error(err)
			}
		}
		go func() { time.Sleep(55 * time.Second); call() }() // while the first works
		call()
		time.Sleep(54 * time.Second) // longer than Idle, but the second call works
		synctest.Wait()
		if opened != 1 || open != 1 {
			t.Errorf("%d workers were opened and %d are open while they work", opened, open)
		}
		time.Sleep(10 * time.Second) // the second ended a second ago
		call()                       // within Idle
		if opened != 1 {
			t.Errorf("%d workers were opened", opened)
		}
		time.Sleep(10*time.Second + 1)
		synctest.Wait()
		if open != 0 || s.opened() {
			t.Error("the workers are still there after they were idle")
		}
		call()
		if err := s.Close(); err != nil || opened != 2 || open != 0 {
			t.Errorf("%v, %d opened, %d open", err, opened, open)
		}
		if _, err := s.Call(t.Context(), &guest.Request{}); !errors.Is(err, guest.ErrClosed) {
			t.Errorf("closed: %v", err)
		}
	})
}
