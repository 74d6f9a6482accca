//go:build mujoco

package vision

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/camera"
	"github.com/reachyd/reachyd/hal/mujoco"
)

// BenchmarkFrame measures a frame of 640×480 on its way to detections, as a whole and by its parts. Each reports the
// 50th and 95th percentile.
func BenchmarkFrame(b *testing.B) {
	st := openStage(b, mujoco.Light{}, hal.Head{Pitch: 0.2})
	st.arrange(b, rand.New(rand.NewPCG(1, 1)))
	data := st.shot(b, 640, 480)
	img, err := camera.Decode(data)
	if err != nil {
		b.Fatal(err)
	}
	e := openEyes(b, &Eyes{Table: true}, "nothing.jpg")
	s := sight{lens: camera.SimIntrinsics(640, 480), head: st.head, measured: true}
	e.pic.take(img)
	all := func() {
		img, err := camera.Decode(data)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := e.detect(b.Context(), img, &s, time.Now(), everything); err != nil {
			b.Fatal(err)
		}
	}
	for _, part := range []struct {
		name string
		f    func()
	}{
		{"all", all},
		{"decode", func() { camera.Decode(data) }},
		{"prepare", func() { e.pic.take(img) }},
		{"table", func() { e.table.detect(&e.pic, &s) }},
		{"faces", func() {
			if e.faces != nil {
				e.faces.detect(&e.pic, &s, false)
			}
		}},
		{"motion", func() { e.motion.detect(&e.pic, &s, time.Now()) }},
		{"codes", func() { codes(&e.pic, &s) }},
		{"colours", func() { e.pic.mainColours() }},
	} {
		b.Run(part.name, func(b *testing.B) {
			b.ReportAllocs()
			var took []float64
			for b.Loop() {
				began := time.Now()
				part.f()
				took = append(took, float64(time.Since(began).Microseconds())/1000)
			}
			slices.Sort(took)
			b.ReportMetric(took[len(took)/2], "p50-ms")
			b.ReportMetric(took[len(took)*95/100], "p95-ms")
		})
	}
}
