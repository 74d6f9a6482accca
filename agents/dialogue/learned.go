package dialogue

import (
	"slices"
	"strings"

	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/perception/language"
	"github.com/reachyd/reachyd/perception/language/frames"
)

// What a network that learned from many people's sentences makes of one (package frames) is said in words that the rules read: so it
// means what these words mean where they are said, within the same limits. The words are in perception/language/en/frames.txt.

var (
	frameWords   = language.Texts("frames")
	frameParts   = language.Texts("frame-parts")
	frameAmounts = language.Texts("frame-amounts")
)

// How sure the network must be, measured on exams of writers whose sentences it did not learn (RATIONALE.md).
const (
	sureToMove   = 0.55 // of a movement, where nobody else has read the sentence
	sureToAct    = 0.65 // of what else the robot does
	sureToDiffer = 0.75 // where the sentence was read as something else
	sureToUndo   = 0.9  // that everything is taken back, where less was read
	sureToWait   = 0.5  // that it depends on something
	sureOfTalk   = 0.88 // that it is not said to the robot, where it was read as a request
	sureOfSpeech = 0.95 // that it wants no more than words
)

// subtle frames change what was done: the rules, which know what that was, are asked first.
var subtle = map[string]bool{
	"other-way": true, "again": true, "double": true, "half": true, "undo": true, "back": true, "more": true, "less": true, "slower": true,
	"faster": true, "third": true, "quarter": true, "same": true,
}

// speeches are frames that move nothing.
var speeches = map[string]bool{
	"talk": true, "ask": true, "chat": true, "praise": true, "blame": true, "greet": true, "thanks": true, "remember": true,
}

// learned holds what was read against what the network reads.
func (r *reader) learned(first Reading) Reading {
	if r.closed(&first) || r.terse() {
		return first
	}
	got := frames.Read(r.u)
	requests := slices.DeleteFunc(slices.Clone(got.Frames), func(f frames.Frame) bool { return speeches[f[0]] })
	acts := len(first.Steps()) > 0
	named := func(name string) bool {
		return slices.ContainsFunc(requests, func(f frames.Frame) bool { return f[0] == name })
	}
	called := slices.ContainsFunc(clausesOf(r.u.Tokens), r.calls) // somebody else is called by name
	switch {
	case len(got.Frames) == 0, called && len(requests) > 0, len(got.Numbers) > 0 && (named("wake") || named("sleep")): // an alarm, a tale
		return first
	case len(requests) == 0:
		talk := got.Frames[0][0] == "talk"
		if acts && (talk && got.Sure >= sureOfTalk || moves(first.Steps()) && got.Sure >= sureOfSpeech) {
			return Reading{Plan: r.silent(), Text: r.u.Text}
		}
		return first
	case named("when"):
		if (acts && got.Sure >= sureToWait || got.Sure >= sureToDiffer) && !r.politely() {
			return Reading{Plan: r.silent(), Text: r.u.Text, Say: replies["no-conditions"]}
		}
		return first
	case acts && (got.Sure < sureToDiffer || named("undo-all") && got.Sure < sureToUndo || r.knowsBetter(&first, requests)):
		return first
	}
	second, ok := r.inRules(requests, got.Numbers)
	if !ok || !acts && got.Sure < r.need(&second, requests, got.Numbers) || acts && r.noBetter(&first, &second) {
		return first
	}
	return second
}

// noBetter reports whether a second reading moves nothing else than the first, or leaves out gestures of it.
func (r *reader) noBetter(first, second *Reading) bool {
	gestures := !slices.ContainsFunc(first.Steps(), func(s planner.Step) bool { return s.Tool != "gesture" && s.Tool != "express_emotion" })
	return len(second.Steps()) == 0 || gestures || moves(first.Steps()) && same(r.end(first), r.end(second))
}

// closed reports whether nobody need be asked what a sentence means: it answers a question, lacks something, or was refused.
func (r *reader) closed(first *Reading) bool {
	return r.u.TooLong || len(r.u.Tokens) == 0 || r.Question != nil || first.Ask != nil || first.Plan.Outcome == planner.OutcomeRefuse
}

// politely reports whether an "if" is politeness rather than a condition: "if you would", "if it's no trouble".
func (r *reader) politely() bool {
	for i := range r.u.Tokens {
		if politeIfs.Has(r.u.Tokens, i) {
			return true
		}
	}
	return false
}

var politeIfs = language.Phrases("polite-ifs")

// maxTerse is how many words a command has about which nobody need be asked a second time.
const maxTerse = 5

// terse reports whether the sentence is a short command that begins with its verb, and that the planner reads by itself.
func (r *reader) terse() bool {
	toks := r.u.Tokens[r.u.Address.To:]
	if len(toks) > 0 && toks.IsMark(len(toks)-1) {
		toks = toks[:len(toks)-1]
	}
	mark := slices.ContainsFunc(toks, func(t language.Token) bool { return t.Kind == language.Mark })
	return r.plan.Outcome == planner.OutcomePlan && len(toks) <= maxTerse && !mark && language.IsVerb(toks.Word(0))
}

// all reports whether frames are nothing but one name.
func all(requests []frames.Frame, name string) bool {
	return !slices.ContainsFunc(requests, func(f frames.Frame) bool { return len(f) > 1 || f[0] != name })
}

// need is how sure the network must be of a reading where nobody else has one.
func (r *reader) need(second *Reading, requests []frames.Frame, numbers []float64) float64 {
	used := 0
	for _, f := range requests {
		for _, symbol := range f {
			if _, ok := number(symbol, numbers); ok {
				used++
			}
		}
	}
	feels := !slices.ContainsFunc(requests, func(f frames.Frame) bool { return f[0] != "emotion" && f[0] != "sleep" && f[0] != "wake" })
	switch {
	case all(requests, "reset"):
		return sureToUndo
	case feels && r.u.Question: // "are you tired?"
		return 1
	case used < len(numbers):
		return sureToDiffer
	case moves(second.Steps()) || second.Ask != nil:
		return sureToMove
	}
	return sureToAct
}

// knowsBetter reports whether the rules know better what is meant: a change of what was done, but for a part that is brought back; a
// correction; what "it" is.
func (r *reader) knowsBetter(first *Reading, requests []frames.Frame) bool {
	if first.Base != nil || len(first.Restore) > 0 || r.fixesWithin() || r.says("it") && vague[at(requests[0], 1)] {
		return true
	}
	return slices.ContainsFunc(requests, func(f frames.Frame) bool { return subtle[f[0]] || f[0] == "reset" && len(f) == 1 })
}

// vague are parts of a frame that "it" may be.
var vague = map[string]bool{"": true, "turn": true, "head": true, "it": true, "same": true}

func (r *reader) says(word string) bool {
	return slices.ContainsFunc(r.u.Tokens, func(t language.Token) bool { return t.Word == word })
}

// inRules lets the rules read frames in their words; false when they do not know them.
func (r *reader) inRules(requests []frames.Frame, numbers []float64) (Reading, bool) {
	text, ok := inWords(requests, numbers)
	if !ok {
		return Reading{}, false
	}
	inner := *r
	inner.u = language.Analyse(text)
	inner.plan = r.p.PlanFor(inner.u)
	inner.reworded()
	reading, ok := inner.excepting()
	if !ok {
		reading = inner.secondly(inner.wholly(inner.gazing(inner.read())))
	}
	reading.Plan.Text = r.u.Text
	does := len(reading.Steps()) > 0 && reading.Plan.Outcome != planner.OutcomeError
	return reading, does || reading.Ask != nil
}

// inWords says frames; false where one has no words.
func inWords(all []frames.Frame, numbers []float64) (string, bool) {
	var out []string
	kept := ""
	for _, f := range all {
		switch f[0] {
		case "keep":
			part := frameParts[at(f, 1)]
			if part == "" {
				return "", false
			}
			kept += " without moving " + part
			continue
		case "hold":
			continue
		}
		words, ok := phrase(f, numbers)
		if !ok {
			return "", false
		}
		out = append(out, words)
	}
	return strings.Join(out, ", then ") + kept, len(out) > 0
}

func at(f frames.Frame, i int) string {
	if i < len(f) {
		return f[i]
	}
	return ""
}

// phrase says one frame.
func phrase(f frames.Frame, numbers []float64) (string, bool) {
	switch f[0] {
	case "move":
		return moveInWords(f[1:], numbers)
	case "instead":
		return correction(f[1:], numbers)
	case "gesture":
		words, ok := frameWords[at(f, 1)]
		if n, counted := number(at(f, 2), numbers); counted {
			words += " " + n + " times"
		}
		return words, ok
	case "emotion", "wait":
		n, counted := number(at(f, 1), numbers)
		if f[0] == "emotion" {
			n = at(f, 1)
		} else if !counted {
			return "", false
		}
		return strings.Replace(frameWords[f[0]], "{n}", n, 1), n != ""
	case "same":
		part := frameParts[at(f, 1)]
		return strings.Replace(frameWords["same"], "{part}", part, 1), part != ""
	case "more", "less", "back", "other-way", "again", "reset", "half", "double", "third", "quarter", "undo", "undo-all", "slower", "faster",
		"sleep", "wake", "photo":
		return changed(f, numbers)
	}
	return "", false
}

// changed says a frame that changes what was done.
func changed(f frames.Frame, numbers []float64) (string, bool) {
	key, n, part := f[0], "", ""
	for _, symbol := range f[1:] {
		v, isNumber := number(symbol, numbers)
		switch {
		case isNumber:
			key, n = f[0]+"-n", v
		case f[0] != "reset" && frameParts[symbol] != "":
			part = frameParts[symbol]
		default:
			key = f[0] + "-" + symbol
		}
	}
	words := strings.Replace(frameWords[key], "{n}", n, 1)
	if part != "" {
		words += " with " + part
	}
	return words, frameWords[key] != ""
}

// moveInWords says "move PART DIR …" without its first word.
func moveInWords(f frames.Frame, numbers []float64) (string, bool) {
	part, dir := at(f, 0), at(f, 1)
	if part == "turn" && (dir == "up" || dir == "down") {
		part = "head"
	}
	words := frameWords["move-"+part+"-"+dir]
	if words == "" {
		words = frameWords["move-"+part]
	}
	by, how, ok := amount(f[min(2, len(f)):], numbers)
	toward := map[string]string{"left": "to the left", "right": "to the right", "up": "up", "down": "down"}[dir]
	words = strings.NewReplacer("{dir}", toward, "{by}", by, "{how}", how).Replace(words)
	return strings.TrimSpace(strings.ReplaceAll(words, "  ", " ")), ok && words != ""
}

// amount says how far and how fast, each with a blank before it.
func amount(symbols []string, numbers []float64) (by, how string, ok bool) {
	key := "n"
	for _, symbol := range symbols {
		n, isNumber := number(symbol, numbers)
		switch {
		case symbol == "to":
			key = "to"
		case isNumber:
			by = " " + strings.Replace(frameAmounts[key], "{n}", n, 1)
		case symbol == "slow" || symbol == "fast":
			how = " " + frameAmounts[symbol]
		case frameAmounts[symbol] != "":
			by = " " + frameAmounts[symbol]
		default:
			return "", "", false
		}
	}
	return by, how, true
}

// correction says a frame that stands instead of what was done.
func correction(f frames.Frame, numbers []float64) (string, bool) {
	if len(f) == 0 {
		return "", false
	}
	if f[0] == "same" {
		part := frameParts[at(f, 1)]
		return strings.Replace(frameWords["instead-part"], "{part}", part, 1), part != ""
	}
	if f[0] != "move" {
		words, ok := phrase(f, numbers)
		return frameWords["instead"] + " " + words, ok
	}
	if at(f, 1) != "it" {
		words, ok := moveInWords(f[1:], numbers)
		return frameWords["instead"] + " " + words, ok
	}
	by, _, ok := amount(f[min(3, len(f)):], numbers)
	dir := at(f, 2)
	key := map[string]string{"left": "instead-dir", "right": "instead-dir", "up": "instead-upright", "down": "instead-upright", "same": "instead-by"}[dir]
	return strings.NewReplacer("{dir}", dir, "{by}", by).Replace(frameWords[key]), ok && key != ""
}

// number is the number that a symbol stands for.
func number(symbol string, numbers []float64) (string, bool) {
	place, ok := strings.CutPrefix(symbol, "#")
	if !ok || len(place) != 1 || int(place[0]-'1') >= len(numbers) || place[0] < '1' {
		return "", false
	}
	return tool.FormatNumber(numbers[place[0]-'1']), true
}
