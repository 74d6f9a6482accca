package planner

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/reachyd/reachyd/hal/catalog"
	"github.com/reachyd/reachyd/perception/language"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// sample is one line of the corpus: a sentence and what must come of it.
type sample struct {
	Text    string  `json:"text"`
	Outcome Outcome `json:"outcome"`
	Steps   []Step  `json:"steps"`
}

// corpus reads testdata/*.jsonl; the file name tells the phenomenon.
func corpus(tb testing.TB) map[string][]sample {
	tb.Helper()
	files, err := filepath.Glob("testdata/*.jsonl")
	if err != nil || len(files) == 0 {
		tb.Fatalf("no corpus: %v", err)
	}
	all := map[string][]sample{}
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			tb.Fatal(err)
		}
		topic := strings.TrimSuffix(filepath.Base(name), ".jsonl")
		lines := bufio.NewScanner(f)
		for n := 1; lines.Scan(); n++ {
			var s sample
			if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
				tb.Fatalf("%s:%d: %v", name, n, err)
			}
			all[topic] = append(all[topic], s)
		}
		if err := lines.Err(); err != nil {
			tb.Fatal(err)
		}
		f.Close()
	}
	return all
}

// canonical makes two plans comparable: through JSON and back, without text and message.
func canonical(tb testing.TB, o Outcome, steps []Step) string {
	tb.Helper()
	if steps == nil {
		steps = []Step{}
	}
	b, err := json.Marshal(steps)
	if err != nil {
		tb.Fatal(err)
	}
	var generic any
	if err := json.Unmarshal(b, &generic); err != nil {
		tb.Fatal(err)
	}
	if b, err = json.Marshal(generic); err != nil {
		tb.Fatal(err)
	}
	return string(o) + " " + string(b)
}

func TestCorpus(t *testing.T) {
	p := New()
	total := 0
	for topic, samples := range corpus(t) {
		total += len(samples)
		t.Run(topic, func(t *testing.T) {
			for _, s := range samples {
				got := p.Plan(s.Text)
				if want, have := canonical(t, s.Outcome, s.Steps), canonical(t, got.Outcome, got.Steps); want != have {
					t.Errorf("%q\n want %s\n got  %s", s.Text, want, have)
				}
			}
		})
	}
	if total < 2500 {
		t.Errorf("the corpus has %d sentences, want at least 2500", total)
	}
}

func TestPlanShape(t *testing.T) {
	p := New()
	for text, want := range map[string]string{
		"look left, then nod twice": `{"text":"look left, then nod ` +
			`twice","outcome":"plan","steps":[{"tool":"move_head","args":{"duration":1,"pitch":0,"roll":0,"yaw":30}},` +
			`{"tool":"repeat","args":{"interval":0,"steps":[{"tool":"gesture","args":{"name":"nod"}}],"times":2}}],"message":""}`,
		"turn your head 200 degrees to the left": `{"text":"turn your head 200 degrees to the left","outcome":"error","steps":[],` +
			`"message":"I cannot turn that far: I can turn my head by at most 180°, and you asked for 200°."}`,
		"": `{"text":"","outcome":"none","steps":[],"message":"` + NotUnderstood + `"}`,
	} {
		b, err := json.Marshal(p.Plan(text))
		if err != nil {
			t.Fatal(err)
		}
		if string(b) != want {
			t.Errorf("%q\n want %s\n got  %s", text, want, b)
		}
	}
}

// Every limit of hal/catalog is tripped, and its message names the limit and the value.
func TestLimits(t *testing.T) {
	p := New()
	for _, c := range []struct{ text, limit, value, fits string }{
		{"look down 41 degrees", "40", "41", "look down 40 degrees"},
		{"tilt your head 50 degrees to the left", "40", "50", "tilt your head 40 degrees to the left"},
		{"turn your head 181 degrees to the right", "180", "181", "turn your head 180 degrees to the right"},
		{"turn your body 161 degrees left", "160", "161", "turn your body 160 degrees left"},
		{"set both antennas to 181 degrees", "180", "181", "set both antennas to 180 degrees"},
		{"set the volume to 101", "100", "101", "set the volume to 100"},
		{"set the volume to minus 1", "0", "-1", "set the volume to 0"},
		{"look left over 61 seconds", "60", "61", "look left over 60 seconds"},
		{"look left over 0 seconds", "0", "0", "look left over 0.1 seconds"},
		{"nod 101 times", "100", "101", "nod 100 times"},
		{"nod zero times", "1", "0", "nod one time"},
		{"nod two and a half times", "1", "2.5", "nod two times"},
		{"wait 601 seconds", "600", "601", "wait 600 seconds"},
		{"wait 20 minutes", "600", "1200", "wait 10 minutes"},
		{"look left over 0.05 seconds", "0.1", "0.05", "look left over 0.1 seconds"},
		{"nod every minute for twelve minutes", "600", "660", "nod every minute for ten minutes"},
		{"wait minus two seconds", "0", "-2", "wait two seconds"},
		{"nod twice every 61 seconds", "60", "61", "nod twice every 60 seconds"},
		{"make a full turn", "160", "360", "make a quarter turn"},
	} {
		got := p.Plan(c.text)
		if got.Outcome != OutcomeError || !strings.Contains(got.Message, c.limit) || !strings.Contains(got.Message, c.value) || len(got.Steps) != 0 {
			t.Errorf("%q: got %s %q, want an error that names %s and %s", c.text, got.Outcome, got.Message, c.limit, c.value)
		}
		if got := p.Plan(c.fits); got.Outcome != OutcomePlan {
			t.Errorf("%q: got %s %q, want a plan", c.fits, got.Outcome, got.Message)
		}
	}
	if got := p.Plan(strings.Repeat("nod and ", 1000)); got.Outcome != OutcomeNone {
		t.Errorf("a text of 8000 bytes: got %s, want none", got.Outcome)
	}
	if got := p.Plan("look left, then nod, then look up 90 degrees"); got.Outcome != OutcomeError || len(got.Steps) != 0 {
		t.Errorf("one impossible step must stop the whole sequence, got %s with %d steps", got.Outcome, len(got.Steps))
	}
}

func TestOptions(t *testing.T) {
	p := New(WithObjects("stapler"), WithPoses("t-rex"), WithMoves("chicken_peck"), WithTools("count_objects"))
	for text, want := range map[string]string{
		"look at the stapelr":         `plan [{"args":{"target":"stapler"},"tool":"look_at"}]`,
		"go to t-rex":                 `plan [{"args":{"name":"t-rex"},"tool":"goto_pose"}]`,
		"play chicken peck":           `plan [{"args":{"name":"chicken_peck"},"tool":"play_move"}]`,
		"nod and then count objects":  `plan [{"args":{"name":"nod"},"tool":"gesture"},{"args":{},"tool":"count_objects"}]`,
		"please run count_objects":    `plan [{"args":{},"tool":"count_objects"}]`,
		"use the count_objects tool.": `plan [{"args":{},"tool":"count_objects"}]`,
	} {
		got := p.Plan(text)
		if have := canonical(t, got.Outcome, got.Steps); have != want {
			t.Errorf("%q\n want %s\n got  %s", text, want, have)
		}
	}
	if got := New().Plan("play chicken peck"); got.Outcome != OutcomeNone {
		t.Errorf("a move that nobody named: got %s, want none", got.Outcome)
	}
}

func TestConcurrent(t *testing.T) {
	p := New()
	want := p.Plan("look left, then nod twice and say hello")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				if got := p.Plan(want.Text); !reflect.DeepEqual(got, want) {
					t.Errorf("got %v, want %v", got, want)
					return
				}
			}
		})
	}
	wg.Wait()
}

func BenchmarkPlan(b *testing.B) {
	p := New()
	for name, text := range map[string]string{
		"short":    "look left",
		"usual":    "could you please look a little to the left, then nod twice and say hello world",
		"speech":   "tell everyone that dinner is ready and that we should all sit down, then look at the duck on the table and take a picture of it",
		"tolerant": "I was wondering whether you could, if it is not too much bother, turn at right the head for 45 grades",
		"hostile":  strings.Repeat("I was wondering whether you could make the ", 19),
		"none":     "I left my keys on the left side of the table yesterday and the dog nodded at the right moment",
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				p.Plan(text)
			}
		})
	}
}

func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		New()
	}
}

// A repeat that the tool refuses is not planned: too deep, too many things together, texts that are too long.
func TestRefusals(t *testing.T) {
	nod := Step{Tool: "gesture", Args: map[string]any{"name": "nod"}}
	repeat := func(times float64, steps ...Step) Step {
		return Step{Tool: "repeat", Args: map[string]any{"steps": steps, "times": times, "interval": 0.0}}
	}
	many := make([]Step, catalog.MaxSteps+1)
	for k := range many {
		many[k] = nod
	}
	long := strings.Repeat("ä", catalog.MaxThing)
	for _, c := range []struct {
		fits, refused Step
		want          string
	}{
		{repeat(2, repeat(2, repeat(2, nod))), repeat(2, repeat(2, repeat(2, repeat(2, nod)))), "within 3 repetitions: at most 2"},
		{repeat(2, many[1:]...), repeat(2, many...), "21 things together: at most 20"},
		{
			Step{Tool: "look_at", Args: map[string]any{"target": long}},
			Step{Tool: "look_at", Args: map[string]any{"target": long + "a"}},
			"101 characters for the target of look_at: at most 100",
		},
		{
			repeat(10, Step{Tool: "wait", Args: map[string]any{"seconds": 60.0}}),
			repeat(11, Step{Tool: "wait", Args: map[string]any{"seconds": 60.0}}), "for 660 s: a repetition takes at most 600 s",
		},
		{
			Step{Tool: "look_at", Args: map[string]any{"x": 10.0}},
			Step{Tool: "look_at", Args: map[string]any{"x": 10.5}},
			"10.5 m for the x of look_at: it goes from -10 to 10",
		},
	} {
		if got := refusal([]Step{nod, c.fits}); got != "" {
			t.Errorf("%v: got %q, want none", c.fits, got)
		}
		if got := refusal([]Step{nod, c.refused}); !strings.Contains(got, c.want) {
			t.Errorf("%v: got %q, want %q", c.refused, got, c.want)
		}
	}
}

// What the tables of phrases name is in the catalogue: a slip in a text file must not become a plan that no tool runs.
func TestTablesNameWhatTheRobotCanDo(t *testing.T) {
	for _, key := range actions.Keys() {
		tool, arg, _ := strings.Cut(key, " ")
		switch tool {
		case "gesture":
			if catalog.GestureNamed(arg) == nil {
				t.Errorf("actions: %q: no such gesture", key)
			}
		case "goto_pose":
			if catalog.PoseNamed(arg) == nil {
				t.Errorf("actions: %q: no such pose", key)
			}
		case "head", "body", "antennas", "it":
		default:
			if catalog.ToolNamed(tool) == nil {
				t.Errorf("actions: %q: no such tool", key)
			}
		}
	}
	for _, p := range []*language.Trie{emotionWords, emotionVerbs} {
		for _, key := range p.Keys() {
			if catalog.EmotionNamed(key) == nil {
				t.Errorf("emotions: %q: no such emotion", key)
			}
		}
	}
}
