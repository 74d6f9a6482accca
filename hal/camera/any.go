package camera

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
)

// Any is the first of several sources that gives a picture: a program or a device file that is there may have no camera behind it.
type Any struct {
	Sources []Source

	mu    sync.Mutex
	first int // the one that is tried first: the one that gave pictures last
}

// Open implements Source: it is open when the first picture is there. A source that is silent until ctx ends is tried last the next time.
func (a *Any) Open(ctx context.Context) (Stream, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	var wrong []error
	for range a.Sources {
		source := a.Sources[a.first]
		stream, err := openWithPicture(ctx, source)
		if err == nil {
			return stream, nil
		}
		wrong = append(wrong, fmt.Errorf("%s: %w", source, err))
		a.first = (a.first + 1) % len(a.Sources)
		if ctx.Err() != nil {
			break
		}
	}
	return nil, errors.Join(wrong...)
}

// Intrinsics implements Source.
func (a *Any) Intrinsics(width, height int) Intrinsics {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.Sources[a.first].Intrinsics(width, height)
}

// String implements Source.
func (a *Any) String() string {
	names := make([]string, len(a.Sources))
	for i, s := range a.Sources {
		names[i] = s.String()
	}
	return strings.Join(names, " or ")
}

// begun is a stream whose first picture was read already.
type begun struct {
	Stream
	picture *Frame
}

// Next implements Stream.
func (b *begun) Next() (Frame, error) {
	if f := b.picture; f != nil {
		b.picture = nil
		return *f, nil
	}
	return b.Stream.Next()
}

func openWithPicture(ctx context.Context, source Source) (Stream, error) {
	stream, err := source.Open(ctx)
	if err != nil {
		return nil, err
	}
	closeOnce := sync.OnceFunc(func() { stream.Close() }) //nolint:errcheck // its end is known from Next
	stop := context.AfterFunc(ctx, closeOnce)
	f, err := stream.Next()
	if !stop() {
		err = fmt.Errorf("it is silent: %w", ctx.Err())
	}
	if err != nil {
		closeOnce()
		return nil, err
	}
	return &begun{stream, &f}, nil
}
