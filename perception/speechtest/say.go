package speechtest

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// Rate is the number of samples a second.
const Rate = 16000

// peak is how loud a voice speaks.
const peak = 0.5

// Voices are some that sound unlike each other.
var Voices = []string{"espeak:en-us", "espeak:en-gb+f3", "espeak:en-gb-scotland", "flite:slt", "flite:awb"}

// spoken keeps what was said, because several tests say the same. Values are []float32 and never changed.
var spoken sync.Map

// Say speaks text. A voice is "espeak:" and a voice of espeak-ng with an optional variant ("espeak:en-us+f2"), or
// "flite:" and a voice of flite ("flite:awb"); "@1.2" at the end makes it 1.2 times as fast. The silence before and after
// the words is cut to 50 ms, and the loudest sample is 0.5. A synthesiser that is not installed fails the test.
func Say(t testing.TB, voice, text string) []float32 {
	t.Helper()
	key := voice + "\x00" + text
	if x, ok := spoken.Load(key); ok {
		return append([]float32(nil), x.([]float32)...)
	}
	x, err := speak(t.TempDir(), voice, text)
	if err != nil {
		t.Fatalf("speechtest: %v", err)
	}
	spoken.Store(key, x)
	return append([]float32(nil), x...)
}

func speak(dir, voice, text string) ([]float32, error) {
	engine, name, ok := strings.Cut(voice, ":")
	speed := 1.0
	if before, after, fast := strings.Cut(name, "@"); fast {
		if _, err := fmt.Sscanf(after, "%g", &speed); err != nil || speed < 0.4 || speed > 2.5 {
			return nil, fmt.Errorf("voice %q: the speed after @ is a number from 0.4 to 2.5", voice)
		}
		name = before
	}
	file := filepath.Join(dir, "say.wav")
	var program string
	var args []string
	switch {
	case ok && engine == "espeak":
		program, args = "espeak-ng", []string{"-v", name, "-s", fmt.Sprint(int(160 * speed)), "-w", file, "--", text}
	case ok && engine == "flite":
		program, args = "flite", []string{"-voice", name, "--setf", fmt.Sprintf("duration_stretch=%.3f", 1/speed), "-t", text, "-o", file}
	default:
		return nil, fmt.Errorf("voice %q: allowed are espeak:NAME and flite:NAME", voice)
	}
	path, err := exec.LookPath(program)
	if err != nil {
		return nil, fmt.Errorf("%s is not installed: apt-get install %s", program, program)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var complaint bytes.Buffer
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Stderr = &complaint
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s as %q says %q: %w: %s", program, name, text, err, strings.TrimSpace(complaint.String()))
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("%s wrote nothing: %w", program, err)
	}
	x, rate, err := ParseWAV(b)
	if err != nil {
		return nil, fmt.Errorf("what %s wrote: %w", program, err)
	}
	return trim(Resample(x, rate, Rate))
}

// trim cuts the silence and sets the level.
func trim(x []float32) ([]float32, error) {
	top := loudest(x)
	if top < 1e-4 {
		return nil, fmt.Errorf("%d samples of silence", len(x))
	}
	scale := peak / top
	first, last := -1, 0
	for i := range x {
		x[i] *= scale
		if x[i] > 0.008 || x[i] < -0.008 {
			if first < 0 {
				first = i
			}
			last = i
		}
	}
	const edge = Rate / 20
	return x[max(0, first-edge):min(len(x), last+edge)], nil
}

func loudest(x []float32) float32 {
	var m float32
	for _, v := range x {
		m = max(m, v, -v)
	}
	return m
}
