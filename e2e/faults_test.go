package e2e

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/reachyd/reachyd/hal"
)

// TestFaultsDuringAMove switches every fault of the virtual servos on and off while the robot moves: it is named within
// a second, published, over when it is over, and the robot never jumps.
func TestFaultsDuringAMove(t *testing.T) {
	r, c := awake(t)
	for i, f := range []struct {
		name   string
		turnOn string
		fault  hal.FaultName // "" for disturbances that must not become a fault
		joint  string
	}{
		{"drop", `{"drop":0.05}`, "", ""},
		{"corrupt", `{"corrupt":0.05}`, "", ""},
		{"duplicate", `{"duplicate":0.1}`, "", ""},
		{"foreign", `{"foreign":0.1}`, "", ""},
		{"delay", `{"delay_ms":2}`, "", ""},
		{"mute antenna", `{"mute":["left_antenna"]}`, hal.FaultServoMissing, "left_antenna"},
		{"mute arm", `{"mute":["stewart_3"]}`, hal.FaultServoMissing, "stewart_3"},
		{"mute body", `{"mute":["body_rotation"]}`, hal.FaultServoMissing, "body_rotation"},
		{"overload", `{"overload":["right_antenna"]}`, hal.FaultOverload, "right_antenna"},
		{"overheat", `{"overheat":["left_antenna"]}`, hal.FaultOverheat, "left_antenna"},
		{"low voltage", `{"voltage":4.2}`, hal.FaultVoltage, ""},
		{"unplugged", `{"unplug":true}`, hal.FaultBusLost, ""},
	} {
		check := r.noJump()
		c.moves("tool", `{"id":"wake-`+strings.ReplaceAll(f.name, " ", "-")+`","name":"wake_up"}`)
		sway(c, "f"+string(rune('a'+i)))
		from, on := c.mark(), time.Now()
		r.fault(f.turnOn)
		is := func(active bool) func(message) bool {
			want := []any{"name", string(f.fault), "active", active}
			if f.joint != "" {
				want = append(want, "joint", f.joint)
			}
			return event("fault", want...)
		}
		if f.fault == "" {
			// It goes on moving under the disturbance.
			c.waitFrom(from, "movement under "+f.name, func(m message) bool { return m.topic == "state" && m.payload["moving"] == true })
			r.noFaults()
		} else {
			c.waitFrom(from, f.name, is(true))
			named := time.Since(on)
			from = c.mark()
			r.noFaults()
			c.waitFrom(from, "the end of "+f.name, is(false))
			t.Logf("%-12s named after %v, over after %v in all", f.name, named.Round(time.Millisecond), time.Since(on).Round(time.Millisecond))
		}
		c.waitFrom(c.mark(), "no faults after "+f.name, func(m message) bool {
			return m.topic == "state" && m.payload["mode"] != string(hal.ModeOffline) && !hasFaults(m.payload["faults"])
		})
		check()
	}
	c.moves("tool", `{"id":"at-last","name":"wake_up"}`)
	c.moves("goto", `{"id":"end","head":{"yaw":20},"duration":1}`)
	c.wait("the move's end", event("move_done", "end", hal.EndDone))
}

// hasFaults reports whether a state names faults of the robot. That the control loop is late is one of this machine.
func hasFaults(list any) bool {
	faults, _ := list.([]any)
	return slices.ContainsFunc(faults, func(f any) bool {
		named, _ := f.(map[string]any)
		return named["name"] != string(hal.FaultDeadline)
	})
}
