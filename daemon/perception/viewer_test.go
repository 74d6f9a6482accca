package perception

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestPicturesArePublishedWhileSomebodyAsks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		frames, published := 0, 0
		v := &Viewer{
			Frame: func(context.Context) ([]byte, error) {
				if frames++; frames%2 == 0 {
					return nil, errors.New("the camera is away")
				}
				return []byte("x"), nil
			},
			Publish: func([]byte) { published++ },
		}
		pass := func(d time.Duration) { time.Sleep(d); synctest.Wait() }
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- v.Run(ctx) }()
		pass(time.Minute)
		if frames != 0 {
			t.Errorf("%d pictures although nobody asked", frames)
		}
		v.Watch(2*time.Second, 5)
		pass(time.Minute)
		if frames != 10 || published != 5 {
			t.Errorf("%d pictures, %d published; want 10 and 5", frames, published)
		}
		v.Watch(time.Hour, 1000) // limited in both
		pass(time.Second + time.Millisecond)
		if n := frames - 10; n != MaxViewRate+1 {
			t.Errorf("%d pictures in a second, want %d", n, MaxViewRate+1)
		}
		v.Watch(0, 1)
		pass(time.Second)
		before := frames
		pass(time.Minute)
		if frames != before {
			t.Errorf("%d pictures after the end", frames-before)
		}
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}
