package main

import (
	_ "embed" // the words for deeds
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/reachyd/reachyd/agents/dialogue"
	"github.com/reachyd/reachyd/agents/guard"
	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/agents/rehearsal/truth"
	"github.com/reachyd/reachyd/perception/language"
	"github.com/reachyd/reachyd/perception/language/levenshtein"
)

// near is how far, in degrees, what is said may be from what the servos measure.
const near = 2.5

// silenceSoon is within which the robot is silent, and still, when it is interrupted.
const silenceSoon = 1500 * time.Millisecond

func words(text string) []string { return language.HeardWords(text) }

//go:embed deeds.txt
var deedWords string

// deed is what a reply says that was done, and how the tool or the movement is called that does it.
type deed struct {
	says *regexp.Regexp
	by   []string
}

// deeds reads deeds.txt.
func deeds() (all []deed) {
	for l := range strings.Lines(deedWords) {
		says, by, found := strings.Cut(strings.TrimSpace(l), " = ")
		if found && !strings.HasPrefix(l, "#") {
			all = append(all, deed{regexp.MustCompile(`(?i)\bI (?:have |also )*(?:` + says + `)\b`), strings.Split(by, "|")})
		}
	}
	return all
}

// found is what came of a line.
type found struct {
	*said
	heard []heard
	turns []*turn
	told  []told
	moves []moved

	heardAs    string
	same       bool // word for word
	understood bool // what was heard asks for what was said
	wanted     bool // what is wanted of the line came to pass; true where nothing in particular is
	wants      bool // something in particular is
	errors     int  // words
	first      time.Duration
	kept       time.Time

	silence, still time.Duration // after it began to interrupt; negative: it did not speak, or move
	late           bool
	cutShort       bool // the next line interrupts it

	claims int
	lies   []string // that are not so
	read   []string // for who reads
}

// judge compares what was said with what came of it.
type judge struct {
	robot *robot
	plan  *planner.Planner
	deeds []deed

	before [][2]string
	were   []dialogue.Pose
	done   []call
}

// all judges all lines.
func (j *judge) all(lines []said) (out []*found) {
	for i := range lines {
		f := &found{said: &lines[i], silence: -1, still: -1, cutShort: i+1 < len(lines) && lines[i+1].interrupts > 0}
		out = append(out, f)
		j.collect(f)
		j.hearing(f)
		j.interruption(f)
		for _, t := range f.turns {
			j.truth(f, t)
		}
		f.wanted, f.wants = j.wish(f)
		if first := j.robot.speaker.first(f.end, f.next); !first.IsZero() {
			f.first = first.Sub(f.end)
		}
	}
	return out
}

// collect finds what belongs to a line: what happened between it and the next.
func (j *judge) collect(f *found) {
	n := j.robot.notes
	n.mu.Lock()
	defer n.mu.Unlock()
	f.heard = within(f, n.heard, func(h heard) time.Time { return h.at })
	f.turns = within(f, n.turns, func(t *turn) time.Time { return t.begins })
	f.told = within(f, n.told, func(t told) time.Time { return t.at })
	f.moves = within(f, n.moves, func(m moved) time.Time { return m.at })
}

// within leaves what happened between a line and the next.
func within[T any](f *found, all []T, at func(T) time.Time) (some []T) {
	for _, one := range all {
		if t := at(one); t.After(f.start) && t.Before(f.next) {
			some = append(some, one)
		}
	}
	return some
}

// hearing says how well it was heard.
func (j *judge) hearing(f *found) {
	var texts []string
	stop := ""
	for _, h := range f.heard {
		switch {
		case h.stop:
			stop = h.text
		case h.why == "":
			texts = append(texts, h.text)
		}
	}
	f.heardAs = strings.Join(texts, " ")
	if f.heardAs == "" {
		f.heardAs = stop
	}
	want, got := words(f.text), words(f.heardAs)
	f.errors = levenshtein.Words(want, got)
	f.same = f.errors == 0
	said, made := j.plan.Plan(f.text), j.plan.Plan(f.heardAs)
	switch {
	case f.same:
		f.understood = true
	case said.Deed() != "":
		f.understood = said.Deed() == made.Deed()
	default:
		f.understood = made.Deed() == "" && 4*f.errors <= len(want)
	}
}

// interruption says how soon it was silent, and still, after somebody began to speak.
func (j *judge) interruption(f *found) {
	if f.interrupts == 0 {
		return
	}
	if end, spoke := j.robot.speaker.ended(f.start); spoke {
		f.silence = max(0, end.Sub(f.start))
	}
	n := j.robot.notes
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.at(f.start).moving {
		f.still = f.next.Sub(f.start)
		for _, p := range n.places {
			if p.at.After(f.start) && !p.moving {
				f.still = p.at.Sub(f.start)
				break
			}
		}
	}
	f.nothing = f.silence < 0 && f.still < 0
	f.late = f.silence > silenceSoon
}

// truth compares what a reply claims with what was done.
func (j *judge) truth(f *found, t *turn) {
	n := j.robot.notes
	n.mu.Lock()
	end := t.ends
	if end.IsZero() {
		end = f.next
	}
	from, to := n.at(t.begins), n.at(end)
	h := truth.Turn{
		Text: t.text, Reply: t.reply, Before: from.pose, Pose: to.pose, Stopped: to.stopped, Within: near, Said: j.before, Were: append(j.were, from.pose),
	}
	acted := false
	for _, c := range t.calls {
		if c.depth > 0 || !c.done {
			continue
		}
		h.Tools, h.At = append(h.Tools, c.tool), append(h.At, n.at(c.at).pose)
		h.Steps = append(h.Steps, truth.Step{Tool: c.tool, Args: c.args})
		acted = acted || c.ok
	}
	n.mu.Unlock()
	j.were = h.Were
	j.before = append(j.before, [2]string{t.text, t.reply})
	lies, checked := h.Untruths()
	f.lies, f.claims = append(f.lies, lies...), f.claims+checked
	for _, c := range t.calls {
		if c.ok {
			j.done = append(j.done, c)
		}
	}
	for _, d := range j.deeds {
		for _, m := range d.says.FindAllString(t.reply, -1) {
			f.claims++
			if !slices.ContainsFunc(j.done, func(c call) bool { return does(&c, d.by) }) {
				f.lies = append(f.lies, m)
			}
		}
	}
	if _, dropped := guard.Claims(t.reply); !acted {
		f.read = append(f.read, dropped...)
	}
}

// does reports whether a call is one of several deeds, by its tool or by what it was given.
func does(c *call, by []string) bool {
	if slices.Contains(by, c.tool) {
		return true
	}
	var args map[string]any
	if json.Unmarshal(c.args, &args) != nil {
		return false
	}
	for _, v := range args {
		raw, err := json.Marshal(v)
		if err == nil && slices.ContainsFunc(by, func(name string) bool { return strings.Contains(string(raw), `"`+name+`"`) }) {
			return true
		}
	}
	return false
}

// wish reports whether what is wanted of a line came to pass, and whether something in particular is.
func (j *judge) wish(f *found) (wanted, wants bool) {
	wants = len(f.does)+len(f.says) > 0 || f.keeps > 0
	var reply strings.Builder
	var calls []string
	promised := f.end
	for _, t := range f.turns {
		reply.WriteString(t.reply + " ")
		promised = t.ends // from then on the time runs
		for _, c := range t.calls {
			if (c.ok || f.cutShort) && c.depth == 0 {
				calls = append(calls, c.tool)
			}
		}
	}
	for _, name := range f.does {
		if name == "nothing" {
			if len(calls) > 0 {
				return false, wants
			}
			continue
		}
		if !anyOf(name, func(one string) bool { return slices.Contains(calls, one) }) {
			return false, wants
		}
	}
	if f.keeps > 0 {
		f.kept = j.robot.kept(f.end.Add(f.keeps*8/10), promised.Add(f.keeps+overrun), f.line.kept)
		if f.kept.IsZero() {
			return false, wants
		}
	}
	return hasWords(reply.String(), f.says), wants
}

// quantile of durations, which it sorts.
func quantile(all []time.Duration, q float64) time.Duration {
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[int(math.Round(q*float64(len(all)-1)))]
}
