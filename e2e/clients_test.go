package e2e

import (
	"bufio"
	"bytes"
	"context"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// shell runs Mosquitto's clients, which nobody here wrote, against one broker.
type shell struct {
	t          *testing.T
	ctx        context.Context
	host, port string
}

func newShell(t *testing.T, broker string) *shell {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	host, port, _ := strings.Cut(strings.TrimPrefix(broker, "mqtt://"), ":")
	return &shell{t, ctx, host, port}
}

func (s *shell) command(program string, args ...string) *exec.Cmd {
	return exec.CommandContext(s.ctx, program, append([]string{"-h", s.host, "-p", s.port, "-q", "1"}, args...)...)
}

// run returns what a client printed until it ended by itself.
func (s *shell) run(stdin, program string, args ...string) string {
	s.t.Helper()
	cmd := s.command(program, args...)
	cmd.Stdin = strings.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	if err != nil {
		s.t.Fatalf("%s %v: %v\n%s", program, args, err, out)
	}
	return string(out)
}

// subscribe starts mosquitto_sub, and returns once it has heard what is retained, so that it is subscribed. rest waits for its end, and
// returns the lines that it printed after that.
func (s *shell) subscribe(most int, args ...string) (process *exec.Cmd, rest func() []string) {
	s.t.Helper()
	const ready = "= ready"
	s.run("", "mosquitto_pub", "-t", "ready", "-r", "-m", "ready")
	process = s.command("mosquitto_sub", append(args, "-V", "5", "-t", "ready", "-C", strconv.Itoa(1+most), "-F", "= %p")...)
	out, err := process.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	var trouble bytes.Buffer
	process.Stderr = &trouble
	if err := process.Start(); err != nil {
		s.t.Fatalf("mosquitto_sub: %v: make setup-test", err)
	}
	lines := bufio.NewScanner(out)
	if !lines.Scan() || lines.Text() != ready {
		s.t.Fatalf("mosquitto_sub: %q instead of what is retained\n%s", lines.Text(), trouble.String())
	}
	return process, func() (got []string) {
		s.t.Helper()
		for lines.Scan() {
			if payload, ok := strings.CutPrefix(lines.Text(), "= "); ok {
				got = append(got, payload)
			}
		}
		if err := process.Wait(); err != nil {
			s.t.Errorf("mosquitto_sub: %v after %q\n%s", err, got, trouble.String())
		}
		return got
	}
}

// numbers are so many messages, a line each.
func numbers(n int) (all []string) {
	for i := range n {
		all = append(all, strconv.Itoa(i))
	}
	return all
}

func (s *shell) publishAll(topic string, messages []string) {
	s.t.Helper()
	s.run(strings.Join(messages, "\n")+"\n", "mosquitto_pub", "-V", "5", "-t", topic, "-l")
}

// What once wedged the embedded broker, lost messages or put them out of order, told by Mosquitto's own clients.
func TestMosquittosClientsLoseNothing(t *testing.T) {
	r := newRobot(t)
	r.start()
	s := newShell(t, r.broker())

	const many = 60 // libmosquitto takes 20 at a time
	paused, rest := s.subscribe(many, "-t", "paused")
	signal := func(sig syscall.Signal) {
		if err := paused.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
	}
	signal(syscall.SIGSTOP)
	s.publishAll("paused", numbers(many))
	signal(syscall.SIGCONT)
	if got := rest(); !slices.Equal(got, numbers(many)) {
		t.Errorf("after a pause came %q", got)
	}

	const queued = 40
	session := []string{"-i", "tablet", "-c", "-x", "3600", "-t", "queue"}
	s.run("", "mosquitto_sub", append(session, "-V", "5", "-E")...)
	s.publishAll("queue", numbers(queued))
	s.run("", "mosquitto_pub", "-V", "5", "-t", "note", "-r", "-m", "remember")
	r.stop()
	r.start()
	if got := strings.Fields(s.run("", "mosquitto_sub", append(session, "-V", "5", "-C", strconv.Itoa(queued))...)); !slices.Equal(got, numbers(queued)) {
		t.Errorf("an absent client got after a restart %q", got)
	}
	if got := s.run("", "mosquitto_sub", "-t", "note", "-C", "1"); strings.TrimSpace(got) != "remember" {
		t.Errorf("retained over a restart: %q", got)
	}

	out := s.run("", "mosquitto_pub", "-V", "5", "-D", "publish", "user-property", "k", "v", "-t", "x", "-m", "y", "-d")
	if !regexp.MustCompile(`PUBACK \(Mid: 1, RC:(0|16)\)`).MatchString(out) { // 16: nobody is subscribed
		t.Errorf("a message with a property of its user: %s", out)
	}
	s.run("", "mosquitto_pub", "-V", "5", "-t", "$SYS/x", "-m", "y") // it ends
	inflight := s.run("", "mosquitto_sub", "-t", "$SYS/broker/messages/inflight", "-C", "1")
	if n, err := strconv.Atoi(strings.TrimSpace(inflight)); err != nil || n < 0 {
		t.Errorf("in flight are %q messages, %v", inflight, err)
	}
}

// An id that mosquitto does not take as a topic, as it is sent from a shell: the robot stays there, and can be stopped.
func TestAnIDThatMosquittoDoesNotTake(t *testing.T) {
	port := freePort(t)
	url, _ := mosquitto(t, port)
	r := newRobot(t)
	r.setenv("REACHYD_MQTT_BROKER=" + url)
	r.start()
	c := r.client()
	from := c.mark()
	newShell(t, url).run(`{"id":"a\u0085b"}`, "mosquitto_pub", "-t", "reachy/mini/cmd/goto", "-s")
	c.waitFrom(from, "the refusal", func(m message) bool {
		return m.topic == "reply/invalid" && strings.Contains(m.raw, "control characters")
	})
	if out, code := r.ctl("stop"); code != 0 {
		t.Errorf("reachyctl stop: %d %s", code, out)
	}
	if reply := c.command("reset", `{"id":"reset"}`); reply["ok"] != true {
		t.Errorf("reset: %v", reply)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range c.got[from:] {
		if m.topic == "status" {
			t.Errorf("the robot was %s in between", m.raw)
		}
	}
}
