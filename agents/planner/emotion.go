package planner

import "github.com/reachyd/reachyd/perception/language"

var (
	emotionWords    = language.Phrases("emotion-words")
	emotionVerbs    = language.Phrases("emotion-verbs")
	emotionTails    = language.Phrases("emotion-tails")
	emotionOpeners  = language.Words("emotion-openers")
	emotionFillers  = language.Words("emotion-fillers")
	emotionAudience = language.Words("emotion-audience")
	faceWords       = language.Words("face-words") // they tell that an emotion is meant and not a pose: "a neutral expression"
	namedFaces      = language.Words("named-faces")
	ambiguous       = language.Words("ambiguous-feelings")
	doingOpeners    = language.Words("doing-openers")
	causingOpeners  = language.Words("causing-openers")
	ownFaceOpeners  = language.Words("own-face-openers")
	afterFeelings   = language.Words("after-feelings")
	remarksOfBeing  = language.Phrases("remarks-of-being")
)

// feelingAt is a word of feeling: n tokens at k, in a clause that begins at from.
type feelingAt struct {
	*parser
	from, k, n int
	opener     string // the first word of the clause
	w          string // the word of feeling
}

// emotionClause parses "be happy", "show me your angry face", "smile".
func (ps *parser) emotionClause() bool {
	from := ps.i
	if v, n := emotionVerbs.Loose(ps.toks, from, ps.skippable); n > 0 {
		f := frame{class: feeling, tool: "express_emotion", word: v}
		ps.i += n
		if ps.finish(&f, true) {
			ps.put(f)
			return true
		}
		ps.i = from
	}
	if first(ps.p.rules.unfelt, ps) != pass {
		return false
	}
	opener := ps.word(from)
	if !emotionOpeners[opener] {
		v, n := emotionWords.Match(ps.toks, from) // "happy face", "angry expression please"
		if n == 0 || !namedFaces[ps.word(from+n)] {
			return false
		}
		ps.i += n + 1
		return ps.emotionFrame(v)
	}
	for k := from + 1; k < len(ps.toks) && k-from < 12; k++ {
		w := ps.word(k)
		if v, n := emotionWords.Match(ps.toks, k); n > 0 {
			if first(ps.p.rules.notFeelings, feelingAt{ps, from, k, n, opener, w}) != pass {
				return false
			}
			ps.i = k + n
			return ps.emotionFrame(v)
		}
		between := emotionFillers[w] || ps.manner(k) || opener == "show" && emotionAudience[w]
		if !between || w == "not" || w == "what" && opener != "show" && opener != "demonstrate" {
			return false
		}
	}
	return false
}

// unfeltRules are clauses with a word of feeling that ask for something else.
func unfeltRules() []rule[*parser] {
	return []rule[*parser]{
		{"unfelt deed", "do your happy dance", func(ps *parser) step {
			_, n := actions.Loose(ps.toks, ps.i, ps.skippable)
			return when(n > 2 && !faceWords[ps.word(ps.i+n)])
		}},
		{"unfelt question", "are you happy", func(ps *parser) step { return when(ps.word(ps.i) == "are" && ps.word(ps.i-1) != "you") }},
		{"unfelt remark", "you must be tired", func(ps *parser) step { return when(ps.i >= 2 && remarksOfBeing.Len(ps.toks, ps.i-2) == 3) }},
		{"unfelt politeness", "be so kind and look up", func(ps *parser) step {
			w := ps.word(ps.i + 3)
			return when(ps.word(ps.i) == "be" && ps.word(ps.i+1) == "so" && (w == "and" || w == "as" || w == "to"))
		}},
	}
}

// notFeelingRules are words of feeling that mean something else behind their verb.
func notFeelingRules() []rule[feelingAt] {
	return []rule[feelingAt]{
		{"feeling asked about", "could you are oddly sad", func(f feelingAt) step {
			before := f.word(f.k - 1)
			return when(f.opener == "are" && before != "are" && !emotionFillers[before])
		}},
		{"feeling looked", "look very low", func(f feelingAt) step { return when(f.opener == "look" && (f.w == "down" || f.w == "low")) }},
		{"feeling got", "get down to business", func(f feelingAt) step {
			return when(f.opener == "get" && ambiguous[f.w] && f.w != "cross" && f.w != "lost")
		}},
		{"feeling done", "turn to sorry face", func(f feelingAt) step { return when(doingOpeners[f.opener] && ambiguous[f.w]) }},
		{"feeling told me", "make me happy", func(f feelingAt) step {
			me := f.word(f.from+1) == "me" && f.k == f.from+2 && f.n == 1
			return when(causingOpeners[f.opener] && me)
		}},
		{"feeling given rise to", "make everyone interest", func(f feelingAt) step {
			return when((causingOpeners[f.opener] || f.opener == "give") && (f.w == "interest" || f.w == "wondering"))
		}},
		{"feeling of others", "make them happy", func(f feelingAt) step {
			return when(f.opener == "make" && !ownFaceOpeners[f.word(f.from+1)] && f.k == f.from+2)
		}},
	}
}

func (ps *parser) emotionFrame(name string) bool {
	f := frame{class: feeling, tool: "express_emotion", word: name}
	for ps.accept(emotionTails) {
		continue
	}
	if afterFeelings[ps.word(ps.i)] {
		return false
	}
	if !ps.finish(&f, true) {
		return false
	}
	ps.put(f)
	return true
}
