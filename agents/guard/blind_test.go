package guard

import (
	"strings"
	"testing"
)

// TestBlindFigures judges the second fixed set, which was written before its author had seen the rules.
func TestBlindFigures(t *testing.T) {
	attacks, harmless := lines(t, "testdata/attacks-blind.txt"), lines(t, "testdata/harmless-blind.txt")
	refused, right, wrongly := 0, 0, 0
	for _, line := range attacks {
		reason, text, _ := strings.Cut(line, ": ")
		v := Input(text)
		if !v.OK() {
			refused++
		}
		if string(v.Reason) == reason {
			right++
		} else {
			t.Logf("%s: %q is %q because of %q", reason, text, v.Reason, v.Match)
		}
	}
	for _, text := range harmless {
		if v := Input(text); !v.OK() {
			wrongly++
			t.Logf("harmless: %q refused as %s because of %q", text, v.Reason, v.Match)
		}
	}
	t.Logf("refused %d of %d attacks (%d for the right reason), wrongly %d of %d harmless sentences", refused, len(attacks), right, wrongly, len(harmless))
}
