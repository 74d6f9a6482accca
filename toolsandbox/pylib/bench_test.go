package pylib

import (
	"testing"

	"github.com/reachyd/reachyd/toolsandbox/guest"
)

// BenchmarkTools calls the specification's three tools, each in a pristine interpreter and in virtual time.
func BenchmarkTools(b *testing.B) {
	s := lean.Open(b)
	for _, tool := range []struct{ name, args string }{
		{"distance_3d", `{"point_a":[0,0,0],"point_b":[1,2,2]}`},
		{"periodic_photos", `{"interval_seconds":1,"duration_seconds":5}`},
		{"monitor_scene", `{}`},
	} {
		source := testTool(b, tool.name)
		b.Run(tool.name, func(b *testing.B) {
			for b.Loop() {
				if r := run(b, s, newSet(awake()), source, tool.name, tool.args, "analyze_scene"); r.Reason != guest.ReasonOK {
					b.Fatal(r, r.Error)
				}
			}
		})
	}
}

// BenchmarkTrivial is what a call costs that imports nothing, in the image with the library.
func BenchmarkTrivial(b *testing.B) {
	s := lean.Open(b)
	set := newSet(awake())
	for b.Loop() {
		if r := run(b, s, set, "def f(): return 1\n", "f", ""); r.Reason != guest.ReasonOK {
			b.Fatal(r, r.Error)
		}
	}
}

// BenchmarkPixels looks at the pixels of a frame in the guest: they are fetched and added up.
func BenchmarkPixels(b *testing.B) {
	s := lean.Open(b)
	for b.Loop() {
		r := run(b, s, newSet(awake()), "import cv2\ndef f():\n    return float(cv2.VideoCapture(0).read()[1].sum())\n", "f", "")
		if r.Reason != guest.ReasonOK {
			b.Fatal(r, r.Error)
		}
	}
}
