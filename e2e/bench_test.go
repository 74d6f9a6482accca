package e2e

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/body"
)

// bus is what the servos were told last, and when their goals began to change after a rest.
func (r *robot) bus() (goals []float64, torque []string, began time.Time) {
	r.t.Helper()
	data, err := r.get("sim", "/state")
	if err != nil {
		r.t.Fatal(err)
	}
	var s struct {
		Goals  []float64
		Torque []string
		Began  time.Time
	}
	if err := json.Unmarshal(data, &s); err != nil {
		r.t.Fatal(err)
	}
	return s.Goals, s.Torque, s.Began
}

func report(b *testing.B, took []time.Duration) {
	b.Helper()
	if len(took) == 0 {
		b.Fatal("nothing was answered, so there is nothing to measure")
	}
	slices.Sort(took)
	ms := func(q float64) float64 { return took[min(len(took)-1, int(q*float64(len(took))))].Seconds() * 1000 }
	b.ReportMetric(ms(0.5), "p50-ms")
	b.ReportMetric(ms(0.95), "p95-ms")
	b.ReportMetric(ms(0.99), "p99-ms")
	b.ReportMetric(ms(1), "max-ms")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkCommandToBus measures from the publication of a target to the first changed goal in a servo's register.
func BenchmarkCommandToBus(b *testing.B) {
	r, c := awake(b)
	toBus(b, r, func(n int, angle float64) {
		c.publish("cmd/set_target", fmt.Sprintf(`{"id":"t%d","antennas":{"left":%g,"right":%g}}`, n, angle, -angle), false)
	})
}

// BenchmarkTargetToBus measures the part of it that is the body's: a target goes to its socket.
func BenchmarkTargetToBus(b *testing.B) {
	r, _ := awake(b)
	c := body.New(r.socket("body"))
	defer c.Close()
	toBus(b, r, func(_ int, angle float64) {
		angle *= math.Pi / 180
		req := hal.Request{Verb: hal.VerbTarget, Source: "benchmark", Antennas: hal.Antennas{Left: angle, Right: -angle}.Goal()}
		if a, err := c.Do(b.Context(), req); err != nil || a.Outcome == hal.Rejected {
			b.Fatalf("%+v %v", a, err)
		}
	})
}

// toBus measures how long after ask has sent a target the first goal changes, by the simulation's own record.
func toBus(b *testing.B, r *robot, ask func(n int, angle float64)) {
	b.Helper()
	var took []time.Duration
	for n := 0; b.Loop(); n++ {
		// The target finds the antennas at rest, and the loop at any time of its tick.
		r.until("rest", func() bool {
			a, _, _ := r.bus()
			time.Sleep(200 * time.Millisecond)
			z, _, _ := r.bus()
			return slices.Equal(a, z)
		})
		time.Sleep(rand.N(10 * time.Millisecond))
		asked := time.Now()
		ask(n, 30*float64(1-2*(n%2)))
		r.until("a goal that changes", func() bool {
			_, _, began := r.bus()
			if began.Before(asked) {
				return false
			}
			took = append(took, began.Sub(asked))
			return true
		})
	}
	report(b, took)
}

// BenchmarkStopToBus measures from the publication of an emergency stop of category 0 to torque off in the servos.
func BenchmarkStopToBus(b *testing.B) {
	r, c := awake(b)
	var took []time.Duration
	for n := 0; b.Loop(); n++ {
		sway(c, fmt.Sprintf("s%d-", n))
		began := time.Now()
		c.publish("cmd/stop", `{"id":"stop","category":0}`, false)
		for {
			if _, torque, _ := r.bus(); len(torque) == 0 {
				break
			}
		}
		took = append(took, time.Since(began))
		c.command("reset", fmt.Sprintf(`{"id":"r%d"}`, n))
		c.command("tool", fmt.Sprintf(`{"id":"w%d","name":"wake_up"}`, n))
	}
	report(b, took)
}
