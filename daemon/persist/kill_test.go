package persist

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/reachyd/reachyd/agents/coordinator"
	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/daemon/store"
	"github.com/reachyd/reachyd/toolsandbox/registry"
)

// The test program is also its own child process: childEnv or talkEnv then is the directory of the store.
const (
	childEnv   = "REGISTRY_TEST_CHILD"
	talkEnv    = "TALK_TEST_CHILD"
	writers    = 4 // goroutines of a child, each with tools of its own
	acksPerRun = 105
)

// kills is how often the child is killed; raise it by hand for a longer trial.
func kills() int {
	if n, err := strconv.Atoi(os.Getenv("REGISTRY_TEST_KILLS")); err == nil {
		return n
	}
	return 10
}

// talk says one sentence after the other in a few sessions, and says which were answered, until it is killed.
func talk(dir string) error {
	s, err := store.Open(dir, store.Options{})
	if err != nil {
		return err
	}
	turns := coordinator.New(coordinator.Options{
		Planner: deaf{}, Tools: tool.NewRegistry(nil), Publisher: silent{}, Store: NewArchive(s, store.Keep{}),
		Failed: func(err error) { fmt.Println("FAILED", err) },
	})
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			id, n := fmt.Sprint("s", w), 0
			if h := turns.History(id); len(h) > 0 {
				n, _ = strconv.Atoi(h[len(h)-1].Text)
			}
			for {
				n++
				if _, err := turns.Turn(context.Background(), id, strconv.Itoa(n)); err != nil {
					fmt.Println("FAILED", err)
					return
				}
				fmt.Println(id, n)
			}
		})
	}
	wg.Wait()
	return nil
}

// Whatever was answered is part of its session after kill -9, once and in its order, also beyond what a session remembers.
func TestNoExchangeIsLostByKill9(t *testing.T) {
	dir := quickDir(t)
	answered := map[string]int{} // the last of each session
	for range kills() {
		lines := 0
		untilKilled(t, talkEnv+"="+dir, func(line string) (enough bool) {
			id, number, _ := strings.Cut(line, " ")
			n, err := strconv.Atoi(number)
			if err != nil {
				t.Fatalf("child: %s", line)
			}
			answered[id] = n
			lines++
			return lines > 2*coordinator.MaxHistory
		})
		s, err := store.Open(dir, store.Options{})
		must(t, err)
		for id, last := range answered {
			kept, _, err := NewArchive(s, store.Keep{}).LoadSession(id)
			must(t, err)
			n := len(kept.History)
			if n != min(coordinator.MaxHistory, int(kept.First)+n) {
				t.Errorf("%s remembers %d exchanges from number %d on", id, n, kept.First)
			}
			for i, x := range kept.History {
				if x.Text != strconv.Itoa(int(kept.First)+i+1) {
					t.Errorf("%s: exchange %d is %q", id, int(kept.First)+i, x.Text)
				}
			}
			if n == 0 || int(kept.First)+n < last {
				t.Errorf("%s: %d was answered, the last that is kept is %d", id, last, int(kept.First)+n)
			}
		}
		must(t, s.Close(0))
	}
	if answered["s0"] <= coordinator.MaxHistory {
		t.Errorf("%v: no session became longer than is remembered", answered)
	}
}

// untilKilled runs the test program as its own child with a variable, until what it says is enough.
func untilKilled(t *testing.T, env string, line func(string) (enough bool)) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), env)
	cmd.Stderr = os.Stderr
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	killed := false
	for out := bufio.NewScanner(pipe); out.Scan(); {
		if line(out.Text()) && !killed {
			killed = true
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	_ = cmd.Wait()
	if !killed {
		t.Fatal("the child ended by itself")
	}
}

// child registers version after version and says so, until it is killed. Now and then it imports or activates.
func child(dir string) error {
	main, err := store.Open(dir, store.Options{})
	if err != nil {
		return err
	}
	s, err := OpenTools(main, filepath.Join(dir, "none"))
	if err != nil {
		return err
	}
	r, err := registry.Open(registry.Settings{Store: s, FlushEvery: time.Millisecond})
	if err != nil {
		return err
	}
	var out sync.Mutex
	ack := func(format string, args ...any) {
		out.Lock()
		defer out.Unlock()
		fmt.Printf(format+"\n", args...)
	}
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for tool := 0; ; {
				name := fmt.Sprintf("writer_%d_%d", w, tool)
				h, _ := r.Head(name)
				if h.Latest >= 250 {
					tool++
					continue
				}
				v, err := put(context.Background(), r, name, fmt.Sprintf("def %s():\n    return 1\n# edition %d\n", name, h.Latest+1))
				if err != nil {
					ack("FAILED %v", err)
					return
				}
				r.Record(name, v.Number, true, time.Millisecond)
				ack("%s %d %s", v.Name, v.Number, v.Digest)
			}
		})
	}
	wg.Wait()
	return nil
}

// Whatever a registry acknowledged is there after kill -9, and whatever is there is whole.
func TestNothingAcknowledgedIsLostByKill9(t *testing.T) {
	dir := quickDir(t)
	acked := map[string]string{} // "name number" → digest
	began := time.Now()
	for range kills() {
		lines := 0
		untilKilled(t, childEnv+"="+dir, func(line string) (enough bool) {
			fields := strings.Fields(line)
			if len(fields) != 3 || fields[0] == "FAILED" {
				t.Fatalf("child: %s", line)
			}
			key := fields[0] + " " + fields[1]
			if was, ok := acked[key]; ok && was != fields[2] {
				t.Errorf("%s was given twice", key)
			}
			acked[key] = fields[2]
			lines++
			return lines > acksPerRun
		})
		verifyTools(t, dir, acked)
	}
	if len(acked) < 1000 {
		t.Errorf("%d registrations were acknowledged, the test is worth something from 1000 on", len(acked))
	}
	t.Logf("%d kills, %d registrations acknowledged, none lost, in %v", kills(), len(acked), time.Since(began).Round(time.Millisecond))
}

// quickDir is a directory in memory where there is one: what a killed process wrote is with the kernel, so that a slow
// disk would show nothing more.
func quickDir(t *testing.T) string {
	dir, err := os.MkdirTemp("/dev/shm", "registry")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func verifyTools(t *testing.T, dir string, acked map[string]string) {
	t.Helper()
	s, closeStore := openTools(t, dir)
	defer closeStore()
	r, err := registry.Open(registry.Settings{Store: s})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	seen, unacknowledged := 0, 0
	for _, h := range r.List() {
		if h.Active != h.Latest {
			t.Errorf("%s: v%d is active, but v%d the latest: they are stored together", h.Name, h.Active, h.Latest)
		}
		for n := range h.Latest {
			v, err := r.Version(h.Name, n+1) // checks checksum, name, number and digest
			if err != nil {
				t.Errorf("half-written: %v", err)
				continue
			}
			if !strings.HasSuffix(v.Source, fmt.Sprintf("# edition %d\n", n+1)) || v.Report == nil || !json.Valid(v.Schema) {
				t.Errorf("%s v%d is not what was registered", h.Name, n+1)
			}
			digest, ok := acked[fmt.Sprintf("%s %d", h.Name, n+1)]
			switch {
			case ok && digest != v.Digest:
				t.Errorf("%s v%d is another than was acknowledged", h.Name, n+1)
			case ok:
				seen++
			default:
				unacknowledged++
				acked[fmt.Sprintf("%s %d", h.Name, n+1)] = v.Digest // seen once, it must stay
			}
		}
	}
	if seen+unacknowledged != len(acked) {
		t.Fatalf("%d of %d acknowledged registrations are there", seen, len(acked)-unacknowledged)
	}
	if unacknowledged > writers {
		t.Errorf("%d versions were stored and not acknowledged, at most one for each of %d writers can be", unacknowledged, writers)
	}
}
