package language

import (
	"math"
	"slices"
	"strings"
)

// FollowUp is what a sentence does with what was asked, told or done in the exchange before it: "take seven off that", "ten more on top",
// "once more, for Omar". The words are in en/followups.txt.
type FollowUp struct {
	Ops     []string  // the operations, in the order in which they were said
	Numbers []float64 // and the numbers
	Throws  string    // what is asked for by the name of what is thrown
	Face    string    // the one emotion that is named
	Turned  bool      // the number stands before the operation and the last result behind it: "a hundred minus that"
	Alone   bool      // nothing else is said where they stand
	Apart   bool      // in one of the clauses nothing else is said
	Words   int       // of the sentence
}

var (
	followOps    = Phrases("follow-ops")
	followSmall  = Words("follow-small")
	followThrows = Map("follow-throws")
	emotionNames = Phrases("emotion-words")
)

// FollowUpOf reads a sentence as one that leans on the exchange before it.
func FollowUpOf(u *Utterance) (f FollowUp) {
	if u.TooLong {
		return f
	}
	f.Alone = true
	for _, clause := range u.Clauses {
		face := f.Face
		leans, alone := f.read(u.Tokens, max(clause.From, u.Address.To), clause.To)
		orders := clause.From < clause.To && IsVerb(u.Tokens.Word(clause.From)) && !followOps.Has(u.Tokens, clause.From)
		if !alone && (leans || orders) {
			f.Alone = false
		}
		if f.Apart = f.Apart || alone && (leans || f.Face != face); !alone { // "the funny thing is"
			f.Face = face
		}
	}
	if f.Face == severalFaces {
		f.Face = ""
	}
	return f
}

// severalFaces is what stands for more than one emotion.
const severalFaces = "several"

// read reads a clause. leans is whether an operation is in it, alone whether nothing else is.
func (f *FollowUp) read(toks Tokens, from, to int) (leans, alone bool) {
	alone = true
	for i := from; i < to; {
		t := &toks[i]
		op, n := followOps.Match(toks, i)
		face, m := emotionNames.Match(toks, i)
		f.Words++
		switch {
		case n > 0:
			f.Turned = f.Turned || len(f.Numbers) > 0 && (op == "minus" || op == "over") && followPointers[toks.Word(i+n)]
			f.Ops, leans, i = append(f.Ops, op), true, i+n
			continue
		case t.Kind == Number && !t.Pronoun && (t.Orig != "one" || i > from && followOps.Has(toks, i-1)): // no "bigger one"
			if t.Num < 0 && !strings.HasPrefix(t.Orig, "-") { // "and minus six"
				f.Ops = append(f.Ops, "minus")
			}
			f.Numbers, leans = append(f.Numbers, math.Abs(t.Num)), true
		case followThrows[t.Word] != "":
			f.Throws = followThrows[t.Word]
		case m > 0 && (tells[toks.Word(i-1)] || tells[toks.Word(i-2)]): // "it was so funny"
		case m > 0 && face != f.Face:
			if f.Face != "" {
				face = severalFaces
			}
			f.Face, i = face, i+m
			continue
		case t.Kind != Number && m == 0 && !followSmall[t.Word] && !followSmall[t.Orig]:
			alone = false
		}
		i++
	}
	return leans, alone
}

// followPointers stand for the last result.
var followPointers = Words("follow-pointers")

// tells are verbs behind which an emotion is told of somebody.
var tells = Words("follow-tells")

// Is reports whether an operation is one of those that were said.
func (f *FollowUp) Is(op string) bool { return slices.Contains(f.Ops, op) }
