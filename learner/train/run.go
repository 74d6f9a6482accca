package train

import (
	"bytes"
	"encoding/gob"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/reachyd/reachyd/learner/env"
	"github.com/reachyd/reachyd/learner/policy"
	"github.com/reachyd/reachyd/learner/ppo"
	"github.com/reachyd/reachyd/learner/sac"
)

// Files of a run, in a directory of its own.
const (
	checkpointFile = "checkpoint"
	bestFile       = "best.policy"
	csvFile        = "curve.csv"
	pngFile        = "curves.png"
)

// Point is the state of a run after an update.
type Point struct {
	Episode   int
	Steps     int
	Return    float64 // mean of the episodes since the last point
	Human     float64 // mean of what people said of them, −1…1
	Success   float64 // part of the last 50 episodes
	Unsafe    float64 // part of the actions since the last point
	Entropy   float64
	Evaluated bool
	Eval      Report // when Evaluated
}

// kept is the content of a checkpoint.
type kept struct {
	Settings Settings
	PPO      *ppo.State
	SAC      *sac.State
	Curve    []Point
	Recent   []bool // successes of the latest episodes
	Episodes int
	Best     Report
	BestAt   int
	BestSet  bool
	Policy   policy.Saved // the best
	Classic  Report
	Seconds  float64
	Done     bool
}

// Run is one learning of a task.
type Run struct {
	ID  string
	Dir string

	kept
	task    env.Task
	options env.Options
	ppo     *ppo.Trainer
	sac     *sac.Trainer
	trial   env.Env   // of evaluations
	envs    []env.Env // all that there are
	began   time.Time
	stepsAt int

	mu    sync.Mutex
	human []float64 // what people said since the last episode
	said  []float64 // since the last point

	live   env.Live // the robot itself; nil in simulation
	halted bool     // it does not go on
}

// Open begins a run in a directory, or goes on with the one that is there; then settings are those of that run.
func Open(dir string, s Settings, plants Plants) (*Run, error) { return OpenOn(nil, dir, s, plants) }

// ErrNoRobot means that a run on the robot itself was to be opened without it.
var ErrNoRobot = errors.New("the run moves the robot itself, for which a person must agree anew: start it with on_robot")

// OpenOn is Open for runs on the robot itself, which moves at once.
func OpenOn(live env.Live, dir string, s Settings, plants Plants) (*Run, error) {
	r := &Run{ID: filepath.Base(dir), Dir: dir, live: live}
	err := readCheckpoint(filepath.Join(dir, checkpointFile), &r.kept)
	fresh := errors.Is(err, fs.ErrNotExist)
	switch {
	case fresh:
		if err := s.Complete(); err != nil {
			return nil, err
		}
		r.Settings = s
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, err
		}
	case err != nil:
		return nil, err
	}
	if r.task, err = env.TaskNamed(r.Settings.Task); err != nil {
		return nil, err
	}
	plant, err := plants(r.Settings.Model)
	switch {
	case err != nil:
		return nil, err
	case r.Settings.OnRobot && live == nil:
		return nil, ErrNoRobot
	case !r.Settings.OnRobot:
		r.live = nil
	}
	r.options = env.Options{Plant: plant, Random: r.Settings.Random, Weights: r.Settings.Weights}
	if r.live != nil {
		r.options.Live, r.options.Random = r.live, 0 // reality varies by itself
	}
	if err := r.learner(); err != nil {
		return nil, err
	}
	if !fresh {
		err = r.restore()
	} else {
		err = r.start()
	}
	r.began, r.stepsAt = time.Now(), r.steps()
	return r, err
}

// Peek reads what is known of a run without going on with it.
func Peek(dir string) (*Run, error) {
	r := &Run{ID: filepath.Base(dir), Dir: dir}
	if err := readCheckpoint(filepath.Join(dir, checkpointFile), &r.kept); err != nil {
		return nil, err
	}
	var err error
	r.task, err = env.TaskNamed(r.Settings.Task)
	return r, err
}

func (r *Run) learner() (err error) {
	s := r.Settings
	r.trial = r.task.New(r.options)
	r.envs = append(r.envs, r.trial)
	fresh := func() env.Env {
		e := r.task.New(r.options)
		r.envs = append(r.envs, e)
		if s.Curriculum {
			return &curriculum{Env: e, random: s.Random, full: max(1, s.Episodes/3)}
		}
		return e
	}
	if s.Algorithm == SAC {
		cfg := sac.Defaults()
		cfg.Seed, cfg.Gamma, cfg.Start = s.Seed, 0.95, 500
		r.sac, err = sac.New(cfg, fresh())
		if err == nil {
			r.sac.Human = r.judge
		}
		return err
	}
	cfg := ppo.Defaults()
	cfg.Seed, cfg.Episodes, cfg.Total = s.Seed, s.UpdateEvery, s.Episodes
	cfg.LogStd, cfg.Rate, cfg.EndRate, cfg.Gamma, cfg.Lambda = -1, 1e-3, 5e-5, 0.95, 0.9
	r.ppo = ppo.New(cfg, fresh)
	r.ppo.Human = r.judge
	return nil
}

// start takes over what the run begins with.
func (r *Run) start() error {
	if len(r.Settings.Begin) > 0 {
		p, err := DecodePolicy(r.Settings.Begin)
		if err != nil {
			return err
		}
		if r.ppo == nil {
			return fmt.Errorf("begin: only %s can begin with a policy", PPO)
		}
		if err := r.ppo.Begin(p); err != nil {
			return err
		}
		if r.live == nil { // what it is worth before anything is learned on top of it
			first := Point{}
			if err := r.evaluate(&first, nil); err != nil {
				return err
			}
			r.Curve = append(r.Curve, first)
		}
	}
	return r.save()
}

func (r *Run) restore() error {
	switch {
	case r.ppo != nil && r.PPO != nil:
		return r.ppo.Restore(*r.PPO)
	case r.sac != nil && r.SAC != nil:
		return r.sac.Restore(*r.SAC)
	}
	return fmt.Errorf("%s is %w: it has no state of %s", checkpointFile, ErrDamaged, r.Settings.Algorithm)
}

// save writes the checkpoint.
func (r *Run) save() error {
	if r.ppo != nil {
		s, err := r.ppo.State()
		if err != nil {
			return err
		}
		r.PPO = &s
	} else {
		s, err := r.sac.State()
		if err != nil {
			return err
		}
		r.SAC = &s
	}
	return writeCheckpoint(filepath.Join(r.Dir, checkpointFile), &r.kept)
}

func (r *Run) policy() *policy.Policy {
	if r.ppo != nil {
		return r.ppo.Policy()
	}
	return r.sac.Policy()
}

func (r *Run) steps() int {
	if r.ppo != nil {
		return r.ppo.Steps()
	}
	return r.sac.Steps()
}

// Close frees the simulations.
func (r *Run) Close() {
	for _, e := range r.envs {
		env.Close(e)
	}
}

// Halted reports whether the robot itself does not go on: it was stopped, or nobody agrees any more.
func (r *Run) Halted() bool { return r.halted }

// Done reports whether all episodes have been lived through.
func (r *Run) Done() bool { return r.kept.Done }

// Feedback takes in what a person thinks of the present behaviour, −1…1. It may be called while Advance runs.
func (r *Run) Feedback(reward float64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.human = append(r.human, max(-1, min(1, reward)))
}

// judge is what people say of an episode that has just ended, weighted.
func (r *Run) judge(f env.Finished) float64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	sum := 0.0
	for _, h := range r.human {
		sum += h
	}
	r.said = append(r.said, r.human...)
	r.human = r.human[:0]
	r.Episodes++
	if r.Settings.Person == "simulated" {
		if text, reward := simulatedPerson(r.Settings.Seed, r.Episodes, r.task.Unit, f); text != "" {
			sum += reward
			r.said = append(r.said, reward)
		}
	}
	return r.Settings.Weights.Human * max(-1, min(1, sum))
}

// Advance lives through the episodes of one update, learns, evaluates when it is time, and writes a checkpoint. Pause is
// called before each step and may wait; after an error of it the run must be opened again.
func (r *Run) Advance(pause func() error) (Point, error) {
	p := Point{Steps: r.steps()}
	if p.Episode = r.Episodes; r.kept.Done {
		return p, nil
	}
	began := time.Now()
	finished, entropy, err := r.episodes(pause)
	if err != nil {
		return p, err
	}
	before := p.Steps
	p.Episode, p.Steps, p.Entropy = r.Episodes, r.steps(), entropy
	for _, f := range finished {
		p.Return += f.Return / float64(len(finished))
		p.Unsafe += float64(f.Unsafe) / float64(max(1, p.Steps-before))
		r.Recent = append(r.Recent, f.Outcome.Success)
		r.halted = r.halted || f.Outcome.Halted
	}
	const recent = 50
	r.Recent = r.Recent[max(0, len(r.Recent)-recent):]
	for _, ok := range r.Recent {
		if ok {
			p.Success += 1 / float64(len(r.Recent))
		}
	}
	r.mu.Lock()
	for _, h := range r.said {
		p.Human += h / float64(len(r.said))
	}
	r.said = r.said[:0]
	r.mu.Unlock()
	r.kept.Done = p.Episode >= r.Settings.Episodes
	if last := p.Episode - len(finished); !r.halted && (p.Episode/r.Settings.EvaluateEvery > last/r.Settings.EvaluateEvery || r.kept.Done) {
		err := r.evaluate(&p, pause)
		if errors.Is(err, errHalted) {
			r.halted, p.Evaluated, err = true, false, nil
		}
		if err == nil && r.live != nil {
			err = r.settle()
		}
		if err != nil {
			return p, err
		}
	}
	r.Curve = append(r.Curve, p)
	r.Seconds += time.Since(began).Seconds()
	var shown error
	if p.Evaluated { // before the checkpoint: what a kill leaves between them is lived through and written anew, never missing at the end
		shown = r.show()
	}
	return p, errors.Join(r.save(), shown)
}

// show writes the files of the curve: its table, and at the end its picture.
func (r *Run) show() error {
	if err := writeFile(filepath.Join(r.Dir, csvFile), r.CSV()); err != nil || !r.kept.Done {
		return err
	}
	png, err := r.PNG()
	if err != nil {
		return err
	}
	return writeFile(filepath.Join(r.Dir, pngFile), png)
}

func (r *Run) settle() error {
	if r.ppo != nil {
		return r.ppo.Settle()
	}
	return r.sac.Settle()
}

func (r *Run) episodes(pause func() error) (finished []env.Finished, entropy float64, err error) {
	if r.ppo != nil {
		s, err := r.ppo.Iterate(pause)
		return s.Finished, s.Entropy, err
	}
	for len(finished) < r.Settings.UpdateEvery {
		if pause != nil {
			if err := pause(); err != nil {
				return nil, 0, err
			}
		}
		f, l := r.sac.Step()
		entropy = l.Entropy
		if f != nil {
			finished = append(finished, *f)
			if f.Outcome.Halted {
				break
			}
		}
	}
	return finished, entropy, nil
}

// evaluate tries the policy on episodes that training never has, and keeps it when it is the best so far.
func (r *Run) evaluate(p *Point, pause func() error) (err error) {
	if r.Classic.Episodes == 0 {
		classic, err := Evaluate(r.trial, r.task.Classic(), r.Settings.EvaluateEpisodes, pause)
		if err != nil {
			return err
		}
		r.Classic, r.Classic.Who = classic, classical
	}
	p.Evaluated = true
	if p.Eval, err = Evaluate(r.trial, learned{r.policy()}, r.Settings.EvaluateEpisodes, pause); err != nil {
		return err
	}
	p.Eval.Who = learnedName
	if r.live != nil {
		p.Eval.On, r.Classic.On = onRobot, onRobot
	}
	if r.BestSet && p.Eval.Return <= r.Best.Return {
		return nil
	}
	r.Best, r.BestAt, r.BestSet, r.Policy = p.Eval, p.Episode, true, r.policy().Save(r.task.ID)
	data, err := EncodePolicy(r.Policy)
	if err != nil {
		return err
	}
	return writeFile(filepath.Join(r.Dir, bestFile), data)
}

// Final tries the best policy and the classical solution on what training never showed, things and places included.
func (r *Run) Final(episodes int, heldOut bool, pause func() error) (learnedReport, classicReport Report, err error) {
	if !r.BestSet {
		return learnedReport, classicReport, errors.New("nothing has been evaluated yet")
	}
	p, err := r.Policy.Load()
	if err != nil {
		return learnedReport, classicReport, err
	}
	return Compare(r.task, p, env.Options{Plant: r.options.Plant, Random: r.Settings.Random, Weights: r.Settings.Weights, HeldOut: heldOut}, episodes, pause)
}

// onRobot is where a run on the robot itself is evaluated.
const onRobot = "the robot itself"

// Who acted in an evaluation.
const (
	learnedName = "learned"
	classical   = "classical"
)

// Compare tries a policy and the classical solution on the same episodes.
func Compare(task env.Task, p *policy.Policy, o env.Options, episodes int, pause func() error) (mine, classic Report, err error) {
	on := "things and places of training, other episodes"
	if o.HeldOut {
		on = "things and places that training never showed"
	}
	e := task.New(o)
	defer env.Close(e)
	g := &Guarded{Policy: p, Classic: task.Classic()}
	if mine, err = Evaluate(e, g, episodes, pause); err != nil {
		return mine, classic, err
	}
	mine.Who, mine.On = learnedName, on
	classic, err = Evaluate(e, task.Classic(), episodes, pause)
	classic.Who, classic.On = classical, on
	return mine, classic, err
}

// EncodePolicy and DecodePolicy are the format of policy files.
func EncodePolicy(s policy.Saved) ([]byte, error) {
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(s)
	return b.Bytes(), err
}

// DecodePolicy reads a policy file.
func DecodePolicy(data []byte) (*policy.Policy, error) {
	var s policy.Saved
	if err := gob.NewDecoder(bytes.NewReader(data)).Decode(&s); err != nil {
		return nil, fmt.Errorf("read a policy: %w", err)
	}
	return s.Load()
}

// curriculum lets the simulation vary little at first, and fully after the first third of the run. Its level follows from the
// episode's number, which is in the seed, so that an episode can be relived.
type curriculum struct {
	env.Env
	random float64
	full   int // episode from which on it varies fully
}

// Reset implements env.Env.
func (c *curriculum) Reset(seed uint64, obs []float32) {
	if v, ok := c.Env.(interface{ Vary(random float64) }); ok {
		episode := float64(uint32(seed) >> 1)
		v.Vary(c.random * min(1, 0.2+0.8*episode/float64(c.full)))
	}
	c.Env.Reset(seed, obs)
}
