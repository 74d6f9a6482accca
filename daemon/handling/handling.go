// Package handling lets the robot let go when it is lifted, tips over or falls, and tells of it.
package handling

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/rs/zerolog"

	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/imu"
)

const (
	rate = 50 // samples a second
	// broken is how many readings in a row may fail before the sensor counts as lost.
	broken = rate / 2
	// again is the pause before a sensor that was lost is looked for.
	again = 10 * time.Second
	// actLimit is how long the body may take to take an order.
	actLimit = 2 * time.Second
	sayLimit = 20 * time.Second
)

// Sensor is a motion sensor; *imu.Device is one.
type Sensor interface {
	Read() (imu.Sample, error)
	Close()
}

// Body is the robot; hal/body.Client is one.
type Body interface {
	Do(ctx context.Context, req hal.Request) (hal.Answer, error)
}

// Guard follows a motion sensor. Fill in the exported fields, then Run it.
type Guard struct {
	Open    func() (Sensor, error) // imu.ErrNone: there is none, and never will be
	Body    Body
	State   func() hal.State // the newest, without asking the body
	Publish func(trace string, data api.Payload)
	Report  func(name hal.FaultName, detail string) // an empty detail: it is over
	Say     func(ctx context.Context, text string) error
	Log     zerolog.Logger

	detector imu.Detector
	fails    int
	acts     sync.WaitGroup
	mu       sync.Mutex
	newest   *hal.Motion
}

// reaction is what is done and said.
type reaction struct {
	LetGo string `yaml:"let_go"` // when motors were on
	Else  string `yaml:"else"`
	verb  hal.Verb
}

//go:embed replies.yaml
var replies []byte

// verbs are what each kind has the body do while motors are on: gently where there is time.
var verbs = map[imu.Kind]hal.Verb{imu.Lifted: hal.VerbSleep, imu.Tipped: hal.VerbMotors, imu.Falling: hal.VerbMotors, imu.Lies: hal.VerbMotors}

func reactions() (map[imu.Kind]reaction, error) {
	all := map[imu.Kind]reaction{}
	if err := yaml.UnmarshalWithOptions(replies, &all, yaml.Strict()); err != nil {
		return nil, fmt.Errorf("handling: %w", err)
	}
	for kind, r := range all {
		r.verb = verbs[kind]
		all[kind] = r
	}
	return all, nil
}

// Newest is the newest reading; nil without a sensor.
func (g *Guard) Newest() *hal.Motion {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.newest
}

// Run follows the sensor until ctx ends, or returns at once where there is none.
func (g *Guard) Run(ctx context.Context) error {
	all, err := reactions()
	if err != nil {
		return err
	}
	defer g.acts.Wait()
	for {
		sensor, err := g.Open()
		if errors.Is(err, imu.ErrNone) {
			return nil
		}
		if err == nil {
			err = g.follow(ctx, sensor, all)
			sensor.Close()
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		g.set(nil)
		g.Report(hal.FaultMotionSensor, "the robot does not notice that it is lifted or falls: "+err.Error())
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(again):
		}
	}
}

// follow returns why the sensor is lost, or that ctx has ended.
func (g *Guard) follow(ctx context.Context, sensor Sensor, all map[imu.Kind]reaction) error {
	ticker := time.NewTicker(time.Second / rate)
	defer ticker.Stop()
	begin := time.Now()
	g.detector, g.fails = imu.Detector{}, 0
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticker.C:
		}
		s, err := sensor.Read()
		if err = g.Take(ctx, time.Since(begin), s, err, all); err != nil {
			return err
		}
	}
}

// Take takes a reading, or why there is none, at a time that rises. The error says that the sensor is lost.
func (g *Guard) Take(ctx context.Context, at time.Duration, s imu.Sample, err error, all map[imu.Kind]reaction) error {
	if err != nil {
		if g.fails++; g.fails >= broken {
			return err
		}
		return nil
	}
	g.fails = 0
	e, happened := g.detector.Add(at, s)
	g.set(&hal.Motion{Accel: s.Accel, Turn: s.Turn, Tilt: g.detector.Tilt(), Posture: string(g.detector.Kind())})
	if err := g.detector.Check(); err != nil {
		g.Report(hal.FaultMotionSensor, err.Error())
	} else if g.detector.Kind() != "" {
		g.Report(hal.FaultMotionSensor, "")
	}
	if happened {
		g.acts.Go(func() { g.act(ctx, e, all[e.Kind]) })
	}
	return nil
}

func (g *Guard) set(m *hal.Motion) {
	g.mu.Lock()
	g.newest = m
	g.mu.Unlock()
}

// act lets go where motors are on, and tells what has happened.
func (g *Guard) act(ctx context.Context, e imu.Event, r reaction) {
	text := r.Else
	if r.verb != "" && g.State().Torque != 0 {
		if err := g.letGo(ctx, r.verb); err != nil {
			g.Log.Warn().Err(err).Str("kind", string(e.Kind)).Msg("the robot could not let go")
		} else {
			text = r.LetGo
		}
	}
	g.Publish("", api.Handling{Kind: string(e.Kind), Detail: text, Tilt: api.Rounded(e.Tilt*180/math.Pi, 0)})
	g.Log.Info().Str("kind", string(e.Kind)).Float64("tilt_rad", e.Tilt).Msg(text)
	if g.Say == nil {
		return
	}
	limit, cancel := context.WithTimeout(ctx, sayLimit)
	defer cancel()
	if err := g.Say(limit, text); err != nil {
		g.Log.Debug().Err(err).Msg("what happened to the robot is not said")
	}
}

// letGo lies down and lets go, or lets go at once; where lying down is refused, it lets go, too.
func (g *Guard) letGo(ctx context.Context, verb hal.Verb) error {
	limit, cancel := context.WithTimeout(ctx, actLimit)
	defer cancel()
	off := false
	requests := []hal.Request{{Verb: hal.VerbMotors, On: &off}}
	if verb == hal.VerbSleep {
		requests = append([]hal.Request{{Verb: hal.VerbSleep}}, requests...)
	}
	var err error
	for _, req := range requests {
		var a hal.Answer
		if a, err = g.Body.Do(limit, req); err == nil && a.Outcome != hal.Rejected {
			return nil
		}
		if err == nil {
			err = errors.New(a.Reason)
		}
	}
	return err
}
