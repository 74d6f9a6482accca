package body

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"sync"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/local"
	"github.com/reachyd/reachyd/hal/request"
)

// ErrUnavailable is wrapped by every error that means: the body could not be reached, or the connection broke.
var ErrUnavailable = errors.New("the body cannot be reached")

// ErrUnknownMove is wrapped by the error of Wait when the body knows no move of that ID.
var ErrUnknownMove = errors.New("unknown move")

// Client asks the body, over its unix socket, to move the robot and to tell how it is. It may be used by many
// goroutines at once. It connects when it is used and again after the body has restarted.
type Client struct {
	local   *local.Client
	targets targets
}

// New returns a client of the body that listens on socket. Nothing is contacted yet.
func New(socket string) *Client {
	c := &Client{local: local.NewClient(socket, ErrUnavailable, refused)}
	c.targets.client = c
	return c
}

func refused(status int, reason string) error {
	switch status {
	case http.StatusNotFound:
		return fmt.Errorf("%w: %s", ErrUnknownMove, reason)
	case http.StatusServiceUnavailable:
		return fmt.Errorf("%w: %s", ErrUnavailable, reason)
	}
	return fmt.Errorf("the body refuses (status %d): %s", status, reason)
}

// Close ends all calls, watches and streams of the client. It may be called more than once.
func (c *Client) Close() {
	c.local.Close()
	c.targets.close()
}

// Do asks for a movement or another change and returns the body's answer. A rejected request is an Answer, not an
// error; the error is non-nil when no answer came, and then wraps ErrUnavailable or the context's error.
func (c *Client) Do(ctx context.Context, req hal.Request) (hal.Answer, error) {
	// JSON cannot carry NaN: refuse here, in the same words as the body would.
	if bad := request.Check(&req); bad != nil {
		return *bad, nil
	}
	if req.Verb == hal.VerbTarget { // one comes after the other: they share a connection
		return c.targets.do(ctx, req)
	}
	data, err := json.Marshal(&req)
	if err != nil {
		return hal.Answer{}, fmt.Errorf("encode %s request: %w", req.Verb, err)
	}
	var a hal.Answer
	err = c.local.Call(ctx, http.MethodPost, "/command", bytes.NewReader(data), &a)
	return a, err
}

// Perform is Do, and then Wait for the end of the move that began, in one request. The answer is that of Do; when it came,
// an error says why the end is not known. A request that begins no move has no end: the event is zero then.
func (c *Client) Perform(ctx context.Context, req hal.Request) (a hal.Answer, end hal.Event, err error) {
	if bad := request.Check(&req); bad != nil {
		return *bad, end, nil
	}
	data, err := json.Marshal(&req)
	if err != nil {
		return a, end, fmt.Errorf("encode %s request: %w", req.Verb, err)
	}
	var e End
	lines := 0
	err = c.local.Lines(ctx, http.MethodPost, "/command?wait=1", bytes.NewReader(data), func(line []byte) error {
		if lines++; lines == 1 {
			return json.Unmarshal(line, &a)
		}
		return json.Unmarshal(line, &e)
	})
	switch {
	case e.Event != nil:
		return a, *e.Event, nil
	case e.Error != "":
		return a, end, fmt.Errorf("%w: %s", ErrUnavailable, e.Error)
	case lines == 1 && (a.Move == "" || a.Outcome == hal.Rejected):
		return a, end, nil
	}
	return a, end, err
}

// State returns the robot's present state.
func (c *Client) State(ctx context.Context) (hal.State, error) {
	var s hal.State
	err := c.local.Call(ctx, http.MethodGet, "/state", nil, &s)
	return s, err
}

// Telemetry returns the health of the body as of its last full second.
func (c *Client) Telemetry(ctx context.Context) (hal.Telemetry, error) {
	var t hal.Telemetry
	err := c.local.Call(ctx, http.MethodGet, "/telemetry", nil, &t)
	return t, err
}

// Wait returns the end of a move, also when the move ended before Wait was called (the body remembers the last
// ends). The error wraps ErrUnknownMove when the body has no such move, else ErrUnavailable or the context's error.
func (c *Client) Wait(ctx context.Context, move string) (hal.Event, error) {
	var e hal.Event
	err := c.local.Call(ctx, http.MethodGet, "/wait?move="+url.QueryEscape(move), nil, &e)
	return e, err
}

// Watch calls fn with a state at once and then hz times a second (0 < hz ≤ 100), with every event as it happens and
// with telemetry once a second. It returns when ctx ends (its error) or when the connection breaks (ErrUnavailable).
// While fn is slow states are left out; events are not, but a gap in Event.Seq tells when thousands were.
func (c *Client) Watch(ctx context.Context, hz float64, fn func(Message)) error {
	return c.watch(ctx, "/watch?hz="+strconv.FormatFloat(hz, 'g', -1, 64), fn)
}

// Own is Watch by the owner of the robot, which is reachyd. When the last owner has gone the body holds, parks the
// robot after its owner timeout and exits after it has lingered. An owner that comes back finds it as it was. Of a robot that
// rests, and may breathe, it is told once a second, with the telemetry: it is there all the time.
func (c *Client) Own(ctx context.Context, hz float64, fn func(Message)) error {
	return c.watch(ctx, "/watch?owner=1&calm=1&hz="+strconv.FormatFloat(hz, 'g', -1, 64), fn)
}

func (c *Client) watch(ctx context.Context, path string, fn func(Message)) error {
	return c.local.Lines(ctx, http.MethodGet, path, nil, local.Each(fn))
}

// Stream is one connection over which targets are streamed to the loop. It holds the lease from its first target
// until it is closed, is silent for too long, or somebody else's request moves the robot.
type Stream struct {
	stop    context.CancelFunc
	broken  func(what string, err error) error
	body    *io.PipeWriter
	answers chan StreamAnswer
	wg      sync.WaitGroup

	mu      sync.Mutex
	wake    sync.Cond
	next    *hal.Request
	busy    bool   // a target is being written
	written uint64 // targets
	heard   uint64 // the newest target that was answered
	last    StreamAnswer
	err     error
	closed  bool
}

// Stream opens a stream of targets on behalf of source, a name that the refusal of others will mention.
func (c *Client) Stream(ctx context.Context, source string) (*Stream, error) {
	return c.openStream(ctx, source, false)
}

// AnsweredStream is Stream, but every target is answered, so that Flush works.
func (c *Client) AnsweredStream(ctx context.Context, source string) (*Stream, error) {
	return c.openStream(ctx, source, true)
}

// openStream opens a stream; of one that wants all answers every target is answered, not only those that were compared
// with the envelope.
func (c *Client) openStream(ctx context.Context, source string, allAnswers bool) (*Stream, error) {
	path := "/stream?source=" + url.QueryEscape(source)
	if allAnswers {
		path += "&answers=all"
	}
	ctx, stop := c.local.Join(ctx)
	pr, pw := io.Pipe()
	// A transport that gives up waits for its reader of the body, which waits for a target: only this ends that.
	context.AfterFunc(ctx, func() { pr.CloseWithError(context.Cause(ctx)) })
	resp, err := c.local.Do(ctx, http.MethodPost, path, pr) //nolint:bodyclose // receive closes it
	if err != nil {
		stop()
		return nil, err
	}
	s := &Stream{stop: stop, broken: c.local.Broken, body: pw, answers: make(chan StreamAnswer, 64)}
	s.wake.L = &s.mu
	s.wg.Add(2)
	go func() {
		defer s.wg.Done()
		s.send()
	}()
	go func() {
		defer s.wg.Done()
		s.receive(resp.Body)
	}()
	return s, nil
}

// Send hands a target to the stream and does not wait for the robot: of targets that come faster than the socket
// takes them the newest wins. A target with NaN is refused here. The error says why the stream is over.
func (s *Stream) Send(req hal.Request) error {
	req.Verb = hal.VerbTarget
	if bad := request.Check(&req); bad != nil {
		s.answered(StreamAnswer{Answer: *bad})
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return s.err
	}
	s.next = &req
	s.wake.Broadcast()
	return nil
}

// Flush waits until the body has taken the targets that were sent, so that what is asked for by another way comes after
// them. It is for an AnsweredStream. The error is the context's, or why the stream is over.
func (s *Stream) Flush(ctx context.Context) error {
	defer context.AfterFunc(ctx, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.wake.Broadcast()
	})()
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.err == nil && ctx.Err() == nil && (s.next != nil || s.busy || s.heard < s.written) {
		s.wake.Wait()
	}
	if s.err != nil {
		return s.err
	}
	return context.Cause(ctx)
}

// Answers carries what the body says to the targets. When nobody reads it the oldest are dropped; it is closed when
// the stream is over.
func (s *Stream) Answers() <-chan StreamAnswer { return s.answers }

// Last returns the newest answer; its N is 0 before the first one.
func (s *Stream) Last() StreamAnswer {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last
}

// answerTo waits for the answer to the target of that number.
func (s *Stream) answerTo(ctx context.Context, n uint64) (hal.Answer, error) {
	for {
		select {
		case a, open := <-s.answers:
			switch {
			case !open:
				s.mu.Lock()
				defer s.mu.Unlock()
				return hal.Answer{}, s.err
			case a.N >= n:
				return a.Answer, nil
			}
		case <-ctx.Done():
			return hal.Answer{}, context.Cause(ctx)
		}
	}
}

// Close gives the lease back, so that the robot holds, and ends the stream. It may be called more than once.
func (s *Stream) Close() error {
	s.end(net.ErrClosed)
	s.wg.Wait()
	return nil
}

func (s *Stream) end(err error) {
	s.mu.Lock()
	if s.err == nil {
		s.err = err
	}
	s.wake.Broadcast()
	s.mu.Unlock()
	s.body.Close() //nolint:errcheck // of a pipe: always nil
	s.stop()
}

// send writes the newest target whenever the socket has taken the one before.
func (s *Stream) send() {
	for {
		s.mu.Lock()
		for s.next == nil && s.err == nil {
			s.wake.Wait()
		}
		req, over := s.next, s.err != nil
		s.next = nil
		s.busy = req != nil
		s.mu.Unlock()
		if over {
			return
		}
		line, err := json.Marshal(req)
		if err == nil {
			_, err = s.body.Write(append(line, '\n'))
		}
		if err != nil {
			s.end(s.broken("stream", err))
			return
		}
		s.mu.Lock()
		s.busy = false
		s.written++
		s.mu.Unlock()
	}
}

func (s *Stream) receive(r io.ReadCloser) {
	defer r.Close() //nolint:errcheck // nothing to be done about it
	defer s.closeAnswers()
	err := local.ReadLines(r, func(line []byte) error {
		var a StreamAnswer
		if err := json.Unmarshal(line, &a); err != nil {
			return err
		}
		s.answered(a)
		return nil
	})
	s.end(s.broken("stream", err))
}

func (s *Stream) answered(a StreamAnswer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	s.last = a
	s.heard = max(s.heard, a.N)
	s.wake.Broadcast()
	for {
		select {
		case s.answers <- a:
			return
		default:
		}
		select { // full: the oldest makes room
		case <-s.answers:
		default:
		}
	}
}

func (s *Stream) closeAnswers() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	close(s.answers)
}
