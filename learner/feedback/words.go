package feedback

import (
	"embed"
	"slices"
	"strings"
	"time"

	"github.com/reachyd/reachyd/learner/preference"
	"github.com/reachyd/reachyd/learner/reward"
	"github.com/reachyd/reachyd/perception/language/phrasefile"
)

//go:embed en/phrases.txt
var files embed.FS

// phrases are what people say, by name; plain texts.
var phrases = func() map[string][]string {
	all := phrasefile.MustRead(files, "en/phrases.txt")
	for _, said := range all {
		for i, p := range said {
			said[i] = reward.Plain(p)
		}
	}
	return all
}()

// says reports whether a plain text has one of the phrases of a name in it; whole whether it is one.
func says(plain, name string, whole bool) bool {
	return slices.ContainsFunc(phrases[name], func(p string) bool {
		return plain == p || !whole && strings.Contains(" "+plain+" ", " "+p+" ")
	})
}

// byWords makes actions likelier that a text names: by their place ("the second one") or by a word of theirs ("the nod"). The
// newest is first.
func byWords(text string, of []Credit) {
	plain := reward.Plain(text)
	if plain == "" || len(of) < 2 {
		return
	}
	for place, name := range []string{"first", "second", "third"} {
		if turn := lastTurn(of); place < len(turn) && says(plain, name, false) {
			of[turn[len(turn)-1-place]].Share *= named * named
		}
	}
	if says(plain, "last", false) {
		of[0].Share *= named
	}
	said := strings.Fields(plain)
	for i := range of {
		words := strings.Fields(reward.Plain(strings.ReplaceAll(of[i].Tool+" "+of[i].Words, "_", " ")))
		if slices.ContainsFunc(said, func(w string) bool {
			return len(w) > 2 && slices.ContainsFunc(words, func(v string) bool { return sameStem(w, v) })
		}) {
			of[i].Share *= named
		}
	}
}

// lastTurn returns the actions that belong together, newest first: those of the last turn, or when that is a single one all.
func lastTurn(of []Credit) (at []int) {
	for i := range of {
		if of[i].Episode == of[0].Episode {
			at = append(at, i)
		}
	}
	if len(at) > 1 {
		return at
	}
	at = at[:0]
	for i := range of {
		at = append(at, i)
	}
	return at
}

// sameStem reports whether words begin alike for long enough: "nod" and "nodded", "dance" and "dancing".
func sameStem(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	n := max(3, len(a)-1)
	return len(a) >= 3 && len(b)-len(a) <= 4 && strings.HasPrefix(b, a[:min(n, len(a))])
}

// question is what the robot has asked about a piece.
type question struct {
	piece string
	at    time.Time
}

const (
	askEvery  = 10 * time.Minute // at most once
	answerBy  = 2 * time.Minute
	takenFrom = 0.4  // uncertainty up to which a turn is taken as feedback
	askFrom   = 0.55 // up to which it is asked about
)

// isQuestion says that a text begins as a question does; a word before that, such as "no", does not change it.
func isQuestion(text string) bool {
	words := strings.Fields(reward.Plain(text))
	return slices.ContainsFunc(words[:min(len(words), 2)], func(w string) bool { return says(w, "asks", true) })
}

// Heard takes a turn of a conversation that nothing else has understood: it is feedback when it is praise or blame and the robot
// has just done something. reply is what the robot says to that.
func (b *Book) Heard(session, text string) (reply string, ok bool) {
	s := b.judge.Score(session, text)
	if !b.recently(maxAge) && (!b.spokeLately(session) || !aboutVoice(reward.Plain(text), s.Meant)) {
		return "", false
	}
	if reward.ClassOf(s.Reward) == reward.Neutral || s.Uncertainty > askFrom {
		return "", false
	}
	ask := s.Uncertainty > takenFrom
	if ask && (!b.mayAsk(session) || isQuestion(text)) { // a question wants its answer, not another one
		return "", false
	}
	p, err := b.Give(Given{Session: session, Text: text})
	if err != nil {
		return "I could not keep that: " + err.Error() + ".", true
	}
	if ask {
		b.mu.Lock()
		b.asked[session], b.askedAt = question{p.ID, b.o.Now()}, b.o.Now()
		b.mu.Unlock()
		asking, _ := preference.Named(preference.Asking)
		b.Did(Action{Tool: "question", Words: "asked what you meant", Choices: map[string]int{asking.Name: asking.Usual}})
		return "Was that good or bad?", true
	}
	return taken(&p), true
}

// recently reports whether the robot has done something within a time.
func (b *Book) recently(within time.Duration) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := len(b.actions)
	return n > 0 && b.o.Now().Sub(b.actions[n-1].At) < within
}

// mayAsk reports whether the robot may ask somebody what was meant.
func (b *Book) mayAsk(session string) bool {
	if p, _ := preference.Named(preference.Asking); b.o.Learner.Choose(session, p.Name) != p.Usual {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.askedAt.IsZero() || b.o.Now().Sub(b.askedAt) >= askEvery
}

// Answered takes a turn that says how earlier feedback was meant: "no, I meant that as praise", or "good" when the robot has
// asked. It comes before everything else that might understand such a sentence.
func (b *Book) Answered(session, text string) (reply string, ok bool) {
	plain := reward.Plain(text)
	b.mu.Lock()
	q, asked := b.asked[session]
	delete(b.asked, session)
	asked = asked && b.o.Now().Sub(q.at) < answerBy
	some := b.find("", session) >= 0
	b.mu.Unlock()
	worth, id := 0.0, ""
	switch {
	case asked && says(plain, "good", true):
		worth, id = meantGood, q.piece
	case asked && says(plain, "bad", true):
		worth, id = -meantGood, q.piece
	case !some:
		return "", false
	case says(plain, "neither", false):
	case says(plain, "blame", false):
		worth = -meantGood
	case says(plain, "praise", false):
		worth = meantGood
	default:
		return "", false
	}
	p, err := b.Correct(id, session, worth)
	if err != nil {
		return "I could not keep that: " + err.Error() + ".", true
	}
	return taken(&p), true
}

// meantGood is what praise is worth that says only that it is praise.
const meantGood = 0.7

// taken says what a piece was taken for.
func taken(p *Piece) string {
	text := map[reward.Class]string{
		reward.Praise: "I take that as praise", reward.Blame: "I take that as criticism", reward.Neutral: "I take that as not about me",
	}[reward.ClassOf(p.Reward)]
	if len(p.Meant) > 0 && p.Reward < 1 && reward.ClassOf(p.Reward) != reward.Neutral {
		text += ": " + strings.ReplaceAll(strings.Join(p.Meant, ", "), "_", " ")
	}
	return text + ". Thank you."
}
