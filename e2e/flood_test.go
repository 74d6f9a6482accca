//go:build flood

package e2e

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

const (
	floodTime   = 10 * time.Second
	maxResident = 150 // MB of reachyd in a flood
	slowestStop = 2 * time.Second
	maxAttacks  = 1500 // connections at the same time
)

// attack is one connection of an attacker. It never waits for long: the robot may end it at any time.
type attack struct {
	net.Conn
	gone bool
}

func newAttack(address string) *attack {
	c, err := net.DialTimeout("tcp", address, time.Second)
	if err != nil {
		return &attack{gone: true}
	}
	return &attack{Conn: c}
}

func (a *attack) send(b []byte) *attack {
	if !a.gone {
		_ = a.SetWriteDeadline(time.Now().Add(time.Second))
		_, err := a.Write(b)
		a.gone = err != nil
	}
	return a
}

// drain reads what comes, for as long as the connection is there.
func (a *attack) drain() *attack {
	if !a.gone {
		go func() { _, _ = io.Copy(io.Discard, a) }()
	}
	return a
}

func (a *attack) end() {
	if a.Conn != nil {
		_ = a.Close()
	}
}

func packet(kind byte, parts ...[]byte) []byte {
	body := bytes.Join(parts, nil)
	return append(binary.AppendUvarint([]byte{kind}, uint64(len(body))), body...)
}

func text(s string) []byte { return append(binary.BigEndian.AppendUint16(nil, uint16(len(s))), s...) }

// hello is a CONNECT of MQTT 5 whose session lasts an hour if clean is false.
func hello(id string, clean bool) []byte {
	if clean {
		return packet(0x10, text("MQTT"), []byte{5, 2, 0, 0, 0}, text(id))
	}
	return packet(0x10, text("MQTT"), []byte{5, 0, 0, 0, 5, 0x11, 0, 0, 0x0e, 0x10}, text(id))
}

func subscription(filter string, qos byte) []byte {
	return packet(0x82, []byte{0, 1, 0}, text(filter), []byte{qos})
}

func publication(topic string, kind byte, payload []byte) []byte {
	return packet(kind, text(topic), []byte{0}, payload)
}

// floods are what strangers may do. Each runs until ctx ends.
var floods = []struct {
	name string
	run  func(ctx context.Context, broker, page string)
}{
	{"none", func(ctx context.Context, _, _ string) { <-ctx.Done() }},
	{"garbage over MQTT", func(ctx context.Context, broker, _ string) {
		random := rand.NewChaCha8([32]byte{})
		for ctx.Err() == nil {
			junk := make([]byte, rand.IntN(4096))
			_, _ = random.Read(junk)
			a := newAttack(broker)
			if rand.IntN(2) == 0 {
				a.send(hello("junk", true))
			}
			a.send(junk)
			a.end()
		}
	}},
	{"JSON bombs", func(ctx context.Context, broker, page string) {
		bombs := [][]byte{
			[]byte(`{"id":"b","text":` + strings.Repeat("[", 100000)), []byte(`{"id":"b","text":"` + strings.Repeat("x", 250<<10) + `"}`),
			[]byte(`{"id":"b",` + strings.Repeat(`"a":{"a":[1,2,3]},`, 10000) + `"z":1}`), []byte(`{"id":"b","n":` + strings.Repeat("9", 200000) + `}`),
			bytes.Repeat([]byte(`{"a":`), 40000),
		}
		a := newAttack(broker).send(hello("bomber", true)).drain()
		defer a.end()
		for ctx.Err() == nil {
			for _, bomb := range bombs {
				for _, verb := range []string{"goto", "chat", "say", "tool", "plan"} {
					a.send(publication("reachy/reachy-mini/cmd/"+verb, 0x30, bomb))
					resp, err := http.Post(page+"/api/cmd/"+verb, "application/json", bytes.NewReader(bomb))
					if err == nil {
						_, _ = io.Copy(io.Discard, resp.Body)
						_ = resp.Body.Close()
					}
				}
			}
		}
	}},
	{"5 slow readers", func(ctx context.Context, broker, _ string) {
		for i := range 5 {
			a := newAttack(broker).send(hello(fmt.Sprint("slow-", i), true)).send(subscription("flood/#", 1))
			defer a.end()
		}
		publish(ctx, broker, 1<<20, func(i int) (string, byte) { return fmt.Sprint("flood/", i%7), 0x30 })
	}},
	{"100 readers that do not read", func(ctx context.Context, broker, _ string) {
		for i := range 100 {
			a := newAttack(broker).send(hello(fmt.Sprint("deaf-", i), true)).send(subscription("#", 1))
			defer a.end()
		}
		publish(ctx, broker, 10<<10, func(i int) (string, byte) { return fmt.Sprint("flood/", i%7), 0x30 })
	}},
	{"300 MB retained", func(ctx context.Context, broker, _ string) {
		publish(ctx, broker, 1<<20, func(i int) (string, byte) { return fmt.Sprint("keep/", i%300), 0x31 })
	}},
	{"small and deep retained", func(ctx context.Context, broker, _ string) {
		publish(ctx, broker, 1, func(i int) (string, byte) { return fmt.Sprint(i) + strings.Repeat("/a", i%120), 0x31 })
	}},
	{"1500 slow HTTP connections", func(ctx context.Context, _, page string) {
		var all []*attack
		for ctx.Err() == nil {
			if len(all) < maxAttacks {
				all = append(all, newAttack(strings.TrimPrefix(page, "http://")).send([]byte("POST /api/cmd/chat HTTP/1.1\r\nHost: localhost\r\n")))
				continue
			}
			for _, a := range all {
				a.send([]byte("X-A: b\r\n"))
			}
			time.Sleep(100 * time.Millisecond) // slow is what they are
		}
		for _, a := range all {
			a.end()
		}
	}},
	{"HTTP answers that nobody reads", func(ctx context.Context, _, page string) {
		var all []*attack
		for ctx.Err() == nil {
			a := newAttack(strings.TrimPrefix(page, "http://"))
			a.send([]byte(strings.Repeat("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n", 400)))
			if all = append(all, a); len(all) > maxAttacks { // files of this process
				all[0].end()
				all = all[1:]
			}
		}
		for _, a := range all {
			a.end()
		}
	}},
	{"150 stalled large packets", func(ctx context.Context, broker, _ string) {
		for i := range 150 {
			a := newAttack(broker).send(hello(fmt.Sprint("stall-", i), true))
			a.send(append(binary.AppendUvarint([]byte{0x30}, 2<<20-100), make([]byte, 2<<20-200)...))
			defer a.end()
		}
		<-ctx.Done()
	}},
	{"properties, levels, aliases", func(ctx context.Context, broker, _ string) {
		for n := 0; ctx.Err() == nil; n++ {
			a := newAttack(broker).send(hello(fmt.Sprint("prop-", n%100), true)).drain()
			properties := bytes.Repeat([]byte{0x26, 0, 0, 0, 0}, 300000)
			a.send(packet(0x31, text(fmt.Sprint("p/", n)), binary.AppendUvarint(nil, uint64(len(properties))), properties))
			for i := range 100 {
				a.send(subscription(fmt.Sprint(n, i)+strings.Repeat("/a", 20000), 0))
				a.send(subscription(fmt.Sprint(n, i)+strings.Repeat("/a", 100), 0))
				a.send(packet(0x30, text(strings.Repeat("t", 60000)), []byte{3, 0x23, 0, byte(i)}, nil))
			}
			if n >= 100 {
				a.end()
			} else {
				defer a.end()
			}
		}
	}},
	{"sessions of 20 000 clients", func(ctx context.Context, broker, _ string) {
		for i := 0; ctx.Err() == nil && i < 20000; i++ {
			a := newAttack(broker).send(hello(fmt.Sprint("session-", i), false)).send(subscription("#", 1))
			a.end()
		}
		<-ctx.Done()
	}},
}

// publish sends messages until ctx ends.
func publish(ctx context.Context, broker string, size int, message func(i int) (topic string, kind byte)) {
	payload := bytes.Repeat([]byte("x"), size)
	a := newAttack(broker).send(hello("flood", true)).drain()
	for i := 0; ctx.Err() == nil; i++ {
		if a.gone {
			a.end()
			a = newAttack(broker).send(hello("flood", true)).drain()
		}
		topic, kind := message(i)
		a.send(publication(topic, kind, payload))
	}
	a.end()
}

// resident returns the most memory that a process had, and has, in MB.
func resident(t *testing.T, pid int) (peak, now float64) {
	t.Helper()
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		var kB float64
		if n, _ := fmt.Sscanf(line, "VmHWM: %g kB", &kB); n == 1 {
			peak = kB / 1e3
		}
		if n, _ := fmt.Sscanf(line, "VmRSS: %g kB", &kB); n == 1 {
			now = kB / 1e3
		}
	}
	return peak, now
}

// pulse is what the body tells of its loop.
type pulse struct {
	Missed    uint64  `json:"missed_ticks"`
	JitterMax float64 `json:"jitter_max_us"` // of the last second
}

func (r *robot) pulse() (p pulse) {
	data, err := r.get("body", "/telemetry")
	if err == nil {
		err = json.Unmarshal(data, &p)
	}
	if err != nil {
		r.t.Errorf("the body tells nothing: %v", err)
	}
	return p
}

// TestFloods prints, per flood: the peak memory of reachyd, what of it is left afterwards, the worst lateness and the missed ticks of
// the control loop, and how long a stop took, over MQTT from a client that was there before and by reachyctl. With FLOOD_FILES
// reachyd may have so many files open, 1024 by default.
func TestFloods(t *testing.T) {
	files := uint64(1024)
	if s := os.Getenv("FLOOD_FILES"); s != "" {
		if _, err := fmt.Sscan(s, &files); err != nil {
			t.Fatal(err)
		}
	}
	var table strings.Builder
	for _, f := range floods {
		t.Run(f.name, func(t *testing.T) { table.WriteString(f.name + ":" + flood(t, files, f.run)) })
	}
	rows := fmt.Sprintf("%-32s %8s %8s %12s %8s %12s %12s\n", "flood", "peak MB", "then MB", "lateness ms", "missed", "stop ms", "stopctl ms")
	for row := range strings.Lines(table.String()) {
		name, figures, _ := strings.Cut(row, ":")
		rows += fmt.Sprintf("%-32s %s", name, figures)
	}
	t.Logf("with %d files\n%s", files, rows)
}

func flood(t *testing.T, files uint64, run func(ctx context.Context, broker, page string)) (figures string) {
	r := newRobot(t)
	r.args = append(r.args, "--log-level", "info") // as it comes: with all details of every packet the log is another flood
	r.start()
	few := unix.Rlimit{Cur: files, Max: files}
	if err := unix.Prlimit(r.cmd.Process.Pid, unix.RLIMIT_NOFILE, &few, nil); err != nil {
		t.Fatal(err)
	}
	c := r.client()
	c.wait("the robot is awake", func(m message) bool { return m.topic == "state" && m.payload["mode"] == "enabled" })
	body := r.pid("body")
	page, err := os.ReadFile(r.run() + "/http")
	if err != nil {
		t.Fatal(err)
	}
	before := r.pulse()
	ctx, cancel := context.WithTimeout(t.Context(), floodTime)
	defer cancel()
	var wg sync.WaitGroup
	wg.Go(func() { run(ctx, strings.TrimPrefix(r.broker(), "mqtt://"), strings.TrimSpace(string(page))) })
	var latest float64
	var stop, stopctl time.Duration
	for n := 0; ctx.Err() == nil; n++ {
		latest = max(latest, r.pulse().JitterMax)
		began := time.Now()
		c.command("stop", fmt.Sprintf(`{"id":"stop-%d"}`, n))
		stop = max(stop, time.Since(began))
		began = time.Now()
		if out, code := r.ctl("stop"); code != 0 {
			t.Errorf("reachyctl stop: %d %s", code, out)
		}
		stopctl = max(stopctl, time.Since(began))
		select {
		case <-time.After(500 * time.Millisecond): // the lateness is of the last second
		case <-ctx.Done():
		}
	}
	wg.Wait()
	after := r.pulse()
	peak, now := resident(t, r.cmd.Process.Pid)
	if peak > maxResident {
		t.Errorf("reachyd had %.0f MB, allowed are %d", peak, maxResident)
	}
	if stop > slowestStop {
		t.Errorf("a stop took %v", stop)
	}
	if pid := r.pid("body"); pid != body {
		t.Errorf("the body was replaced: %d, before %d", pid, body)
	}
	// And the robot is still there for everybody.
	if resp, err := http.Get(strings.TrimSpace(string(page)) + "/healthz"); err != nil {
		t.Error(err)
	} else {
		_ = resp.Body.Close()
	}
	r.until("the broker to let somebody in", func() bool {
		a := newAttack(strings.TrimPrefix(r.broker(), "mqtt://")).send(hello("first", true))
		defer a.end()
		answer := make([]byte, 4)
		if a.gone || a.SetReadDeadline(time.Now().Add(time.Second)) != nil {
			return false
		}
		_, err := io.ReadFull(a, answer)
		return err == nil && answer[3] == 0
	})
	late := newClient(t, r.broker())
	late.wait("the robot's status", isOnline)
	if reply := late.command("reset", `{"id":"reset"}`); reply["ok"] != true {
		t.Errorf("reset: %v", reply)
	}
	return fmt.Sprintf("%8.0f %8.0f %12.1f %8d %12.0f %12.0f\n", peak, now, latest/1e3, after.Missed-before.Missed,
		float64(stop.Microseconds())/1e3, float64(stopctl.Microseconds())/1e3)
}
