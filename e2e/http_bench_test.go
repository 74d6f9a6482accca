package e2e

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// clients is how many ask at the same time.
const clients = 50

// crowd lets clients ask, each one thing after the other, and returns how long each answer took.
func crowd(b *testing.B, each int, ask func(client *http.Client, n int) error) (took []time.Duration) {
	b.Helper()
	var mu sync.Mutex
	var all sync.WaitGroup
	for c := range clients {
		all.Go(func() {
			client := &http.Client{Transport: &http.Transport{}, Timeout: patience}
			defer client.CloseIdleConnections()
			for i := range each {
				began := time.Now()
				if err := ask(client, i*clients+c); err != nil { // n%clients is the client's own
					b.Error(err)
					return
				}
				mu.Lock()
				took = append(took, time.Since(began))
				mu.Unlock()
			}
		})
	}
	all.Wait()
	return took
}

// httpBench asks one robot.
type httpBench struct {
	*testing.B
	r *robot
}

// ask makes a request, whose answer must be 200.
func (b *httpBench) ask(c *http.Client, method, path, body string) error {
	req, err := http.NewRequestWithContext(b.Context(), method, b.r.api(path), strings.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := c.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK || bytes.Contains(answer, []byte(`"outcome":"interrupted"`)) {
		return fmt.Errorf("%s: %s %.200s", path, resp.Status, answer)
	}
	return nil
}

// cost is what the robot has taken of the processor, s, and of memory, MB.
func (b *httpBench) cost() (cpu, mb float64) {
	return b.r.metric("process_cpu_seconds_total"), b.r.metric("process_resident_memory_bytes") / 1e6
}

// measure lets the clients do one thing so many times each.
func (b *httpBench) measure(name string, each int, one func(client *http.Client, n int) error) {
	b.Run(name, func(run *testing.B) {
		var took []time.Duration
		before, _ := b.cost()
		for run.Loop() {
			took = append(took, crowd(run, each, one)...)
		}
		report(run, took)
		// What the server itself spends; the rest of the wait is the clients' work and the queue for the processor.
		after, mb := b.cost()
		run.ReportMetric((after-before)*1000/float64(len(took)), "cpu-ms/request")
		run.ReportMetric(mb, "MB")
		run.ReportMetric(b.r.metric(`reachyd_loop_lateness_seconds{quantile="0.99"}`)*1000, "loop-p99-ms")
	})
}

// read measures a path that is only read.
func (b *httpBench) read(path string) {
	b.measure("get"+strings.NewReplacer("?", "-", "=", "-").Replace(path), 10, func(c *http.Client, _ int) error {
		return b.ask(c, http.MethodGet, path, "")
	})
}

// say says a sentence, each client in a session of its own.
func (b *httpBench) say(c *http.Client, n int, sentence string) error {
	return b.ask(c, http.MethodPost, "/api/v1/chat", fmt.Sprintf(`{"message":%q,"session_id":"bench-%d"}`, sentence, n%clients))
}

func (b *httpBench) chat(c *http.Client, n int) error {
	return b.say(c, n, "how far can you turn your head")
}

func (b *httpBench) state(c *http.Client, _ int) error {
	return b.ask(c, http.MethodGet, "/api/v1/robot/state", "")
}

// send connects and sends a text; nil when it cannot.
func (b *httpBench) send(text string) *net.TCPConn {
	conn, err := net.Dial("tcp", strings.TrimPrefix(b.r.api(""), "http://"))
	if err != nil {
		b.Error(err)
		return nil
	}
	if _, err := io.WriteString(conn, text); err != nil {
		b.Error(err)
	}
	return conn.(*net.TCPConn)
}

// getting is the beginning of a request.
func getting(path string) string { return "GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\n" }

// BenchmarkHTTP measures what 50 clients at once wait for each answer, alone and beside readers that do not read; make bench-http runs it.
func BenchmarkHTTP(tb *testing.B) {
	b := &httpBench{tb, newRobot(tb)}
	b.r.start()
	b.r.until("no fault", func() bool { // on a busy host the simulated servos may be late at first
		resp, err := http.Get(b.r.api("/healthz"))
		return err == nil && resp.Body.Close() == nil && resp.StatusCode == http.StatusOK
	})
	tb.Run("yardstick", yardstick)
	for _, path := range []string{
		"/healthz", "/api/v1/health", "/api/v1/robot/state", "/api/v1/robot/telemetry", "/api/v1/robot/moves", "/api/v1/tools", "/api/v1/sessions",
		"/api/v1/events/list?limit=20", "/api/v1/traces", "/api/v1/photos", "/api/v1/config", "/api/v1/config/list", "/api/v1/feedback", "/api/v1/learned",
		"/api/v1/models", "/api/v1/logs", "/api/v1/mqtt", "/api/v1/demonstrations", "/openapi.json", "/v1/models",
		"/api/v1/doctor", "/metrics",
	} {
		b.read(path)
	}
	b.measure("chat-first", 1, b.chat) // right after the start: tables are built, and the model of praise is fitted
	b.measure("chat", 4, b.chat)
	b.read("/api/v1/session/bench-0")
	b.read("/api/v1/session/bench-0/history")
	// A sum is worked out by a tool in the sandbox.
	b.measure("chat-by-tool", 4, func(c *http.Client, n int) error { return b.say(c, n, fmt.Sprintf("what is %d plus %d", n, n)) })
	for i := range clients { // they want everything and read nothing
		path := []string{"/api/v1/events", "/openapi.json", "/api/v1/tools"}[i%3]
		if conn := b.send(getting(path) + "\r\n"); conn != nil {
			defer conn.Close()
		}
	}
	b.measure("state-beside-slow-readers", 10, b.state)
	b.measure("chat-beside-slow-readers", 4, b.chat)
	b.besideCutConnections()
	b.besideIdleWebSockets()
}

// yardstick asks a server that does nothing, with the same clients on the same host: what of a wait is not ours.
func yardstick(b *testing.B) {
	nothing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "{}") }))
	defer nothing.Close()
	var took []time.Duration
	for b.Loop() {
		took = append(took, crowd(b, 10, func(c *http.Client, _ int) error {
			resp, err := c.Get(nothing.URL)
			if err != nil {
				return err
			}
			_, err = io.Copy(io.Discard, resp.Body)
			return errors.Join(err, resp.Body.Close())
		})...)
	}
	report(b, took)
}

// besideCutConnections measures while others ask, and are gone before the answer, or in the middle of their request.
func (b *httpBench) besideCutConnections() {
	stop, cuts := make(chan struct{}), make([]int, 4)
	var cutters sync.WaitGroup
	for i := range cuts {
		cutters.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				whole := getting("/api/v1/tools") + "\r\n"
				if conn := b.send(whole[:len(whole)/(1+cuts[i]%2)]); conn != nil {
					_ = conn.SetLinger(0)
					_ = conn.Close()
				}
				cuts[i]++
			}
		})
	}
	b.measure("state-beside-cut-connections", 10, b.state)
	close(stop)
	cutters.Wait()
	b.Logf("%v connections were cut", cuts)
	b.Logf("goroutines of reachyd: %.0f", b.r.metric("go_goroutines"))
}

// besideIdleWebSockets measures while many follow events that never happen.
func (b *httpBench) besideIdleWebSockets() {
	const idle = 1000
	upgrade := getting("/api/v1/ws/events?types=photo") + "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n" +
		"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
	_, before := b.cost()
	for range idle {
		conn := b.send(upgrade)
		if conn == nil {
			b.Fatal("no more connections")
		}
		defer conn.Close()
		head, err := bufio.NewReader(io.LimitReader(conn, 1<<10)).ReadString('\n')
		if err != nil || !strings.Contains(head, "101") {
			b.Fatalf("a WebSocket was refused: %q %v", head, err)
		}
	}
	_, after := b.cost()
	b.Logf("%d idle WebSockets take %.0f KB each", idle, (after-before)*1000/idle)
	b.measure("state-beside-1000-idle-websockets", 10, b.state)
	b.measure("chat-beside-1000-idle-websockets", 4, b.chat)
}
