package planner

import (
	"strconv"
	"strings"

	"github.com/reachyd/reachyd/hal/catalog"
	"github.com/reachyd/reachyd/perception/language"
)

func atof(s string) float64 {
	v, _ := strconv.ParseFloat(s, 64)
	return v
}

func amountOf(v string) amount {
	if v == "far" {
		return amount{kind: 'f'}
	}
	return amount{kind: 'l'}
}

// repeaters mean what stands before, or what follows.
var repeaters = language.Phrases("repeaters")

// repetition parses "repeat that three times" and "do the following three times: …".
func (ps *parser) repetition() bool {
	w := ps.word(ps.i)
	if w == "repeat" && language.InflectionOf(ps.word(ps.i+1)).Form == 'g' { // "repeat nodding five times"
		ps.i++
		ps.gerunds = true
		return ps.headed()
	}
	if w == "repeat" || w == "do" || w == "perform" {
		save := ps.i
		ps.i++
		for {
			switch ps.word(ps.i) {
			case "it", "that", "the", "following", "this", "these", "steps", "sequence", "actions", "next", "commands":
				ps.i++
				continue
			}
			break
		}
		f := frame{class: ahead, verbed: true}
		for ps.modifier(&f) {
			continue
		}
		if f.said && ps.isMark(ps.i) && (ps.toks[ps.i].Word == ":" || ps.toks[ps.i].Word == "," || ps.toks[ps.i].Word == "-") && len(ps.frames) == 0 && ps.couldBegin(ps.afterJoint(ps.i)) {
			ps.put(f)
			return true
		}
		if f.said && len(ps.frames) == 0 && w == "repeat" && ps.couldBegin(ps.i) {
			ps.put(f)
			return true
		}
		ps.i = save
	}
	if len(ps.frames) == 0 {
		return false
	}
	v, n := repeaters.Match(ps.toks, ps.i)
	if v != "back" || n == 0 {
		return false
	}
	ps.i += n
	f := frame{class: again, verbed: true}
	if !ps.finish(&f, false) || !f.said && !f.every.set && !f.hold.set && w != "repeat" && w != "do" {
		return false
	}
	if !f.said && !f.every.set {
		f.times, f.said = 2, true
		if w == "do" || w == "repeat" {
			f.times = 1 // once more
		}
		f.word = "more"
	}
	ps.put(f)
	return true
}

// volumeWords introduce a level.
var volumeWords = language.Phrases("volume-words")

// volumeClause parses "set the volume to 50 percent"; relative requests are closed commands.
func (ps *parser) volumeClause() bool {
	n := volumeWords.Len(ps.toks, ps.i)
	loud := n > 0
	k := ps.i + n
	if !loud { // "speak at 50 percent volume", "fifty percent volume", "turn it up to 80"
		switch ps.word(ps.i) {
		case "speak", "talk", "set", "use", "turn":
			k = ps.i + 1
			for ps.word(k) == "at" || ps.word(k) == "to" || ps.word(k) == "with" || ps.word(k) == "it" || ps.word(k) == "up" || ps.word(k) == "down" || ps.word(k) == "the" {
				k++
			}
		}
		q, m := ps.quantity(k)
		if m == 0 || q.Dim != language.Percent && q.Dim != language.NoUnit {
			return false
		}
		k2 := k + m
		if ps.word(k2) == "of" {
			k2++
		}
		switch w := ps.word(ps.i); {
		case ps.word(k2) == "volume", ps.word(k2) == "loudness":
		case q.Dim == language.Percent && (w == "turn" && ps.word(ps.i+1) == "it" || w == "speak" || w == "talk"):
		default:
			return false
		}
		if ps.word(k2) == "volume" || ps.word(k2) == "loudness" {
			k2++
		}
		ps.i = k2
		return ps.volumeFrame(q)
	}
	q, m := ps.quantity(k)
	if m == 0 || q.Dim != language.Percent && q.Dim != language.NoUnit {
		return false
	}
	if q.Dim == language.NoUnit && (ps.word(k+m) == "out" || ps.word(k+m) == "of") && ps.word(k+m+1) != "" {
		for ps.word(k+m) == "out" || ps.word(k+m) == "of" {
			m++
		}
		if t := ps.tok(k + m); t.Kind == language.Number && t.Num != 0 {
			q.Value = q.Value / t.Num * 100
			m++
		}
	}
	ps.i = k + m
	return ps.volumeFrame(q)
}

func (ps *parser) volumeFrame(q language.Quantity) bool {
	f := frame{class: volume, tool: "set_volume"}
	v := q.Value
	if q.Dim == language.NoUnit && v > 0 && v < 1 { // "half"
		v *= 100
	}
	f.bare = []amount{{kind: 'n', deg: language.Tidy(v)}}
	if !ps.finish(&f, false) {
		return false
	}
	ps.put(f)
	return true
}

// waiters begin a pause.
var waiters = language.Phrases("waiters")

// waitClause parses "wait two seconds", "hold that for a second", "take a two second pause".
func (ps *parser) waitClause() bool {
	f := frame{class: pausing, tool: "wait"}
	k := ps.i
	if givesPause[ps.word(k)] {
		k = ps.skip(k+1, pauseFillers)
	} else if ps.word(k) == "a" {
		k++
	}
	if q, m := ps.quantity(k); m > 0 && q.Dim == language.Time && pauseNouns[ps.word(k+m)] {
		ps.i = k + m + 1
		return ps.pauseFrame(f, q.Value)
	}
	n := waiters.Len(ps.toks, ps.i)
	if n == 0 {
		return false
	}
	k = ps.skip(ps.i+n, approximately)
	q, m := ps.quantity(k)
	if m == 0 || q.Dim != language.Time && q.Dim != language.NoUnit {
		m = longer.Len(ps.toks, k)
		if m == 0 {
			return false
		}
		q = language.Quantity{Value: 1, Dim: language.Time}
	}
	if q.Dim == language.NoUnit && counts.Len(ps.toks, k) > 0 {
		return false
	}
	if givesPause[ps.word(ps.i)] && (q.Dim != language.Time || ps.word(k+m) == "to") { // "take three seconds to look left"
		return false
	}
	ps.i = k + m
	ps.acceptWord("more", "longer")
	return ps.pauseFrame(f, q.Value)
}

func (ps *parser) pauseFrame(f frame, s float64) bool {
	f.hold = seconds{true, s}
	if !ps.finish(&f, false) {
		return false
	}
	ps.put(f)
	return true
}

var (
	givesPause   = language.Words("gives-pause")
	pauseFillers = language.Words("pause-fillers")
)

// longer are short unmeasured times.
var longer = language.Phrases("longer")

// actionClause parses the closed commands: gestures, waking, photos, tracking, named poses, stop.
func (ps *parser) actionClause() bool {
	from := ps.i
	var number float64
	// "three nods", "give me two big nods"
	v, n := actions.Loose(ps.toks, ps.i, ps.skippable)
	if cv, cn, times := ps.countedNoun(); cn > n {
		v, n, number = cv, cn, times
	}
	if n == 0 {
		return false
	}
	if ps.word(from) == "to" {
		return false
	}
	f := ps.actionFrame(v)
	if n == 2 && ps.word(from) == "shake" && ps.word(from+1) == "it" && ps.headBefore() {
		f = ps.actionFrame("gesture shake") // "nod your head, then shake it"
	}
	if f.tool == "gesture" && n == 1 && ps.i > 0 && ps.word(ps.i-1) == "the" {
		return false
	}
	for k := from; k < from+n; k++ { // an adverb inside the phrase
		switch ps.word(k) {
		case "slowly", "slow":
			f.pace = seconds{true, 2}
		case "quickly", "fast", "quick":
			f.pace = seconds{true, 0.5}
		}
	}
	if number > 0 {
		f.times, f.said = number, true
	}
	ps.i += n
	if f.tool == "gesture" && f.args["name"] == "dance" && (ps.word(from) == "party" || ps.word(from) == "dancing" || ps.word(from) == "dance") && !ps.boundary(ps.i) {
		switch ps.word(ps.i) {
		case "is", "are", "was", "music", "floor", "class", "party", "studio", "that", "monkey":
			return false
		}
	}
	if f.tool == "stop" {
		if ps.word(from) == "stop" || ps.word(from) == "halt" || ps.word(from) == "freeze" || ps.word(from) == "quit" || ps.word(from) == "cease" {
			if !ps.stopRest(from, &f) {
				return false
			}
			ps.put(f)
			return true
		}
		if ps.word(from) == "enough" && !ps.boundary(ps.i) || ps.word(from) == "emergency" && n == 1 && !ps.boundary(ps.i) {
			return false
		}
	}
	if ps.secret() {
		ps.put(frame{class: fault, problem: OutcomeRefuse, message: forbiddenBecause["privacy"]})
		return true
	}
	loose := f.tool == "gesture" || f.tool == "take_photo" || f.tool == "wake_up" || f.tool == "go_to_sleep" || f.tool == "track_face" || f.tool == "stop"
	if f.tool == "gesture" && (ps.word(ps.i) == "to" || ps.word(ps.i) == "at" || ps.word(ps.i) == "in" || ps.word(ps.i) == "on") && directions.Has(ps.toks, ps.i) {
		loose = false
	}
	if f.tool == "take_photo" && ps.word(ps.i) == "and" && false {
		return false
	}
	if f.tool == "get_robot_state" {
		if !ps.finish(&f, true) {
			return false
		}
		ps.put(f)
		return true
	}
	if f.tool == "track_face" && (ps.word(ps.i) == "to" || ps.word(ps.i) == "into" || ps.word(ps.i) == "out") {
		return false
	}
	if !ps.finish(&f, loose) {
		return false
	}
	ps.put(f)
	return true
}

// countable are the nouns for closed commands that people count: "three nods".
var countable = func() map[string]string {
	all := map[string]string{"headshake": "gesture shake"}
	for _, g := range catalog.Gestures {
		if g.Noun != "" {
			all[g.Noun] = "gesture " + g.Name
		}
	}
	for _, photo := range []string{"photo", "picture", "snapshot", "selfie", "pic", "image"} {
		all[photo] = "take_photo"
	}
	return all
}()

// countedNoun reads "three nods", "give me two bows": a gesture named as a noun with a number.
func (ps *parser) countedNoun() (v string, n int, times float64) {
	k := ps.i
	switch ps.word(k) {
	case "give", "do", "make", "perform", "show", "take", "snap", "shoot", "capture":
		k++
	}
	for w := ps.word(k); w == "me" || w == "us" || w == "your" || w == "to" || w == "please" || w == "just"; w = ps.word(k) {
		k++
	}
	t := ps.tok(k)
	if t.Kind != language.Number {
		return "", 0, 0
	}
	k++
	for fillers[ps.word(k)] && !photoWords[ps.word(k)] || ps.manner(k) {
		k++
	}
	w := language.Singular(ps.word(k))
	if w == ps.word(k) && t.Num != 1 && !t.Digits && w != "dance" {
		return "", 0, 0
	}
	if w == "head" || w == "antenna" || w == "ear" {
		k++
		w = language.Singular(ps.word(k))
	}
	entry, known := countable[w]
	if !known {
		return "", 0, 0
	}
	return entry, k + 1 - ps.i, t.Num
}

// actionFrame makes the frame of an entry of the actions table.
func (ps *parser) actionFrame(entry string) frame {
	tool, arg, _ := strings.Cut(entry, " ")
	f := frame{class: action, tool: tool, args: map[string]any{}}
	switch tool {
	case "gesture", "goto_pose":
		f.args["name"] = arg
	case "track_face":
		f.args["enabled"] = arg == "true"
	case "set_volume":
		f.class = volume
		f.bare = []amount{{kind: 'n', deg: atof(arg)}}
	case "wait":
		f.class = pausing
		f.hold = seconds{true, 1}
	case "head", "body", "antennas", "it":
		f.class, f.tool = motion, ""
		f.verb, f.part = "look", tool
		if tool != "head" {
			f.verb = "move"
		}
		f.headings = []heading{{dir: "center"}}
	}
	return f
}

// headBefore reports whether the clause before was about the head.
func (ps *parser) headBefore() bool {
	if len(ps.frames) == 0 {
		return false
	}
	f := &ps.frames[len(ps.frames)-1]
	return f.class == motion && (f.part == "" || f.part == "head") || f.tool == "gesture" && f.args["name"] == "nod"
}

// stopRest decides whether "stop …" is a stop: anything that follows is, but a few names and idioms.
func (ps *parser) stopRest(from int, f *frame) bool {
	if in := language.InflectionOf(ps.word(ps.i)); in.Form == 'g' && ps.word(from) != "freeze" {
		for !ps.boundary(ps.i) { // "stop dancing like that"
			ps.i++
		}
		return true
	}
	if ps.finish(f, true) {
		return true
	}
	switch w := ps.word(from + 1); w {
	case "sign", "signs", "by", "at", "light", "motion", "watch", "gap", "over", "codon", "was", "is", "are", "and", "to", "words", "word":
		return false
	case "tracking", "following", "watching":
		return false
	}
	if ps.word(from) != "stop" {
		return false
	}
	// "stop dancing like that", "stop the music"
	words := 0
	for !ps.boundary(ps.i) {
		ps.i++
		words++
	}
	return words <= 6
}

// secret reports whether words of secrecy stand in the rest of the clause.
func (ps *parser) secret() bool {
	for k := ps.i; k < len(ps.toks); k++ {
		if secrecy.Has(ps.toks, k) {
			return true
		}
	}
	return false
}

// poseWords and moveWords name what can be gone to or played.
var moveOpeners = language.Phrases("move-openers")

// moveClause parses play_move and goto_pose with a name.
func (ps *parser) moveClause() bool {
	v, n := moveOpeners.Match(ps.toks, ps.i)
	if n == 0 {
		return false
	}
	named := false
	switch ps.word(ps.i + n - 1) {
	case "move", "movement", "animation", "routine", "recording", "called", "named", "titled", "motion", "choreography", "sequence", "pose", "position", "posture":
		named = true
	}
	called := named
	ps.i += n
	f := frame{class: action, args: map[string]any{}}
	tool := strings.TrimSuffix(v, "d")
	f.tool = tool
	name, m := "", 0
	if t := ps.tok(ps.i); t.Kind == language.Quote {
		name, m = t.Word, 1
		named = true
	} else {
		for k := ps.i; k < len(ps.toks) && m < 5; k++ {
			if ps.boundary(k) || ps.tok(k).Kind == language.Quote {
				break
			}
			if m > 0 {
				var scratch frame
				save := ps.i
				ps.i = k
				stop := ps.modifier(&scratch)
				ps.i = save
				if stop || tails.Has(ps.toks, k) || ps.manner(k) || ps.verbAt(k) && !called && ps.couldBegin(k) {
					break
				}
			}
			w := ps.word(k)
			if m > 0 && (w == "move" || w == "movement" || w == "animation" || w == "routine" || w == "recording" || w == "motion" || w == "choreography") && tool == "play_move" ||
				m > 0 && (w == "pose" || w == "position" || w == "posture" || w == "stance") && tool == "goto_pose" {
				named = true
				break
			}
			if tool == "play_move" && m == 0 && !named && (w == "music" || w == "song" || w == "something" || w == "a" || w == "it" || w == "with" || w == "me") {
				return false
			}
			name = joinName(name, ps.tok(k), ps.text)
			m++
		}
	}
	if name == "" {
		return false
	}
	ps.i += m
	switch w := ps.word(ps.i); w {
	case "move", "movement", "animation", "routine", "recording", "motion", "pose", "position", "posture", "choreography", "stance":
		named = true
		ps.i++
	}
	name = strings.TrimSpace(name)
	low := language.Plain(name)
	known := ps.p.moves[low]
	if tool == "goto_pose" {
		known = ps.p.poses[low]
	}
	if !named && known == "" {
		return false
	}
	switch low {
	case "the", "a", "your", "me", "it", "that", "some", "of":
		return false
	}
	if tool == "goto_pose" {
		name = low
		switch low {
		case "rest", "resting", "start", "starting", "initial", "default", "ready":
			name = map[string]string{"resting": "rest", "starting": "home", "start": "home", "initial": "init"}[low]
			if name == "" {
				name = low
			}
		}
	}
	if known != "" {
		name = known
	}
	f.args["name"] = name
	if !ps.finish(&f, true) {
		return false
	}
	ps.put(f)
	return true
}

// joinName appends a word of a name as it was written, in small letters.
func joinName(name string, t *language.Token, text string) string {
	w := strings.ToLower(text[t.Start:t.End])
	if t.Kind == language.Word && t.Word != "" && t.Orig == t.Word {
		w = t.Word
	}
	if name == "" {
		return w
	}
	gap := " "
	if t.Start > 0 && text[t.Start-1] != ' ' {
		gap = text[t.Start-1 : t.Start]
	}
	return name + gap + w
}

// toolClause parses "run count objects" for tools that the planner was told of, and the names of its own.
func (ps *parser) toolClause() bool {
	switch ps.word(ps.i) {
	case "run", "use", "call", "execute", "start", "invoke", "launch":
		ps.i++
	default:
		return ps.knownTool()
	}
	for ps.word(ps.i) == "the" || ps.word(ps.i) == "tool" || ps.word(ps.i) == "your" || ps.word(ps.i) == "function" || ps.word(ps.i) == "called" || ps.word(ps.i) == "named" {
		ps.i++
	}
	return ps.knownTool() || ps.heads()
}

func (ps *parser) knownTool() bool {
	if len(ps.p.tools) == 0 {
		return false
	}
	name := ""
	for k := ps.i; k < len(ps.toks) && k < ps.i+6; k++ {
		if ps.isMark(k) {
			break
		}
		if name != "" {
			name += " "
		}
		name += language.Plain(ps.tok(k).Orig)
		tool, ok := ps.p.tools[name]
		if !ok {
			continue
		}
		save := ps.i
		ps.i = k + 1
		ps.acceptWord("tool")
		f := frame{class: action, tool: tool, args: map[string]any{}}
		if ps.finish(&f, false) {
			ps.put(f)
			return true
		}
		ps.i = save
	}
	return false
}
