package planner

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/reachyd/reachyd/hal/catalog"
	"github.com/reachyd/reachyd/hal/local"
)

// checkStep reports what is wrong with a step against the tools of hal/catalog.
func checkStep(s Step) error {
	want := map[string][]string{
		"move_head": {"pitch", "yaw", "roll", "duration"}, "set_antennas": {"left", "right", "duration"}, "turn_body": {"yaw", "duration"}, "goto_pose": {"name"},
		"track_face": {"enabled"}, "take_photo": {}, "analyze_scene": {"prompt"}, "describe_image": {"photo", "prompt"}, "speak": {"text"}, "set_volume": {"level"},
		"remember_face": {"name"}, "recognize_face": {}, "forget_face": {"name"},
		"search_web": {"query"}, "get_robot_state": {}, "express_emotion": {"emotion"}, "gesture": {"name"}, "play_move": {"name"}, "wake_up": {}, "go_to_sleep": {},
		"stop": {}, "wait": {"seconds"}, "repeat": {"steps", "times", "interval"},
	}[s.Tool]
	switch {
	case s.Tool == "look_at" && s.Args["target"] != nil:
		want = []string{"target"}
	case s.Tool == "look_at":
		want = []string{"x", "y", "z"}
	case s.Tool == "detect_objects":
		if len(s.Args) > 0 {
			want = []string{"name"}
		}
	case want == nil:
		return fmt.Errorf("tool %q is unknown", s.Tool)
	}
	if len(s.Args) != len(want) {
		return fmt.Errorf("%s: arguments %v, want %v", s.Tool, s.Args, want)
	}
	for _, name := range want {
		v, ok := s.Args[name]
		if !ok {
			return fmt.Errorf("%s: argument %q is missing", s.Tool, name)
		}
		switch v := v.(type) {
		case float64:
			lo, hi := bounds(s.Tool, name)
			if math.IsNaN(v) || v < lo || v > hi {
				return fmt.Errorf("%s: %s = %v, want %v…%v", s.Tool, name, v, lo, hi)
			}
			if (name == "duration" || name == "seconds") && v <= 0 {
				return fmt.Errorf("%s: %s = %v, want more than 0", s.Tool, name, v)
			}
		case string:
			if strings.TrimSpace(v) == "" {
				return fmt.Errorf("%s: %s is empty", s.Tool, name)
			}
			if s.Tool == "gesture" && catalog.GestureNamed(v) == nil {
				return fmt.Errorf("gesture %q is unknown", v)
			}
			if s.Tool == "express_emotion" && catalog.EmotionNamed(v) == nil {
				return fmt.Errorf("emotion %q is unknown", v)
			}
		case bool:
		case []Step:
			if len(v) == 0 {
				return fmt.Errorf("repeat without steps")
			}
			for _, inner := range v {
				if err := checkStep(inner); err != nil {
					return err
				}
			}
		default:
			return fmt.Errorf("%s: %s has type %T", s.Tool, name, v)
		}
	}
	return nil
}

func bounds(tool, name string) (lo, hi float64) {
	switch name {
	case "pitch", "roll":
		return -40, 40
	case "yaw":
		if tool == "turn_body" {
			return -160, 160
		}
		return -180, 180
	case "left", "right":
		return -180, 180
	case "duration":
		return 0.1, 60
	case "seconds":
		return 0, 600
	case "interval":
		return 0, 60
	case "times":
		return 2, 100
	case "level":
		return 0, 100
	}
	return -1e9, 1e9
}

// checkPlan reports what is wrong with a plan whatever the sentence was.
func checkPlan(text string, got Plan) error {
	switch {
	case got.Text != text:
		return fmt.Errorf("text %q", got.Text)
	case got.Steps == nil:
		return fmt.Errorf("steps are nil")
	case (got.Outcome == OutcomePlan) != (len(got.Steps) > 0):
		return fmt.Errorf("outcome %s with %d steps", got.Outcome, len(got.Steps))
	case got.Outcome != OutcomePlan && got.Message == "":
		return fmt.Errorf("outcome %s without a message", got.Outcome)
	}
	for _, s := range got.Steps {
		if err := checkStep(s); err != nil {
			return err
		}
	}
	return nil
}

func FuzzPlan(f *testing.F) {
	for _, samples := range corpus(f) {
		for k := 0; k < len(samples); k += 7 {
			f.Add(samples[k].Text)
		}
	}
	for _, s := range []string{
		"", " ", "\x00", "say", "say \"", "\xff\xfe look left", "look " + strings.Repeat("left ", 200), "-", "--", "l-l-l-",
		"9999999999999999999999 degrees left", "nod 1e9 times", "a and a half", "point", "look at x x x", "½½½", "say and say and say and say",
		strings.Repeat("say a and nod ", 12),
	} {
		f.Add(s)
	}
	p := New()
	f.Fuzz(func(t *testing.T, text string) {
		began := local.ProcessorTime() // others on a busy machine do not count
		got := p.Plan(text)
		if d := local.ProcessorTime() - began; d > 2*time.Second { // far above the millisecond that it takes: only runaway parsing gets there
			t.Fatalf("%q took %v", text, d)
		}
		if err := checkPlan(text, got); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
	})
}

// Nothing in the way of asking changes what is asked for.
func TestMetamorphic(t *testing.T) {
	p := New()
	changes := map[string]func(string) string{
		"please before":  func(s string) string { return "please " + s },
		"please after":   func(s string) string { return s + " please" },
		"could you":      func(s string) string { return "could you " + s + "?" },
		"hey reachy":     func(s string) string { return "Hey Reachy, " + s },
		"can you please": func(s string) string { return "can you please " + s },
		"I want you to":  func(s string) string { return "I want you to " + s },
		"thanks":         func(s string) string { return s + ", thank you." },
		"um":             func(s string) string { return "um, " + s },
		"full stop":      func(s string) string { return s + "." },
		"exclamation":    func(s string) string { return s + "!" },
		"capitals":       strings.ToUpper,
		"title":          func(s string) string { r := []rune(s); r[0] = unicode.ToUpper(r[0]); return string(r) },
		"spaces":         func(s string) string { return "  " + strings.ReplaceAll(s, " ", "  ") + " " },
		"now":            func(s string) string { return "now " + s },
		"for me":         func(s string) string { return s + " for me" },
		"okay so":        func(s string) string { return "okay, so " + s },
	}
	for _, text := range metamorphicSeeds {
		base := p.Plan(text)
		if base.Outcome != OutcomePlan {
			t.Errorf("%q: got %s, want a plan", text, base.Outcome)
			continue
		}
		want := canonical(t, base.Outcome, base.Steps)
		for name, change := range changes {
			other := change(text)
			got := p.Plan(other)
			if have := canonical(t, got.Outcome, got.Steps); have != want {
				t.Errorf("%s: %q\n want %s\n got  %s", name, other, want, have)
			}
		}
	}
}

var metamorphicSeeds = []string{
	"look left", "look a little to the right", "look up and to the left", "turn your head 20 degrees to the right", "tilt your head left", "turn left",
	"turn your body 45 degrees to the right",
	"raise your antennas", "set your antennas to 30 and -30 degrees", "nod", "nod three times", "shake your head", "wiggle your antennas twice", "dance",
	"look around", "take a bow", "be happy",
	"show me your angry face", "look at the apple", "look at the red ball on the table", "look at me", "stop following me", "take a photo", "wait two seconds",
	"wake up", "go to sleep", "set the volume to 40 percent",
	"look left, then right", "look left and right twice", "nod and wiggle your antennas", "look left slowly", "turn left over three seconds",
	"go to the neutral pose", "move your head up, down and left",
	"before you nod, look left", "nod after you look left", "look left, no, right", "don't look left, look right",
	"turn your head left 20 degrees and then right 40 degrees", "repeat three times: look up, look down",
}

// A number means the same in words and in digits.
func TestNumbersInWords(t *testing.T) {
	p := New()
	for v, words := range map[int]string{
		1: "one", 5: "five", 12: "twelve", 17: "seventeen", 20: "twenty", 25: "twenty five", 38: "thirty-eight", 45: "forty five", 60: "sixty", 90: "ninety",
		99: "ninety nine", 100: "a hundred",
		101: "one hundred and one", 110: "a hundred ten", 120: "a hundred and twenty", 135: "one hundred thirty five", 155: "one hundred and fifty-five",
		160: "one hundred and sixty",
	} {
		a, b := p.Plan(fmt.Sprintf("turn your body %d degrees to the left", v)), p.Plan("turn your body "+words+" degrees to the left")
		if a.Outcome != OutcomePlan || a.Steps[0].Args["yaw"] != float64(v) {
			t.Errorf("%d: got %v", v, a)
		}
		if canonical(t, a.Outcome, a.Steps) != canonical(t, b.Outcome, b.Steps) {
			t.Errorf("%d and %q differ: %v, %v", v, words, a.Steps, b.Steps)
		}
	}
	for words, want := range map[string]float64{
		"half a second": 0.5, "a second and a half": 1.5, "one and a half seconds": 1.5, "2.5 seconds": 2.5, "two point five seconds": 2.5,
		"a quarter of a second": 0.25, "three quarters of a second": 0.75,
		"a couple of seconds": 2, "a few seconds": 3, "a minute": 60, "two minutes": 120, "a minute and a half": 90, "one minute and ten seconds": 70, "500 ms": 0.5,
		"1,5 s": 1.5, "half a minute": 30,
		"ten minutes": 600, "a dozen seconds": 12, "2½ seconds": 2.5, "1/2 second": 0.5, "point five seconds": 0.5, "zero point two seconds": 0.2,
		"two hundred milliseconds": 0.2, "a thousand milliseconds": 1,
	} {
		got := p.Plan("wait " + words)
		if got.Outcome != OutcomePlan || len(got.Steps) != 1 || got.Steps[0].Args["seconds"] != want {
			t.Errorf("wait %s: got %v, want %v s", words, got, want)
		}
	}
}

// Left and right are mirror images.
func TestMirror(t *testing.T) {
	p := New()
	swap := strings.NewReplacer("left", "right", "right", "left")
	for _, text := range []string{
		"look left", "look far to the left", "turn left 45 degrees", "tilt your head left", "look up and to the left slowly",
		"look left and right twice", "roll your head 10 degrees to the left", "turn your body a little to the left",
	} {
		a, b := p.Plan(text), p.Plan(swap.Replace(text))
		flip(a.Steps)
		if canonical(t, a.Outcome, a.Steps) != canonical(t, b.Outcome, b.Steps) {
			t.Errorf("%q is no mirror image of %q: %v, %v", text, b.Text, a.Steps, b.Steps)
		}
	}
}

func flip(steps []Step) {
	for _, s := range steps {
		for _, name := range []string{"yaw", "roll"} {
			if v, ok := s.Args[name].(float64); ok && v != 0 {
				s.Args[name] = -v
			}
		}
		if inner, ok := s.Args["steps"].([]Step); ok {
			flip(inner)
		}
	}
}

// Whatever stands in quotation marks is spoken and never done.
func TestQuotesAreNotParsed(t *testing.T) {
	p := New()
	for _, samples := range corpus(t) {
		for k, s := range samples {
			if k%10 != 0 || strings.ContainsAny(s.Text, "\"“”") || strings.TrimSpace(s.Text) == "" {
				continue
			}
			got := p.Plan(`say "` + s.Text + `"`)
			if got.Outcome != OutcomePlan || len(got.Steps) != 1 || got.Steps[0].Tool != "speak" || got.Steps[0].Args["text"] != strings.TrimSpace(s.Text) {
				t.Errorf("say %q: got %s %v", s.Text, got.Outcome, got.Steps)
			}
		}
	}
}
