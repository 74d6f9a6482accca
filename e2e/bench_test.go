package e2e

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"
)

// bus is what the servos were told last.
func (r *robot) bus() (goals []float64, torque []string) {
	r.t.Helper()
	data, err := r.get("sim", "/state")
	if err != nil {
		r.t.Fatal(err)
	}
	var s struct {
		Goals  []float64
		Torque []string
	}
	if err := json.Unmarshal(data, &s); err != nil {
		r.t.Fatal(err)
	}
	return s.Goals, s.Torque
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
	var took []time.Duration
	n := 0
	for b.Loop() {
		before, _ := r.bus()
		angle := 30 * (1 - 2*(n%2))
		began := time.Now()
		c.publish("cmd/set_target", fmt.Sprintf(`{"id":"t%d","antennas":{"left":%d,"right":%d}}`, n, angle, -angle), false)
		for {
			goals, _ := r.bus()
			if goals[8] != before[8] {
				break
			}
		}
		took = append(took, time.Since(began))
		n++
		// The next target finds the antennas at rest.
		r.until("rest", func() bool {
			a, _ := r.bus()
			time.Sleep(15 * time.Millisecond)
			z, _ := r.bus()
			return slices.Equal(a, z)
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
			if _, torque := r.bus(); len(torque) == 0 {
				break
			}
		}
		took = append(took, time.Since(began))
		c.command("reset", fmt.Sprintf(`{"id":"r%d"}`, n))
		c.command("tool", fmt.Sprintf(`{"id":"w%d","name":"wake_up"}`, n))
	}
	report(b, took)
}
