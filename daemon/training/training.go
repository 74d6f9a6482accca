// Package training lets the robot practise: it runs the worker reachy-learn while there is something to train, tells what it
// does, and lets it stand still while the robot is spoken to.
package training

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/daemon/worker"
	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/local"
	"github.com/reachyd/reachyd/learner/onrobot"
)

// Publisher takes events.
type Publisher interface {
	Publish(trace string, data api.Payload)
}

// Service runs the trainer when it is needed. Fill in the exported fields, then Run it.
type Service struct {
	Worker func() *worker.Worker // makes the worker's supervisor
	Socket string
	Dir    string // where the trainer keeps its runs
	Events Publisher
	Log    zerolog.Logger
	// Task, Human and Safety are the weights of the parts of the reward at first; Weigh changes them.
	Task, Human, Safety float64
	// Rest is how long the trainer stays when nothing is trained; two minutes when zero.
	Rest time.Duration
	// Shown returns what people showed of a name or of a task, as poses of the head at a rate; nil: nothing can be shown.
	Shown func(name string, rate float64) ([][]hal.Head, error)
	// Floor lets runs move the robot itself; nil: they cannot.
	Floor *Floor
	// AnswerTime is how long a person has to agree to that; a minute when zero.
	AnswerTime time.Duration

	mu     sync.Mutex
	wanted time.Time // last time somebody asked
	active bool      // a run is under way
	now    *worker.Worker
	wake   chan struct{}
	client *local.Client
	paused time.Time

	question *question // that a person is asked
}

var errUnavailable = errors.New("the trainer cannot be reached")

const (
	startTime = 20 * time.Second
	retry     = 200 * time.Millisecond
	// still is how long training stands still after something was said to the robot, and often how often that is told.
	still = 2.0 // s
	often = 500 * time.Millisecond
	// askTime is how long small questions may take.
	askTime = 2 * time.Second
)

// Busy are the events that mean that the robot needs the processor.
var Busy = []api.Type{api.TypeUtterance, api.TypePartial, api.TypeHandoff, api.TypeToolCall}

func (s *Service) init() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.wake == nil {
		s.wake = make(chan struct{}, 1)
		s.client = local.NewClient(s.Socket, errUnavailable, func(_ int, reason string) error { return errors.New(reason) })
		if s.Rest == 0 {
			s.Rest = 2 * time.Minute
		}
	}
}

// Run goes on with what was being trained when reachyd ended, and then runs the trainer whenever it is needed, until ctx ends.
func (s *Service) Run(ctx context.Context) error {
	s.init()
	defer s.client.Close()
	if _, err := os.Stat(filepath.Join(s.Dir, "runs", "active")); err == nil {
		s.want()
	}
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-s.wake:
		}
		s.attend(ctx)
	}
}

// want says that the trainer is needed, and returns its supervisor, nil as long as there is none.
func (s *Service) want() *worker.Worker {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wanted = time.Now()
	if s.now == nil {
		select {
		case s.wake <- struct{}{}:
		default:
		}
	}
	return s.now
}

// attend runs the worker until nobody has needed it for a while.
func (s *Service) attend(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w := s.Worker()
	var parts sync.WaitGroup
	parts.Go(func() { _ = w.Run(ctx) })
	parts.Go(func() { s.follow(ctx) })
	s.mu.Lock()
	s.now = w
	s.mu.Unlock()
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-ticker.C:
			s.mu.Lock()
			done := !s.active && time.Since(s.wanted) > s.Rest
			if done {
				s.now = nil
			}
			s.mu.Unlock()
			if done {
				cancel()
			}
		}
	}
	parts.Wait()
	s.mu.Lock()
	s.now = nil
	s.mu.Unlock()
}

// status is that of the trainer, as far as it is told on.
type status struct {
	api.Training

	Best *struct{ Success float64 } `json:"best"`
}

// follow tells what the trainer does.
func (s *Service) follow(ctx context.Context) {
	var last api.Training
	for ctx.Err() == nil {
		_ = s.client.Lines(ctx, "GET", "/events", nil, local.Each(func(st status) {
			if st.Best != nil {
				st.BestSuccess = st.Best.Success
			}
			s.mu.Lock()
			was := s.active
			s.active = st.State == "training" || st.State == "paused"
			over := was && !s.active
			s.mu.Unlock()
			if over && s.Floor != nil { // the agreement was for this run
				s.Floor.withdraw(errNobody)
			}
			if st.Training != last && st.State != "idle" {
				s.Events.Publish("", st.Training)
			}
			last = st.Training
		}))
		select {
		case <-ctx.Done():
		case <-time.After(retry):
		}
	}
}

// ready waits until the trainer answers.
func (s *Service) ready(ctx context.Context) error {
	s.init()
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	for {
		if w := s.want(); w != nil {
			if st := w.State(); st.Status == worker.Stopped && st.Reason != "" {
				return fmt.Errorf("the trainer does not run: %s", st.Reason)
			}
			short, end := context.WithTimeout(ctx, retry)
			err := w.Ready(short)
			end()
			if err == nil {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the trainer did not start within %v", startTime)
		case <-time.After(retry / 4):
		}
	}
}

// Weigh sets the weights of the parts of the reward, for runs that are started from now on.
func (s *Service) Weigh(task, human, safety float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Task, s.Human, s.Safety = task, human, safety
}

func (s *Service) weights() map[string]float64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return map[string]float64{"task": s.Task, "human": s.Human, "safety": s.Safety}
}

// Train implements command.Trainer.
func (s *Service) Train(ctx context.Context, args json.RawMessage) (any, error) {
	var a api.TrainArgs
	if err := json.Unmarshal(args, &a); err != nil {
		return nil, err
	}
	switch {
	case a.Action == "consent":
		return s.answer(ctx, a.Consent, a.Answer)
	case a.Action == "stop":
		s.stopped(errors.New("practising was ended"))
	case a.OnRobot && a.Action != "start":
		return nil, errors.New("on_robot: it is for start")
	}
	request := map[string]any{
		"action": a.Action, "task": a.Task, "algorithm": a.Algorithm, "person": a.Person, "run": a.Run, "other": a.Other,
		"episodes": a.Episodes, "seed": a.Seed, "tries": a.Tries, "held_out": a.HeldOut, "random": 1.0,
		"weights": s.weights(),
	}
	if a.Model != "" {
		request["model"], request["try"] = a.Model, a.Model
	}
	if a.FromDemo != "" {
		shown, err := s.shown(a.FromDemo)
		if err != nil {
			return nil, err
		}
		request["shown"], request["imitate"] = shown, a.Imitate
		request["task"] = cmp.Or(a.Task, onRobotTask)
	}
	if a.OnRobot {
		request["on_robot"], request["task"] = true, onRobotTask
	}
	body, err := json.Marshal(request)
	if err != nil {
		return nil, err
	}
	if a.OnRobot {
		return s.ask(&a, body)
	}
	if err := s.ready(ctx); err != nil {
		return nil, err
	}
	var answer json.RawMessage
	if err := s.client.Call(ctx, "POST", "/train", bytes.NewReader(body), &answer); err != nil {
		return nil, err
	}
	return answer, nil
}

// decisions are how many a policy makes in a second.
const decisions = 10.0

func (s *Service) shown(name string) ([][]hal.Head, error) {
	if s.Shown == nil {
		return nil, errors.New("from_demo: nothing can be shown to this robot")
	}
	all, err := s.Shown(name, decisions)
	if err != nil {
		return nil, fmt.Errorf("from_demo: %w", err)
	}
	return all, nil
}

// Hear takes an event in: what means that the robot is busy lets training stand still, and feedback is passed on to the run.
func (s *Service) Hear(e api.Event) {
	if stop, ok := e.Data.(api.EStop); ok {
		if stop.Active {
			s.stopped(onrobot.ErrStopped)
		}
		return
	}
	s.mu.Lock()
	active := s.active
	quiet := time.Since(s.paused) < often
	s.mu.Unlock()
	if !active {
		return
	}
	if f, ok := e.Data.(api.Feedback); ok {
		s.post("/feedback", map[string]float64{"reward": max(-1, min(1, f.Reward))})
		return
	}
	if !quiet {
		s.mu.Lock()
		s.paused = time.Now()
		s.mu.Unlock()
		s.post("/pause", map[string]float64{"seconds": still})
	}
}

func (s *Service) post(path string, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), askTime)
	defer cancel()
	if err := s.client.Call(ctx, "POST", path, bytes.NewReader(body), nil); err != nil {
		s.Log.Debug().Err(err).Str("path", path).Msg("training")
	}
}
