// Clock is the only program of a virtual machine whose clock it sets while a simulated robot is in use: cross/clock.sh boots it. Outside
// it packs that machine's file system: clock pack PROGRAM…
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

const (
	at      = "http://127.0.0.1:8000"
	waiting = 20 * time.Second // what the timers run for
	late    = 3 * time.Second  // that one may be, on a machine that is emulated
	most    = 6.0              // rad/s: no joint moves faster, jump or not
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == "pack" {
		if err := pack(os.Stdout, os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, "clock:", err)
			os.Exit(1)
		}
		return
	}
	if os.Getpid() != 1 {
		fmt.Fprintln(os.Stderr, "clock: this sets the clock of its machine, and so is the first program of a virtual one: make test-clock")
		os.Exit(2)
	}
	m := &machine{client: &http.Client{Timeout: 30 * time.Second}}
	err := m.run()
	if err != nil {
		m.row(false, "%v", err)
		fmt.Println(m.log.tail(6000))
	}
	fmt.Printf("clock: %d rows, %d failed\n", m.rows, m.failed)
	unix.Sync()
	_ = unix.Reboot(unix.LINUX_REBOOT_CMD_POWER_OFF) // returns only where it may not
}

// machine is the virtual one, with a robot.
type machine struct {
	client       *http.Client
	robot        *exec.Cmd
	log          lines
	rows, failed int
	facts        []string

	mu   sync.Mutex
	told []told // what came when
}

type told struct {
	at   time.Time
	text string
}

func (m *machine) row(ok bool, format string, args ...any) {
	m.rows++
	word := "ok     "
	if !ok {
		m.failed++
		word = "FAILED "
	}
	fmt.Println(word, fmt.Sprintf(format, args...))
}

func (m *machine) run() error {
	if err := boot(); err != nil {
		return err
	}
	if err := set(time.Unix(10, 0)); err != nil { // a robot without a battery
		return err
	}
	if err := m.start(); err != nil {
		return err
	}
	now := time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)
	steps := []struct {
		name string
		to   func(was time.Time) time.Time
	}{
		{"from 1970 to 2026", func(time.Time) time.Time { return now }},
		{"an hour ahead", func(was time.Time) time.Time { return was.Add(time.Hour) }},
		{"an hour back", func(was time.Time) time.Time { return was.Add(-time.Hour) }},
		{"30 days back", func(was time.Time) time.Time { return was.AddDate(0, 0, -30) }},
		{"400 days ahead", func(was time.Time) time.Time { return was.AddDate(0, 0, 400) }},
		{"to the edge of 2038, and over it", func(time.Time) time.Time { return time.Date(2038, 1, 19, 3, 14, 0, 0, time.UTC) }},
		{"back to 2026", func(time.Time) time.Time { return now.Add(5 * time.Minute) }},
		{"5 ms ahead", func(was time.Time) time.Time { return was.Add(5 * time.Millisecond) }},
		{"5 ms back", func(was time.Time) time.Time { return was.Add(-5 * time.Millisecond) }},
	}
	for i, s := range steps {
		if err := m.jump(i, s.name, s.to); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	if err := m.byTheClock(); err != nil {
		return err
	}
	// The power fails, and the clock with it; Linux sets none to before the machine was started.
	_ = m.robot.Process.Kill()
	_ = m.robot.Wait()
	if err := set(time.Unix(3600, 0)); err != nil {
		return err
	}
	if err := m.start(); err != nil {
		return fmt.Errorf("a start in 1970 with what was kept: %w", err)
	}
	if err := m.jump(len(steps), "a restart in 1970, then to 2026", func(time.Time) time.Time { return now.Add(time.Hour) }); err != nil {
		return err
	}
	return m.kept()
}

// jump sets the clock while everything is under way, and looks at what becomes of it.
func (m *machine) jump(n int, name string, to func(time.Time) time.Time) error {
	m.mu.Lock()
	m.told = nil
	m.mu.Unlock()
	fact := fmt.Sprintf("my number is %d", 100+n)
	if reply, err := m.say(fmt.Sprint("clock-", n), "remember that "+fact); err != nil || !strings.Contains(reply, "remember") {
		return fmt.Errorf("%q: %w", reply, err)
	}
	m.facts = append(m.facts, fact)
	began := time.Now()
	if reply, err := m.say("timers", "set a timer for 20 seconds"); err != nil || !strings.Contains(reply, "in 20 seconds") {
		return fmt.Errorf("%q: %w", reply, err)
	}
	up, missed, err := m.measure()
	if err != nil {
		return err
	}
	id := fmt.Sprintf("once-%d", n)
	move := fmt.Sprintf(`{"id":%q,"head":{"yaw":%d},"duration":4}`, id, 25-50*(n%2))
	type answer struct {
		reply []byte
		err   error
	}
	moved := make(chan answer, 1)
	go func() {
		reply, err := m.do("goto", move)
		moved <- answer{reply, err}
	}()
	watched := make(chan float64, 1)
	stop := make(chan struct{})
	go func() { watched <- m.fastest(stop) }()
	nap(time.Second)
	if err := set(to(time.Now())); err != nil {
		return err
	}
	asked := time.Now()
	again, err := m.do("goto", move)
	first := <-moved
	m.row(err == nil && first.err == nil && bytes.Equal(first.reply, again), "%s: the same command again acts once: %s %v", name, again, err)
	clock, err := m.say("timers", "what time is it")
	shown := []string{time.Now().UTC().Format("15:04"), time.Now().UTC().Add(-time.Minute).Format("15:04")}
	m.row(err == nil && slices.ContainsFunc(shown, func(s string) bool { return strings.Contains(clock, s) }), "%s: it tells the time: %s %v", name, clock, err)
	left, err := m.say("timers", "how long is left on my timer")
	m.row(err == nil && strings.Contains(left, "seconds left") && !strings.Contains(left, "-"), "%s: the timer: %s %v", name, left, err)
	nap(3 * time.Second)
	close(stop)
	speed := <-watched
	m.row(speed < most, "%s: the head moved, at %.2f rad/s at most", name, speed)
	nowUp, nowMissed, err := m.measure()
	passed := time.Since(began).Seconds()
	m.row(err == nil && nowUp >= up && nowUp-up < passed+2, "%s: up for %.0f s, then %.0f s, as %.0f s passed; %.0f ticks missed %v", name, up, nowUp, passed,
		nowMissed-missed, err)
	began2 := time.Now()
	_, err = m.do("stop", `{}`)
	m.row(err == nil, "%s: a stop is answered in %v %v", name, time.Since(began2).Round(time.Millisecond), err)
	if _, err := m.do("reset", `{}`); err != nil {
		return err
	}
	nap(waiting - time.Since(began) + 2*late)
	m.mu.Lock()
	heard := slices.Clone(m.told)
	m.mu.Unlock()
	over := slices.DeleteFunc(heard, func(t told) bool { return !strings.Contains(t.text, "timer is over") })
	if len(over) != 1 {
		m.row(false, "%s: the timer was over %d times", name, len(over))
		return nil
	}
	took := over[0].at.Sub(began)
	m.row((took-waiting).Abs() < late, "%s: a timer of 20 s was over after %.1f s; %.1f s since the clock was set",
		name, took.Seconds(), over[0].at.Sub(asked).Seconds())
	return nil
}

// byTheClock is a reminder at a time of day, which comes at that time of a clock that is set.
func (m *machine) byTheClock() error {
	now := time.Now().UTC()
	due := now.Truncate(time.Minute).Add(61 * time.Minute)
	if reply, err := m.say("timers", "remind me at "+due.Format("15:04")+" to drink"); err != nil || !strings.Contains(reply, "remind you") {
		return fmt.Errorf("%q: %w", reply, err)
	}
	if err := set(due.Add(-5 * time.Second)); err != nil {
		return err
	}
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); nap(200 * time.Millisecond) {
		m.mu.Lock()
		at := slices.IndexFunc(m.told, func(t told) bool { return strings.Contains(t.text, "drink") })
		var when time.Time
		if at >= 0 {
			when = m.told[at].at
		}
		m.mu.Unlock()
		if at >= 0 {
			off := when.Round(0).Sub(due)
			m.row(off > -time.Second && off < 12*time.Second, "what was asked for at %s came %.1f s after it", due.Format("15:04"), off.Seconds())
			return nil
		}
	}
	m.row(false, "what was asked for at %s did not come", due.Format("15:04"))
	return nil
}

// kept looks whether everything is there that was acknowledged.
func (m *machine) kept() error {
	lost := 0
	for n, fact := range m.facts {
		reply, err := m.say(fmt.Sprint("clock-", n), "what do you remember")
		if err != nil || !strings.Contains(reply, strings.TrimPrefix(fact, "my ")) {
			lost++
			fmt.Println("        lost:", fact, reply, err)
		}
	}
	m.row(lost == 0, "%d facts were acknowledged, %d lost", len(m.facts), lost)
	return nil
}

func (m *machine) start() error {
	m.robot = exec.Command("/bin/reachyd", "run", "--sim")
	m.robot.Env = []string{
		"PATH=/bin", "HOME=/data", "XDG_RUNTIME_DIR=/run", "XDG_DATA_HOME=/data", "REACHYD_SENSE_RUN=never", "REACHYD_LLM_URL=", "REACHYD_IDLE=off", "TZ=UTC",
	}
	ready := make(chan struct{})
	m.robot.Stderr = &m.log
	out, err := m.robot.StdoutPipe()
	if err != nil {
		return err
	}
	began := time.Now()
	if err := m.robot.Start(); err != nil {
		return err
	}
	go func() {
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if strings.Contains(lines.Text(), "is ready") {
				close(ready)
			}
		}
	}()
	select {
	case <-ready:
	case <-time.After(3 * time.Minute):
		return errors.New("reachyd is not ready after 3 minutes")
	}
	fmt.Printf("        reachyd is ready after %.0f s; the clock shows %s\n", time.Since(began).Seconds(), time.Now().UTC().Format(time.DateTime))
	go m.listen()
	_, err = m.do("tool", `{"name":"wake_up","args":{}}`)
	return err
}

// listen notes what it tells by itself, until it ends.
func (m *machine) listen() {
	resp, err := http.Get(at + "/api/v1/events?types=notification")
	if err != nil {
		return
	}
	defer resp.Body.Close() //nolint:errcheck // it was read
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		m.mu.Lock()
		m.told = append(m.told, told{time.Now(), lines.Text()})
		m.mu.Unlock()
	}
}

func (m *machine) say(session, text string) (string, error) {
	body, err := json.Marshal(map[string]string{"session": session, "text": text})
	if err != nil {
		return "", err
	}
	reply, err := m.do("chat", string(body))
	var said struct{ Result struct{ Reply string } }
	if err == nil {
		err = json.Unmarshal(reply, &said)
	}
	return said.Result.Reply, err
}

func (m *machine) do(verb, payload string) ([]byte, error) {
	resp, err := m.client.Post(at+"/api/cmd/"+verb, "application/json", strings.NewReader(payload))
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close() //nolint:errcheck // it was read
	reply, err := io.ReadAll(resp.Body)
	if err == nil && !bytes.Contains(reply, []byte(`"ok":true`)) {
		err = fmt.Errorf("%s: %s", verb, reply)
	}
	return reply, err
}

// fastest is the highest speed at which the head turned until stop is closed, rad/s.
func (m *machine) fastest(stop <-chan struct{}) (speed float64) {
	var last float64
	var when time.Time
	for {
		select {
		case <-stop:
			return speed
		default:
		}
		var state struct{ Head struct{ Yaw float64 } }
		resp, err := m.client.Get(at + "/api/state")
		if err == nil {
			err = json.NewDecoder(resp.Body).Decode(&state)
			resp.Body.Close() //nolint:errcheck // it was read
		}
		now := time.Now()
		if err != nil {
			return math.Inf(1)
		}
		if yaw := state.Head.Yaw * math.Pi / 180; when.IsZero() {
			last, when = yaw, now
		} else if d := now.Sub(when); d > 50*time.Millisecond {
			speed = max(speed, math.Abs(yaw-last)/d.Seconds())
			last, when = yaw, now
		}
		nap(25 * time.Millisecond)
	}
}

// measure is how long reachyd says that it runs, and how many ticks the body has missed. Both must agree with the clock.
func (m *machine) measure() (up, missed float64, err error) {
	var t struct {
		Loop struct {
			Missed float64 `json:"missed_ticks"`
		} `json:"loop"`
		Daemon struct {
			Up      float64   `json:"uptime_s"`
			Started time.Time `json:"started"`
		} `json:"daemon"`
	}
	resp, err := m.client.Get(at + "/api/v1/robot/telemetry")
	if err != nil {
		return 0, 0, err
	}
	defer resp.Body.Close() //nolint:errcheck // it was read
	if err := json.NewDecoder(resp.Body).Decode(&t); err != nil {
		return 0, 0, err
	}
	began := time.Now().Add(-time.Duration(t.Daemon.Up * float64(time.Second)))
	if off := t.Daemon.Started.Sub(began).Abs(); off > 2*late {
		err = fmt.Errorf("it says that it started at %v, %v off", t.Daemon.Started, off)
	}
	return t.Daemon.Up, t.Loop.Missed, err
}

func set(to time.Time) error {
	tv := unix.NsecToTimeval(to.UnixNano())
	if err := unix.Settimeofday(&tv); err != nil {
		return fmt.Errorf("set the clock to %v: %w", to, err)
	}
	return nil
}

func nap(d time.Duration) { <-time.After(d) }

// boot makes the machine usable.
func boot() error {
	for _, m := range []struct{ kind, dir string }{
		{"proc", "/proc"}, {"sysfs", "/sys"}, {"devtmpfs", "/dev"}, {"tmpfs", "/run"}, {"tmpfs", "/data"}, {"tmpfs", "/tmp"},
	} {
		if err := os.MkdirAll(m.dir, 0o755); err != nil {
			return err
		}
		if err := unix.Mount(m.kind, m.dir, m.kind, 0, ""); err != nil {
			return fmt.Errorf("mount %s: %w", m.dir, err)
		}
	}
	if err := os.MkdirAll("/dev/pts", 0o755); err != nil {
		return err
	}
	if err := unix.Mount("devpts", "/dev/pts", "devpts", 0, ""); err != nil {
		return fmt.Errorf("mount /dev/pts: %w", err)
	}
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM, 0)
	if err != nil {
		return err
	}
	defer unix.Close(socket) //nolint:errcheck // nothing was written to it
	lo, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	lo.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	return unix.IoctlIfreq(socket, unix.SIOCSIFFLAGS, lo)
}

// lines is the end of a log.
type lines struct {
	mu   sync.Mutex
	text []byte
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text = append(l.text, p...)
	l.text = l.text[max(0, len(l.text)-64<<10):]
	return len(p), nil
}

func (l *lines) tail(n int) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return string(l.text[max(0, len(l.text)-n):])
}

// pack writes programs as the file system that a kernel begins with (cpio, "newc"); the first is what it starts.
func pack(out io.Writer, programs []string) error {
	w := bufio.NewWriter(out)
	entry := func(n int, name string, mode uint32, data []byte) {
		written, _ := fmt.Fprintf(w, "070701%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%s\x00",
			n, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name)+1, 0, name)
		w.Write(make([]byte, -written&3))   //nolint:errcheck // Flush tells
		w.Write(data)                       //nolint:errcheck // as well
		w.Write(make([]byte, -len(data)&3)) //nolint:errcheck // as well
	}
	entry(1, "bin", unix.S_IFDIR|0o755, nil)
	entry(2, "dev", unix.S_IFDIR|0o755, nil)
	for i, path := range programs {
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name := "bin/" + filepath.Base(path)
		if i == 0 {
			name = "init"
		}
		entry(3+i, name, unix.S_IFREG|0o755, data)
	}
	entry(0, "TRAILER!!!", 0, nil)
	return w.Flush()
}
