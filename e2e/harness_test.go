// Package e2e runs the programs as a user does and looks at them from outside: real processes, real brokers, real signals.
package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	mqtt "github.com/eclipse/paho.mqtt.golang"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/waittest"
)

// patience is how long a test waits for something before it fails. Waiting ends at once when the thing is there.
const patience = 60 * time.Second

// bin is where the programs are.
var bin string

// physics says whether reachy-sim was built with MuJoCo; senses whether reachy-sense can hear and see.
var physics, senses bool

func TestMain(m *testing.M) { os.Exit(runTests(m)) }

func runTests(m *testing.M) int {
	dir, err := os.MkdirTemp("", "reachyd-e2e")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	bin = dir
	tags, err := exec.Command("../cross/tags.sh").Output()
	if err != nil {
		fmt.Fprintln(os.Stderr, "cross/tags.sh:", err)
		return 1
	}
	physics = strings.Contains(string(tags), "mujoco")
	senses = strings.Contains(string(tags), "opencv") && strings.Contains(string(tags), "whisper")
	for _, p := range []struct{ name, cgo string }{{"reachyd", "0"}, {"reachyctl", "0"}, {"reachy-body", "0"}, {"reachy-sim", "1"}, {"reachy-sense", "1"}} {
		cmd := exec.Command("go", "build", "-tags", strings.Join(strings.Fields(string(tags)), ","), "-o", filepath.Join(dir, p.name), "../cmd/"+p.name)
		cmd.Env = append(os.Environ(), "CGO_ENABLED="+p.cgo)
		if whisper, err := exec.Command("../cross/whisper.sh", "--print-dir").Output(); err == nil {
			dir := strings.TrimSpace(string(whisper))
			cmd.Env = append(cmd.Env, "C_INCLUDE_PATH="+filepath.Join(dir, "include"), "LIBRARY_PATH="+filepath.Join(dir, "lib"))
		}
		if out, err := cmd.CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "build %s: %v\n%s", p.name, err, out)
			return 1
		}
	}
	return m.Run()
}

// robot is a running reachyd with its directories.
type robot struct {
	t      testing.TB
	dir    string
	env    []string
	args   []string
	wrap   []string // what reachyd is started with; empty: nothing
	cmd    *exec.Cmd
	exited chan struct{}
	log    *lockedBuffer
	out    *lockedBuffer
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// newRobot prepares directories and settings; start starts it. Everything is ended and removed with the test.
func newRobot(t testing.TB, args ...string) *robot {
	t.Helper()
	dir, err := os.MkdirTemp("", "rd") // short: socket paths are limited
	if err != nil {
		t.Fatal(err)
	}
	r := &robot{t: t, dir: dir, args: append([]string{"run", "--sim", "--log-level", "debug"}, args...)}
	r.env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "XDG_RUNTIME_DIR=" + dir, "XDG_DATA_HOME=" + filepath.Join(dir, "data"),
		"REACHYD_MQTT_LISTEN=127.0.0.1:" + strconv.Itoa(freePort(t)), "REACHYD_HTTP_LISTEN=127.0.0.1:" + strconv.Itoa(freePort(t)),
		"REACHYD_SENSE_RUN=never", "REACHYD_LLM_URL=", "REACHYD_IDLE=off", // tests of these say otherwise
	}
	t.Cleanup(func() {
		r.stop()
		if t.Failed() {
			t.Logf("log of reachyd:\n%s", tail(r.log.String(), 12000))
		}
		os.RemoveAll(dir)
	})
	r.log, r.out = &lockedBuffer{}, &lockedBuffer{}
	return r
}

func tail(s string, n int) string {
	if len(s) > n {
		return "…" + s[len(s)-n:]
	}
	return s
}

func freePort(t testing.TB) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

func (r *robot) setenv(kv string) { r.env = append(r.env, kv) }

func (r *robot) run() string { return filepath.Join(r.dir, "reachyd") }

func (r *robot) socket(name string) string { return filepath.Join(r.run(), name+".sock") }

// start starts reachyd and waits until it says that it is ready.
func (r *robot) start() {
	r.t.Helper()
	line := slices.Concat(r.wrap, []string{filepath.Join(bin, "reachyd")}, r.args)
	r.cmd = exec.Command(line[0], line[1:]...)
	r.cmd.Env = r.env
	before := len(r.out.String())
	r.cmd.Stdout, r.cmd.Stderr = r.out, r.log
	if err := r.cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	exited, cmd := make(chan struct{}), r.cmd
	r.exited = exited
	go func() { _ = cmd.Wait(); close(exited) }()
	r.until("reachyd is ready", func() bool {
		select {
		case <-exited:
			r.t.Fatalf("reachyd ended: %v\n%s\n%s", cmd.ProcessState, r.out.String(), tail(r.log.String(), 4000))
		default:
		}
		return strings.Contains(r.out.String()[before:], "is ready")
	})
}

// kill ends reachyd without a chance to tidy up.
func (r *robot) kill() {
	r.t.Helper()
	_ = r.cmd.Process.Kill()
	<-r.exited
}

// stop ends reachyd as Ctrl-C does, and whatever was left behind.
func (r *robot) stop() {
	pids := []int{r.pid("body"), r.pid("sim"), r.pid("sense")}
	if r.cmd != nil {
		_ = r.cmd.Process.Signal(syscall.SIGTERM)
		select {
		case <-r.exited:
		case <-time.After(patience):
			r.t.Errorf("reachyd did not end within %v of SIGTERM", patience)
			_ = r.cmd.Process.Kill()
			<-r.exited
		}
	}
	for _, pid := range pids {
		if pid > 0 && alive(pid) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

func alive(pid int) bool { return syscall.Kill(pid, 0) == nil && !zombie(pid) }

func zombie(pid int) bool {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || strings.Contains(string(data), ") Z ")
}

// pid asks a worker for its process id; 0 when it does not answer.
func (r *robot) pid(worker string) int {
	var h struct{ PID int }
	if data, err := r.get(worker, "/healthz"); err == nil {
		_ = json.Unmarshal(data, &h)
	}
	return h.PID
}

// killWorker ends a worker without a chance to tidy up, and returns the process id that it had.
func (r *robot) killWorker(worker string) int {
	r.t.Helper()
	var pid int
	r.until("the "+worker+" to answer", func() bool { pid = r.pid(worker); return pid > 0 })
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		r.t.Fatal(err)
	}
	return pid
}

// get fetches a path of a worker.
func (r *robot) get(worker, path string) ([]byte, error) {
	return r.do(worker, http.MethodGet, path, nil)
}

func (r *robot) do(worker, method, path string, body io.Reader) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	tr := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "unix", r.socket(worker))
	}}
	defer tr.CloseIdleConnections()
	req, err := http.NewRequestWithContext(ctx, method, "http://worker"+path, body)
	if err != nil {
		return nil, err
	}
	resp, err := (&http.Client{Transport: tr}).Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode >= 300 {
		err = fmt.Errorf("%s %s: %s: %s", method, path, resp.Status, data)
	}
	return data, err
}

// until waits for ok.
func (r *robot) until(what string, ok func() bool) {
	r.t.Helper()
	r.untilIn(patience, what, ok)
}

func (r *robot) untilIn(patience time.Duration, what string, ok func() bool) {
	r.t.Helper()
	if !waittest.Within(patience, ok) {
		r.t.Fatalf("waited %v in vain for: %s", patience, what)
	}
}

// broker is where reachyd's broker listens, as reachyctl finds it.
func (r *robot) broker() string {
	r.t.Helper()
	data, err := os.ReadFile(filepath.Join(r.run(), "broker"))
	if err != nil {
		r.t.Fatal(err)
	}
	return strings.TrimSpace(string(data))
}

// ctl runs reachyctl and returns its output and exit code.
func (r *robot) ctl(args ...string) (string, int) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(bin, "reachyctl"), args...)
	cmd.Env = r.env
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		r.t.Fatalf("reachyctl %v: %v", args, err)
	}
	return out.String(), cmd.ProcessState.ExitCode()
}

// client is an MQTT client that remembers what it hears.
type client struct {
	t    testing.TB
	c    mqtt.Client
	mu   sync.Mutex
	cond *sync.Cond
	got  []message
}

type message struct {
	topic   string
	payload map[string]any
	raw     string
	retain  bool
}

// client returns a client of the robot's broker that has heard from the robot.
func (r *robot) client() *client {
	r.t.Helper()
	c := newClient(r.t, r.broker())
	c.wait("the robot's status", isOnline)
	return c
}

func newClient(t testing.TB, broker string) *client {
	t.Helper()
	cl := &client{t: t}
	cl.cond = sync.NewCond(&cl.mu)
	opts := mqtt.NewClientOptions().AddBroker(broker).SetConnectTimeout(patience).SetClientID("e2e-" + strconv.FormatInt(time.Now().UnixNano(), 36)).
		SetAutoReconnect(true).SetMaxReconnectInterval(100 * time.Millisecond).SetCleanSession(true)
	opts.SetOnConnectHandler(func(c mqtt.Client) {
		c.Subscribe("reachy/mini/#", 1, func(_ mqtt.Client, m mqtt.Message) {
			msg := message{topic: strings.TrimPrefix(m.Topic(), "reachy/mini/"), raw: string(m.Payload()), retain: m.Retained()}
			_ = json.Unmarshal(m.Payload(), &msg.payload)
			cl.mu.Lock()
			cl.got = append(cl.got, msg)
			cl.cond.Broadcast()
			cl.mu.Unlock()
		})
	})
	cl.c = mqtt.NewClient(opts)
	if tok := cl.c.Connect(); !tok.WaitTimeout(patience) || tok.Error() != nil {
		t.Fatalf("connect to %s: %v", broker, tok.Error())
	}
	t.Cleanup(func() { cl.c.Disconnect(100) })
	return cl
}

func isOnline(m message) bool { return m.topic == "status" && m.raw == "online" }

// wait returns the first message, past or future, for which ok holds.
func (c *client) wait(what string, ok func(message) bool) message {
	c.t.Helper()
	return c.waitFrom(0, what, ok)
}

// mark is the place in the stream of messages from which waitFrom looks.
func (c *client) mark() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.got)
}

func (c *client) waitFrom(from int, what string, ok func(message) bool) message {
	c.t.Helper()
	timer := time.AfterFunc(patience, c.cond.Broadcast)
	defer timer.Stop()
	deadline := time.Now().Add(patience)
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := from; ; {
		for ; i < len(c.got); i++ {
			if ok(c.got[i]) {
				return c.got[i]
			}
		}
		if time.Now().After(deadline) {
			c.t.Fatalf("waited %v in vain for %s; last messages: %v", patience, what, c.got[max(0, len(c.got)-5):])
		}
		c.cond.Wait()
	}
}

// command publishes a command and returns its reply.
func (c *client) command(verb, payload string) map[string]any {
	c.t.Helper()
	var p struct{ ID string }
	if err := json.Unmarshal([]byte(payload), &p); err != nil || p.ID == "" {
		c.t.Fatalf("bad payload %s in the test", payload)
	}
	from := c.mark()
	c.publish("cmd/"+verb, payload, false)
	return c.waitFrom(from, "the reply to "+payload, func(m message) bool { return m.topic == "reply/"+p.ID }).payload
}

// moves sends a command that moves the robot, which must succeed, and returns the id under which it did. On a machine that is
// so busy that the simulated servos are late, the robot rightly refuses for a moment: then it is asked again, as somebody new.
func (c *client) moves(verb, payload string) (id string) {
	c.t.Helper()
	var p struct{ ID string }
	if err := json.Unmarshal([]byte(payload), &p); err != nil {
		c.t.Fatalf("bad payload %s in the test: %v", payload, err)
	}
	deadline := time.Now().Add(patience)
	for id = p.ID; ; id += "-again" {
		reply := c.command(verb, strings.Replace(payload, strconv.Quote(p.ID), strconv.Quote(id), 1))
		if reply["ok"] == true {
			return id
		}
		if e, _ := reply["error"].(map[string]any); e["code"] != hal.CodeFault || time.Now().After(deadline) {
			c.t.Fatalf("%s %s: %v", verb, payload, reply)
		}
		c.t.Logf("again: %v", reply["error"])
	}
}

func (c *client) publish(topic, payload string, retain bool) {
	c.t.Helper()
	if tok := c.c.Publish("reachy/mini/"+topic, 1, retain, payload); !tok.WaitTimeout(patience) || tok.Error() != nil {
		c.t.Fatalf("publish %s: %v", topic, tok.Error())
	}
}

// mosquitto starts a real broker that is not ours and returns its URL and a function that kills it.
func mosquitto(t *testing.T, port int) (url string, kill func()) {
	t.Helper()
	path, err := exec.LookPath("mosquitto")
	if err != nil {
		path, err = exec.LookPath("/usr/sbin/mosquitto")
	}
	if err != nil {
		t.Fatal("mosquitto is not installed: make setup-test")
	}
	conf := filepath.Join(t.TempDir(), "mosquitto.conf")
	if err := os.WriteFile(conf, fmt.Appendf(nil, "listener %d 127.0.0.1\nallow_anonymous true\n", port), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, "-c", conf)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var once sync.Once
	kill = func() {
		once.Do(func() {
			_ = cmd.Process.Kill()
			_, _ = io.Copy(io.Discard, stderr)
			_ = cmd.Wait()
		})
	}
	t.Cleanup(kill)
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		if strings.Contains(lines.Text(), "running") {
			go func() { _, _ = io.Copy(io.Discard, stderr) }()
			return "mqtt://127.0.0.1:" + strconv.Itoa(port), kill
		}
	}
	t.Fatal("mosquitto did not start")
	return "", nil
}
