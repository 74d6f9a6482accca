package ppo

import (
	"testing"

	"github.com/reachyd/reachyd/hal/local"
	"github.com/reachyd/reachyd/learner/env"
)

// BenchmarkCartPole is environment steps with updates, with the settings of CleanRL: four epochs of four minibatches.
func BenchmarkCartPole(b *testing.B) {
	cfg := Defaults()
	cfg.Envs, cfg.Steps, cfg.Epochs, cfg.Batch, cfg.NormReward = 4, 128, 4, 128, false
	tr := New(cfg, classic(env.CartPoleID))
	began := local.ProcessorTime()
	for b.Loop() {
		if _, err := tr.Iterate(nil); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(tr.Steps())/(local.ProcessorTime()-began).Seconds(), "steps/cpu-s")
	b.ReportMetric(0, "ns/op")
}
