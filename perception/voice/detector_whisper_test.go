//go:build whisper

package voice

import (
	"testing"

	"github.com/reachyd/reachyd/perception/internal/fixtures"
	"github.com/reachyd/reachyd/perception/vad"
)

// silero says whether newDetector tells speech from other sound by more than its loudness.
const silero = true

func newDetector(t testing.TB) Detector {
	t.Helper()
	d, err := vad.Open(fixtures.Model(t, "silero-v6.2.0"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}
