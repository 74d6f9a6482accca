// Package batch lets those who ask for the same at the same time share one answer, which is no older than the question of any of them.
package batch

import (
	"context"
	"fmt"
	"sync"
)

// Batch shares answers. Its zero value is ready; it must not be copied.
type Batch[T any] struct {
	mu   sync.Mutex
	next *round[T] // has not begun: whoever asks now takes part in it
	last *round[T] // has begun
}

type round[T any] struct {
	done  chan struct{}
	value T
	err   error
}

// Do returns what find finds, which begins after Do was called. One find goes on at a time, however many ask: those who come while it does
// share the next. It goes on when ctx ends, since others wait for it. What it returns must not be changed.
func (b *Batch[T]) Do(ctx context.Context, find func(ctx context.Context) (T, error)) (T, error) {
	b.mu.Lock()
	r := b.next
	if r == nil {
		r = &round[T]{done: make(chan struct{})}
		b.next = r
		go b.answer(context.WithoutCancel(ctx), r, b.last, find)
	}
	b.mu.Unlock()
	select {
	case <-r.done:
		return r.value, r.err
	case <-ctx.Done():
		var none T
		return none, context.Cause(ctx)
	}
}

func (b *Batch[T]) answer(ctx context.Context, r, before *round[T], find func(ctx context.Context) (T, error)) {
	if before != nil {
		<-before.done
	}
	b.mu.Lock()
	b.next, b.last = nil, r
	b.mu.Unlock()
	defer close(r.done)
	defer func() {
		if v := recover(); v != nil {
			r.err = fmt.Errorf("panic: %v", v)
		}
	}()
	r.value, r.err = find(ctx)
}
