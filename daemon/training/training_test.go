package training

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/daemon/worker"
	"github.com/reachyd/reachyd/hal/local"
)

// TestMain is a trainer when a test starts the program as a worker.
func TestMain(m *testing.M) {
	if socket := os.Getenv("TRAINER_TEST_SOCKET"); socket != "" {
		trainer(socket)
		return
	}
	if socket := os.Getenv("TRAINER_TEST_REAL"); socket != "" {
		realTrainer(socket)
		return
	}
	os.Exit(m.Run())
}

// trainer answers as reachy-learn does, writes down what it is asked, and always trains.
func trainer(socket string) {
	l, err := local.Listen(socket)
	if err != nil {
		os.Exit(1)
	}
	var mu sync.Mutex
	note := func(r *http.Request) map[string]any {
		mu.Lock()
		defer mu.Unlock()
		body := map[string]any{}
		_ = json.NewDecoder(r.Body).Decode(&body)
		text, _ := json.Marshal(body)
		f, _ := os.OpenFile(socket+".log", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		f.WriteString(r.URL.Path + " " + string(text) + "\n")
		f.Close()
		return body
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/healthz", func(w http.ResponseWriter, _ *http.Request) { local.Reply(w, map[string]int{"pid": os.Getpid()}) })
	mux.HandleFunc("/train", func(w http.ResponseWriter, r *http.Request) {
		if note(r)["task"] == "follow" {
			local.Refuse(w, http.StatusConflict, "something is being trained")
			return
		}
		local.Reply(w, map[string]string{"state": "training", "run": "r-1"})
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { note(r); local.Reply(w, struct{}{}) })
	mux.HandleFunc("/events", func(w http.ResponseWriter, r *http.Request) {
		lines := local.NewLines(w, time.Second)
		_ = lines.Write(map[string]any{"state": "training", "run": "r-1", "episode": 10, "best": map[string]any{"success": 0.5}})
		<-r.Context().Done()
	})
	srv := &http.Server{Handler: mux, ReadHeaderTimeout: time.Second}
	_ = srv.Serve(l)
}

type published chan api.Training

func (p published) Publish(_ string, data api.Payload) { p <- data.(api.Training) }

// rig runs a service whose worker is this test program, as a trainer that answers only.
func rig(t *testing.T, rest time.Duration) (*Service, published, string) {
	t.Helper()
	return rigAs(t, rest, "TRAINER_TEST_SOCKET")
}

// rigAs runs one whose worker finds its socket in a variable.
func rigAs(t *testing.T, rest time.Duration, variable string) (*Service, published, string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "t") // short, for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	socket := filepath.Join(dir, "l.sock")
	events := make(published, 16)
	s := &Service{
		Socket: socket, Dir: dir, Events: events, Log: zerolog.Nop(), Rest: rest, Task: 1, Human: 0.5, Safety: 2,
		Worker: func() *worker.Worker {
			return &worker.Worker{
				Name: "learn", Program: os.Args[0], Socket: socket, Env: append(os.Environ(), variable+"="+socket), Log: zerolog.Nop(),
				Interval: 20 * time.Millisecond, Grace: time.Second,
			}
		},
	}
	s.init()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); _ = s.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-done })
	return s, events, socket
}

func asked(t *testing.T, socket string) string {
	t.Helper()
	text, err := os.ReadFile(socket + ".log")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestTheTrainerStartsWhenItIsAskedAndHearsPeople(t *testing.T) {
	s, events, socket := rig(t, time.Hour)
	if _, err := os.Stat(socket); err == nil {
		t.Fatal("the trainer runs before anybody asked")
	}
	s.Hear(api.Event{Data: api.Utterance{Text: "hello"}}) // nobody trains: nothing to pause
	got, err := s.Train(t.Context(), json.RawMessage(`{"action":"start","task":"greet","episodes":5,"model":"mujoco"}`))
	if err != nil || !strings.Contains(string(got.(json.RawMessage)), `"r-1"`) {
		t.Fatalf("%s, %v", got, err)
	}
	for _, want := range []string{`"task":"greet"`, `"episodes":5`, `"model":"mujoco"`, `"weights":{"human":0.5,"safety":2,"task":1}`, `"random":1`} {
		if !strings.Contains(asked(t, socket), want) {
			t.Errorf("the trainer was asked %s, want %s", asked(t, socket), want)
		}
	}
	e := <-events
	if e.State != "training" || e.Episode != 10 || e.BestSuccess != 0.5 {
		t.Errorf("told: %+v", e)
	}
	s.Hear(api.Event{Data: api.Feedback{Text: "good", Reward: 0.5}})
	s.Hear(api.Event{Data: api.Utterance{Text: "look left"}})
	s.Hear(api.Event{Data: api.Partial{Text: "look"}}) // at once after the other: told once
	log := asked(t, socket)
	if !strings.Contains(log, `/feedback {"reward":0.5}`) || strings.Count(log, `/pause {"seconds":2}`) != 1 {
		t.Errorf("the trainer heard %s", log)
	}
	if _, err := s.Train(t.Context(), json.RawMessage(`{"action":"start","task":"follow"}`)); err == nil || err.Error() != "something is being trained" {
		t.Errorf("refused: %v", err)
	}
	if _, err := s.Train(t.Context(), json.RawMessage(`{"action":"start","on_robot":true}`)); err == nil {
		t.Error("the robot itself is trained where there is none")
	}
}

func TestAMissingTrainerIsSaid(t *testing.T) {
	s := &Service{Socket: filepath.Join(t.TempDir(), "l.sock"), Dir: t.TempDir(), Events: make(published, 1), Log: zerolog.Nop()}
	s.Worker = func() *worker.Worker {
		return &worker.Worker{Name: "learn", Program: "reachy-learn-that-is-not-there", Socket: s.Socket, Log: zerolog.Nop()}
	}
	s.init()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); _ = s.Run(ctx) }()
	defer func() { cancel(); <-done }()
	if _, err := s.Train(t.Context(), json.RawMessage(`{"action":"status"}`)); err == nil || !strings.Contains(err.Error(), "reachy-learn-that-is-not-there") {
		t.Errorf("%v", err)
	}
}
