package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/perception/client"
)

func TestJudge(t *testing.T) {
	m := measurement{planner: planner.New()}
	for _, c := range []struct {
		kind, said string
		heard      heard
		want       verdict
	}{
		{"command", "look left", heard{"Look to the left.", "", 1, 0}, right},
		{"command", "look left", heard{"look right", "", 1, 0}, wrong},
		{"command", "look left", heard{"", "", 0, 0}, nothing},
		{"command", "look left", heard{"Look left.", "", 0, 1}, askRight},
		{"command", "look left", heard{"Look right.", "", 0, 1}, askWrong},
		{"command", "look left and nod", heard{"Look left. And nod.", "", 1, 1}, wrong},
		{"command", "google how to boil an egg", heard{"Google how to boil an egg.", "", 1, 0}, right},
		{"command", "What colour is the duck?", heard{"What color is the duck?", "", 1, 0}, right},
		{"command", "stop following me", heard{"", "stop", 0, 0}, wrong},
		{"stop", "please stop", heard{"", "please stop", 0, 0}, right},
		{"command", "stop right there", heard{"", "Stop right there.", 0, 0}, right},
		{"stop", "stop it now", heard{"Stop it out.", "", 1, 0}, right},
		{"stop", "please stop", heard{"please nod", "", 1, 0}, wrong},
		{"other", "nice weather", heard{"nice weather", "", 0, 0}, right},
		{"other", "nice weather", heard{"nod", "", 1, 0}, wrong},
		{"other", "nice weather", heard{"nod", "", 0, 1}, askWrong},
		{"nothing", "", heard{"you", "", 0, 0}, nothing},
		{"nothing", "", heard{"", "", 0, 0}, right},
		{"reader", "", heard{"a long text", "", 1, 0}, right},
		{"reader", "", heard{"a long text", "", 2, 0}, wrong},
	} {
		if got := m.judge(&row{Kind: c.kind, Text: c.said}, &c.heard); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}

func TestCause(t *testing.T) {
	one := []client.Utterance{{}}
	for _, c := range []struct {
		want  string
		heard heard
		hears client.Hearings
	}{
		{"not heard", heard{}, client.Hearings{}},
		{"not heard", heard{}, client.Hearings{Rejected: []client.Event{{Reason: client.ReasonNoSpeech}}}},
		{"rejected", heard{}, client.Hearings{Rejected: []client.Event{{Reason: client.ReasonNotUnderstood}}}},
		{"cut", heard{text: "look left"}, client.Hearings{Utterances: []client.Utterance{{}, {}}}},
		{"misheard", heard{text: "Look lest."}, client.Hearings{Utterances: one}},
		{"misheard", heard{stop: "stop"}, client.Hearings{}},
		{"asked", heard{text: "Look left.", asked: 1}, client.Hearings{Utterances: one}},
		{"not understood", heard{text: "Look left."}, client.Hearings{Utterances: one}},
	} {
		got := cause(&row{Text: "look left"}, &c.heard, &c.hears)
		if got != c.want || !slices.Contains(causes, got) {
			t.Errorf("%+v: %s instead of %s", c.heard, got, c.want)
		}
	}
}

func TestAnyPartIsAFairSample(t *testing.T) {
	var rows []row
	for i := range 100 {
		rows = append(rows, row{File: fmt.Sprint(i), Kind: "command"})
	}
	rows = append(rows, row{Kind: "reader"})
	m := measurement{every: 2}
	a, b := m.chosen(rows), m.chosen(rows)
	if len(a) != 51 || !slices.Equal(a, b) || a[0].File == "0" && a[1].File == "2" {
		t.Errorf("%d: %v", len(a), a)
	}
}

func TestOnlySomeAreHeard(t *testing.T) {
	rows := []row{
		{Kind: "command", Condition: "clean"},
		{Kind: "command", Condition: "babble 5 dB"},
		{Kind: "stop", Condition: "noise 10 dB"},
		{Kind: "other", Condition: "clean"},
	}
	for only, want := range map[string]int{"": 4, "babble,": 1, "babble,stop": 2, "clean": 2, "command,noise": 3, "whistle": 0} {
		if got := selected(slices.Clone(rows), only); len(got) != want {
			t.Errorf("%q: %v", only, got)
		}
	}
}

func TestTheTableCounts(t *testing.T) {
	m := measurement{table: map[string]*tally{"command\tclean\tall voices": {}}}
	x := m.table["command\tclean\tall voices"]
	x.add(&row{Text: "look left"}, "look left", right, &client.Hearings{Utterances: []client.Utterance{{Latency: 0.2}}})
	x.add(&row{Text: "nod two times"}, "", nothing, &client.Hearings{})
	var b bytes.Buffer
	m.print(&b)
	for _, part := range []string{"50.0 %", "60.0 %", "0.20 s"} { // right and nothing, word errors, latency
		if !strings.Contains(b.String(), part) {
			t.Errorf("%q is not in\n%s", part, b.String())
		}
	}
}

func TestTheTableSaysWithWhatItWasMeasured(t *testing.T) {
	for tuned, want := range map[bool]string{true: "model tiny.en, tuned, silero", false: "model tiny.en, silero"} {
		if got := title(&client.Hearing{Model: "tiny.en", Detector: "silero", Tuned: tuned}); got != want {
			t.Errorf("%q instead of %q", got, want)
		}
	}
}

func TestWhatCannotBeMeasuredIsSaid(t *testing.T) {
	dir := t.TempDir()
	var out, complaint bytes.Buffer
	if code := run(t.Context(), []string{"-data", dir}, &out, &complaint); code != 2 || !strings.Contains(complaint.String(), "index.tsv") {
		t.Errorf("%d, %s", code, &complaint)
	}
	if err := os.WriteFile(filepath.Join(dir, "index.tsv"), []byte("a\tb\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code := run(t.Context(), []string{"-data", dir}, &out, &complaint); code != 2 || !strings.Contains(complaint.String(), "2 columns") {
		t.Errorf("%d, %s", code, &complaint)
	}
	if err := os.WriteFile(filepath.Join(dir, "index.tsv"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if code := run(t.Context(), []string{"-data", dir, "-only", "whistle"}, &out, &complaint); code != 2 || !strings.Contains(complaint.String(), "whistle") {
		t.Errorf("nothing is chosen: %d, %s", code, &complaint)
	}
	if code := run(t.Context(), []string{"-data", dir, "-sense", filepath.Join(dir, "none")}, &out, &complaint); code != 1 {
		t.Errorf("without the program: %d", code)
	}
}
