package moves

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"github.com/reachyd/reachyd/hal/audio"
)

// Each of our emotions is heard: as long as the move, never overdriven, never silent, without a click at either end; and no two alike.
func TestEmotionsAreHeard(t *testing.T) {
	var l Library
	seen := map[string]string{}
	n := 0
	for _, m := range Own() {
		got, err := l.Get("", m.Name)
		if err != nil {
			t.Fatal(err)
		}
		if m.Kind != Emotion {
			if got.Sound() != nil {
				t.Errorf("%s %s is heard", m.Kind, m.Name)
			}
			continue
		}
		n++
		rate, pcm, err := audio.ReadWAV(bytes.NewReader(got.Sound()))
		if err != nil {
			t.Fatalf("%s: %v", m.Name, err)
		}
		if off := float64(len(pcm))/float64(rate) - length(got.Recording); rate != soundRate || math.Abs(off) > 0.001 {
			t.Errorf("%s: the sound is %g s longer than the move", m.Name, off)
		}
		loud, jump, before := float32(0), float32(0), float32(0)
		for _, v := range pcm {
			loud, jump, before = max(loud, v, -v), max(jump, v-before, before-v), v
		}
		if loud < 0.1 || loud > 0.98 || jump > 0.7 || pcm[0] != 0 || math.Abs(float64(before)) > 0.01 {
			t.Errorf("%s: loudest %.2f, jump %.2f, begins with %.2f, ends with %.2f", m.Name, loud, jump, pcm[0], before)
		}
		if same := seen[string(got.Sound())]; same != "" {
			t.Errorf("%s sounds like %s", m.Name, same)
		}
		seen[string(got.Sound())] = m.Name
	}
	if n != len(sounds()) || n < 20 {
		t.Errorf("%d emotions, %d sounds", n, len(sounds()))
	}
}

// Notes lie within their moves.
func TestNotesLieWithinTheirMoves(t *testing.T) {
	for name, notes := range sounds() {
		at := slices.IndexFunc(Own(), func(m Move) bool { return m.Name == name })
		if at < 0 {
			t.Errorf("no move is called %s", name)
			continue
		}
		m := Own()[at]
		for _, n := range notes {
			if over := (n.begin+n.length)*m.slowed - length(m.Recording); n.begin < 0 || n.length < attack+release || over > 0 || n.loud > 1 {
				t.Errorf("%s: %+v, %g s behind the end", name, n, over)
			}
		}
	}
}

func FuzzParseSounds(f *testing.F) {
	f.Add("sound a\nnote 0 1 2 3 4 5\n")
	f.Add("note 0 1 2 3 4 5")
	f.Fuzz(func(t *testing.T, text string) {
		all, err := parseSounds(text)
		if err != nil && all != nil {
			t.Errorf("sounds beside the error %v", err)
		}
	})
}
