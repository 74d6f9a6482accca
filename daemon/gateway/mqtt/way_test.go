package mqtt

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/reachyd/reachyd/agents/coordinator"
	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/agents/tools"
	"github.com/reachyd/reachyd/daemon/command"
	"github.com/reachyd/reachyd/daemon/event"
	"github.com/reachyd/reachyd/hal/body"
	"github.com/reachyd/reachyd/hal/body/server"
	"github.com/reachyd/reachyd/hal/local"
	"github.com/reachyd/reachyd/hal/motion"
	"github.com/reachyd/reachyd/hal/motion/motiontest"
)

// What "look left" may cost on its way from a payload to the body.
const (
	mostPasses     = 4 // decodings and encodings of JSON before the request is on the body's socket
	mostRoundTrips = 1
)

// requests counts what comes in over HTTP, by its first line.
type requests struct {
	net.Listener
	mu      sync.Mutex
	seen    map[string]int
	arrived func() // called at the first request from now on
}

func (l *requests) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &counted{c, l}, nil
}

type counted struct {
	net.Conn
	of *requests
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if line, _, found := bytes.Cut(p[:n], []byte(" HTTP/1.1\r\n")); found {
		c.of.mu.Lock()
		c.of.seen[string(line)]++
		if c.of.arrived != nil {
			c.of.arrived()
			c.of.arrived = nil
		}
		c.of.mu.Unlock()
	}
	return n, err
}

// The way of a sentence, all of it but the broker: the inbox, the dispatcher, the coordinator with its planner, the registry
// with its tools, the body's client, and the body.
func TestTheWayOfLookLeft(t *testing.T) {
	loop := motion.New(motiontest.Awake(), motion.Config{})
	socket := filepath.Join(t.TempDir(), "body.sock")
	l, err := local.Listen(socket)
	if err != nil {
		t.Fatal(err)
	}
	counter := &requests{Listener: l, seen: map[string]int{}}
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	wg.Go(func() { _ = loop.Run(ctx) })
	wg.Go(func() { _ = (&server.Server{Loop: loop, Log: zerolog.Nop()}).Serve(ctx, counter) })
	client := body.New(socket)
	defer client.Close()

	bus := event.NewBus(0, nil)
	registry := tool.NewRegistry(nil)
	registry.Observe(coordinator.Events(bus))
	if err := tools.Register(registry, tools.Options{Body: client}); err != nil {
		t.Fatal(err)
	}
	mind := coordinator.New(coordinator.Options{Planner: planner.New(), Tools: registry, Publisher: bus})
	replies := make(chan []byte, 1)
	in := newInbox(
		&command.Dispatcher{Body: client, Tools: mind, Conversation: mind, Arbiter: registry.Arbiter()},
		func(_ string, data []byte, _ bool) { replies <- data },
	)
	in.open(ctx)
	defer in.close()
	defer cancel()

	n := 0
	say := func(side string) {
		n++
		payload := fmt.Appendf(nil, `{"id":"%d","text":"look %s"}`, n, side)
		if _, code, wrong := check(payload); code != "" {
			t.Fatal(wrong)
		}
		if busy := in.put("chat", payload); busy != "" {
			t.Fatal(busy)
		}
		select {
		case data := <-replies:
			if !bytes.Contains(data, []byte(`"ok":true`)) || !bytes.Contains(data, []byte("I looked "+side)) {
				t.Fatalf("%s", data)
			}
		case <-time.After(patience):
			t.Fatal("no reply")
		}
	}
	say("right") // the first builds what is built once
	var before, there map[string]int64
	counter.mu.Lock()
	clear(counter.seen)
	counter.arrived = func() { there = jsonCalls() }
	counter.mu.Unlock()
	runtime.MemProfileRate = 1 // a call of encoding/json is seen by what it allocates
	defer func(rate int) { runtime.MemProfileRate = rate }(512 << 10)
	before = jsonCalls()
	say("left")

	counter.mu.Lock()
	defer counter.mu.Unlock()
	passes, trips := int64(0), 0
	for caller, n := range there {
		if n -= before[caller]; n > 0 {
			t.Logf("%d× %s", n, caller)
			passes += n
		}
	}
	for _, n := range counter.seen {
		trips += n
	}
	t.Logf("%d JSON passes before the body's socket, %d round trips", passes, trips)
	// Fewer than a decoding and an encoding there cannot be: then they were not seen.
	if passes < 2 || passes > mostPasses {
		t.Errorf("%d JSON passes on the way to the body, want at most %d", passes, mostPasses)
	}
	if trips != mostRoundTrips {
		t.Errorf("%d round trips to the body, want %d: %v", trips, mostRoundTrips, counter.seen)
	}
}

// jsonCalls counts the calls of encoding/json in this process, by function and caller.
func jsonCalls() map[string]int64 {
	for range 3 { // the profile is up to two collections old
		runtime.GC()
	}
	var records []runtime.MemProfileRecord
	for n, done := 1024, false; !done; n *= 2 {
		records = make([]runtime.MemProfileRecord, n)
		if n, ok := runtime.MemProfile(records, true); ok {
			records, done = records[:n], true
		}
	}
	calls := map[string]int64{}
	for i := range records {
		frames := runtime.CallersFrames(records[i].Stack())
		for more := true; more; {
			var f runtime.Frame
			f, more = frames.Next()
			if strings.HasPrefix(f.Function, "runtime.") {
				continue
			}
			switch f.Function {
			case "encoding/json.Unmarshal", "encoding/json.Marshal", "encoding/json.NewDecoder", "encoding/json.NewEncoder":
				if more {
					caller, _ := frames.Next()
					calls[f.Function+" by "+caller.Function] += records[i].AllocObjects
				}
			}
			break
		}
	}
	return calls
}
