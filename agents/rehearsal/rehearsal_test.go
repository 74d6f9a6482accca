package rehearsal

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/reachyd/reachyd/agents/coordinator"
	"github.com/reachyd/reachyd/agents/dialogue"
	"github.com/reachyd/reachyd/toolsandbox/guest/guesttest"
)

func TestMain(m *testing.M) { guesttest.Main(m) }

// newStage is one that is closed with the test.
func newStage(t testing.TB) *Stage {
	t.Helper()
	s := NewStage()
	s.Begins = time.Date(2026, time.March, 2, 10, 30, 0, 0, time.Local) // a Monday; "at seven" is said otherwise where seven is soon
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// axes are the parts of a pose by the names that the test files use.
var axes = map[string]func(p *dialogue.Pose) float64{
	"pitch": func(p *dialogue.Pose) float64 { return p.Head.Pitch },
	"yaw":   func(p *dialogue.Pose) float64 { return p.Head.Yaw },
	"roll":  func(p *dialogue.Pose) float64 { return p.Head.Roll },
	"body":  func(p *dialogue.Pose) float64 { return p.BodyYaw },
	"left":  func(p *dialogue.Pose) float64 { return p.Antennas.Left },
	"right": func(p *dialogue.Pose) float64 { return p.Antennas.Right },
}

// kindOf says what kind of reply a turn got.
func kindOf(t *Turn) string {
	switch {
	case t.Outcome == "refuse" || t.Outcome == "error":
		return string(t.Outcome)
	case strings.HasSuffix(t.Reply, "?") && len(t.Steps) == 0:
		return "question"
	case t.Outcome == "plan":
		return "done"
	case t.Outcome == "answered":
		return "info"
	}
	return "unknown"
}

// check compares a turn with what a line of a test file wants: "sentence > body 20 yaw 30 reply done".
func check(t *Turn, want string) error {
	f := strings.Fields(want)
	for i := 0; i+1 < len(f); i += 2 {
		switch key, value := f[i], f[i+1]; key {
		case "reply":
			if got := kindOf(t); got != value {
				return fmt.Errorf("the reply is %s, want %s", got, value)
			}
		case "tool":
			if !hasTool(t, value) {
				return fmt.Errorf("%s was not called", value)
			}
		case "stopped":
			if fmt.Sprint(t.Stopped) != value {
				return fmt.Errorf("stopped %v, want %s", t.Stopped, value)
			}
		case "says":
			if !strings.Contains(t.Reply, strings.ReplaceAll(value, "_", " ")) {
				return fmt.Errorf("it does not say %q", value)
			}
		default:
			v, err := strconv.ParseFloat(value, 64)
			if axes[key] == nil || err != nil {
				return fmt.Errorf("the line is wrong at %q %q", key, value)
			}
			if got := axes[key](&t.Pose); math.Abs(got-v) > 0.5 {
				return fmt.Errorf("%s is at %g°, want %g°", key, got, v)
			}
		}
	}
	if len(f)%2 != 0 {
		return fmt.Errorf("the line is wrong: %q", want)
	}
	return nil
}

func hasTool(t *Turn, name string) bool {
	for _, s := range t.Steps {
		if s.Tool == name || strings.Contains(string(s.Args), strconv.Quote(name)) {
			return true
		}
	}
	return false
}

// The dialogues of testdata come out as they say: a turn a line, "sentence > axis degrees … reply kind", an empty line begins a
// conversation.
func TestDialogues(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	stage := newStage(t)
	dialogues, turns := 0, 0
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		line := 0
		for talk := range strings.SplitSeq(string(raw), "\n\n") {
			c := stage.Begin()
			for turn := range strings.SplitSeq(talk, "\n") {
				line++
				text, want, said := strings.Cut(turn, " > ")
				if strings.HasPrefix(turn, "#") || strings.TrimSpace(turn) == "" {
					continue
				}
				got, err := c.Say(t.Context(), text)
				if err == nil && said {
					err = check(&got, want)
				}
				if err != nil {
					steps, _ := json.Marshal(got.Steps)
					t.Errorf("%s:%d: %s: %v\n  %s: %s %s", file, line, text, err, got.Outcome, got.Reply, steps)
				}
				turns++
			}
			line++
			dialogues++
			for _, err := range c.Failures() {
				t.Error(err)
			}
			if err := c.Close(t.Context()); err != nil {
				t.Error(err)
			}
		}
	}
	t.Logf("%d dialogues, %d turns", dialogues, turns)
}

// The whole mind asks about what was only probably said, and does it on a yes.
func TestWhatWasProbablySaidIsAskedAbout(t *testing.T) {
	stage := newStage(t)
	c := stage.Begin()
	defer c.Close(t.Context())
	for _, turn := range []struct {
		text, reply string
		unsure      bool
		yaw         float64
	}{
		{"Look left.", "Did you say: Look left?", true, 0},
		{"No.", "All right, I leave it.", false, 0},
		{"yes", "", false, 0}, // nothing is asked any more
		{"look left", "Did you say: look left?", true, 0},
		{"Yes.", "I looked left.", false, 30},
		{"what time is it", "", true, 30}, // a question makes it do nothing, and needs none
		{"stop", "", true, 30},            // a stop waits for nothing
	} {
		ctx := t.Context()
		if turn.unsure {
			ctx = coordinator.WithUnsure(ctx)
		}
		got, err := c.Say(ctx, turn.text)
		if err != nil || turn.reply != "" && got.Reply != turn.reply || math.Abs(got.Pose.Head.Yaw-turn.yaw) > 1 || strings.Contains(got.Reply, "Did you say: what") {
			t.Errorf("%q: %q, yaw %v, %v", turn.text, got.Reply, got.Pose.Head.Yaw, err)
		}
		if turn.text == "stop" && !got.Stopped {
			t.Error("it did not stop")
		}
	}
}
