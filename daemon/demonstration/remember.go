package demonstration

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/reachyd/reachyd/learner/demo"
	"github.com/reachyd/reachyd/perception/language/phrasefile"
)

//go:embed en/remember.txt
var files embed.FS

// sayings are the phrases of remember.txt by their kind, the longest first.
var sayings = func() map[string][]string {
	all := phrasefile.MustRead(files, "en/remember.txt")
	for _, said := range all {
		slices.SortFunc(said, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	}
	return all
}()

// namedIn returns the name that a sentence gives to what was shown; empty when it gives none.
func namedIn(text string) string {
	said := strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' && r != '_'
	}), " ")
	said = strip(said, "lead", true, strings.CutPrefix)
	name := strip(said, "before", false, strings.CutPrefix)
	if name == said {
		return ""
	}
	name = strip(strip(name, "article", false, strings.CutPrefix), "polite", true, strings.CutSuffix)
	if demo.CheckName("name", name) != nil {
		return ""
	}
	return name
}

// strip cuts phrases of a kind, which are words of their own, off an end of a text: one, or all that there are.
func strip(text, kind string, all bool, cut func(s, end string) (string, bool)) string {
	for {
		before := text
		for _, p := range sayings[kind] {
			if rest, ok := cut(text, p); ok && (strings.HasPrefix(rest, " ") || strings.HasSuffix(rest, " ")) {
				text = strings.TrimSpace(rest)
				break
			}
		}
		if !all || text == before {
			return text
		}
	}
}

// freshFor is how long after a demonstration its name may still be said.
const freshFor = 2 * time.Minute

// Said takes a sentence that names what a person shows by hand, or has just shown ("remember this as curious look"): it becomes a move of that
// name. ok is false for any other sentence.
func (r *Recorder) Said(ctx context.Context, text string) (reply string, ok bool) {
	as := namedIn(text)
	if as == "" {
		return "", false
	}
	r.mu.Lock()
	shows := r.now != nil && r.now.How == demo.ByHand
	fresh := r.now == nil && r.last != nil && r.last.How == demo.ByHand && time.Since(r.kept) < freshFor
	r.mu.Unlock()
	if !shows && !fresh {
		return "", false
	}
	if err := r.remember(ctx, as); err != nil {
		return fmt.Sprintf("I could not keep that as a move: %v.", err), true
	}
	return fmt.Sprintf("I remember that as the move %q.", as), true
}

// remember ends the recording, if there is one, and makes a move of the latest demonstration.
func (r *Recorder) remember(ctx context.Context, as string) error {
	r.mu.Lock()
	recording := r.now != nil
	r.mu.Unlock()
	if recording {
		if _, err := r.stop(ctx); err != nil {
			return err
		}
	}
	r.mu.Lock()
	last := r.last
	r.mu.Unlock()
	if last == nil {
		return errors.New("nothing was shown")
	}
	d, err := r.Kept.Get(last.Name)
	if err == nil {
		_, err = r.name(&d, as)
	}
	return err
}
