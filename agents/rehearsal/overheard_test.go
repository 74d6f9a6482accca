package rehearsal

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/hal/catalog"
)

// overheard are sentences that people say to each other: those that the networks' writers called talk, or nothing for a robot.
func overheard(t *testing.T) (all []string) {
	t.Helper()
	files, err := filepath.Glob("../../perception/language/frames/sentences/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	more, err := filepath.Glob("../smalltalk/guess/sentences/*.tsv")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range slices.Concat(files, more) {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(raw)) {
			line = strings.TrimSpace(line)
			if text, ok := strings.CutSuffix(line, " => talk"); ok {
				all = append(all, text)
			}
			if text, ok := strings.CutPrefix(line, "other\t"); ok {
				all = append(all, text)
			}
		}
	}
	return all
}

// Of what people say to each other at most 2 % moves it or latches a stop. The networks have learned from these sentences, so that strangers'
// talk may fare worse; the rules, which come first, know none of them.
func TestOrdinaryTalkMovesNothing(t *testing.T) {
	all := overheard(t)
	if len(all) < 4000 {
		t.Fatalf("%d sentences", len(all))
	}
	const every = 11 * oneIn
	stage, asked, moved := newStage(t), 0, 0
	for i := 0; i < len(all); i += every {
		c := stage.Begin()
		got, err := c.Say(t.Context(), all[i])
		if err != nil {
			t.Error(err)
		}
		asked++
		moves := func(s Step) bool { tool := catalog.ToolNamed(s.Tool); return tool != nil && tool.Moves }
		if got.Before != got.Pose || got.Stopped || slices.ContainsFunc(got.Steps, moves) {
			t.Logf("%q: %s", all[i], got.Reply)
			moved++
		}
		if err := c.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
	t.Logf("%d of %d moved it", moved, asked)
	if moved > max(3, asked/50) {
		t.Errorf("%d of %d are more than 2 %%", moved, asked)
	}
}
