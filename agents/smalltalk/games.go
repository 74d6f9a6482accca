package smalltalk

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/perception/language"
)

var _ = register(map[string]maker{
	"guess-number":        {plainCase, []string{"most"}, startGuess, nil},
	"guess-mine":          {plainCase, []string{"most", "guess"}, startGuessMine, nil},
	"simon":               {plainCase, nil, func(q *turn) (string, values) { return q.begin(&simonSays{}) }, nil},
	"twenty-questions":    {plainCase, nil, startTwenty, nil},
	"rock-paper-scissors": {plainCase, nil, func(q *turn) (string, values) { return q.begin(&rockPaperScissors{}) }, nil},
	"simon-now":           {plainCase, []string{"did"}, simonNow, nil},
	"rps-now":             {plainCase, []string{"result"}, rpsNow, nil},
	"stop-game":           {[]string{"", "none"}, nil, stopGame, nil},
})

// game is a game that a session plays.
type game interface {
	// takes says whether a sentence belongs to the game. Everything else is left to the others, and the game goes on.
	takes(t *Talk, text string) bool
	// turn plays on; over ends the game.
	turn(q *turn, text string) (reply string, over bool)
}

// begin starts a game in place of any other.
func (q *turn) begin(g game) (string, values) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.s.game, q.s.secret = g, ""
	return "", values{}
}

func stopGame(q *turn) (string, values) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.s.game == nil && q.s.secret == "" {
		return "none", values{}
	}
	q.s.game, q.s.secret = nil, ""
	return "", values{}
}

// plays says whether a sentence belongs to the game or the riddle of its session.
func (t *Talk) plays(session string, m *Match) bool {
	t.mu.Lock()
	s := t.sessions[session]
	var g game
	secret := ""
	if s != nil {
		g, secret = s.game, s.secret
	}
	t.mu.Unlock()
	if g != nil {
		return g.takes(t, language.InDigits(m.plain))
	}
	return secret != "" && (solves(secret, m.plain) || guesses(m.plain))
}

// Stop ends all games, without a word: who says stop has had enough.
func (t *Talk) Stop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, s := range t.sessions {
		s.game, s.secret = nil, ""
	}
}

// End ends the games when a sentence says that they are to end, and somebody plays.
func (t *Talk) End(u *language.Utterance) (said string, ok bool) {
	x := t.o.Persona.matcher()
	f := x.find(x.plain(u.Raw))
	if f == nil || f.kind.name != "stop-game" {
		return "", false
	}
	t.mu.Lock()
	for _, s := range t.sessions {
		ok = ok || s.game != nil || s.secret != ""
	}
	t.mu.Unlock()
	if !ok {
		return "", false
	}
	t.Stop()
	return f.kind.replies[""][0], true
}

// play goes on with the game or the riddle of the session.
func (q *turn) play() string {
	q.mu.Lock()
	g := q.s.game
	if g == nil {
		answer, _, _ := strings.Cut(q.s.secret, "|")
		if !solves(q.s.secret, q.m.plain) {
			q.mu.Unlock()
			q.shows(false)
			return "No, that is not it. Say “I give up” for the answer."
		}
		q.s.secret = ""
		q.mu.Unlock()
		if q.do("gesture", map[string]any{"name": "nod"}) == "" {
			return "Right! It is " + strings.TrimSpace(answer) + "."
		}
		return "Right, it is " + strings.TrimSpace(answer) + "!"
	}
	q.mu.Unlock()
	text, over := g.turn(q, language.InDigits(q.m.plain))
	if over {
		q.mu.Lock()
		if q.s.game == g {
			q.s.game = nil
		}
		q.mu.Unlock()
	}
	return text
}

// solves says whether a sentence has the answer of a riddle.
func solves(secret, text string) bool {
	said := strings.Fields(text)
	if len(said) > 8 {
		return false
	}
	for answer := range strings.SplitSeq(secret, "|") {
		f := strings.Fields(answer)
		if len(f) > 0 && slices.Contains(said, f[len(f)-1]) {
			return true
		}
	}
	return false
}

// guesses says whether a sentence guesses at the answer of a riddle: "is it a towel".
func guesses(text string) bool {
	const most = 5
	return len(strings.Fields(text)) <= most && (strings.HasPrefix(text, "is it a") || strings.HasPrefix(text, "is it the ") || strings.HasPrefix(text, "a "))
}

// shows nods for yes and shakes the head for no; what the body refuses is said by the word that follows.
func (q *turn) shows(yes bool) {
	name := "shake"
	if yes {
		name = "nod"
	}
	q.do("gesture", map[string]any{"name": name})
}

// mostNumber is the largest number that is guessed.
const mostNumber = 100

// numberIn is the only number that is said in a short sentence.
func onlyNumber(text string) (n int, ok bool) {
	f := strings.Fields(text)
	if len(f) > 8 {
		return 0, false
	}
	for _, w := range f {
		if v, is := parseNumber(w); is && v == float64(int(v)) && v > -1e6 && v < 1e6 {
			if ok {
				return 0, false
			}
			n, ok = int(v), true
		}
	}
	return n, ok
}

// guessNumber is a number that the robot thinks of.
type guessNumber struct{ number, tries int }

func startGuess(q *turn) (string, values) {
	q.begin(&guessNumber{number: 1 + q.chance(mostNumber)})
	return "", values{"most": fmt.Sprint(mostNumber)}
}

func (g *guessNumber) takes(t *Talk, text string) bool {
	_, ok := onlyNumber(text)
	return ok && !t.plans(text) || gaveUp(text) || len(strings.Fields(text)) == 1 && (hasAny(text, wordsHigher) || hasAny(text, wordsLower))
}

// plans says whether a text is a command for the body, which is never part of a game of words.
func (t *Talk) plans(text string) bool {
	return t.o.Plan != nil && len(t.o.Plan(text).Steps) > 0
}

func gaveUp(text string) bool {
	return strings.Contains(text, "give up") || strings.Contains(text, "tell me the answer") || strings.Contains(text, "what is it")
}

func (g *guessNumber) turn(q *turn, text string) (string, bool) {
	n, ok := onlyNumber(text)
	switch {
	case !ok && gaveUp(text):
		return fmt.Sprintf("It was %d.", g.number), true
	case !ok:
		return "It is you who guesses: say a number.", false
	}
	g.tries++
	switch {
	case n < g.number:
		q.shows(false)
		return fmt.Sprintf("Higher than %d.", n), false
	case n > g.number:
		q.shows(false)
		return fmt.Sprintf("Lower than %d.", n), false
	}
	q.shows(true)
	return fmt.Sprintf("Yes, %d! You needed %s.", n, count(g.tries, "guess", "guesses")), true
}

// guessMine is a number that the person thinks of.
type guessMine struct{ low, high, guess, tries int }

func startGuessMine(q *turn) (string, values) {
	g := &guessMine{low: 1, high: mostNumber}
	g.guess = (g.low + g.high) / 2
	q.begin(g)
	return "", values{"most": fmt.Sprint(mostNumber), "guess": fmt.Sprint(g.guess)}
}

// Words of who is asked whether a guess is right.
var (
	wordsHigher = []string{"higher", "bigger", "more", "larger", "greater", "up", "above"}
	wordsLower  = []string{"lower", "smaller", "less", "down", "below", "fewer"}
	wordsYes    = []string{"yes", "right", "correct", "exactly", "bingo"}
)

func hasAny(text string, words []string) bool {
	return slices.ContainsFunc(strings.Fields(text), func(w string) bool { return slices.Contains(words, w) })
}

func (g *guessMine) takes(t *Talk, text string) bool {
	return len(strings.Fields(text)) <= 6 && !t.plans(text) && (hasAny(text, wordsHigher) || hasAny(text, wordsLower) || hasAny(text, wordsYes))
}

func (g *guessMine) turn(q *turn, text string) (string, bool) {
	g.tries++
	switch {
	case hasAny(text, wordsHigher):
		g.low = g.guess + 1
	case hasAny(text, wordsLower):
		g.high = g.guess - 1
	default:
		q.do("gesture", map[string]any{"name": "wiggle_antennas"})
		return fmt.Sprintf("Hooray! %d it is, with %s.", g.guess, count(g.tries, "guess", "guesses")), true
	}
	if g.low > g.high {
		return "Then there is no number left. I think that you have changed it.", true
	}
	g.guess = (g.low + g.high) / 2
	return fmt.Sprintf("Is it %d?", g.guess), false
}

// rockPaperScissors is played until the person ends it.
type rockPaperScissors struct{ mine, yours int }

var hands = []string{"rock", "paper", "scissors"}

func handIn(text string) int {
	if len(strings.Fields(text)) > 5 {
		return -1
	}
	found := -1
	for _, w := range strings.Fields(text) {
		switch w {
		case "stone":
			w = "rock"
		case "scissor":
			w = "scissors"
		}
		if i := slices.Index(hands, w); i >= 0 {
			if found >= 0 {
				return -1
			}
			found = i
		}
	}
	return found
}

func (g *rockPaperScissors) takes(_ *Talk, text string) bool { return handIn(text) >= 0 }

func (g *rockPaperScissors) turn(q *turn, text string) (string, bool) {
	yours, mine := handIn(text), q.chance(len(hands))
	switch (mine - yours + len(hands)) % len(hands) {
	case 0:
		return fmt.Sprintf("I took %s too: a draw. Again?", hands[mine]), false
	case 1:
		g.mine++
		q.shows(true)
		return fmt.Sprintf("I took %s: I win. It stands %d to %d for you and me.", hands[mine], g.yours, g.mine), false
	}
	g.yours++
	q.shows(false)
	return fmt.Sprintf("I took %s: you win! It stands %d to %d for you and me.", hands[mine], g.yours, g.mine), false
}

// simonSays does what Simon says, and only that.
type simonSays struct{ wrong int }

const simonPrefix = "simon says "

func (g *simonSays) takes(t *Talk, text string) bool {
	if strings.HasPrefix(text, simonPrefix) {
		return true
	}
	return t.o.Plan != nil && slices.ContainsFunc(t.o.Plan(text).Steps, func(s planner.Step) bool { return s.Tool != "stop" }) && !strings.Contains(text, "game")
}

func (g *simonSays) turn(q *turn, text string) (string, bool) {
	what, simon := strings.CutPrefix(text, simonPrefix)
	if !simon {
		g.wrong++
		return "Ha, Simon did not say so!", false
	}
	if q.o.Plan == nil {
		return "I cannot do what Simon says here.", true
	}
	p := q.o.Plan(what)
	if len(p.Steps) == 0 {
		return "I do not know how to do that, even for Simon.", false
	}
	for _, s := range p.Steps {
		if why := q.do(s.Tool, onlyNamed(s.Args)); why != "" {
			return why, false
		}
	}
	return "Simon said so!", false
}

// onlyNamed are the arguments of a movement by itself without the axes at rest: in a game the head stays where Simon had it.
func onlyNamed(args map[string]any) map[string]any {
	out := maps.Clone(args)
	maps.DeleteFunc(out, func(_ string, v any) bool { return v == 0.0 })
	if len(out) < 1 || len(out) == 1 && out["duration"] != nil { // "look straight ahead"
		return args
	}
	return out
}

// simonNow begins the game with what Simon says.
func simonNow(q *turn) (string, values) {
	g := &simonSays{}
	q.begin(g)
	text, _ := g.turn(q, simonPrefix+q.slot("what"))
	return "", values{"did": text}
}

// rpsNow begins the game with the first hand.
func rpsNow(q *turn) (string, values) {
	g := &rockPaperScissors{}
	q.begin(g)
	text, _ := g.turn(q, q.slot("hand"))
	return "", values{"result": text}
}

// twentyQuestions is a thing that the robot thinks of.
type twentyQuestions struct {
	name  string
	is    []string
	asked int
}

// maxQuestions is how many questions are answered.
const maxQuestions = 20

func startTwenty(q *turn) (string, values) {
	all := q.o.Persona.tables["things"]
	name, is, _ := strings.Cut(all[q.chance(len(all))], "=")
	return q.begin(&twentyQuestions{name: strings.TrimSpace(name), is: strings.Fields(is)})
}

func (g *twentyQuestions) takes(t *Talk, text string) bool {
	f := strings.Fields(text)
	if gaveUp(text) {
		return true
	}
	if len(f) < 2 || len(f) > 12 {
		return false
	}
	switch f[0] {
	case "is", "does", "can", "has", "do", "are", "could", "would", "did", "am", "will":
		return slices.Contains(f, "it") || slices.Contains(f, "you") && (f[0] == "are" || f[0] == "am") || f[0] == "is"
	}
	return false
}

func (g *twentyQuestions) turn(q *turn, text string) (string, bool) {
	if gaveUp(text) {
		return "I was thinking of the " + g.name + ".", true
	}
	g.asked++
	words := strings.Fields(text)
	if slices.Contains(words, g.name) || slices.Contains(words, g.name+"s") {
		q.shows(true)
		return fmt.Sprintf("Yes, the %s! You needed %s.", g.name, count(g.asked, "question", "questions")), true
	}
	yes, known := g.answer(q.o.Persona, text)
	left := maxQuestions - g.asked
	if left <= 0 {
		return "That was the last question. I was thinking of the " + g.name + ".", true
	}
	switch {
	case !known:
		g.asked--
		return "I cannot say that. Ask whether it is an animal, how big it is, or what it can do.", false
	case yes:
		q.shows(true)
		return "Yes.", false
	}
	q.shows(false)
	return "No.", false
}

// answer says whether what is asked is true of the thing. A thing that is known, but is not the right one, is a no.
func (g *twentyQuestions) answer(p *Persona, text string) (yes, known bool) {
	padded := " " + text + " "
	found := false
	for _, line := range p.tables["properties"] {
		property, words, _ := strings.Cut(line, "=")
		for w := range strings.SplitSeq(words, "|") {
			if strings.Contains(padded, " "+strings.TrimSpace(w)+" ") {
				found = true
				if slices.Contains(g.is, strings.TrimSpace(property)) {
					return true, true
				}
			}
		}
	}
	if found {
		return false, true
	}
	for _, line := range p.tables["things"] {
		name, _, _ := strings.Cut(line, "=")
		if strings.Contains(padded, " "+strings.TrimSpace(name)+" ") {
			return false, true
		}
	}
	return false, false
}
