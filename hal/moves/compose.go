package moves

import (
	"embed"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/catalog"
)

// Kinds of moves of our own.
const (
	Emotion = "emotion"
	Dance   = "dance"
	Idle    = "idle"
)

// Move is a recorded move.
type Move struct {
	Name, Kind string // Kind is empty when it is none of our own
	About      string // what it looks like
	Recording  *hal.Recording

	slowed float64 // by which the times of its keys were stretched
}

// Sound is what is heard with the move, a WAV file; nil when it is silent.
func (m *Move) Sound() []byte {
	if s := m.Recording.Sound; s != nil {
		return s.WAV
	}
	return nil
}

// length of a recording, s.
func length(rec *hal.Recording) float64 { return rec.Time[len(rec.Time)-1] - rec.Time[0] }

//go:embed library/*.txt
var library embed.FS

// Own returns our own moves, by kind and name. They are composed when they are asked for first.
var Own = sync.OnceValue(func() []Move {
	var list []Move
	for _, e := range catalog.Emotions {
		if e.Name != "neutral" {
			s := score{name: e.Name, kind: Emotion, about: "shows that it is " + e.Name, keys: e.Keys}
			list = append(list, s.play())
		}
	}
	for _, file := range []string{"emotions", "dances", "idle"} {
		text, err := library.ReadFile("library/" + file + ".txt")
		if err != nil {
			panic(err) // it is embedded
		}
		scores, err := parse(string(text))
		if err != nil {
			panic(fmt.Sprintf("library/%s.txt: %v", file, err)) // a test would have seen it
		}
		for i := range scores {
			list = append(list, scores[i].play())
		}
	}
	return list
})

// frameRate is how many frames a second our own moves have.
const frameRate = 50

// channels of a move, in the order of the columns of the files: mm and degrees.
var channels = []string{"x", "y", "z", "roll", "pitch", "yaw", "body", "left", "right"}

// score is what a move is composed of: keys, or swings.
type score struct {
	name, kind, about string
	keys              []catalog.Keyframe
	beat              float64 // s
	beats             float64
	swings            []swing
}

// swing is a channel that goes to and fro.
type swing struct {
	channel            int
	size, beats, phase float64
}

// parse reads the moves of a file.
func parse(text string) ([]score, error) {
	var list []score
	for n, line := range strings.Split(text, "\n") {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		word, rest, _ := strings.Cut(line, " ")
		var err error
		switch {
		case word == "move":
			var s score
			s, err = parseTitle(strings.Fields(rest))
			list = append(list, s)
		case len(list) == 0:
			err = fmt.Errorf("%q stands before the first move", word)
		case word == ":":
			list[len(list)-1].about = rest
		case word == "key":
			err = list[len(list)-1].addKey(strings.Fields(rest))
		case word == "swing":
			err = list[len(list)-1].addSwing(strings.Fields(rest))
		default:
			err = fmt.Errorf("%q is not known; allowed are move, :, key and swing", word)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n+1, err)
		}
	}
	for i := range list {
		if len(list[i].keys) < 2 && len(list[i].swings) == 0 {
			return nil, fmt.Errorf("move %s has neither two keys nor a swing", list[i].name)
		}
	}
	return list, nil
}

func parseTitle(words []string) (s score, err error) {
	if len(words) < 2 {
		return s, fmt.Errorf("a move needs a name and a kind, not %q", words)
	}
	s.name, s.kind = words[0], words[1]
	if s.kind != Dance {
		return s, nil
	}
	v, err := parseNumbers(words[2:], 2)
	if err != nil {
		return s, fmt.Errorf("a dance needs beats a minute and how many beats: %w", err)
	}
	if v[0] < 30 || v[0] > 240 || v[1] < 6 || v[1] > 200 {
		return s, fmt.Errorf("a dance has 30 to 240 beats a minute and 6 to 200 of them, not %g and %g", v[0], v[1])
	}
	s.beat, s.beats = 60/v[0], v[1]
	return s, nil
}

func parseNumbers(words []string, n int) ([]float64, error) {
	if len(words) != n {
		return nil, fmt.Errorf("%d numbers instead of %d", len(words), n)
	}
	list := make([]float64, n)
	for i, w := range words {
		v, err := strconv.ParseFloat(w, 64)
		if err != nil || math.IsNaN(v) || math.Abs(v) > 1000 {
			return nil, fmt.Errorf("%q is no number between -1000 and 1000", w)
		}
		list[i] = v
	}
	return list, nil
}

func (s *score) addKey(words []string) error {
	v, err := parseNumbers(words, 1+len(channels))
	if err != nil {
		return err
	}
	if n := len(s.keys); n > 0 && v[0] <= s.keys[n-1].T {
		return fmt.Errorf("a key at %g s stands behind one at %g s", v[0], s.keys[n-1].T)
	}
	s.keys = append(s.keys, catalog.Keyframe{T: v[0], X: v[1], Y: v[2], Z: v[3], Roll: v[4], Pitch: v[5], Yaw: v[6], Body: v[7], Left: v[8], Right: v[9]})
	return nil
}

func (s *score) addSwing(words []string) error {
	if len(words) == 0 {
		return fmt.Errorf("a swing needs a channel: %v", channels)
	}
	c := slices.Index(channels, words[0])
	if c < 0 {
		return fmt.Errorf("channel is %q; allowed are %v", words[0], channels)
	}
	v, err := parseNumbers(words[1:], 3)
	if err != nil {
		return err
	}
	if v[1] < 0.25 || s.beats == 0 {
		return fmt.Errorf("a swing of a dance takes a quarter of a beat or more, not %g", v[1])
	}
	s.swings = append(s.swings, swing{c, v[0], v[1], v[2]})
	return nil
}

// play composes the recording.
func (s *score) play() Move {
	at, duration := s.dance, s.beats*s.beat
	if len(s.swings) == 0 {
		at, duration = curve(s.keys), s.keys[len(s.keys)-1].T
	}
	rec := &hal.Recording{Description: s.about}
	n := int(math.Round(duration * frameRate))
	fastest, before := 0.0, at(0)
	for i := range n + 1 {
		t := duration * float64(i) / float64(n)
		v := at(t)
		fastest = max(fastest, math.Abs(v[7]-before[7]), math.Abs(v[8]-before[8]))
		before = v
		rec.Time = append(rec.Time, t)
		rec.Frames = append(rec.Frames, frame(v))
	}
	slow := max(1, fastest*frameRate/maxAntennas)
	if slow > 1 {
		for i := range rec.Time {
			rec.Time[i] *= slow
		}
	}
	return Move{Name: s.name, Kind: s.kind, About: s.about, Recording: rec, slowed: slow}
}

// maxAntennas is how fast antennas turn in our own moves, degrees/s: what is quicker is played more slowly.
const maxAntennas = 550

// values are those of the channels.
type values [9]float64

func frame(v values) hal.Frame {
	const mm, deg = 1e-3, math.Pi / 180
	p := hal.Head{X: v[0] * mm, Y: v[1] * mm, Z: v[2] * mm, Roll: v[3] * deg, Pitch: v[4] * deg, Yaw: v[5] * deg}.Pose()
	body := v[6] * deg
	f := hal.Frame{Antennas: [2]float64{v[8] * deg, v[7] * deg}, BodyYaw: &body}
	for r := range 3 {
		copy(f.Head[r][:], p.R[3*r:3*r+3])
		f.Head[r][3] = p.T[r]
	}
	f.Head[3][3] = 1
	return f
}

// fadeBeats is how long a dance takes to begin, and to end.
const fadeBeats = 2

func (s *score) dance(t float64) values {
	v := values{7: 10, 8: -10}
	beat := t / s.beat
	size := smooth(beat/fadeBeats) * smooth((s.beats-beat)/fadeBeats)
	for _, w := range s.swings {
		v[w.channel] += size * w.size * math.Sin(2*math.Pi*(beat/w.beats-w.phase))
	}
	return v
}

// smooth goes from 0 to 1 with no speed and no acceleration at either end.
func smooth(u float64) float64 {
	u = min(1, max(0, u))
	return u * u * u * (10 + u*(6*u-15))
}

// curve goes through keys, with no acceleration at any of them: its jerk is bounded.
func curve(keys []catalog.Keyframe) func(t float64) values {
	n := len(keys)
	value, slope := make([]values, n), make([]values, n)
	for i, k := range keys {
		value[i] = values{k.X, k.Y, k.Z, k.Roll, k.Pitch, k.Yaw, k.Body, k.Left, k.Right}
	}
	for i := 1; i < n-1; i++ {
		for c := range value[i] {
			before := (value[i][c] - value[i-1][c]) / (keys[i].T - keys[i-1].T)
			after := (value[i+1][c] - value[i][c]) / (keys[i+1].T - keys[i].T)
			if before*after > 0 { // none at a turning point, so that no key is passed
				slope[i][c] = 2 * before * after / (before + after)
			}
		}
	}
	return func(t float64) (v values) {
		i := 0
		for i < n-2 && t >= keys[i+1].T {
			i++
		}
		h := keys[i+1].T - keys[i].T
		u := min(1, max(0, (t-keys[i].T)/h))
		s := smooth(u)
		from := u * (1 - u*u*(6-u*(8-3*u))) // slope 1 at the beginning
		to := u * u * u * (u*(7-3*u) - 4)   // slope 1 at the end
		for c := range v {
			v[c] = value[i][c] + s*(value[i+1][c]-value[i][c]) + h*(from*slope[i][c]+to*slope[i+1][c])
		}
		return v
	}
}
