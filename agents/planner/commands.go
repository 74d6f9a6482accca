package planner

import (
	"strconv"
	"strings"

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
	name := map[string]string{
		"nod": "gesture nod", "shake": "gesture shake", "headshake": "gesture shake", "wiggle": "gesture wiggle_antennas", "dance": "gesture dance", "bow": "gesture bow",
		"photo": "take_photo", "picture": "take_photo", "snapshot": "take_photo", "selfie": "take_photo", "pic": "take_photo", "image": "take_photo",
	}[w]
	if name == "" {
		return "", 0, 0
	}
	return name, k + 1 - ps.i, t.Num
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

// emotionClause parses "be happy", "show me your angry face", "smile".
func (ps *parser) emotionClause() bool {
	if v, n := emotionVerbs.Loose(ps.toks, ps.i, ps.skippable); n > 0 {
		f := frame{class: feeling, tool: "express_emotion", word: v}
		save := ps.i
		ps.i += n
		if ps.finish(&f, true) {
			ps.put(f)
			return true
		}
		ps.i = save
	}
	from := ps.i
	if _, n := actions.Loose(ps.toks, from, ps.skippable); n > 2 && !faceWords[ps.word(from+n)] {
		return false // "do your happy dance"
	}
	if ps.word(from) == "are" && ps.word(from-1) != "you" {
		return false // "are you happy?" asks for words
	}
	if ps.word(from) == "be" && ps.word(from-2) == "you" && (ps.word(from-1) == "must" || ps.word(from-1) == "might" || ps.word(from-1) == "could") {
		return false // "you must be tired" is a remark
	}
	if ps.word(from) == "be" && ps.word(from+1) == "so" && (ps.word(from+3) == "and" || ps.word(from+3) == "as" || ps.word(from+3) == "to") {
		return false // "be so kind and look up"
	}
	if !emotionOpeners[ps.word(ps.i)] {
		// "happy face", "angry expression please"
		if v, n := emotionWords.Match(ps.toks, ps.i); n > 0 {
			switch ps.word(ps.i + n) {
			case "face", "expression", "emotion":
				ps.i += n + 1
				return ps.emotionFrame(v)
			}
		}
		return false
	}
	k := ps.i
	opener := ps.word(k)
	if v, n := emotionWords.Match(ps.toks, k); n > 0 && emotionFillers[opener] && false {
		_ = v
	}
	k++
	for k < len(ps.toks) && k-from < 12 {
		if v, n := emotionWords.Match(ps.toks, k); n > 0 {
			if opener == "are" && ps.word(k-1) != "are" && !emotionFillers[ps.word(k-1)] {
				return false
			}
			// "get down", "play cool", "look down", "go mad" are something else, and "be careful"
			switch ps.word(k) {
			case "down", "low", "lost", "beat", "mean", "cross", "sweet", "hurt", "kind", "interest", "wondering", "sorry", "rage", "funny", "positive", "normal", "lively", "party", "smile", "love", "like", "fond", "blue", "sunny", "cool", "shy":
				if opener == "look" && (ps.word(k) == "down" || ps.word(k) == "low") || opener == "turn" || opener == "go" || opener == "get" && ps.word(k) != "cross" && ps.word(k) != "lost" || opener == "set" || opener == "move" || opener == "put" || opener == "let" || opener == "take" {
					return false
				}
			}
			if opener == "tell" || opener == "make" || opener == "let" || opener == "give" {
				if ps.word(from+1) == "me" && k == from+2 && n == 1 && opener != "give" || ps.word(k) == "interest" || ps.word(k) == "wondering" || opener == "make" && ps.word(from+1) != "a" && ps.word(from+1) != "an" && ps.word(from+1) != "your" && ps.word(from+1) != "the" && ps.word(from+1) != "yourself" && ps.word(from+1) != "it" && k == from+2 {
					return false // "make me happy", "tell me love stories"
				}
			}
			ps.i = k + n
			return ps.emotionFrame(v)
		}
		if !emotionFillers[ps.word(k)] && !ps.manner(k) {
			return false
		}
		if ps.word(k) == "not" || ps.word(k) == "what" && opener != "show" && opener != "demonstrate" {
			return false
		}
		k++
	}
	return false
}

// faceWords tell that an emotion is meant and not a pose: "a neutral expression".
var faceWords = language.Words("face-words")

func (ps *parser) emotionFrame(name string) bool {
	f := frame{class: feeling, tool: "express_emotion", word: name}
	for ps.accept(emotionTails) {
		continue
	}
	if ps.acceptWord("when") || ps.word(ps.i) == "than" || ps.word(ps.i) == "birthday" {
		return false
	}
	if !ps.finish(&f, true) {
		return false
	}
	ps.put(f)
	return true
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

// impossibleClause parses what the body cannot do: walking, flying, handling things.
func (ps *parser) impossibleClause() bool {
	if v, n := impossibles.Match(ps.toks, ps.i); n > 0 {
		w, next := ps.word(ps.i), ps.word(ps.i+n)
		if leadIns.Len(ps.toks, ps.i) > n || w == "head" && directions.Has(ps.toks, ps.i+1) {
			return false // "go ahead and nod", "head to the left"
		}
		switch next {
		case "is", "was", "are", "were", "the", "of", "out", "time", "a", "on", "and", "over", "through":
			if n == 1 && !ps.boundary(ps.i+1) && (next == "is" || next == "was" || next == "are" || next == "were" || next == "of" || next == "time" || next == "out" && w != "reach" && w != "walk" && w != "run" || w == "come" || w == "press" && next != "the" || w == "type" || w == "build") {
				return false
			}
		}
		if w == "come" && n == 1 && !ps.boundary(ps.i+1) || w == "run" && n == 1 && !ps.boundary(ps.i+1) && next != "the" && !ps.manner(ps.i+1) || w == "drive" && n == 1 && next == "me" && ps.word(ps.i+2) == "crazy" || w == "light" {
			return false
		}
		if w == "wave" && parts.Has(ps.toks, ps.i+1) {
			return false
		}
		ps.i += n
		ps.skipToEnd()
		ps.put(frame{class: fault, problem: OutcomeError, message: impossibleBecause[v]})
		return true
	}
	w := ps.word(ps.i)
	if !handlingVerbs[w] {
		return false
	}
	from := ps.i
	switch ps.word(from + 1) {
	case "", "a", "an", "the", "that", "this", "my", "your", "his", "her", "it", "me", "up", "down", "those", "these", "some", "them", "us", "him", "both":
	default:
		if ps.tok(from+1).Kind != language.Number && !ps.p.objects[ps.word(from+1)] {
			return false
		}
	}
	hand := alwaysHandling[w] && !ps.boundary(from+1)
	ps.skipToEnd()
	for k := from + 1; k < ps.i; k++ {
		x := ps.word(k)
		if v, n := parts.Match(ps.toks, k); n > 0 && (v == "arm" || v == "leg" || v == "wing" || v == "brow") {
			ps.put(frame{class: fault, problem: OutcomeError, message: missingPart(v)})
			return true
		}
		if k < from+5 && (things[x] || things[language.Singular(x)]) {
			hand = true
		}
		if x == "on" && !things[ps.word(k+1)] && k == ps.i-1 || x == "off" && k == ps.i-1 || x == "attention" || x == "note" || x == "care" || x == "advantage" || x == "part" || x == "back" && alwaysHandling[w] && ps.word(k+1) == "memories" {
			return false
		}
	}
	if !hand {
		return false
	}
	ps.put(frame{class: fault, problem: OutcomeError, message: impossibleBecause["arms"]})
	return true
}

func missingPart(v string) string {
	switch v {
	case "leg":
		return impossibleBecause["legs"]
	case "wing":
		return impossibleBecause["wings"]
	case "brow":
		return impossibleBecause["eyelids"]
	}
	return impossibleBecause["arms"]
}

// skipToEnd moves to the end of the clause.
func (ps *parser) skipToEnd() {
	for !ps.done() {
		if ps.isMark(ps.i) {
			return
		}
		if v, n := connectives.Match(ps.toks, ps.i); n > 0 && (v == "then" || ps.couldBegin(ps.i+n)) {
			return
		}
		ps.i++
	}
}

// forbiddenClause parses what must not be done: harm, disabling protection, spying.
func (ps *parser) forbiddenClause() bool {
	why := ps.forbiddenAt(ps.i)
	if why == "" {
		return false
	}
	for !ps.done() && !ps.isMark(ps.i) {
		ps.i++
	}
	ps.put(frame{class: fault, problem: OutcomeRefuse, message: forbiddenBecause[why]})
	return true
}

// forbiddenAt says why the clause at k is forbidden, "" when it is not.
func (ps *parser) forbiddenAt(k int) string {
	if v, n := fixedForbidden.Match(ps.toks, k); n > 0 {
		return v
	}
	w := ps.word(k)
	if harmVerbs[w] {
		next := ps.word(k + 1)
		object := next != "" && !ps.boundary(k+1)
		switch {
		case w == "drop", w == "lift":
		case w == "scratch" && (next == "that" || next == "everything" || next == "all"):
		case w == "shoot" && (next == "a" || next == "the" || next == "some") && ps.photoAhead(k):
		case w == "snap" && (ps.photoAhead(k) || next == "out" || next == "to"):
		case w == "cut" && (next == "it" || next == "that" || next == "the" && (ps.word(k+2) == "sound" || ps.word(k+2) == "volume" || ps.word(k+2) == "crap" || ps.word(k+2) == "chatter")):
		case w == "knock" && (next == "it" && ps.word(k+2) == "off" || next == "knock" || next == "on"):
		case w == "break" && (next == "into" && (ps.word(k+2) == "a" || ps.word(k+2) == "dance" || ps.word(k+2) == "song") || next == "it" && ps.word(k+2) == "down" || next == "eye" || next == "out" || next == "time" || next == "dance" || next == "down" || next == "up" || next == "free" || next == "dancing"):
		case w == "hit" && (next == "the" && (ps.word(k+2) == "dance" || ps.word(k+2) == "hay" || ps.word(k+2) == "emergency" || ps.word(k+2) == "stop" || ps.word(k+2) == "lights" || ps.word(k+2) == "road") || next == "estop" || next == "it" && ps.boundary(k+2)):
		case w == "beat" && (next == "is" || next == "of" || ps.boundary(k+1)):
		case w == "push" && (persons[next] || next == "him" || next == "her" || next == "them"):
			return "harm"
		case w == "shake", w == "push" && things[lastWord(ps.clauseLast(k))]:
		case w == "push" && !pushed[next]:
		case w == "push" && (ps.word(k+2) == "button" || ps.word(k+2) == "volume"):
		case w == "cut" && next == "out":
		case w == "throw" && (next == "a" && (ps.word(k+2) == "party" || ps.word(k+2) == "tantrum" || ps.word(k+2) == "smile" || ps.word(k+2) == "glance") || next == "up"):
		case w == "tip" && (next == "your" || next == "the" && parts.Has(ps.toks, k+2)), w == "bump" && next == "up", w == "bump" && next == "the" && ps.word(k+2) == "volume":
		case w == "surprise" && (next == "me" || next == "us"), w == "shock" && (next == "me" || next == "and"), w == "strike" && (next == "a" || next == "that" || next == "the"), w == "rock":
		case w == "toss" && (next == "and" || next == "your"), w == "lunge" && !object:
		case w == "fight" && next == "sleep", w == "steal" && next == "a" && ps.word(k+2) == "glance", w == "trip" && !object, w == "kill" && next == "the" && (ps.word(k+2) == "sound" || ps.word(k+2) == "volume" || ps.word(k+2) == "music" || ps.word(k+2) == "motion" || ps.word(k+2) == "audio" || ps.word(k+2) == "lights" || ps.word(k+2) == "light"):
		case w == "whip" && (next == "your" || next == "out"):
		case w == "punch" && next == "line", w == "slam" && next == "dunk", w == "crash" && next == "course", w == "trash" && object && next == "can":
		case harmNeedsObject[w] && !object:
		case next == "is", next == "was", next == "are", next == "were", next == "of":
		default:
			return "harm"
		}
	}
	if safetyVerbs[w] {
		m := k + 1
		for m < len(ps.toks) && m < k+10 && (safetyFillers[ps.word(m)] || ps.tok(m).Glued) {
			m++
		}
		if safetyNouns[ps.word(m)] && m < k+10 {
			noun := ps.word(m)
			switch {
			case noun == "emergency" && w == "stop" && ps.boundary(m+1):
			case (w == "go" || w == "get" || w == "move" || w == "turn" || w == "push" || w == "switch" || w == "shut" || w == "change" || w == "extend" || w == "reset" || w == "stop" || w == "raise" || w == "increase" || w == "edit") && !ps.awayFromSafety(k, m):
			case (w == "no" || w == "without") && !broadProtections[noun]:
			case noun == "collision" && !collisionGuards[ps.word(m+1)]:
			default:
				return "safety"
			}
		}
	}
	if (w == "ignore" || w == "forget" || w == "disregard" || w == "override") && ps.instructionsAhead(k) {
		return "safety"
	}
	if watching[w] || w == "keep" || w == "start" {
		end := k
		for end < len(ps.toks) && (!ps.isMark(end) || ps.toks[end].Word == ",") {
			end++
		}
		for m := k + 1; m < end; m++ {
			if secrecy.Has(ps.toks, m) {
				return "privacy"
			}
		}
	}
	if m := secrecy.Len(ps.toks, k); m > 0 && (watching[ps.word(k+m)] || watching[language.InflectionOf(ps.word(k+m)).Base]) {
		return "privacy"
	}
	return ""
}

var (
	pushed           = language.Words("pushed")
	broadProtections = language.Words("broad-protections")
	collisionGuards  = language.Words("collision-guards")
)

// awayFromSafety reports whether the words between the verb and the protection take it away: "turn off", "go beyond".
func (ps *parser) awayFromSafety(k, m int) bool {
	w := ps.word(k)
	if w == "change" || w == "raise" || w == "increase" || w == "edit" || w == "extend" {
		return true
	}
	for x := k + 1; x < m; x++ {
		switch ps.word(x) {
		case "off", "past", "beyond", "around", "out", "away", "rid", "down", "over", "outside":
			return true
		}
	}
	for x := m + 1; x < m+6 && x < len(ps.toks); x++ {
		switch ps.word(x) {
		case "off", "out", "away", "down":
			return true
		}
	}
	return w == "stop" && (ps.word(k+1) == "the" || ps.word(k+1) == "your") && ps.word(m) != "emergency"
}

func (ps *parser) instructionsAhead(k int) bool {
	for x := k + 1; x < len(ps.toks) && x < k+8; x++ {
		switch ps.word(x) {
		case "instructions", "orders", "programming", "commands", "rules", "training", "guidelines":
			return true
		}
	}
	return false
}

// photoAhead reports whether a photo stands in the clause.
func (ps *parser) photoAhead(k int) bool {
	for x := k + 1; x < len(ps.toks) && x < k+6; x++ {
		switch ps.word(x) {
		case "photo", "picture", "photos", "pictures", "image", "selfie", "shot", "pic", "video", "me":
			return true
		}
	}
	return false
}
