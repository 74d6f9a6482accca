package dialogue

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/perception/language"
)

// What a sentence leaves out is read before the rest of it: "turn left, but keep your head where it is", "body left 20, head stays",
// "everything to zero except the antennas". The rest is read as if nothing else had been said, and moves none of it.

var (
	keepVerbs  = language.Phrases("keep-verbs")  // keep [the head] still
	staysWords = language.Phrases("stays-words") // [the head] stays
	untouched  = language.Phrases("untouched")   // without moving [the head]
	exceptFor  = language.Phrases("except-for")  // everything but [the head]
	stillWords = language.Phrases("still-words")
	joinsKept  = language.Phrases("joins-kept")
	wholeWords = language.Words("whole-words") // [everything] but the antennas
)

// keptAt reads at a token what says that a part is left out: the part, and how many tokens it takes.
func keptAt(toks language.Tokens, at int) (part string, n int) {
	i := at + joinsKept.Len(toks, at)
	for toks.IsMark(i) {
		i++
	}
	if m := max(untouched.Len(toks, i), exceptFor.Len(toks, i)); m > 0 {
		if key, k := keptPart(toks, i+m); k > 0 && (exceptFor.Len(toks, i) == 0 || i+m+k == len(toks) || toks.IsMark(i+m+k)) {
			return key, i + m + k - at
		}
	}
	if toks.Word(i-1) == "but" && slices.ContainsFunc(toks[:at], isWhole) { // "everything back to zero but the antennas"
		if key, k := keptPart(toks, i); k > 0 && (i+k == len(toks) || toks.IsMark(i+k)) {
			return key, i + k - at
		}
	}
	if toks.Word(i) == "not" {
		if key, k := keptPart(toks, i+1); k > 0 && besides(toks, i, i+1+k) {
			return key, i + 1 + k - at
		}
	}
	if m := keepVerbs.Len(toks, i); m > 0 {
		if key, k := keptPart(toks, i+m); k > 0 {
			i += m + k
			still := stillWords.Len(toks, i)
			if still > 0 || i == len(toks) || toks.IsMark(i) {
				return key, i + still - at
			}
		}
	}
	if key, k := keptPart(toks, i); k > 0 {
		if m := staysWords.Len(toks, i+k); m > 0 {
			i += k + m
			if i += stillWords.Len(toks, i); i == len(toks) || toks.IsMark(i) || joints.Len(toks, i) > 0 { // not "stays up"
				return key, i - at
			}
		}
	}
	return "", 0
}

// keptPart reads at a token the part that is left out, and how many tokens it takes.
func keptPart(toks language.Tokens, at int) (part string, n int) {
	i := at
	if w := toks.Word(i); w == "the" || w == "your" || w == "both" {
		i++
	}
	key, n := parts.Match(toks, i)
	if what, m := referents.Match(toks, at); m > i+n-at && wholeParts[what] != nil { // "keep the chin"
		return what, m
	}
	if n == 0 || wholeParts[key] == nil {
		return "", 0
	}
	return key, i + n - at
}

// isWhole reports whether a word means all there is.
func isWhole(t language.Token) bool { return wholeWords[t.Word] }

// besides reports whether "not" and a part, at tokens from up to to, stand beside what is meant: "not your body just the head", "but not
// your body"; behind "no" they take back.
func besides(toks language.Tokens, from, to int) bool {
	before := toks.Word(from - 1)
	return before == "but" || before == "and" || from > 0 && before != "no" && onlyWords[toks.Word(to)]
}

// except finds what a sentence leaves out, and returns the rest of its text.
func except(u *language.Utterance) (rest string, kept []string) {
	toks, from := u.Tokens, 0
	for i := 0; i < len(toks); i++ {
		part, n := keptAt(toks, i)
		if n == 0 {
			continue
		}
		kept = append(kept, part)
		rest += " " + strings.TrimRight(u.Text[from:toks[i].Start], " ,")
		if i += n - 1; i+1 < len(toks) {
			from = toks[i+1].Start
			if toks.IsMark(i + 1) {
				from = toks[i+1].End
			}
		} else {
			from = len(u.Text)
		}
	}
	rest = strings.TrimSpace(rest + " " + u.Text[from:])
	for _, joint := range []string{"and ", "but ", "then "} {
		rest = strings.TrimPrefix(rest, joint)
	}
	return rest, kept
}

// excepting reads a sentence that leaves parts out.
func (r *reader) excepting() (Reading, bool) {
	if r.u.TooLong || r.plan.Outcome == planner.OutcomeRefuse {
		return Reading{}, false
	}
	rest, kept := except(r.u)
	if len(kept) == 0 {
		return Reading{}, false
	}
	inner := *r
	inner.u = language.Analyse(rest)
	inner.plan = r.p.PlanFor(inner.u)
	reading, ok := inner.accounted()
	if !ok {
		reading = inner.wholly(inner.read())
	}
	if reading.Plan.Outcome != planner.OutcomePlan || len(reading.Plan.Steps) == 0 && reading.Say == "" || reading.Ask != nil {
		return Reading{}, false
	}
	steps, end, ok := r.without(&reading, kept)
	if !ok {
		return Reading{}, false
	}
	if len(steps) == 0 { // all the rest is there already
		return say(r, "there-already")
	}
	reading.Plan.Steps, reading.Plan.Text = steps, r.u.Text
	reading.Restore = slices.DeleteFunc(slices.Clone(reading.Restore), func(s planner.Step) bool {
		return !slices.ContainsFunc(unkept(s.Axes, kept), func(w planner.Way) bool { return w != planner.Unnamed })
	})
	for i := range reading.Restore {
		reading.Restore[i].Axes = planner.Axes(unkept(reading.Restore[i].Axes, kept))
	}
	if far := math.Abs(end.Head.Yaw - r.now.Pose.BodyYaw); slices.Contains(kept, "body") && far > neckTurn { // the body would come along
		reading.Plan.Steps, reading.Plan.Outcome = nil, planner.OutcomeError
		reading.Plan.Message = fmt.Sprintf("I cannot turn that far: my head turns at most %g° to each side while my body stays, and that would be %g°.",
			language.Tidy(neckTurn), math.Round(far))
	}
	return reading, true
}

// unkept are the axes without those of parts that are kept.
func unkept(axes planner.Axes, kept []string) []planner.Way {
	for _, part := range kept {
		for _, a := range wholeParts[part] {
			axes[a] = planner.Unnamed
		}
	}
	return axes[:]
}

// without are the steps of a reading that leave parts where they are, and where they end; false when that cannot be.
func (r *reader) without(reading *Reading, kept []string) (out []planner.Step, end Pose, ok bool) {
	start, left := r.now.Pose, planner.Axes{}
	if reading.Base != nil {
		start = *reading.Base
	}
	for _, part := range kept {
		for _, a := range wholeParts[part] {
			left[a] = planner.To
		}
	}
	steps := reading.Plan.Steps
	if len(steps) == 1 && steps[0].Tool == "goto_pose" {
		steps = Towards(r.now.Pose, Pose{Antennas: restingAntennas})
	}
	end = start
	turns := false
	for _, s := range steps {
		if s.Tool == "repeat" || s.Tool == "goto_pose" {
			return nil, end, false
		}
		for a := range left {
			if left[a] != planner.Unnamed {
				s.Axes[a] = planner.Unnamed
			}
		}
		if !s.Axes.Named() && slices.Contains([]string{"move_head", "turn_body", "set_antennas"}, s.Tool) {
			continue
		}
		turns = turns || s.Axes[planner.BodyYaw] != planner.Unnamed
		done, _ := Resolve(s, start, end)
		end = After(done, end)
		out = append(out, s)
	}
	if turns && left[planner.Yaw] != planner.Unnamed && math.Abs(r.now.Pose.Head.Yaw-end.BodyYaw) <= neckTurn {
		look := planner.Step{Tool: arguments[planner.Yaw].tool, Args: map[string]any{arguments[planner.Yaw].name: r.now.Pose.Head.Yaw, "duration": 1.0}}
		look.Axes[planner.Yaw] = planner.To
		out = append(out, look)
	}
	return out, end, len(out) > 0 || len(steps) == 0
}

// restingAntennas are where the antennas stand in the neutral pose.
var restingAntennas = Antennas{Left: 10, Right: -10}
