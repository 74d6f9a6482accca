//go:build !whisper

package voice

import (
	"testing"

	"github.com/reachyd/reachyd/perception/vad"
)

// silero says whether newDetector tells speech from other sound by more than its loudness.
const silero = false

// newDetector returns a real one: by loudness, which every host has and which takes every echo for speech.
func newDetector(t testing.TB) Detector {
	t.Helper()
	d := vad.NewEnergy()
	t.Cleanup(func() { d.Close() })
	return d
}
