package e2e

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
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
)

// A week alone: mixed use, while every fault comes in turn. It lasts a minute with short intervals in make test; the trial is
//
//	make week HOURS=8
//	make week HOURS=2 KEEP=folder      and again, which goes on with what the robot has kept
const (
	shortMinute = 8 * time.Second // what stands for a minute without REACHYD_WEEK
	shortWeek   = 6               // of those
	tolerated   = 45 * time.Second
	diskSize    = 256 // MiB
)

// week is a robot that is left alone.
type week struct {
	*robot
	t      *testing.T
	minute time.Duration
	client *http.Client
	disk   string
	broker func() (kill func())

	mu                                        sync.Mutex
	asked, answered, refused, unreached, lost int
	slowest                                   time.Duration
	kept                                      map[string]bool // sessions whose fact was acknowledged
	wedges                                    []string
	before                                    weeks // the pieces that went before
	keep                                      string
}

// weeks is what several pieces of a week have shown, as it is kept between them.
type weeks struct {
	Pieces    int           `json:"pieces"`
	Time      time.Duration `json:"time"`
	Asked     int           `json:"asked"`
	Answered  int           `json:"answered"`
	Refused   int           `json:"refused"`
	Unreached int           `json:"unreached"`
	Lost      int           `json:"lost"`
	Wedges    []string      `json:"wedges"`
	Facts     []string      `json:"facts"` // sessions in which one was acknowledged, all to be there at the end of each piece
}

// sample is how the processes stand at one time.
type sample struct {
	minute                              int
	event                               string
	rss, bodyRSS, diskUsed              float64 // MiB
	fds, bodyFDs, goroutines, sandboxes int
	missed, lateMS                      float64
	asked, answered, refused, unreached int
	recovered                           time.Duration
}

func TestAWeekAlone(t *testing.T) {
	w := &week{t: t, minute: shortMinute, kept: map[string]bool{}, keep: os.Getenv("REACHYD_WEEK_KEEP")}
	minutes := shortWeek
	if d, err := time.ParseDuration(os.Getenv("REACHYD_WEEK")); err == nil {
		w.minute, minutes = time.Minute, int(d/time.Minute)
	}
	w.begin()
	stop := make(chan struct{})
	var use sync.WaitGroup
	for user := range 3 {
		use.Go(func() { w.use(user, stop) })
	}
	began := time.Now()
	var samples []sample
	for m := range minutes {
		s := w.pass(m)
		samples = append(samples, s)
		t.Log(s.row())
	}
	close(stop)
	use.Wait()
	took := time.Since(began)
	w.verdict(samples, took)
	w.goOnLater(took)
}

func (w *week) begin() {
	w.robot = newRobot(w.t)
	if keeper, err := newSmallDisk(w.robot, diskSize); err == nil {
		w.disk = keeper
	} else {
		w.t.Logf("the disk is not filled: this machine lets nobody make a small file system: %v", err)
	}
	w.goOn()
	w.setenv("REACHYD_STORE_MAX_EVENTS=5000")
	port := freePort(w.t)
	w.setenv("REACHYD_MQTT_BROKER=mqtt://127.0.0.1:" + strconv.Itoa(port))
	w.broker = func() func() {
		_, kill := mosquitto(w.t, port)
		return kill
	}
	if senses {
		w.setenv("REACHYD_SENSE_RUN=auto")
	}
	w.client = &http.Client{Timeout: tolerated}
	w.start()
}

// goOn takes up what an earlier piece has kept.
func (w *week) goOn() {
	if w.keep == "" {
		return
	}
	if w.disk == "" {
		w.disk = filepath.Join(w.dir, "kept") // where nothing is filled
		w.args = append(w.args, "--data-dir", w.disk)
	}
	text, err := os.ReadFile(filepath.Join(w.keep, "week.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err = cmp.Or(err, json.Unmarshal(text, &w.before)); err != nil {
		w.t.Fatalf("%s: %v; another folder begins another week", w.keep, err)
	}
	for _, session := range w.before.Facts {
		w.kept[session] = true
	}
	w.copy(filepath.Join(w.keep, "data"), w.disk)
}

// goOnLater ends the robot and keeps what it has, for the next piece.
func (w *week) goOnLater(took time.Duration) {
	if w.keep == "" {
		return
	}
	w.stop()
	w.cmd = nil
	b := &w.before
	b.Pieces, b.Time = b.Pieces+1, b.Time+took
	b.Asked, b.Answered, b.Refused, b.Unreached, b.Lost = b.Asked+w.asked, b.Answered+w.answered, b.Refused+w.refused, b.Unreached+w.unreached, b.Lost+w.lost
	b.Wedges, b.Facts = append(b.Wedges, w.wedges...), slices.Sorted(maps.Keys(w.kept))
	fresh := filepath.Join(w.keep, "data.new")
	w.copy(w.disk, fresh)
	text, err := json.MarshalIndent(b, "", "  ")
	err = cmp.Or(err, os.RemoveAll(filepath.Join(w.keep, "data")))
	err = cmp.Or(err, os.Rename(fresh, filepath.Join(w.keep, "data")))
	if err = cmp.Or(err, os.WriteFile(filepath.Join(w.keep, "week.json"), append(text, '\n'), 0o600)); err != nil {
		w.t.Fatal(err)
	}
	w.t.Logf("%d pieces, %v in all: asked %d, answered %d, refused %d, reachyd not there %d; %d facts acknowledged, %d lost; %d wedges; go on by the same command",
		b.Pieces, b.Time.Round(time.Second), b.Asked, b.Answered, b.Refused, b.Unreached, len(b.Facts), b.Lost, len(b.Wedges))
}

// copy copies a folder: os.CopyFS would not go over links of /proc.
func (w *week) copy(from, to string) {
	err := os.RemoveAll(filepath.Join(to, "store"))
	if err = cmp.Or(err, os.MkdirAll(to, 0o700)); err != nil {
		w.t.Fatal(err)
	}
	if out, err := exec.Command("cp", "-a", from+"/.", to+"/").CombinedOutput(); err != nil {
		w.t.Fatalf("%v: %s", err, out)
	}
}

// pass lets a minute pass with its faults, and looks at everything at its end.
func (w *week) pass(m int) sample {
	events := []struct {
		name string
		do   func() (end func())
	}{
		{"broker goes", func() func() { return w.broker() }},
		{"disk fills", w.fill},
		{"body frozen", func() func() { w.signal("body", syscall.SIGSTOP); return nil }},
		{"bus unplugged", func() func() { w.fault(`{"unplug":true}`); return w.noFaults }},
		{"bus disturbed", func() func() { w.fault(`{"drop":0.05,"corrupt":0.05}`); return w.noFaults }},
		{"reachyd killed", func() func() { w.kill(); w.start(); return nil }},
	}
	event := events[m%len(events)]
	end := event.do()
	for _, worker := range []string{"body", "sim", "sense"} {
		time.Sleep(w.minute / 4) // the time that it is used
		w.signal(worker, syscall.SIGKILL)
	}
	if end != nil {
		end()
	}
	after := time.Now()
	err := w.healthy()
	for err != nil && time.Since(after) < tolerated {
		time.Sleep(50 * time.Millisecond) // between two looks at another process
		err = w.healthy()
	}
	if err != nil {
		w.wedged(fmt.Sprintf("minute %d: %v after %s: %v", m, tolerated, event.name, err))
	}
	took := time.Since(after)
	time.Sleep(w.minute / 4)
	s := w.look()
	s.minute, s.event, s.recovered = m, event.name, took
	return s
}

func (w *week) wedged(what string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.wedges = append(w.wedges, what)
	w.t.Error(what)
}

// fill takes all the disk but some MiB, and returns what gives it back.
func (w *week) fill() func() {
	if w.disk == "" || len(w.wrap) == 0 {
		return nil
	}
	filler := filepath.Join(w.disk, "filler")
	const left = 20 << 20
	var st syscall.Statfs_t
	if err := syscall.Statfs(w.disk, &st); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(filler, make([]byte, max(0, int64(st.Bavail)*st.Bsize-left)), 0o600); err != nil {
		w.t.Error(err)
	}
	return func() {
		if err := os.Remove(filler); err != nil {
			w.t.Error(err)
		}
	}
}

// signal sends a signal to a worker, if it is there just now.
func (w *week) signal(worker string, s syscall.Signal) {
	if pid := w.pid(worker); pid > 0 {
		_ = syscall.Kill(pid, s)
	}
}

func (w *week) address() (string, error) {
	url, err := os.ReadFile(filepath.Join(w.run(), "http"))
	return strings.TrimSpace(string(url)), err
}

func (w *week) healthy() error {
	url, err := w.address()
	if err != nil {
		return err
	}
	resp, err := w.client.Get(url + "/healthz")
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	var text struct{ Faults []struct{ Name string } }
	if err := json.NewDecoder(resp.Body).Decode(&text); err != nil {
		return err
	}
	faults := slices.DeleteFunc(text.Faults, func(f struct{ Name string }) bool { return f.Name == "unlocked" || f.Name == "deadline" }) // of this machine
	if len(faults) > 0 {
		return fmt.Errorf("faults %v", faults)
	}
	return nil
}

// use speaks to the robot until stop is closed.
func (w *week) use(user int, stop <-chan struct{}) {
	sentences := []string{"look left", "what is 15 percent of 300", "nod", "wiggle your antennas", "wake up", "what can you do", "set a timer for one second"}
	for n := 0; ; n++ {
		select {
		case <-stop:
			return
		case <-time.After(w.minute / 60 * time.Duration(2+user) / 2): // as fast as a person who is in a hurry
		}
		session, text := fmt.Sprintf("week-%d-%d-%d", w.before.Pieces, user, n), sentences[n%len(sentences)]
		fact := n%5 == 0
		if fact {
			text = "remember that my number is " + strconv.Itoa(n)
		}
		asked := time.Now()
		reply, err := w.say(session, text)
		took := time.Since(asked)
		w.mu.Lock()
		w.asked++
		switch {
		case err != nil:
			w.unreached++
		case fact && strings.Contains(reply, "I will remember"):
			w.kept[session] = true
			w.answered++
		case strings.Contains(reply, `"ok":true`):
			w.answered++
		default:
			w.refused++
		}
		if err == nil {
			w.slowest = max(w.slowest, took)
		}
		w.mu.Unlock()
	}
}

// say returns the reply as JSON. An error means that reachyd was not there, or went away.
func (w *week) say(session, text string) (string, error) {
	url, err := w.address()
	if err != nil {
		return "", err
	}
	body, err := json.Marshal(map[string]string{"session": session, "text": text})
	if err != nil {
		return "", err
	}
	resp, err := w.client.Post(url+"/api/cmd/chat", "application/json", strings.NewReader(string(body)))
	if err != nil {
		if os.IsTimeout(err) {
			w.wedged(fmt.Sprintf("%q was not answered within %v", text, tolerated))
		}
		return "", err
	}
	defer resp.Body.Close()
	var reply json.RawMessage
	if err := json.NewDecoder(resp.Body).Decode(&reply); err != nil {
		return "", err
	}
	return string(reply), nil
}

// look measures reachyd and the body.
func (w *week) look() (s sample) {
	own, body := w.reachyd(), w.pid("body")
	s.rss, s.fds = usage(own)
	s.bodyRSS, s.bodyFDs = usage(body)
	if found, err := filepath.Glob(filepath.Join(w.run(), "sandbox-*")); err == nil {
		s.sandboxes = len(found)
	}
	s.diskUsed = w.diskUsed()
	for name, value := range w.metrics() {
		switch name {
		case "go_goroutines":
			s.goroutines = int(value)
		case "reachyd_loop_missed_ticks_total":
			s.missed = value
		case `reachyd_loop_lateness_seconds{quantile="1"}`:
			s.lateMS = value * 1e3
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	s.asked, s.answered, s.refused, s.unreached = w.asked, w.answered, w.refused, w.unreached
	return s
}

// reachyd is its process: nsenter, which starts it on the small disk, becomes it.
func (w *week) reachyd() int { return w.cmd.Process.Pid }

// usage is what a process has of memory in MiB, and of descriptors.
func usage(pid int) (rss float64, fds int) {
	if text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid)); err == nil {
		if fields := strings.Fields(string(text)); len(fields) > 1 {
			pages, _ := strconv.ParseFloat(fields[1], 64)
			rss = pages * float64(os.Getpagesize()) / (1 << 20)
		}
	}
	open, _ := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	return rss, len(open)
}

func (w *week) diskUsed() (mib float64) {
	dir := cmp.Or(w.disk, filepath.Join(w.dir, "data"))
	_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || e.Name() == "filler" {
			return nil //nolint:nilerr // a file that has just gone
		}
		if info, err := e.Info(); err == nil {
			if st, ok := info.Sys().(*syscall.Stat_t); ok {
				mib += float64(st.Blocks) * 512 / (1 << 20)
			}
		}
		return nil
	})
	return mib
}

func (w *week) metrics() map[string]float64 {
	found := map[string]float64{}
	url, err := w.address()
	if err != nil {
		return found
	}
	resp, err := w.client.Get(url + "/metrics")
	if err != nil {
		return found
	}
	defer resp.Body.Close()
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		if name, value, ok := strings.Cut(lines.Text(), " "); ok {
			if v, err := strconv.ParseFloat(value, 64); err == nil {
				found[name] = v
			}
		}
	}
	return found
}

func (s sample) row() string {
	return fmt.Sprintf("%4d %-15s back %5.1fs | reachyd %5.1f MiB %3d fds %4d goroutines | body %5.1f MiB %3d fds | disk %5.1f MiB, %d sandboxes | "+
		"missed %4.0f, late %6.1f ms | asked %6d answered %6d refused %5d unreached %5d",
		s.minute, s.event, s.recovered.Seconds(), s.rss, s.fds, s.goroutines, s.bodyRSS, s.bodyFDs, s.diskUsed, s.sandboxes, s.missed, s.lateMS,
		s.asked, s.answered, s.refused, s.unreached)
}

// verdict looks whether what was acknowledged is there, and whether anything has grown from the second third to the last.
func (w *week) verdict(samples []sample, took time.Duration) {
	for session := range maps.Keys(w.kept) {
		if reply, err := w.say(session, "what do you remember"); err != nil || !strings.Contains(reply, "number is") {
			w.lost++
			w.t.Errorf("%s: the fact that was acknowledged is gone: %s %v", session, reply, err)
		}
	}
	third := len(samples) / 3
	middle, last := samples[third:2*third], samples[len(samples)-third:]
	for _, v := range []struct {
		name  string
		of    func(sample) float64
		grows float64 // allowed
	}{
		{"memory of reachyd, MiB", func(s sample) float64 { return s.rss }, 20},
		{"memory of the body, MiB", func(s sample) float64 { return s.bodyRSS }, 10},
		{"descriptors", func(s sample) float64 { return float64(s.fds) }, 8},
		{"goroutines", func(s sample) float64 { return float64(s.goroutines) }, 15},
		{"folders of sandboxes", func(s sample) float64 { return float64(s.sandboxes) }, 4},
		{"disk, MiB", func(s sample) float64 { return s.diskUsed }, 8},
	} {
		from, to := median(middle, v.of), median(last, v.of)
		w.t.Logf("%-24s %7.1f in the second third, %7.1f in the last", v.name, from, to)
		if to > from+v.grows {
			w.t.Errorf("%s grow from %.1f to %.1f", v.name, from, to)
		}
	}
	w.t.Logf("alone for %v (no clock was moved: make test-clock does that): asked %d, answered %d, refused %d, reachyd not there %d; slowest answer %v; "+
		"%d facts acknowledged, %d lost; %d wedges", took.Round(time.Second), w.asked, w.answered, w.refused, w.unreached, w.slowest.Round(time.Millisecond),
		len(w.kept), w.lost, len(w.wedges))
	if w.answered == 0 || len(w.kept) == 0 {
		w.t.Error("nothing was answered or kept, so nothing was shown")
	}
}

func median(samples []sample, of func(sample) float64) float64 {
	if len(samples) == 0 {
		return 0
	}
	values := make([]float64, len(samples))
	for i, s := range samples {
		values[i] = of(s)
	}
	slices.Sort(values)
	return values[len(values)/2]
}
