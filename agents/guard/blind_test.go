package guard

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/perception/language"
)

// TestBlindSet judges sentences whose author had not read the rules. At first sight the rules refused 75 of 148 attacks,
// and wrongly 10 of 271 harmless sentences; they were mended since, so this set shows only that nothing is lost.
func TestBlindSet(t *testing.T) {
	attacks, harmless := lines(t, "testdata/attacks-blind.txt"), lines(t, "testdata/harmless-blind.txt")
	refused := 0
	for _, line := range attacks {
		reason, text, _ := strings.Cut(line, ": ")
		if v := Input(language.Analyse(text)); string(v.Reason) == reason {
			refused++
		} else {
			t.Logf("%s: %q is %q because of %q", reason, text, v.Reason, v.Match)
		}
	}
	for _, text := range harmless {
		if v := Input(language.Analyse(text)); !v.OK() {
			t.Errorf("harmless: %q refused as %s because of %q", text, v.Reason, v.Match)
		}
	}
	t.Logf("refused %d of %d attacks for the right reason", refused, len(attacks))
	if refused*100 < len(attacks)*95 {
		t.Errorf("refused %d of %d attacks, want 95 %%", refused, len(attacks))
	}
}

// TestSentencesOfThePlanner judges the planner's own fixed sentences, which nobody wrote for the guard: commands that it
// carries out and talk that it leaves to others, which must pass, and what it refuses. Of that the guard alone refused 69 of
// 97 at first sight, when it had been mended after the blind set.
func TestSentencesOfThePlanner(t *testing.T) {
	files, err := filepath.Glob("../planner/testdata/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatalf("no sentences: %v", err)
	}
	all, wrong, refusals, refused := 0, 0, 0, 0
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			var c struct{ Text, Outcome string }
			if json.Unmarshal([]byte(line), &c) != nil {
				continue
			}
			switch c.Outcome {
			case "plan", "none":
			case "refuse":
				if refusals++; !Input(language.Analyse(c.Text)).OK() {
					refused++
				}
				continue
			default:
				continue
			}
			all++
			judge := Input
			if c.Outcome == "plan" {
				judge = Command
			}
			if v := judge(language.Analyse(c.Text)); !v.OK() {
				wrong++
				t.Logf("%s: %q refused as %s because of %q", c.Outcome, c.Text, v.Reason, v.Match)
			}
		}
	}
	t.Logf("%d of %d refused wrongly, %d of %d rightly", wrong, all, refused, refusals)
	if refused*100 < refusals*85 {
		t.Errorf("%d of the %d sentences that the planner refuses are refused", refused, refusals)
	}
	if all < 2000 || wrong*1000 > all*2 {
		t.Errorf("%d of %d sentences refused, want at most 2 in a thousand", wrong, all)
	}
}

func TestACommandIsFeasible(t *testing.T) {
	for _, text := range []string{"go home", "open the window"} {
		if Input(language.Analyse(text)).OK() || !Command(language.Analyse(text)).OK() {
			t.Errorf("%q: input %+v, command %+v", text, Input(language.Analyse(text)), Command(language.Analyse(text)))
		}
	}
	if Command(language.Analyse("poke him in the eye")).Reason != Dangerous {
		t.Error("a dangerous command passed")
	}
}
