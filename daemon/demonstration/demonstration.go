// Package demonstration records what people show the robot, keeps it, and makes moves of it.
package demonstration

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/daemon/store"
	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/learner/demo"
)

// Body moves the robot.
type Body interface {
	Do(ctx context.Context, req hal.Request) (hal.Answer, error)
}

// Kept keeps demonstrations by their names.
type Kept interface {
	Put(name string, d demo.Demo) error
	Get(name string) (demo.Demo, error)
	Delete(name string) error
	List(after string, limit int) ([]demo.Demo, error)
}

// Publisher takes events.
type Publisher interface {
	Publish(trace string, data api.Payload)
}

// Recorder records one demonstration at a time. Fill in the exported fields.
type Recorder struct {
	Body   Body
	State  func() hal.State
	Kept   Kept
	Moves  string // directory of the recorded moves
	Events Publisher
	// Tick is called when it ends with the times at which a frame is taken; a ticker of demo.Rate when nil.
	Tick func() (times <-chan time.Time, end func())

	mu     sync.Mutex
	now    *demo.Demo
	last   *demo.Demo // recorded last, and kept
	kept   time.Time  // when that was
	cancel context.CancelFunc
	ended  chan struct{}
}

const maxListed = 1000

// Demonstrate implements command.Demonstrator.
func (r *Recorder) Demonstrate(ctx context.Context, args json.RawMessage) (any, error) {
	var a api.DemonstrationArgs
	if err := json.Unmarshal(args, &a); err != nil {
		return nil, fmt.Errorf("data: %w", err)
	}
	switch a.Action {
	case "record":
		return r.record(ctx, &a)
	case "stop":
		return r.stop(ctx)
	case "list":
		return r.list()
	case "import":
		return r.take(&a)
	case "add":
		return r.add(&a)
	}
	if err := demo.CheckName("name", a.Name); err != nil {
		return nil, err
	}
	d, err := r.Kept.Get(a.Name)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil, fmt.Errorf("name: there is no demonstration %q", a.Name)
	case err != nil:
		return nil, err
	}
	switch a.Action {
	case "show":
		return d, nil
	case "replay":
		return r.replay(ctx, &d)
	case "name":
		return r.name(&d, a.As)
	case "export":
		data, err := d.Export()
		return map[string]any{"name": d.Name, "data": data}, err
	default: // delete: the schema knows no others
		if err := r.Kept.Delete(a.Name); err != nil {
			return nil, err
		}
		r.tell(&d, "deleted")
		return summary(&d), nil
	}
}

func (r *Recorder) tell(d *demo.Demo, state string) {
	r.Events.Publish("", api.Demonstration{
		Name: d.Name, How: d.How, State: state, Frames: len(d.Joints), Length: d.Seconds(), Move: d.Move,
	})
}

// free makes up a name when there is none, and says what is wrong with the one that there is.
func (r *Recorder) free(name *string) error {
	if *name == "" {
		made := "demonstration " + time.Now().UTC().Format("2006-01-02 150405")
		*name = made
		for n := 2; ; n++ {
			if _, err := r.Kept.Get(*name); err != nil {
				return nil //nolint:nilerr // nothing has this name
			}
			*name = fmt.Sprintf("%s %d", made, n)
		}
	}
	if err := demo.CheckName("name", *name); err != nil {
		return err
	}
	if _, err := r.Kept.Get(*name); err == nil {
		return fmt.Errorf("name: there is a demonstration %q already; give another name, or delete it first", *name)
	}
	return nil
}

// record begins a demonstration. Shown by hand, the motors let go.
func (r *Recorder) record(ctx context.Context, a *api.DemonstrationArgs) (any, error) {
	if err := r.free(&a.Name); err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.now != nil {
		return nil, fmt.Errorf("%q is being recorded; stop it first", r.now.Name)
	}
	if s := r.State(); s.EStop {
		return nil, fmt.Errorf("the emergency stop is latched (%s); reset it first", s.EStopReason)
	}
	if a.How == demo.ByHand {
		if err := r.motors(ctx, false); err != nil {
			return nil, err
		}
	}
	d := &demo.Demo{Name: a.Name, Task: a.Task, How: a.How, At: time.Now().UTC(), Rate: demo.Rate}
	ctx, cancel := context.WithCancel(context.Background())
	r.now, r.cancel, r.ended = d, cancel, make(chan struct{})
	go r.sample(ctx, d, r.ended)
	r.tell(d, "recording")
	return map[string]any{"name": d.Name, "how": d.How, "most_seconds": demo.MaxFrames / demo.Rate}, nil
}

func (r *Recorder) motors(ctx context.Context, on bool) error {
	a, err := r.Body.Do(ctx, hal.Request{Verb: hal.VerbMotors, On: &on})
	if err != nil {
		return fmt.Errorf("switch the motors: %w", err)
	}
	if a.Outcome == hal.Rejected {
		return fmt.Errorf("switch the motors: %s", a.Reason)
	}
	return nil
}

// sample takes frames until ctx ends or there are enough.
func (r *Recorder) sample(ctx context.Context, d *demo.Demo, ended chan struct{}) {
	defer close(ended)
	tick := r.Tick
	if tick == nil {
		tick = func() (<-chan time.Time, func()) {
			t := time.NewTicker(time.Duration(float64(time.Second) / demo.Rate))
			return t.C, t.Stop
		}
	}
	times, end := tick()
	defer end()
	for len(d.Joints) < demo.MaxFrames {
		select {
		case <-ctx.Done():
			return
		case <-times:
			d.Joints = append(d.Joints, r.State().Joints)
		}
	}
}

// stop keeps what was recorded. Shown by hand, the motors hold again where the robot is.
func (r *Recorder) stop(ctx context.Context) (any, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	d := r.now
	if d == nil {
		return nil, errors.New("nothing is being recorded")
	}
	r.cancel()
	<-r.ended
	r.now = nil
	var held error
	if d.How == demo.ByHand && !r.State().EStop {
		held = r.motors(ctx, true)
	}
	if err := d.Check(); err != nil {
		return nil, errors.Join(err, held)
	}
	if err := r.Kept.Put(d.Name, *d); err != nil {
		return nil, errors.Join(err, held)
	}
	r.last, r.kept = d, time.Now()
	r.tell(d, "kept")
	return summary(d), held
}

// Close ends a recording that is under way without keeping it.
func (r *Recorder) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.now != nil {
		r.cancel()
		<-r.ended
		r.now = nil
	}
	return nil
}

// Summary is a demonstration in a list.
type Summary struct {
	Name    string    `json:"name"`
	Task    string    `json:"task,omitempty"`
	How     string    `json:"how"`
	At      time.Time `json:"at"`
	Frames  int       `json:"frames"`
	Seconds float64   `json:"seconds"`
	Move    string    `json:"move,omitempty"` // that was made of it
}

func summary(d *demo.Demo) Summary {
	return Summary{d.Name, d.Task, d.How, d.At, len(d.Joints), d.Seconds(), d.Move}
}

func (r *Recorder) list() (any, error) {
	all, err := r.Kept.List("", maxListed)
	if err != nil {
		return nil, err
	}
	list := make([]Summary, 0, len(all))
	for i := range all {
		list = append(list, summary(&all[i]))
	}
	return map[string]any{"demonstrations": list}, nil
}

// Heads returns the movements of the head in the demonstrations of a name or a task, so many poses a second. Those in which nothing
// moves are left out.
func (r *Recorder) Heads(name string, rate float64) (heads [][]hal.Head, err error) {
	all, err := r.Kept.List("", maxListed)
	if err != nil {
		return nil, err
	}
	for i := range all {
		if d := &all[i]; d.Name == name || d.Task == name {
			h, err := d.Heads(rate)
			if errors.Is(err, demo.ErrStill) {
				continue
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %w", d.Name, err)
			}
			heads = append(heads, h)
		}
	}
	if len(heads) == 0 {
		return nil, fmt.Errorf("no demonstration of the name or task %q moves the head", name)
	}
	return heads, nil
}

func (r *Recorder) take(a *api.DemonstrationArgs) (any, error) {
	d, err := demo.Import(a.Data)
	if err != nil {
		return nil, err
	}
	if a.Name != "" {
		d.Name = a.Name
	}
	return r.keep(d)
}

// add keeps what a program shows as targets, without moving the robot.
func (r *Recorder) add(a *api.DemonstrationArgs) (any, error) {
	if len(a.Actions) == 0 {
		return nil, tool.ArgumentErrors{{Field: "actions", Allowed: fmt.Sprintf("are missing; allowed are 1…%d", demo.MaxActions)}}
	}
	joints, err := demo.FromActions(a.Actions)
	if err != nil {
		return nil, err
	}
	return r.keep(&demo.Demo{Name: a.Name, Task: a.Task, How: demo.ByCommands, At: time.Now().UTC(), Rate: demo.Rate, Joints: joints})
}

// keep keeps a demonstration that was not recorded here.
func (r *Recorder) keep(d *demo.Demo) (any, error) {
	if err := r.free(&d.Name); err != nil {
		return nil, err
	}
	if err := d.Check(); err != nil {
		return nil, err
	}
	if err := r.Kept.Put(d.Name, *d); err != nil {
		return nil, err
	}
	r.tell(d, "kept")
	return summary(d), nil
}

// replay lets the robot do what it was shown, within the envelope.
func (r *Recorder) replay(ctx context.Context, d *demo.Demo) (any, error) {
	rec, err := d.Recording()
	if err != nil {
		return nil, err
	}
	a, err := r.Body.Do(ctx, hal.Request{Verb: hal.VerbPlay, Name: d.Name, Recording: rec})
	if err == nil && a.Outcome == hal.Rejected {
		err = errors.New(a.Reason)
	}
	return a, err
}

// name makes a move of a demonstration, which play_move and whoever speaks to the robot know by its name from now on.
func (r *Recorder) name(d *demo.Demo, as string) (any, error) {
	if as == "" {
		as = d.Name
	}
	if err := demo.CheckName("as", as); err != nil {
		return nil, err
	}
	rec, err := d.Recording()
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(rec)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(r.Moves, 0o700); err != nil {
		return nil, err
	}
	file := strings.ReplaceAll(strings.ToLower(as), " ", "_") + ".json"
	f, err := os.CreateTemp(r.Moves, ".move-*")
	if err != nil {
		return nil, err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), filepath.Join(r.Moves, file))
	}
	if err != nil {
		return nil, errors.Join(err, os.Remove(f.Name()))
	}
	d.Move = as
	if err := r.Kept.Put(d.Name, *d); err != nil {
		return nil, err
	}
	r.tell(d, "named")
	return map[string]any{"name": d.Name, "move": as, "seconds": rec.Time[len(rec.Time)-1]}, nil
}
