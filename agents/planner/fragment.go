package planner

import "github.com/reachyd/reachyd/perception/language"

var (
	// takenBack is what a correction may repeat before the right thing comes.
	takenBack = language.Phrases("taken-back")
	// articles may stand before the name of a gesture.
	articles = language.Words("fragment-articles")
	// intensifiers may stand before an emotion.
	intensifiers = language.Words("fragment-intensifiers")
	// followers may stand between an action and the one that follows it: "followed by a bow".
	followers = language.Words("fragment-followers")
)

// fragmentReader reads a clause without a verb.
type fragmentReader struct {
	*parser
	join joint
	prev *frame // the clause that it leans on; nil for none
	core int    // where it begins, behind small words
}

// fragment parses a clause without a verb, which leans on the clause before: "and right", "then 20 degrees", "the duck".
func (ps *parser) fragment(j joint) bool {
	from := ps.i
	r := fragmentReader{parser: ps, join: j}
	if k := len(ps.frames) - 1; k >= 0 {
		r.prev = &ps.frames[k]
	}
	for ps.acceptWord("maybe", "perhaps", "just", "please", "and", "then", "now", "only", "even") {
	}
	if j.correct {
		ps.i += takenBack.Len(ps.toks, ps.i)
		for ps.acceptWord("it", "is", "be", "to", "was") {
		}
	}
	r.core = ps.i
	if first(ps.p.rules.fragment, &r) == taken {
		return true
	}
	ps.i = from
	return false
}

// fragmentRules are what can lean on the clause before.
func fragmentRules() []rule[*fragmentReader] {
	return []rule[*fragmentReader]{
		{"fragment target", "look left and then at the duck", (*fragmentReader).target},
		{"fragment motion", "look left and right", (*fragmentReader).motion},
		{"fragment modifier", "nod, three times", (*fragmentReader).modifiers},
		{"fragment first", "purple elephants", func(r *fragmentReader) step { return stopIf(r.prev == nil) }},
		{"fragment emotion", "look happy, then sad", (*fragmentReader).emotion},
		{"fragment wait", "wait two seconds, no, three seconds", (*fragmentReader).wait},
		{"fragment volume", "set the volume to 30 percent, no, 40 percent", (*fragmentReader).volume},
		{"fragment speech", `say hello, no, "good morning"`, (*fragmentReader).speech},
		{"fragment thing", "look at the apple, then the duck", (*fragmentReader).thing},
		{"fragment pose", "go to the home pose, no, the sleep pose", (*fragmentReader).pose},
		{"fragment action", "nod, then a bow", (*fragmentReader).action},
		{"fragment followed by", "look left followed by a bow", (*fragmentReader).followed},
	}
}

func stopIf(yes bool) step {
	if yes {
		return stop
	}
	return pass
}

// target reads "at the duck" after "look left and then …".
func (r *fragmentReader) target() step {
	prev := r.prev
	if prev == nil || prev.class != looking && prev.class != motion && prev.tool != "track_face" {
		return pass
	}
	if w := r.word(r.i); w != "at" && !towards[w] || directions.Has(r.toks, r.i) || r.tok(r.i+1).Kind == language.Number {
		return pass
	}
	r.i++
	name, m := r.nounPhrase(r.i, false)
	if m > 0 && !parts.Has(r.toks, r.i+1) && !directions.Has(r.toks, r.i) {
		f := frame{class: looking, tool: "look_at", word: name}
		if name == "me" || name == "us" {
			f = r.actionFrame("track_face true")
		}
		r.i += m
		if r.complete(f, true) {
			return taken
		}
	}
	r.i = r.core
	return pass
}

// motion reads where and how far: "and right", "then 20 degrees".
func (r *fragmentReader) motion() step {
	prev := r.prev
	f := frame{class: motion, negated: r.acceptWord("not")}
	got := r.slots(&f)
	if !got && f.empty() || !r.finish(&f, false) || r.mismatch(prev, &f, r.join) {
		return pass
	}
	if prev == nil || prev.class == nothing && !prev.negated {
		if !standsAlone(&f) {
			return stop
		}
		f.verbed, f.verb = true, "move"
		if f.part == "" || f.part == "it" {
			f.verb = "look"
		}
		if r.missing(&f) {
			return taken
		}
	}
	r.put(r.leaning(f))
	return taken
}

// leaning is what directions and numbers mean after the clause before: a volume, how often, a movement.
func (r *fragmentReader) leaning(f frame) frame {
	prev := r.prev
	if prev == nil {
		return f
	}
	often := frame{class: pending, said: true}
	if f.number() {
		often.times = f.bare[0].deg
	}
	switch prev.class {
	case volume:
		if len(f.bare) == 1 && len(f.headings) == 0 {
			return frame{class: volume, tool: "set_volume", bare: f.bare}
		}
	case motion, looking, nothing, fault:
	default:
		if f.number() { // "nod twice, no, three"
			return often
		}
		f.verbed, f.verb = true, "look"
		if f.part != "" {
			f.verb = "move"
		}
	}
	if f.number() && r.join.correct && prev.said && prev.empty() {
		return often
	}
	return f
}

// modifiers reads a pace, a time or how often, alone: "three times", "slowly", "for two seconds".
func (r *fragmentReader) modifiers() step {
	r.i = r.core
	f := frame{class: pending}
	if t := r.tok(r.i); t.Kind == language.Number && t.Num == 1 && r.word(r.i+1) == "every" {
		r.i++ // "five photos, one every two seconds"
	}
	if r.prev != nil && r.modifier(&f) && r.complete(f, false) {
		return taken
	}
	r.i = r.core
	return pass
}

// isAfter reports whether the clause before is of a class.
func (r *fragmentReader) isAfter(c class) bool { return r.prev.class == c }

func (r *fragmentReader) emotion() step {
	if !r.isAfter(feeling) {
		return pass
	}
	r.i = r.skip(r.i, intensifiers)
	v, n := emotionWords.Match(r.toks, r.i)
	if n == 0 {
		return pass
	}
	r.i += n
	return when(r.emotionFrame(v))
}

func (r *fragmentReader) wait() step {
	if !r.isAfter(pausing) {
		return pass
	}
	q, n := r.quantity(r.i)
	if n == 0 || q.Dim != language.Time && q.Dim != language.NoUnit {
		return pass
	}
	r.i += n
	return when(r.complete(frame{class: pausing, tool: "wait", hold: seconds{true, q.Value}}, false))
}

func (r *fragmentReader) volume() step {
	if !r.isAfter(volume) {
		return pass
	}
	q, n := r.quantity(r.i)
	if n == 0 || q.Dim != language.Percent && q.Dim != language.NoUnit {
		return pass
	}
	r.i += n
	return when(r.volumeFrame(q))
}

// speech reads what is to be said instead.
func (r *fragmentReader) speech() step {
	if !r.isAfter(speech) || !r.join.correct || r.done() {
		return pass
	}
	f := frame{class: speech, tool: "speak"}
	if t := r.tok(r.i); t.Kind == language.Quote {
		f.word = t.Word
		r.i++
		if r.complete(f, false) {
			return taken
		}
	}
	if r.spoken(f) {
		return taken
	}
	return stop
}

// thing reads a further thing to look at or to find.
func (r *fragmentReader) thing() step {
	if !r.isAfter(looking) && !r.isAfter(finding) {
		return pass
	}
	not := r.acceptWord("not")
	r.acceptWord("at")
	name, n := r.nounPhrase(r.i, r.isAfter(finding))
	w := r.word(r.i)
	named := fillers[w] || w == "some" || r.p.objects[name] || r.properNameAt(r.i)
	if n == 0 || !named || name == "" {
		return pass
	}
	r.i += n
	f := frame{class: r.prev.class, tool: r.prev.tool, word: name, negated: not}
	if name == "me" && !not {
		f = r.actionFrame("track_face true")
	}
	return when(r.complete(f, true))
}

// pose reads the name of another pose or recorded move.
func (r *fragmentReader) pose() step {
	tool := r.prev.tool
	if !r.isAfter(action) || tool != "goto_pose" && tool != "play_move" {
		return pass
	}
	for r.acceptWord("the", "to", "move", "called") {
	}
	t := r.tok(r.i)
	if t.Kind != language.Quote && (t.Kind != language.Word || r.p.poses[r.word(r.i)] == "") {
		return pass
	}
	r.i++
	r.acceptWord("pose", "position", "move")
	return when(r.complete(frame{class: action, tool: tool, args: map[string]any{"name": t.Word}}, false))
}

// action reads a further gesture or photo: "a nod, then a bow".
func (r *fragmentReader) action() step {
	if !r.isAfter(action) || r.prev.tool != "gesture" && r.prev.tool != "take_photo" {
		return pass
	}
	r.i = r.skip(r.i, articles)
	return when(r.verbedAction())
}

// followed reads "… followed by a bow".
func (r *fragmentReader) followed() step {
	r.i = r.core
	if r.prev.tool == "" && !r.isAfter(motion) {
		return pass
	}
	r.i = r.skip(r.i, followers)
	return when(r.i > r.core && r.verbedAction())
}

// verbedAction reads an action that others can lean on.
func (r *fragmentReader) verbedAction() bool {
	if !r.actionClause() {
		return false
	}
	r.frames[len(r.frames)-1].verbed = true
	return true
}

// mismatch reports whether a fragment of motion cannot lean on the clause before it.
func (ps *parser) mismatch(prev, f *frame, j joint) bool {
	if prev == nil {
		return false
	}
	switch prev.class {
	case motion, looking, nothing, fault, volume:
		return false
	}
	if prev.class == action && len(f.bare) > 0 && j.correct { // "nod twice, no, three"
		return false
	}
	return (f.part == "" || f.empty()) && !f.negated && !standsAlone(f)
}

// standsAlone reports whether a fragment without any clause before it is a command: "head up", "20 degrees left".
func standsAlone(f *frame) bool {
	where := len(f.headings) > 0
	if f.part != "" && f.part != "it" && f.part != "them" && (where || len(f.bare) > 0 && f.bare[0].kind == 'n') {
		return true
	}
	if f.axisSet[0] || f.axisSet[1] || f.axisSet[2] {
		return true
	}
	return where && f.headings[0].amt.kind != 0 && f.headings[0].dir != "back" // "back at six", "a bit back": from where, only a conversation knows
}
