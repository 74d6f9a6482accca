package eval

import (
	_ "embed" // sentences
	"slices"
	"testing"

	"github.com/reachyd/reachyd/agents/calling"
)

//go:embed phrased.txt
var phrased string

// Of the tools that a small model is offered, those that a sentence needs are among them, and none where nothing is asked for.
// Run it with -v for the figures of RATIONALE.md.
func TestOffers(t *testing.T) {
	specs, err := Specs()
	if err != nil {
		t.Fatal(err)
	}
	for name, set := range map[string]struct {
		sentences    []Request
		found, quiet int // at least so many per cent
	}{"requests": {Requests, 98, 80}, "held out": {HeldOut(), 95, 70}, "unseen": {Unseen(), 90, 70}, "phrased": {Listed(phrased), 98, 95}} {
		var wanted, found, nothing, quiet, offers int
		for _, r := range set.sentences {
			w, err := parseWant(r.Want)
			if err != nil {
				t.Fatalf("%q: %v", r.Text, err)
			}
			got := calling.Offers(r.Text, specs)
			offers += len(got)
			if len(w) == 0 {
				nothing++
				if len(got) == 0 {
					quiet++
				} else {
					t.Logf("%s: %q is offered %q", name, told(r), got)
				}
				continue
			}
			wanted++
			if slices.ContainsFunc(w, func(way []wantedCall) bool {
				return !slices.ContainsFunc(way, func(c wantedCall) bool { return !slices.Contains(got, c.tool) })
			}) {
				found++
			} else {
				t.Logf("%s: %q needs %s, is offered %q", name, told(r), r.Want, got)
			}
		}
		t.Logf("%s: the tools are among those offered for %d of %d; nothing is offered for %d of %d; %.1f tools for a sentence",
			name, found, wanted, quiet, nothing, float64(offers)/float64(len(set.sentences)))
		if found*100 < wanted*set.found || quiet*100 < nothing*set.quiet {
			t.Errorf("%s: want %d %% and %d %%", name, set.found, set.quiet)
		}
	}
}

// told is what may be told of a request.
func told(r Request) string {
	if r.Hidden {
		return "one of them"
	}
	return r.Text
}
