package http

import (
	"bufio"
	"context"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/daemon/event"
	"github.com/reachyd/reachyd/daemon/gateway/rest"
	"github.com/reachyd/reachyd/hal"
)

// used is the memory of this process that is in use, bytes.
func used() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse + m.StackInuse
}

// listens opens a WebSocket as a client does that says nothing more.
func listens(addr, path string) (net.Conn, *bufio.Reader, error) {
	c, err := net.DialTimeout("tcp", addr, 30*time.Second)
	if err != nil {
		return nil, nil, err
	}
	_ = c.SetDeadline(time.Now().Add(2 * time.Minute))
	head := "GET " + path + " HTTP/1.1\r\nHost: " + addr + "\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" +
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
	if _, err := c.Write([]byte(head)); err != nil {
		return c, nil, err
	}
	in := bufio.NewReaderSize(c, 512)
	resp, err := http.ReadResponse(in, nil)
	if err != nil {
		return c, nil, err
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusSwitchingProtocols {
		return c, nil, &net.OpError{Op: resp.Status}
	}
	return c, in, nil
}

// A thousand pages that lie open and do nothing keep nobody out, take little memory, and all hear of what happens.
func TestAThousandIdleWebSockets(t *testing.T) {
	const many, most = 1000, 60 << 10 // bytes each
	events := event.NewBus(0, nil)
	a := &rest.API{Events: events, State: func() []byte { return []byte("{}") }, Telemetry: func() []byte { return []byte("{}") }}
	g := &Gateway{
		Listen: "127.0.0.1:0", Commander: &commander{}, State: func() hal.State { return hal.State{} }, StateJSON: func() []byte { return []byte("{}") },
		Telemetry: func() hal.Telemetry { return hal.Telemetry{} }, API: a, Version: "test",
	}
	if err := g.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	if g.limits.mostStreams < many {
		t.Skipf("NOT TESTED: this process may open too few files for so many: %d streams", g.limits.mostStreams)
	}
	before := used()
	conns, readers := make([]net.Conn, 0, many), make([]*bufio.Reader, 0, many)
	defer func() {
		for _, c := range conns {
			c.Close()
		}
		if err := events.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	for i := range many {
		c, in, err := listens(g.Addr(), rest.Prefix+"/ws/events?types=photo")
		if c != nil {
			conns = append(conns, c)
		}
		if err != nil {
			t.Fatalf("WebSocket %d: %v", i, err)
		}
		readers = append(readers, in)
	}
	each := (int64(used()) - int64(before)) / many
	t.Logf("%d idle WebSockets take %d bytes each, the client's end included", many, each)
	if each > most {
		t.Errorf("an idle WebSocket takes %d bytes; allowed are %d", each, most)
	}
	for range 20 { // nobody is kept out
		answer, err := http.Get("http://" + g.Addr() + "/healthz")
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
	}
	http.DefaultClient.CloseIdleConnections()
	events.Publish("", api.Photo{Name: "for everybody"})
	var all sync.WaitGroup
	for i, in := range readers {
		all.Go(func() {
			frame := make([]byte, 4)
			if _, err := in.Read(frame[:2]); err != nil {
				t.Errorf("WebSocket %d: %v", i, err)
				return
			}
			text := make([]byte, int(frame[1]))
			n, err := in.Read(text)
			if err != nil || !strings.Contains(string(text[:n]), "photo") {
				t.Errorf("WebSocket %d heard %q, %v", i, text[:n], err)
			}
		})
	}
	all.Wait()
}
