// Package candidates chooses among several ways in which a language model wrote the same tool. What a program can put right is put right
// first; then those count that pass the tests which the request itself holds, and of these the one that answers like most others to
// inputs that a program makes up. Tests that the model invented have no part in it. The first reply is a candidate like the others and
// wins what is undecided, so that choosing is never worse than asking once.
package candidates

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/reachyd/reachyd/agents/coder/mend"
	"github.com/reachyd/reachyd/toolsandbox/tester"
)

// Task is a tool that is to be written.
type Task struct {
	mend.Function
	// Text is what was asked for. Its examples and refusals are tests, and errors that it does not name are not to be raised.
	Text string
	// Run runs a source with inputs. The error says that there was no sandbox.
	Run func(ctx context.Context, source string, cases []tester.Case) (*tester.Report, error)
	// Another asks for the source of candidate n, from 1 on. last is the best so far, and wrong what is known to be wrong with it; empty
	// when nothing is.
	Another func(ctx context.Context, n int, last, wrong string) (string, error)
	// Most is how many replies there are at most, the first among them.
	Most int
}

// Choice is the source that was chosen.
type Choice struct {
	Source  string
	Replies int    // that were looked at
	Taken   int    // which of them it is, from 0 on
	Wrong   string // what is known to be wrong with it; empty when nothing is
}

type candidate struct {
	source  string
	reply   int      // which of the model's replies it comes from
	answers []string // to the probes
	broken  string   // why it cannot be right, whatever it answers; empty when it may
	failed  string   // the first of the request's own tests that it does not pass
	passed  int      // of the request's own tests
	refuses int      // probes that it refuses with an error of which the request says nothing
}

// Choose returns the best of the first source and those that Another returns. An error of Another ends the search, not the choice.
func (t *Task) Choose(ctx context.Context, first string) (Choice, error) {
	tests, probes := Beliefs(t.Text, &t.Function), Probes(t.Text, &t.Function)
	var all []candidate
	source := first
	for n := 0; ; n++ {
		for _, variant := range t.variants(source) {
			if slices.ContainsFunc(all, func(c candidate) bool { return c.source == variant && c.reply == n }) {
				continue
			}
			c, err := t.try(ctx, variant, tests, probes)
			if err != nil {
				return Choice{}, err
			}
			c.reply = n
			all = append(all, c)
		}
		chosen := best(all)
		done := Choice{Source: chosen.source, Replies: n + 1, Taken: chosen.reply, Wrong: chosen.wrong()}
		if n+1 >= t.Most || settled(all, chosen) {
			return done, nil
		}
		var err error
		if source, err = t.Another(ctx, n+1, chosen.source, chosen.wrong()); err != nil {
			return done, ctx.Err() // without another reply what there is must do
		}
	}
}

// variants are the ways in which a program can put a source right: as it was meant, and without refusing what nobody forbade.
func (t *Task) variants(source string) []string {
	mended, _ := mend.Python(source, t.Function)
	out := []string{mended}
	if free := mend.Unguarded(mended, raises.FindAllString(t.Text, -1)); free != mended {
		out = append(out, free)
	}
	return out
}

// wrongAnyway are errors that no tool should end with, whatever it is given.
var wrongAnyway = []string{
	"NameError", "AttributeError", "ImportError", "ModuleNotFoundError", "SyntaxError", "IndentationError", "UnboundLocalError", "RecursionError",
}

func (t *Task) try(ctx context.Context, source string, tests, probes []tester.Case) (candidate, error) {
	c := candidate{source: source}
	if strings.TrimSpace(source) == "" {
		c.broken = "there is no code"
		return c, nil
	}
	report, err := t.Run(ctx, source, slices.Concat(tests, probes))
	if err != nil {
		return c, err
	}
	for i, o := range report.Outcomes {
		if o.Error != nil && c.broken == "" && slices.Contains(wrongAnyway, o.Error.Type) {
			c.broken = o.Error.Type + ": " + o.Error.Message
		}
		if i < len(tests) {
			if o.Passed {
				c.passed++
			} else if c.failed == "" {
				c.failed = fmt.Sprintf("input %s: %s", tests[i].Input, o.Message)
			}
			continue
		}
		answer := string(o.Value)
		if o.Error != nil {
			answer = o.Error.Type
			if !strings.Contains(t.Text, o.Error.Type) {
				c.refuses++
			}
		}
		c.answers = append(c.answers, answer+" "+strings.Join(o.Calls, " "))
	}
	return c, nil
}

// wrong is what is known to be wrong with a candidate.
func (c *candidate) wrong() string {
	if c.broken != "" {
		return c.broken
	}
	return c.failed
}

// agree is how many probes two candidates answer alike.
func agree(a, b *candidate) (n int) {
	for i := range min(len(a.answers), len(b.answers)) {
		if a.answers[i] == b.answers[i] {
			n++
		}
	}
	return n
}

// settled reports whether nothing is known to be wrong with the chosen one and another reply answers everything as it does.
func settled(all []candidate, chosen *candidate) bool {
	return chosen.wrong() == "" && slices.ContainsFunc(all, func(o candidate) bool {
		return o.reply != chosen.reply && o.wrong() == "" && agree(&o, chosen) == len(chosen.answers)
	})
}

// best is the candidate of which least is known to be wrong; of equals the one that refuses least without having been told to, for small
// models like to forbid what nobody forbade; of equals the one that answers most like the other replies; of equals the earliest.
func best(all []candidate) *candidate {
	at := 0
	for i := range all {
		if better(&all[i], &all[at], all) {
			at = i
		}
	}
	return &all[at]
}

func better(a, b *candidate, all []candidate) bool {
	for _, by := range [...]func(*candidate) int{
		func(c *candidate) int {
			if c.broken != "" {
				return 0
			}
			return 1
		},
		func(c *candidate) int { return c.passed },
		func(c *candidate) int { return -c.refuses },
		func(c *candidate) int { return c.company(all) },
	} {
		if x, y := by(a), by(b); x != y {
			return x > y
		}
	}
	return false
}

// company is how far the other replies answer as this candidate does: of each reply the variant counts that does so most.
func (c *candidate) company(all []candidate) (n int) {
	most := map[int]int{}
	for i := range all {
		if o := &all[i]; o.reply != c.reply && o.broken == "" {
			most[o.reply] = max(most[o.reply], agree(o, c))
		}
	}
	for _, m := range most {
		n += m
	}
	return n
}
