package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/reachyd/reachyd/cmd/internal/program"
	"github.com/reachyd/reachyd/hal/waittest"
	"github.com/reachyd/reachyd/learner/worker"
)

// TestMain is the program itself when a test starts it as a process of its own.
func TestMain(m *testing.M) {
	if os.Getenv("REACHY_LEARN_TEST") != "" {
		program.Main(run)
	}
	os.Exit(m.Run())
}

// trainer is a reachy-learn in a process of its own.
type trainer struct {
	t      *testing.T
	dir    string
	cmd    *exec.Cmd
	client http.Client
}

func start(t *testing.T, dir string) *trainer {
	t.Helper()
	p := &trainer{t: t, dir: dir}
	socket := filepath.Join(dir, "l.sock")
	p.client.Transport = &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "unix", socket)
	}, DisableKeepAlives: true}
	p.cmd = exec.Command(os.Args[0], "-socket", socket, "-dir", dir, "-log-level", "error")
	p.cmd.Env = append(os.Environ(), "REACHY_LEARN_TEST=1")
	p.cmd.Stderr = os.Stderr
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.kill)
	p.until("an answer", func() bool {
		r, err := p.client.Get("http://learn/healthz")
		if err == nil {
			r.Body.Close()
		}
		return err == nil
	})
	return p
}

func (p *trainer) kill() {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
}

// patience is long: the program only gets the processor time that nobody else wants, of which a busy machine has little.
const patience = 5 * time.Minute

// until asks again and again, since another process gives no sign.
func (p *trainer) until(what string, is func() bool) {
	p.t.Helper()
	if !waittest.Within(patience, is) {
		p.t.Fatalf("no %s after %v", what, patience)
	}
}

func (p *trainer) ask(request string) (worker.Status, error) {
	p.t.Helper()
	r, err := p.client.Post("http://learn/train", "application/json", strings.NewReader(request))
	if err != nil {
		return worker.Status{}, err
	}
	defer r.Body.Close()
	data, err := io.ReadAll(r.Body)
	if err != nil {
		return worker.Status{}, err
	}
	if r.StatusCode != http.StatusOK {
		return worker.Status{}, fmt.Errorf("%d: %s", r.StatusCode, data)
	}
	var s worker.Status
	return s, json.Unmarshal(data, &s)
}

func (p *trainer) state() string {
	s, err := p.ask(`{"action":"status"}`)
	if err != nil {
		p.t.Fatal(err)
	}
	return s.State
}

func (p *trainer) curve(name string) []byte {
	data, err := os.ReadFile(filepath.Join(p.dir, "runs", name, "curve.csv"))
	if err != nil {
		p.t.Fatal(err)
	}
	return data
}

const job = `{"action":"start","task":"reach_pose","episodes":8,"update_every":2,"evaluate_every":4,"evaluate_episodes":2,"random":1,"seed":7}`

// TestKilledRunsHaveTheSameCurve kills the process at random moments: KILLS of them, 8 if that is not set.
func TestKilledRunsHaveTheSameCurve(t *testing.T) {
	kills := 8
	if text := os.Getenv("KILLS"); text != "" {
		var err error
		if kills, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	whole := start(t, t.TempDir())
	if _, err := whole.ask(job); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	whole.until("end of training", func() bool { return whole.state() == worker.Done })
	took := time.Since(began)
	want := whole.curve("reach-pose-1")

	rng := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1))
	dir := t.TempDir()
	p := start(t, dir)
	if _, err := p.ask(job); err != nil {
		t.Fatal(err)
	}
	told, early := 0, 0
	for range kills {
		deadline := time.Now().Add(time.Duration(rng.Int64N(int64(took) / int64(kills) * 2)))
		for time.Now().Before(deadline) {
			s, err := p.ask(`{"action":"status"}`)
			if err != nil {
				t.Fatal(err)
			}
			if s.Episode < told {
				t.Fatalf("%d episodes were told of, now there are %d", told, s.Episode)
			}
			told = s.Episode
			if s.State == worker.Done {
				early++
				break
			}
		}
		p.kill()
		p = start(t, dir)
	}
	p.until("end of training", func() bool { return p.state() != worker.Training })
	if got := p.curve("reach-pose-1"); !bytes.Equal(got, want) {
		t.Errorf("after %d kills the curve is\n%s\nwithout\n%s", kills, got, want)
	}
	t.Logf("%d kills, %d of them after the end", kills, early)
}

func TestPauseStopAndGoOn(t *testing.T) {
	p := start(t, t.TempDir())
	post := func(path, body string) int {
		r, err := p.client.Post("http://learn"+path, "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		return r.StatusCode
	}
	if post("/feedback", `{"reward":1}`) != http.StatusOK || post("/feedback", `{"reward":2}`) != http.StatusBadRequest {
		t.Error("a reward was taken for what it is not")
	}
	if _, err := p.ask(job); err != nil {
		t.Fatal(err)
	}
	if post("/pause", `{"seconds":50}`) != http.StatusOK || post("/pause", `{"seconds":500}`) != http.StatusBadRequest {
		t.Error("a pause was taken for what it is not")
	}
	if got := p.state(); got != worker.Paused {
		t.Errorf("the trainer is %s, want paused", got)
	}
	if _, err := p.ask(job); err == nil || !strings.Contains(err.Error(), "stop it first") {
		t.Errorf("a second run: %v", err)
	}
	if s, err := p.ask(`{"action":"stop"}`); err != nil || s.State != worker.Stopped {
		t.Errorf("stopped: %+v, %v", s, err)
	}
	if _, err := p.ask(`{"action":"stop"}`); err == nil {
		t.Error("nothing was stopped")
	}
	if post("/pause", `{"seconds":0}`) != http.StatusOK {
		t.Error("the pause did not end")
	}
	if s, err := p.ask(`{"action":"start","run":"reach-pose-1"}`); err != nil || s.State != worker.Training {
		t.Errorf("gone on: %+v, %v", s, err)
	}
	p.until("end of training", func() bool { return p.state() == worker.Done })
	for _, ask := range []string{
		`{"action":"evaluate","tries":10,"held_out":true}`, `{"action":"list"}`, `{"action":"show","run":"reach-pose-1"}`,
		`{"action":"compare","run":"reach-pose-1","other":"reach-pose-1","tries":5}`,
	} {
		if _, err := p.ask(ask); err != nil {
			t.Errorf("%s: %v", ask, err)
		}
	}
	for ask, says := range map[string]string{
		`{"action":"evaluate","tries":-1}`:             "tries",
		`{"action":"show","run":"../../etc"}`:          "run:",
		`{"action":"show","run":"nobody"}`:             "no run",
		`{"action":"start","run":"nobody"}`:            "no run",
		`{"action":"dance"}`:                           "not one of",
		`{"action":"start","task":"juggle"}`:           "juggle",
		`{"action":"start","model":"unicorn"}`:         "unicorn",
		`{"action":"evaluate","try":"unicorn"}`:        "unicorn",
		`{"action":"start","algorithm":"sac","n":"1"}`: "n",
	} {
		if _, err := p.ask(ask); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", ask, err, says)
		}
	}
}

func TestOptions(t *testing.T) {
	for args, want := range map[string]int{
		"": program.ExitUsage, "-dir x -linger -1s": program.ExitUsage, "--help": program.ExitOK, "classic -seeds": program.ExitUsage,
		"-dir x extra": program.ExitUsage,
	} {
		var said bytes.Buffer
		if got := run(t.Context(), strings.Fields(args), nil, io.Discard, &said); got != want {
			t.Errorf("%q: code %d, want %d: %s", args, got, want, said.String())
		}
	}
}

func TestAbandonedTrainerEnds(t *testing.T) {
	dir := t.TempDir()
	code := run(t.Context(), []string{"-dir", dir, "-socket", filepath.Join(dir, "l.sock"), "-linger", "1s", "-log-level", "error"}, nil, io.Discard, io.Discard)
	if code != program.ExitOK {
		t.Errorf("code %d", code)
	}
}
