package tts

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// The test program is also a stand-in for Piper, on the same protocol.
func TestMain(m *testing.M) {
	if mode := os.Getenv("TTS_TEST_PIPER"); mode != "" {
		piper(mode)
		return
	}
	goleak.VerifyTestMain(m)
}

// piper answers each line with 20 ms of a tone per character, as raw sound at 22050 samples per second. Words in the
// line make it fail: "die" half way, "hang" before the first sound, "slow" works for ever.
func piper(mode string) {
	if mode == "broken" {
		fmt.Fprintln(os.Stderr, "Failed to load voice")
		os.Exit(1)
	}
	if len(os.Args) < 4 || os.Args[1] != "--model" || os.Args[3] != "--output-raw" {
		fmt.Fprintln(os.Stderr, "unknown arguments", os.Args[1:])
		os.Exit(2)
	}
	in := bufio.NewScanner(os.Stdin)
	out := bufio.NewWriter(os.Stdout)
	for in.Scan() {
		line := in.Text()
		if strings.Contains(line, "hang") {
			time.Sleep(time.Hour)
		}
		n := 441 * len(line)
		for i := 0; i < n || strings.Contains(line, "slow"); i++ {
			if strings.Contains(line, "die") && i == n/2 {
				out.Flush()
				fmt.Fprintln(os.Stderr, "out of memory")
				os.Exit(3)
			}
			v := int16(8000 * math.Sin(2*math.Pi*440*float64(i)/22050))
			out.WriteByte(byte(v))
			out.WriteByte(byte(v >> 8))
		}
		out.Flush()
		if mode != "silent" {
			fmt.Fprintf(os.Stderr, "[2026-01-01 12:00:00.000] [piper] [info] Real-time factor: 0.1 (infer=0.1 sec, audio=%g sec)\n", float64(n)/22050)
		}
	}
}
