package server

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/body"
	"github.com/reachyd/reachyd/hal/body/bodytest"
	"github.com/reachyd/reachyd/hal/motion"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// robot is a served loop over servos that obey at once.
type robot struct{ *bodytest.Robot }

func newRobot(t testing.TB, change ...func(*Server)) *robot {
	t.Helper()
	return &robot{bodytest.New(t, t.TempDir(), motion.Config{Lease: time.Second}, func(l *motion.Loop) bodytest.Server {
		s := &Server{Loop: l, Log: zerolog.Nop()}
		for _, c := range change {
			c(s)
		}
		return s
	})}
}

// plain is a client that sends what no Client would.
func (r *robot) plain(t *testing.T) *http.Client {
	var d net.Dialer
	c := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return d.DialContext(ctx, "unix", r.Socket)
	}}}
	t.Cleanup(c.CloseIdleConnections)
	return c
}

// until watches the robot until its state is as wanted.
func (r *robot) until(t testing.TB, want func(*hal.State) bool) hal.State {
	t.Helper()
	return r.Until(t, "the state that is waited for", want)
}

func soon(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), bodytest.Patience)
	t.Cleanup(cancel)
	return ctx
}

func TestMoveAndWait(t *testing.T) {
	r := newRobot(t)
	ctx := soon(t)
	a, err := r.Do(ctx, hal.Request{Verb: hal.VerbGoto, Head: hal.Head{Yaw: 0.3}.Goal(), Duration: 0.3})
	if err != nil || a.Outcome != hal.Accepted || a.Move == "" {
		t.Fatalf("%+v %v", a, err)
	}
	for _, when := range []string{"while it runs", "when it is over"} {
		e, err := r.Wait(ctx, a.Move)
		if err != nil || e.End != hal.EndDone || e.Move != a.Move {
			t.Errorf("wait %s: %+v %v", when, e, err)
		}
	}
	s, err := r.State(ctx)
	if err != nil || math.Abs(s.Head.Yaw-0.3) > 1e-3 {
		t.Errorf("state %+v %v", s, err)
	}
	if _, err := r.Wait(ctx, "never heard of"); !errors.Is(err, body.ErrUnknownMove) {
		t.Errorf("wait for an unknown move: %v", err)
	}
}

func TestNaNIsRefusedByName(t *testing.T) {
	r := newRobot(t)
	a, err := r.Do(soon(t), hal.Request{Verb: hal.VerbGoto, Head: hal.Head{Pitch: math.NaN()}.Goal()})
	if err != nil || a.Code != hal.CodeInvalid || !strings.Contains(a.Reason, "head.pitch is NaN") {
		t.Errorf("%+v %v", a, err)
	}
}

func TestBadRequestsAreExplained(t *testing.T) {
	r := newRobot(t)
	client := r.plain(t)
	for body, want := range map[string]string{
		`{"verb":"goto","heed":{}}`:              `"heed" is unknown; known are id verb head`,
		`{"verb":"goto","head":{"pitch":"far"}}`: "head.pitch is string; allowed is a number",
		`{"verb":"goto"`:                         "ends in the middle",
		`[1]`:                                    "a JSON object, not array",
		`{"verb":"goto","head":{"yaw":NaN}}`:     "not JSON at byte",
		`{"verb":"hold"} {"verb":"hold"}`:        "more after the JSON object",
		`{"verb":"goto","head":{"yaw":1e400}}`:   "head.yaw",
		``:                                       "not JSON",
	} {
		resp, err := client.Post("http://body/command", "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if resp.StatusCode != http.StatusBadRequest || !strings.Contains(string(text), strings.ReplaceAll(want, `"`, `\"`)) {
			t.Errorf("%s: %d %s; want 400 with %q", body, resp.StatusCode, text, want)
		}
	}
	resp, err := client.Post("http://body/command", "application/json", bytes.NewReader(make([]byte, MaxRequest+1)))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("too long: %d", resp.StatusCode)
	}
	for path, want := range map[string]string{
		"/watch?hz=0": "allowed is a number above 0", "/watch?hz=101": "up to 100", "/watch?hz=NaN": "hz is", "/watch?hz=1&after=x": "after is",
	} {
		resp, err := client.Get("http://body" + path)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if resp.StatusCode != http.StatusBadRequest || !strings.Contains(string(text), want) {
			t.Errorf("%s: %d %s", path, resp.StatusCode, text)
		}
	}
	if s := r.Loop.State(); s.Moving {
		t.Error("something moved")
	}
}

func TestWatchTellsAllEvents(t *testing.T) {
	r := newRobot(t)
	ctx, cancel := context.WithCancel(soon(t))
	defer cancel()
	var first *body.Message
	var events []hal.Event
	telemetry := 0
	started := make(chan struct{})
	var moves []string
	go func() {
		<-started
		for range 3 {
			a, err := r.Do(ctx, hal.Request{Verb: hal.VerbGoto, Antennas: hal.Antennas{Left: 0.1}.Goal(), Duration: 0.05})
			if err != nil {
				t.Error(err)
			}
			r.Wait(ctx, a.Move)
		}
	}()
	err := r.Watch(ctx, 50, func(m body.Message) {
		if first == nil {
			first = &m
			close(started)
		}
		if m.Event != nil {
			events = append(events, *m.Event)
			if m.Event.Type == hal.EventMoveDone {
				moves = append(moves, m.Event.Move)
			}
		}
		if m.Telemetry != nil {
			telemetry++
		}
		if telemetry > 0 && len(moves) == 3 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if first.State == nil {
		t.Errorf("the first message is %+v", first)
	}
	for i, e := range events {
		if i > 0 && e.Seq != events[i-1].Seq+1 {
			t.Errorf("gap before event %d", e.Seq)
		}
	}
	if len(moves) != 3 || len(events) < 6 {
		t.Errorf("events %+v", events)
	}
}

func TestWatchEndsWithTheServer(t *testing.T) {
	r := newRobot(t)
	err := r.Watch(soon(t), 10, func(body.Message) { r.Stop() })
	if !errors.Is(err, body.ErrUnavailable) {
		t.Errorf("watch ended with %v", err)
	}
	if _, err := r.State(soon(t)); !errors.Is(err, body.ErrUnavailable) {
		t.Errorf("state: %v", err)
	}
}

// A reader that does not read must not hold anything up.
func TestSlowReaderBlocksNobody(t *testing.T) {
	r := newRobot(t)
	conn, err := net.Dial("unix", r.Socket)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "GET /watch?hz=100 HTTP/1.1\r\nHost: body\r\n\r\n")
	ctx := soon(t)
	for range 50 {
		a, err := r.Do(ctx, hal.Request{Verb: hal.VerbGoto, Antennas: hal.Antennas{Left: 0.1}.Goal(), Duration: 0.02})
		if err != nil || a.Outcome == hal.Rejected {
			t.Fatalf("%+v %v", a, err)
		}
		if _, err := r.Wait(ctx, a.Move); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := bufio.NewReader(conn).ReadString('\n'); err != nil {
		t.Error(err)
	}
}

// A reader that reads nothing for too long is disconnected.
func TestStuckReaderIsDisconnected(t *testing.T) {
	r := newRobot(t, func(s *Server) { s.slow = 20 * time.Millisecond })
	conn, err := net.Dial("unix", r.Socket)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	conn.(*net.UnixConn).SetReadBuffer(1 << 12)
	fmt.Fprintf(conn, "POST /stream?source=stuck HTTP/1.1\r\nHost: body\r\nTransfer-Encoding: chunked\r\n\r\n")
	// Every line of nonsense earns an answer that nobody reads.
	line := fmt.Sprintf("%x\r\n%s\r\n", len("{\"verb\":\"x\"}\n"), "{\"verb\":\"x\"}\n")
	block := strings.Repeat(line, 500)
	conn.SetDeadline(time.Now().Add(bodytest.Patience))
	for {
		if _, err := conn.Write([]byte(block)); err != nil {
			if errors.Is(err, os.ErrDeadlineExceeded) {
				t.Error("never disconnected")
			}
			return
		}
	}
}

func TestTooManyWatchersAreRefused(t *testing.T) {
	r := newRobot(t)
	ctx, cancel := context.WithCancel(soon(t))
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	in := make(chan struct{}, MaxWatchers)
	for range MaxWatchers {
		wg.Go(func() {
			var once sync.Once
			for ctx.Err() == nil { // the place of a watch that has just ended may still be taken
				r.Watch(ctx, 1, func(body.Message) { once.Do(func() { in <- struct{}{} }) })
			}
		})
	}
	for range MaxWatchers {
		<-in
	}
	if err := r.Watch(ctx, 1, func(body.Message) {}); !errors.Is(err, body.ErrUnavailable) {
		t.Errorf("one too many: %v", err)
	}
}

func TestStreamMovesAndGivesTheLeaseBack(t *testing.T) {
	r := newRobot(t)
	ctx := soon(t)
	st, err := r.Stream(ctx, "puppet")
	if err != nil {
		t.Fatal(err)
	}
	if err := st.Send(hal.Request{Head: hal.Head{Yaw: 0.1}.Goal()}); err != nil {
		t.Fatal(err)
	}
	if a := <-st.Answers(); a.Outcome != hal.Accepted || a.N != 1 {
		t.Fatalf("first target: %+v", a)
	}
	other, err := r.Stream(ctx, "thief")
	if err != nil {
		t.Fatal(err)
	}
	other.Send(hal.Request{Head: hal.Head{Yaw: -0.5}.Goal()})
	if a := <-other.Answers(); a.Code != hal.CodeLease || !strings.Contains(a.Reason, "puppet") {
		t.Errorf("thief: %+v", a)
	}
	st.Send(hal.Request{Head: hal.Head{Yaw: math.Inf(1)}.Goal()})
	if a := st.Last(); a.Code != hal.CodeInvalid {
		t.Errorf("infinite target: %+v", a)
	}
	s := r.until(t, func(s *hal.State) bool { return s.MoveName == "stream puppet" })
	if err := st.Close(); err != nil {
		t.Error(err)
	}
	if e, err := r.Wait(ctx, s.Move); err != nil || e.Type != hal.EventMoveDone {
		t.Errorf("end of the stream: %+v %v", e, err)
	}
	if err := st.Send(hal.Request{Head: hal.Head{}.Goal()}); err == nil {
		t.Error("a closed stream takes targets")
	}
	other.Close()
	other.Close()
}

// A flood of targets is read to its end, and its silence ends the lease.
func TestStreamOfManyTargets(t *testing.T) {
	r := newRobot(t)
	conn, err := net.Dial("unix", r.Socket)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "POST /stream?source=flood HTTP/1.1\r\nHost: body\r\nTransfer-Encoding: chunked\r\n\r\n")
	line := []byte(`{"head":{"x":0,"y":0,"z":0.001,"roll":0.1,"pitch":0.1,"yaw":0.2}}` + "\n")
	chunk := fmt.Appendf(nil, "%x\r\n%s\r\n", len(line), line)
	block := bytes.Repeat(chunk, 100)
	refused := make(chan bool, 1)
	go func() { // it reads its answers: who does not is disconnected after a while
		in, found := bufio.NewScanner(conn), false
		for !found && in.Scan() {
			found = strings.Contains(in.Text(), "targets only")
		}
		refused <- found
	}()
	for range 130 { // a second's worth, as fast as it goes
		if _, err := conn.Write(block); err != nil {
			t.Fatal(err)
		}
	}
	ctx := soon(t)
	id := r.until(t, func(s *hal.State) bool { return s.Move != "" }).Move
	if e, err := r.Wait(ctx, id); err != nil || !strings.Contains(e.Reason, "silent") {
		t.Errorf("%+v %v", e, err)
	}
	fmt.Fprintf(conn, "%x\r\n%s\r\n", len("{\"verb\":\"wake\"}\n"), "{\"verb\":\"wake\"}\n")
	select {
	case found := <-refused:
		if !found {
			t.Error("the stream ended without an answer to the wake")
		}
	case <-ctx.Done():
		t.Error("no answer to a wake on a stream")
	}
}
