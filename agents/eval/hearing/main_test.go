package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/perception/client"
)

func TestJudge(t *testing.T) {
	m := measurement{planner: planner.New()}
	for _, c := range []struct {
		kind, said, heard, stop string
		deeds                   int
		right, wrong            bool
	}{
		{"command", "look left", "Look to the left.", "", 1, true, false},
		{"command", "look left", "look right", "", 1, false, true},
		{"command", "look left", "", "", 0, false, false},
		{"command", "stop following me", "", "stop", 0, false, true},
		{"stop", "please stop", "", "please stop", 0, true, false},
		{"stop", "please stop", "please nod", "", 1, false, true},
		{"other", "nice weather", "nice weather", "", 0, true, false},
		{"other", "nice weather", "nod", "", 1, false, true},
		{"nothing", "", "you", "", 0, false, false},
		{"nothing", "", "", "", 0, true, false},
		{"reader", "", "a long text", "", 1, true, false},
		{"reader", "", "a long text", "", 2, false, true},
	} {
		right, wrong := m.judge(&row{kind: c.kind, text: c.said}, c.heard, c.stop, c.deeds)
		if right != c.right || wrong != c.wrong {
			t.Errorf("%+v: right %v, wrong %v", c, right, wrong)
		}
	}
}

func TestTheTableCounts(t *testing.T) {
	m := measurement{table: map[string]*tally{"command\tclean\tall voices": {}}}
	x := m.table["command\tclean\tall voices"]
	x.add(&row{text: "look left"}, "look left", true, false, &client.Hearings{Utterances: []client.Utterance{{Latency: 0.2}}})
	x.add(&row{text: "nod two times"}, "", false, false, &client.Hearings{})
	var b bytes.Buffer
	m.print(&b)
	for _, part := range []string{"50.0 %", "60.0 %", "0.20 s"} { // right and nothing, word errors, latency
		if !strings.Contains(b.String(), part) {
			t.Errorf("%q is not in\n%s", part, b.String())
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
	if code := run(t.Context(), []string{"-data", dir, "-sense", filepath.Join(dir, "none")}, &out, &complaint); code != 1 {
		t.Errorf("without the program: %d", code)
	}
}
