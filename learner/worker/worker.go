// Package worker is the process that trains: one run at a time, which stands still whenever the robot needs the processor.
package worker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/learner/env"
	"github.com/reachyd/reachyd/learner/onrobot"
	"github.com/reachyd/reachyd/learner/train"
)

// The states of a trainer.
const (
	Idle     = "idle"
	Training = "training"
	Paused   = "paused" // the robot needs the processor
	Done     = "done"
	Stopped  = "stopped"
	Failed   = "failed"
)

// Status is what the trainer does.
type Status struct {
	State     string        `json:"state"`
	Run       string        `json:"run,omitempty"`
	Task      string        `json:"task,omitempty"`
	Algorithm string        `json:"algorithm,omitempty"`
	Model     string        `json:"model,omitempty"`
	OnRobot   bool          `json:"on_robot,omitempty"`
	Episode   int           `json:"episode"`
	Episodes  int           `json:"episodes"`
	Success   float64       `json:"success_rate"` // of the last 50 episodes
	Reward    float64       `json:"reward"`       // mean return of the latest episodes
	Human     float64       `json:"human"`        // mean of what people said of them
	Unsafe    float64       `json:"unsafe"`       // part of the latest actions
	BestAt    int           `json:"best_episode,omitempty"`
	Best      *train.Report `json:"best,omitempty"`
	Classical *train.Report `json:"classical,omitempty"`
	Speed     float64       `json:"steps_per_s"`
	Left      float64       `json:"left_s"`
	Message   string        `json:"message,omitempty"`
}

// Trainer runs one run after the other. Fill in the exported fields, then use it; it may be called by many goroutines.
type Trainer struct {
	Dir    string // of the runs
	Plants train.Plants
	Robot  string // socket where reachyd lets the robot itself be moved; empty: simulation only
	Log    zerolog.Logger
	// Changed, if not nil, is called with every new status, in order. It must be quick.
	Changed func(Status)

	mu     sync.Mutex
	status Status
	run    *train.Run
	live   *onrobot.Client // of a run on the robot itself
	cancel context.CancelCauseFunc
	ended  chan struct{}
	until  time.Time // it stands still until then
	moved  chan struct{}
}

// errStopped ends a run on demand.
var errStopped = errors.New("stopped")

// Start says what a run is to be.
type Start struct {
	train.Settings

	Run string `json:"run"` // goes on with a run that was stopped
	// Shown are movements that a person showed, at the rate of decisions; the run begins with what Imitate makes of them.
	Shown   []env.Shown `json:"shown,omitempty"`
	Imitate string      `json:"imitate,omitempty"` // clone when empty, gail
}

var runName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,63}$`)

// Names of runs are the names of their directories.
func checkRun(name string) error {
	if !runName.MatchString(name) {
		return fmt.Errorf("run: %.80q is not a name of small letters, digits, - and _, at most 64", name)
	}
	return nil
}

// Files in the directory of the runs: the name of the run that is under way, and of the one that was begun last.
const (
	activeFile = "active"
	latestFile = "latest"
)

// Begin begins a run or goes on with one.
func (t *Trainer) Begin(s Start) (Status, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.cancel != nil {
		return t.status, fmt.Errorf("%s is being trained as run %s; stop it first", t.status.Task, t.status.Run)
	}
	if s.Run == "" {
		if err := s.Complete(); err != nil {
			return t.status, err
		}
		if err := s.imitate(); err != nil {
			return t.status, err
		}
		s.Run = t.newName(s.Task)
	} else if err := checkRun(s.Run); err != nil {
		return t.status, err
	} else if _, err := os.Stat(filepath.Join(t.Dir, s.Run)); err != nil {
		return t.status, fmt.Errorf("run: there is no run %q", s.Run)
	}
	run, err := t.openRun(&s)
	if err != nil {
		return t.status, err
	}
	if err := os.WriteFile(filepath.Join(t.Dir, activeFile), []byte(s.Run), 0o600); err != nil {
		return t.status, err
	}
	if err := os.WriteFile(filepath.Join(t.Dir, latestFile), []byte(s.Run), 0o600); err != nil {
		return t.status, err
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	t.run, t.cancel, t.ended = run, cancel, make(chan struct{})
	t.status = statusOf(run)
	t.status.State = Training
	go t.loop(ctx, run, t.live, t.ended)
	return t.status, nil
}

// openRun opens a run, on the robot itself when that was asked for.
func (t *Trainer) openRun(s *Start) (*train.Run, error) {
	dir := filepath.Join(t.Dir, s.Run)
	t.live = nil
	if !s.OnRobot {
		return train.Open(dir, s.Settings, t.Plants)
	}
	if t.Robot == "" {
		return nil, errors.New("on_robot: there is no robot here")
	}
	t.live = onrobot.NewClient(t.Robot)
	run, err := train.OpenOn(t.live, dir, s.Settings, t.Plants)
	if err == nil && !run.Settings.OnRobot {
		run.Close()
		err = fmt.Errorf("on_robot: run %s is in simulation", s.Run)
	}
	return run, err
}

// Resume goes on with the run that was under way when the process was killed; if there was none, the latest one is told of.
func (t *Trainer) Resume() error {
	if name, err := os.ReadFile(filepath.Join(t.Dir, activeFile)); err == nil {
		_, err = t.Begin(Start{Run: strings.TrimSpace(string(name))})
		if !errors.Is(err, train.ErrNoRobot) {
			return err
		}
		if err := os.Remove(filepath.Join(t.Dir, activeFile)); err != nil {
			return err
		}
	}
	name, err := os.ReadFile(filepath.Join(t.Dir, latestFile))
	if err != nil {
		return nil //nolint:nilerr // nothing was ever trained
	}
	s, err := t.Show(strings.TrimSpace(string(name)))
	if err == nil {
		t.tell(s.Status)
	}
	return err
}

func (t *Trainer) newName(task string) string {
	for n := 1; ; n++ {
		name := fmt.Sprintf("%s-%d", strings.ReplaceAll(task, "_", "-"), n)
		if _, err := os.Stat(filepath.Join(t.Dir, name)); err != nil {
			return name
		}
	}
}

func statusOf(r *train.Run) Status {
	s := Status{
		Run: r.ID, Task: r.Settings.Task, Algorithm: r.Settings.Algorithm, Model: r.Settings.Model, OnRobot: r.Settings.OnRobot,
		Episode: r.Episodes, Episodes: r.Settings.Episodes, BestAt: r.BestAt,
	}
	if r.BestSet {
		best, classic := r.Best, r.Classic
		s.Best, s.Classical = &best, &classic
	}
	if n := len(r.Curve); n > 0 {
		p := r.Curve[n-1]
		s.Success, s.Reward, s.Human, s.Unsafe = p.Success, p.Return, p.Human, p.Unsafe
		if r.Seconds > 0 {
			s.Speed = float64(p.Steps) / r.Seconds
			s.Left = r.Seconds / float64(max(1, p.Episode)) * float64(max(0, s.Episodes-p.Episode))
		}
	}
	return s
}

func (t *Trainer) loop(ctx context.Context, run *train.Run, live *onrobot.Client, ended chan struct{}) {
	defer close(ended)
	defer run.Close()
	if live != nil {
		defer live.Close()
	}
	var err error
	for err == nil && !run.Done() && !run.Halted() {
		if _, err = run.Advance(func() error { return t.wait(ctx) }); err == nil {
			s := statusOf(run)
			s.State = Training
			t.tell(s)
		}
	}
	s := statusOf(run)
	switch {
	case err == nil && run.Halted() && !run.Done():
		s.State = Stopped
		if why := live.Why(); why != nil {
			s.Message = why.Error()
		}
	case err == nil:
		s.State = Done
	case errors.Is(err, errStopped):
		s.State = Stopped
	case errors.Is(err, context.Canceled): // the process ends: the run goes on with the next one
		s.State = Stopped
	default:
		s.State, s.Message = Failed, err.Error()
		t.Log.Warn().Err(err).Str("run", run.ID).Msg("training")
	}
	if !errors.Is(err, context.Canceled) {
		if err := os.Remove(filepath.Join(t.Dir, activeFile)); err != nil {
			t.Log.Warn().Err(err).Msg("training")
		}
	}
	t.mu.Lock()
	t.cancel = nil
	t.mu.Unlock()
	t.tell(s)
}

func (t *Trainer) tell(s Status) {
	t.mu.Lock()
	t.status = s
	t.mu.Unlock()
	if t.Changed != nil {
		t.Changed(s)
	}
}

// wait lets time pass while the robot needs the processor.
func (t *Trainer) wait(ctx context.Context) error {
	for ctx.Err() == nil {
		t.mu.Lock()
		left := time.Until(t.until)
		if t.moved == nil {
			t.moved = make(chan struct{})
		}
		moved := t.moved
		t.mu.Unlock()
		if left <= 0 {
			return nil
		}
		timer := time.NewTimer(left)
		select {
		case <-ctx.Done():
		case <-timer.C:
		case <-moved:
		}
		timer.Stop()
	}
	return context.Cause(ctx)
}

// Pause lets training stand still for so long from now.
func (t *Trainer) Pause(d time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.until = time.Now().Add(d)
	if t.moved != nil {
		close(t.moved)
	}
	t.moved = make(chan struct{})
}

// Status is what the trainer does now.
func (t *Trainer) Status() Status {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.status
	s.State = cmp.Or(s.State, Idle)
	if s.State == Training && time.Now().Before(t.until) {
		s.State = Paused
	}
	return s
}

// Stop ends the run after the step that is under way; it can be gone on with.
func (t *Trainer) Stop() (Status, error) { return t.end(errStopped) }

// Close ends the run so that the next process goes on with it.
func (t *Trainer) Close() { _, _ = t.end(context.Canceled) }

func (t *Trainer) end(why error) (Status, error) {
	t.mu.Lock()
	cancel, ended := t.cancel, t.ended
	t.mu.Unlock()
	if cancel == nil {
		return t.Status(), errors.New("nothing is being trained")
	}
	cancel(why)
	<-ended
	return t.Status(), nil
}

// Feedback gives what a person said, −1…1, to the run. It reports whether there is one.
func (t *Trainer) Feedback(reward float64) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.cancel == nil {
		return false
	}
	t.run.Feedback(reward)
	return true
}

// Summary is what is told of a run in a list.
type Summary struct {
	Status

	Settings train.Settings `json:"settings"`
	Seconds  float64        `json:"seconds"`
}

// Runs lists all runs, by name.
func (t *Trainer) Runs() ([]Summary, error) {
	dirs, err := os.ReadDir(t.Dir)
	if err != nil {
		return nil, err
	}
	all := []Summary{}
	for _, d := range dirs {
		if d.IsDir() && runName.MatchString(d.Name()) {
			if s, err := t.Show(d.Name()); err == nil {
				all = append(all, s)
			}
		}
	}
	slices.SortFunc(all, func(a, b Summary) int { return cmp.Compare(a.Run, b.Run) })
	return all, nil
}

func (t *Trainer) open(name string) (*train.Run, error) {
	if err := checkRun(name); err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(t.Dir, name)); err != nil {
		return nil, fmt.Errorf("run: there is no run %q", name)
	}
	return train.Peek(filepath.Join(t.Dir, name))
}

// Show tells of a run.
func (t *Trainer) Show(name string) (Summary, error) {
	r, err := t.open(name)
	if err != nil {
		return Summary{}, err
	}
	s := Summary{Status: statusOf(r), Settings: r.Settings, Seconds: r.Seconds}
	s.State = Stopped
	if r.Done() {
		s.State = Done
	}
	return s, nil
}

// maxPoints is how many points of a curve are told.
const maxPoints = 400

// Curve tells how a run went, by default the present or latest one: evenly chosen points and the last, each with the newest
// evaluation since the point before it.
func (t *Trainer) Curve(name string) (api.TrainingCurve, error) {
	c := api.TrainingCurve{Run: cmp.Or(name, t.Status().Run), Points: []api.CurvePoint{}}
	if c.Run == "" {
		return c, nil
	}
	r, err := t.open(c.Run)
	if err != nil {
		return api.TrainingCurve{}, err
	}
	step := 1 + len(r.Curve)/maxPoints
	var evaluated *train.Report
	for i, p := range r.Curve {
		if p.Evaluated {
			evaluated = &p.Eval
		}
		if i%step != 0 && i != len(r.Curve)-1 {
			continue
		}
		point := api.CurvePoint{Episode: p.Episode, Reward: p.Return, SuccessRate: p.Success, Human: p.Human, Unsafe: p.Unsafe}
		if evaluated != nil {
			point.EvalSuccess, point.EvalReward = &evaluated.Success, &evaluated.Return
		}
		c.Points, evaluated = append(c.Points, point), nil
	}
	return c, nil
}

// Evaluation is what a policy and the classical solution did in the same episodes.
type Evaluation struct {
	Run       string       `json:"run"`
	Unit      string       `json:"unit"` // of merit
	Learned   train.Report `json:"learned"`
	Classical train.Report `json:"classical"`
}

// Evaluate tries the best policy of a run, by default the present or latest one, on episodes that training never had.
func (t *Trainer) Evaluate(ctx context.Context, name string, episodes int, heldOut bool, model string) (Evaluation, error) {
	if name == "" {
		name = t.Status().Run
	}
	if name == "" {
		return Evaluation{}, errors.New("run: nothing has been trained since the start; name a run")
	}
	r, err := t.open(name)
	if err != nil {
		return Evaluation{}, err
	}
	task, err := env.TaskNamed(r.Settings.Task)
	if err != nil {
		return Evaluation{}, err
	}
	plant, err := t.Plants(cmp.Or(model, r.Settings.Model))
	if err != nil {
		return Evaluation{}, err
	}
	if !r.BestSet {
		return Evaluation{}, fmt.Errorf("run %s: nothing has been evaluated yet", name)
	}
	p, err := r.Policy.Load()
	if err != nil {
		return Evaluation{}, err
	}
	e := Evaluation{Run: name, Unit: task.Unit}
	o := env.Options{Plant: plant, Random: r.Settings.Random, Weights: r.Settings.Weights, HeldOut: heldOut}
	e.Learned, e.Classical, err = train.Compare(task, p, o, episodes, ctx.Err)
	on := ", " + cmp.Or(model, r.Settings.Model) + " model"
	e.Learned.On += on
	e.Classical.On += on
	return e, err
}

// Picture returns the curves of a run as PNG, and Table as CSV.
func (t *Trainer) Picture(name string) ([]byte, error) {
	r, err := t.open(cmp.Or(name, t.Status().Run))
	if err != nil {
		return nil, err
	}
	return r.PNG()
}

// Table returns the curve of a run as CSV.
func (t *Trainer) Table(name string) ([]byte, error) {
	r, err := t.open(cmp.Or(name, t.Status().Run))
	if err != nil {
		return nil, err
	}
	return r.CSV(), nil
}
