// Package candidates chooses among several ways in which a language model wrote the same tool. What a program can put right is put right
// first; then those count that pass the tests which are certain, because the request itself holds them, and of these the one that answers
// like most others to inputs that a program makes up. A test that a model invented is an opinion: a source that passes it needs no second
// one, and it goes where two sources, written without knowing of each other, agree that something else comes out. The first reply is a
// candidate like the others and wins what is undecided, so that choosing is never worse than asking once.
package candidates

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/reachyd/reachyd/agents/coder/mend"
	"github.com/reachyd/reachyd/toolsandbox/tester"
)

// Task is a tool that is to be written. Its Signature may be empty: then nothing is put right by program.
type Task struct {
	mend.Function
	// Text is what was asked for. Errors that it does not name are not to be raised, and inputs are made up from it.
	Text string
	// Tests are certain: the request holds them; see Beliefs.
	Tests []tester.Case
	// Invented are tests that may be wrong. The names of all tests differ.
	Invented []tester.Case
	// Enough says that a source which passes all tests needs no other beside it.
	Enough bool
	// Run runs a source with inputs. A Broken says that the source cannot be right, another error that there was no sandbox.
	Run func(ctx context.Context, source string, cases []tester.Case) (*tester.Report, error)
	// Another asks for the source of candidate n, from 1 on. last is the best so far, and wrong what is known to be wrong with it; empty
	// when nothing is, or when it was told already.
	Another func(ctx context.Context, n int, last, wrong string) (string, error)
	// Explain puts into words which tests failed; the first of them when nil.
	Explain func(failed []tester.Outcome) string
	// Wrong asks somebody else whether an invented test is wrong which two replies do not pass; nobody when nil.
	Wrong func(ctx context.Context, test *tester.Case) bool
	// Most is how many replies there are at most, the first among them.
	Most int
}

// Broken says why a source cannot be right, whatever it answers.
type Broken string

// Error implements error.
func (b Broken) Error() string { return string(b) }

// Choice is the source that was chosen.
type Choice struct {
	Source  string
	Replies int      // that were looked at
	Taken   int      // which of them it is, from 0 on
	Wrong   string   // what is known to be wrong with it; empty when nothing is
	Failed  []string // invented tests that it does not pass
	Dropped []string // invented tests that were found to be wrong
}

type candidate struct {
	source  string
	reply   int               // which of the model's replies it comes from
	answers map[string]string // to tests and made-up inputs, where it gave one
	broken  string            // why it cannot be right, whatever it answers; empty when it may
	failed  []tester.Outcome  // of the tests
	passed  int               // of the certain tests
	refuses int               // made-up inputs that it refuses with an error of which the request says nothing
}

// choosing is the work on one task.
type choosing struct {
	*Task
	probes  []tester.Case
	all     []candidate
	dropped []string
	told    []string // what was wrong, as the model was told
}

// Choose returns the best of the first source and those that Another returns. An error of Another ends the search, not the choice; with an
// error of Run it returns the last source, put right by program.
func (t *Task) Choose(ctx context.Context, first string) (Choice, error) {
	s := choosing{Task: t, probes: Probes(t.Text, &t.Function)}
	source := first
	for n := 0; ; n++ {
		if err := s.look(ctx, n, source); err != nil {
			return Choice{Source: s.variants(source)[0], Replies: n + 1, Taken: n}, err
		}
		s.outvote()
		chosen := s.best()
		if s.judge(ctx, n) {
			chosen = s.best()
		}
		done := Choice{
			Source: chosen.source, Replies: n + 1, Taken: chosen.reply, Wrong: s.wrong(chosen), Failed: names(s.failures(chosen)), Dropped: s.dropped,
		}
		if n+1 >= t.Most || s.settled(chosen) {
			return done, nil
		}
		var err error
		if source, err = t.Another(ctx, n+1, chosen.source, s.news(chosen)); err != nil {
			return done, ctx.Err() // without another reply what there is must do
		}
	}
}

// look runs the ways in which a reply can be put right.
func (s *choosing) look(ctx context.Context, n int, source string) error {
	for _, variant := range s.variants(source) {
		c := candidate{source: variant, reply: n, answers: map[string]string{}}
		if err := s.try(ctx, &c); err != nil {
			return err
		}
		s.all = append(s.all, c)
		if s.Enough && c.broken == "" && len(c.failed) == 0 {
			return nil
		}
	}
	return nil
}

// variants are the ways in which a program can put a source right: as it was meant, and without refusing what nobody forbade.
func (t *Task) variants(source string) []string {
	if t.Signature == "" {
		return []string{source}
	}
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

// try runs the tests, and then the made-up inputs unless the tests are enough.
func (s *choosing) try(ctx context.Context, c *candidate) error {
	if strings.TrimSpace(c.source) == "" {
		c.broken = "There was no code in your answer."
		return nil
	}
	tests := slices.Concat(s.Tests, s.Invented)
	tests = slices.DeleteFunc(tests, func(k tester.Case) bool { return slices.Contains(s.dropped, k.Name) })
	outcomes, err := s.run(ctx, c, tests)
	if err != nil {
		return err
	}
	for _, o := range outcomes {
		switch {
		case !o.Passed:
			c.failed = append(c.failed, o)
		case s.certain(o.Name):
			c.passed++
		}
	}
	if s.Enough && len(c.failed) == 0 {
		return nil
	}
	if outcomes, err = s.run(ctx, c, s.probes); err != nil {
		return err
	}
	for _, o := range outcomes {
		if o.Error != nil && !strings.Contains(s.Text, o.Error.Type) {
			c.refuses++
		}
	}
	return nil
}

// run runs cases and keeps what is answered.
func (s *choosing) run(ctx context.Context, c *candidate, cases []tester.Case) ([]tester.Outcome, error) {
	if len(cases) == 0 || c.broken != "" {
		return nil, nil
	}
	report, err := s.Run(ctx, c.source, cases)
	var broken Broken
	switch {
	case errors.As(err, &broken):
		c.broken = string(broken)
		return nil, nil
	case err != nil:
		return nil, err
	}
	for i := range report.Outcomes {
		o := &report.Outcomes[i]
		if o.Error != nil && c.broken == "" && slices.Contains(wrongAnyway, o.Error.Type) {
			c.broken = o.Error.Type + ": " + o.Error.Message
		}
		answer := string(o.Value)
		if o.Error != nil {
			answer = o.Error.Type
		}
		c.answers[o.Name] = answer + " " + strings.Join(o.Calls, " ")
	}
	return report.Outcomes, nil
}

func (t *Task) certain(name string) bool {
	return slices.ContainsFunc(t.Tests, func(k tester.Case) bool { return k.Name == name })
}

// failures are the tests that a candidate does not pass and that were not dropped: those that say for certain that it is wrong first.
func (s *choosing) failures(c *candidate) (out []tester.Outcome) {
	for _, o := range c.failed {
		if !slices.Contains(s.dropped, o.Name) {
			out = append(out, o)
		}
	}
	return out
}

// proves reports whether a failed test says for certain that a source is wrong: the test is certain, or the source did not answer at
// all, neither with a value nor with an error by which a tool may refuse.
func (s *choosing) proves(o *tester.Outcome) bool {
	if s.certain(o.Name) || o.Error == nil && len(o.Value) == 0 {
		return true
	}
	return o.Error != nil && !strings.Contains(s.Text, o.Error.Type) && o.Error.Type != "ValueError"
}

// wrong is what is known to be wrong with a candidate.
func (s *choosing) wrong(c *candidate) string {
	if c.broken != "" {
		return c.broken
	}
	failed := s.failures(c)
	if !slices.ContainsFunc(failed, func(o tester.Outcome) bool { return s.proves(&o) }) {
		return ""
	}
	return s.explain(failed)
}

func (s *choosing) explain(failed []tester.Outcome) string {
	if s.Explain != nil {
		return s.Explain(failed)
	}
	for _, k := range slices.Concat(s.Tests, s.Invented) {
		if k.Name == failed[0].Name {
			return fmt.Sprintf("input %s: %s", k.Input, failed[0].Message)
		}
	}
	return failed[0].Message
}

// news is what the model is told of the best source: what is wrong with it for certain, and what an invented test says where a second
// source was no help; each once, for what did not help the first time will not the second.
func (s *choosing) news(c *candidate) string {
	wrong := s.wrong(c)
	if failed := s.failures(c); wrong == "" && len(failed) > 0 && s.all[len(s.all)-1].reply > 0 {
		wrong = s.explain(failed)
	}
	if wrong == "" || slices.Contains(s.told, wrong) {
		return ""
	}
	s.told = append(s.told, wrong)
	return wrong
}

// drop leaves an invented test out. At least half of all tests stay.
func (s *choosing) drop(name string) bool {
	if 2*(len(s.dropped)+1) > len(s.Tests)+len(s.Invented) {
		return false
	}
	s.dropped = append(s.dropped, name)
	return true
}

// outvote leaves out the invented tests of which two different sources say alike that something else comes out.
func (s *choosing) outvote() {
	for i := range s.all {
		a := &s.all[i]
		for _, o := range s.failures(a) {
			if s.proves(&o) {
				continue
			}
			if slices.ContainsFunc(s.all[:i], func(b candidate) bool {
				return b.reply != a.reply && b.source != a.source && b.broken == "" && b.answers[o.Name] == a.answers[o.Name]
			}) {
				s.drop(o.Name)
			}
		}
	}
}

// judge has an invented test judged that the newest reply does not pass, nor one before: one at a time, for each costs a question. It
// reports whether it went.
func (s *choosing) judge(ctx context.Context, n int) bool {
	if s.Wrong == nil || n == 0 {
		return false
	}
	newest := &s.all[len(s.all)-1]
	for _, o := range s.failures(newest) {
		at := slices.IndexFunc(s.Invented, func(k tester.Case) bool { return k.Name == o.Name })
		again := slices.ContainsFunc(s.all, func(c candidate) bool {
			return c.reply < n && slices.ContainsFunc(c.failed, func(f tester.Outcome) bool { return f.Name == o.Name })
		})
		if at >= 0 && again {
			return s.Wrong(ctx, &s.Invented[at]) && s.drop(o.Name)
		}
	}
	return false
}

// settled reports whether nothing is known to be wrong with the chosen one, and either its passing of all tests is enough or another
// reply answers everything as it does.
func (s *choosing) settled(chosen *candidate) bool {
	if s.wrong(chosen) != "" || len(s.failures(chosen)) > 0 {
		return false
	}
	return s.Enough || slices.ContainsFunc(s.all, func(o candidate) bool {
		return o.reply != chosen.reply && s.wrong(&o) == "" && agree(&o, chosen) == len(chosen.answers)
	})
}

// agree is how many inputs two candidates answer alike.
func agree(a, b *candidate) (n int) {
	for name, answer := range b.answers {
		if other, ok := a.answers[name]; ok && other == answer {
			n++
		}
	}
	return n
}

// best is the candidate of which least is known to be wrong; of equals the one that refuses least without having been told to, for small
// models like to forbid what nobody forbade; of equals the one that answers most like the other replies; of equals the one that passes
// most of the invented tests; of equals the earliest.
func (s *choosing) best() *candidate {
	at := 0
	for i := range s.all {
		if s.better(&s.all[i], &s.all[at]) {
			at = i
		}
	}
	return &s.all[at]
}

func (s *choosing) better(a, b *candidate) bool {
	for _, by := range [...]func(*candidate) int{
		func(c *candidate) int {
			if c.broken != "" {
				return 0
			}
			return 1
		},
		func(c *candidate) int { return c.passed },
		func(c *candidate) int {
			n := 0
			for _, o := range s.failures(c) {
				if s.proves(&o) {
					n--
				}
			}
			return n
		},
		func(c *candidate) int { return -c.refuses },
		func(c *candidate) int { return s.company(c) },
		func(c *candidate) int { return -len(s.failures(c)) },
	} {
		if x, y := by(a), by(b); x != y {
			return x > y
		}
	}
	return false
}

// company is how far the other replies answer as this candidate does: of each reply the variant counts that does so most.
func (s *choosing) company(c *candidate) (n int) {
	most := map[int]int{}
	for i := range s.all {
		if o := &s.all[i]; o.reply != c.reply && o.broken == "" {
			most[o.reply] = max(most[o.reply], agree(o, c))
		}
	}
	for _, m := range most {
		n += m
	}
	return n
}

func names(outcomes []tester.Outcome) (out []string) {
	for _, o := range outcomes {
		out = append(out, o.Name)
	}
	return out
}
