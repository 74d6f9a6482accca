package daemon

import (
	"time"

	"github.com/reachyd/reachyd/agents/coder"
	"github.com/reachyd/reachyd/agents/smalltalk"
	"github.com/reachyd/reachyd/daemon/persist"
	"github.com/reachyd/reachyd/hal"
)

// openTalk makes what answers small talk.
func (d *Daemon) openTalk() (*smalltalk.Talk, error) {
	persona, err := smalltalk.Load(d.Config.Persona)
	if err != nil {
		return nil, err
	}
	t := smalltalk.New(smalltalk.Options{
		Persona: persona, Name: d.Config.Robot.Name, Feelings: d.feelings(time.Now()), Memory: d.facts, Keep: persist.NewTexts(d.store),
		Plan: d.planner.Plan, Publish: d.publishTalk, Failed: d.failed("small talk"), Length: d.length,
		Sum: coder.Sum, WorkOut: coder.WorkOut, Measure: coder.Measure,
	})
	if err := t.Begin(); err != nil {
		d.failed("small talk")(err)
	}
	return t, nil
}

// feelings tells how the robot is, from what the body reports. started is when this program was.
func (d *Daemon) feelings(started time.Time) func() smalltalk.Feelings {
	return func() smalltalk.Feelings {
		s, t := d.robot.State(), d.robot.Telemetry()
		f := smalltalk.Feelings{
			Known: s.Mode != "", Mode: string(s.Mode), Stopped: s.EStop, StoppedBy: s.EStopReason, Up: time.Since(started),
			Tools: len(d.registry.List()) - len(d.ownTools),
		}
		if s.Moving {
			f.Moving = s.MoveName
		}
		for _, fault := range s.Faults {
			f.Faults = append(f.Faults, faultWords(fault))
		}
		if l := t.Link; l != nil && l.Address != "" {
			f.Address, f.Network = l.Address, l.Name
		}
		for _, servo := range t.Servos {
			if servo.Present && servo.Temperature > f.Celsius {
				f.Celsius, f.Hottest = servo.Temperature, servo.Joint
			}
			if servo.Present && (f.Volts == 0 || servo.Voltage < f.Volts) {
				f.Volts = servo.Voltage
			}
		}
		return f
	}
}

// faultWords names a fault: its detail where there is one, for that is for people.
func faultWords(f hal.Fault) string {
	if f.Detail != "" {
		return f.Detail
	}
	return string(f.Name) + " " + f.Joint
}
