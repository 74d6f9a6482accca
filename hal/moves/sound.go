package moves

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"sync"

	"github.com/reachyd/reachyd/hal"
)

const (
	// soundRate is how many samples a second the sounds of our own moves have.
	soundRate = 16000
	// lowest is the pitch from which notes count, Hz; trembling how often a second they tremble.
	lowest, trembling = 220.0, 6.0
	// attack and release are how long a note takes to begin and to end, s.
	attack, release = 0.015, 0.08
)

// overtones are the loudness of the voice's overtones, the first being the pitch itself.
var overtones = []float64{0.7, 0.2, 0.1}

// note is a tone of the robot's voice: s, semitones and loudness.
type note struct{ begin, length, from, to, loud, tremble float64 }

// sounds are the notes of our own moves, by the name of the move.
var sounds = sync.OnceValue(func() map[string][]note {
	text, err := library.ReadFile("library/sounds.txt")
	if err != nil {
		panic(err) // it is embedded
	}
	all, err := parseSounds(string(text))
	if err != nil {
		panic(fmt.Sprintf("library/sounds.txt: %v", err)) // a test would have seen it
	}
	return all
})

func parseSounds(text string) (map[string][]note, error) {
	all, name := map[string][]note{}, ""
	for n, line := range strings.Split(text, "\n") {
		words := strings.Fields(line)
		switch {
		case len(words) == 0 || words[0][0] == '#':
		case words[0] == "sound" && len(words) == 2:
			name = words[1]
		case words[0] == "note" && name != "":
			v, err := parseNumbers(words[1:], 6)
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", n+1, err)
			}
			all[name] = append(all[name], note{v[0], v[1], v[2], v[3], v[4], v[5]})
		default:
			return nil, fmt.Errorf("line %d: %q is neither sound NAME nor a note of one", n+1, line)
		}
	}
	return all, nil
}

// heard returns a move of our own with its sound, where it has one.
func heard(m Move) *Move {
	if notes := sounds()[m.Name]; notes != nil {
		rec := *m.Recording
		rec.Sound = &hal.Sound{WAV: wav(render(notes, length(&rec), m.slowed)), Length: length(&rec)}
		m.Recording = &rec
	}
	return &m
}

// render makes samples of notes for a move of a length, s, whose times are slowed by a factor.
func render(notes []note, length, slowed float64) []float64 {
	out := make([]float64, int(length*soundRate))
	for _, n := range notes {
		phase, first, count := 0.0, int(n.begin*slowed*soundRate), int(n.length*slowed*soundRate)
		for i := range min(count, len(out)-first) {
			at, end := float64(i)/soundRate, float64(count-i)/soundRate
			pitch := n.from + (n.to-n.from)*smooth(float64(i)/float64(count)) + n.tremble*math.Sin(2*math.Pi*trembling*at)
			phase += 2 * math.Pi * lowest * math.Exp2(pitch/12) / soundRate
			loud := n.loud * smooth(at/attack) * smooth(end/release)
			for k, part := range overtones {
				out[first+i] += loud * part * math.Sin(float64(k+1)*phase)
			}
		}
	}
	return out
}

// wav makes a file of samples between −1 and 1.
func wav(samples []float64) []byte {
	var b bytes.Buffer
	size := uint32(2 * len(samples))
	b.WriteString("RIFF")
	le := func(v any) { _ = binary.Write(&b, binary.LittleEndian, v) } // a buffer takes everything
	le(36 + size)
	b.WriteString("WAVEfmt ")
	le(struct {
		Size          uint32
		Kind, Tracks  uint16
		Rate, PerSec  uint32
		Block, Sample uint16
	}{16, 1, 1, soundRate, 2 * soundRate, 2, 16})
	b.WriteString("data")
	le(size)
	pcm := make([]int16, len(samples))
	for i, v := range samples {
		pcm[i] = int16(math.MaxInt16 * min(1, max(-1, v)))
	}
	le(pcm)
	return b.Bytes()
}
