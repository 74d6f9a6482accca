package batch

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// Those who ask while an answer is found share the next one, which begins after they asked; who gives up waits no longer.
func TestBatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b Batch[int]
		found := 0
		find := func(context.Context) (int, error) {
			found++
			n := found
			time.Sleep(time.Second) // of the bubble
			return n, nil
		}
		ask := func(ctx context.Context, want int, failed error) {
			if n, err := b.Do(ctx, find); n != want || !errors.Is(err, failed) {
				t.Errorf("%d, %v; want %d, %v", n, err, want, failed)
			}
		}
		var all sync.WaitGroup
		all.Go(func() { ask(t.Context(), 1, nil) })
		synctest.Wait()
		for range 50 {
			all.Go(func() { ask(t.Context(), 2, nil) })
		}
		short, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		ask(short, 0, context.DeadlineExceeded)
		all.Wait()
		ask(t.Context(), 3, nil)
	})
}

func TestAPanicIsAnError(t *testing.T) {
	var b Batch[int]
	for range 2 {
		if _, err := b.Do(t.Context(), func(context.Context) (int, error) { panic("broken") }); err == nil || !strings.Contains(err.Error(), "broken") {
			t.Errorf("%v", err)
		}
	}
}
