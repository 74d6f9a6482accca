package body

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/reachyd/reachyd/hal"
)

const (
	// maxTargetStreams is how many sources of single targets a client has a stream for at once.
	maxTargetStreams = 8
	// targetIdle is how long a stream of single targets stays open unused: longer than any lease, which its end would end.
	targetIdle = 90 * time.Second
)

// targets sends single targets by streams that stay open, one per source, and waits for the answer to each: a line there
// and a line back instead of a request over HTTP.
type targets struct {
	client *Client

	mu   sync.Mutex
	open map[string]*targetStream
}

// targetStream is the stream of one source. Whoever has turn may use it.
type targetStream struct {
	source string
	turn   chan struct{}
	stream *Stream
	sent   uint64

	// Guarded by targets.mu.
	used    time.Time
	refused bool
	idle    *time.Timer
}

// do sends one target and returns what the body says to it.
func (t *targets) do(ctx context.Context, req hal.Request) (hal.Answer, error) {
	source := cmp.Or(req.Source, "anonymous")
	req.Source = ""
	ts := t.get(source)
	if ts == nil {
		return hal.Answer{Outcome: hal.Rejected, Code: hal.CodeBusy, Reason: "too many sources stream targets already"}, nil
	}
	select {
	case ts.turn <- struct{}{}:
	case <-ctx.Done():
		return hal.Answer{}, context.Cause(ctx)
	}
	defer func() { <-ts.turn }()
	fresh := ts.stream == nil
	a, err := t.ask(ctx, ts, &req)
	if !fresh && errors.Is(err, ErrUnavailable) { // the body may have restarted since: as with any kept connection, once more
		a, err = t.ask(ctx, ts, &req)
	}
	t.mu.Lock()
	ts.refused = err != nil || a.Outcome == hal.Rejected
	t.mu.Unlock()
	return a, err
}

// ask sends a target by the stream of ts, whose turn the caller has, and waits for its answer. A stream that did not
// answer is closed.
func (t *targets) ask(ctx context.Context, ts *targetStream, req *hal.Request) (hal.Answer, error) {
	if ts.stream == nil {
		s, err := t.connect(ctx, ts.source)
		if err != nil {
			return hal.Answer{}, err
		}
		ts.stream, ts.sent = s, 0
	}
	err := ts.stream.Send(*req)
	if err == nil {
		ts.sent++
		var a hal.Answer
		if a, err = ts.stream.answerTo(ctx, ts.sent); err == nil {
			return a, nil
		}
	}
	ts.stream.Close() //nolint:errcheck // always nil
	ts.stream = nil
	return hal.Answer{}, err
}

// connect opens a stream that outlives ctx, which only bounds how long that takes.
func (t *targets) connect(ctx context.Context, source string) (*Stream, error) {
	life, end := context.WithCancel(context.Background())
	unhook := context.AfterFunc(ctx, end)
	s, err := t.client.openStream(life, source, true)
	if !unhook() && err == nil {
		s.Close() //nolint:errcheck // always nil
		err = context.Cause(ctx)
	}
	if err != nil {
		end()
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return nil, err
	}
	return s, nil
}

// get returns the stream of a source; nil when there is no room for another one.
func (t *targets) get(source string) *targetStream {
	t.mu.Lock()
	defer t.mu.Unlock()
	ts := t.open[source]
	if ts == nil {
		if len(t.open) >= maxTargetStreams && !t.makeRoom() {
			return nil
		}
		ts = &targetStream{source: source, turn: make(chan struct{}, 1), refused: true}
		ts.idle = time.AfterFunc(targetIdle, func() { t.drop(ts) })
		if t.open == nil {
			t.open = map[string]*targetStream{}
		}
		t.open[source] = ts
	}
	ts.used = time.Now()
	ts.idle.Reset(targetIdle)
	return ts
}

// makeRoom closes the stream that is missed least: one that the body refuses, else the one unused for longest. Nobody
// must be using it.
func (t *targets) makeRoom() bool {
	var worst *targetStream
	for _, ts := range t.open {
		if len(ts.turn) == 0 && (worst == nil || worse(ts, worst)) {
			worst = ts
		}
	}
	return worst != nil && t.remove(worst)
}

func worse(a, b *targetStream) bool {
	if a.refused != b.refused {
		return a.refused
	}
	return a.used.Before(b.used)
}

// drop closes a stream that nobody has used for long.
func (t *targets) drop(ts *targetStream) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.open[ts.source] == ts && !t.remove(ts) {
		ts.idle.Reset(targetIdle)
	}
}

// remove takes ts out and closes its stream, unless somebody uses it. t.mu is held.
func (t *targets) remove(ts *targetStream) bool {
	select {
	case ts.turn <- struct{}{}:
	default:
		return false
	}
	defer func() { <-ts.turn }()
	delete(t.open, ts.source)
	ts.idle.Stop()
	if ts.stream != nil {
		ts.stream.Close() //nolint:errcheck // always nil
		ts.stream = nil
	}
	return true
}

// close ends all streams; the client has ended their connections.
func (t *targets) close() {
	t.mu.Lock()
	all := slices.Collect(maps.Values(t.open))
	t.open = nil
	t.mu.Unlock()
	for _, ts := range all {
		ts.idle.Stop()
		ts.turn <- struct{}{} // whoever has it learns at once that the client was closed
		if ts.stream != nil {
			ts.stream.Close() //nolint:errcheck // always nil
			ts.stream = nil
		}
		<-ts.turn
	}
}
