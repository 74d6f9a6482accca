package voice

import (
	"testing"

	"github.com/reachyd/reachyd/perception/vad"
)

// newDetector returns a real one: by loudness, which every host has and which takes every echo for speech.
func newDetector(t *testing.T) Detector {
	t.Helper()
	d := vad.NewEnergy()
	t.Cleanup(func() { d.Close() })
	return d
}
