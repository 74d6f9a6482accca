package smalltalk

import (
	_ "embed" // the files of en
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/reachyd/reachyd/perception/language"
	"github.com/reachyd/reachyd/perception/language/template"
)

// The files are texts of the program itself, so that replies are pieces of them and take no memory of their own.
var (
	//go:embed en/self.txt
	enSelf string
	//go:embed en/social.txt
	enSocial string
	//go:embed en/body.txt
	enBody string
	//go:embed en/own.txt
	enOwn string
	//go:embed en/facts.txt
	enFacts string
	//go:embed en/clock.txt
	enClock string
	//go:embed en/guests.txt
	enGuests string
	//go:embed en/numbers.txt
	enNumbers string
	//go:embed en/fun.txt
	enFun string
	//go:embed en/dialogue.txt
	enDialogue string
	//go:embed en/everyday.txt
	enEveryday string
	//go:embed en/words.txt
	enWords string

	builtIn = []source{
		{"en/words.txt", enWords},
		{"en/own.txt", enOwn},
		{"en/guests.txt", enGuests},
		{"en/everyday.txt", enEveryday},
		{"en/self.txt", enSelf},
		{"en/social.txt", enSocial},
		{"en/body.txt", enBody},
		{"en/clock.txt", enClock},
		{"en/facts.txt", enFacts},
		{"en/numbers.txt", enNumbers},
		{"en/fun.txt", enFun},
		{"en/dialogue.txt", enDialogue},
	}
)

// Names of what stands in the files.
var (
	tableNames = []string{
		"fillers", "spellings", "suggestions", "riddles", "sounds", "things", "properties", "parts", "abilities", "limits", "opposites", "mixtures", "no-words",
		"hard-words", "knowledge", "rhymes", "moods", "wishes", "subjects", "counts", "classes", "colours", "sizes", "young", "countries",
	}
	usualSlots = []string{"name", "you"}
)

// maker fills the replies of a kind with what is so now.
type maker struct {
	cases []string // of the replies; there must be one for each
	slots []string // that it fills, beside the usual ones
	// make says which case it is, and fills the slots.
	make func(q *turn) (which string, v values)
	// reads reads a sentence itself, where templates cannot; nil when it is of another kind.
	reads func(t *Talk, u *language.Utterance, text string) any
}

// acceptors say of some kinds whether what a template has found means something: what they return is the reading, nil is none.
var acceptors = map[string]func(p *Persona, at *template.Match) any{}

// eager are the kinds whose makers read a sentence before the templates of others do.
var eager = map[string]bool{"limit": true, "count": true}

// plainCase is the case of a kind that has only one.
var plainCase = []string{""}

// makers are those of the kinds that depend on something.
var makers = map[string]maker{
	unknown: {
		[]string{"", "question", "self", "advice", "told", "remark", "subject", "good", "bad"},
		[]string{"suggestion", "subject", "echo"},
		notKnown,
		func(*Talk, *language.Utterance, string) any { return nil },
	},
}

// unknown is the kind of what nobody understands; no sentence asks for it.
const unknown = "unknown"

// register adds makers; each file does so for its kinds.
func register(all map[string]maker) struct{} { //nolint:unparam // its result lets a variable call it before main
	maps.Copy(makers, all)
	return struct{}{}
}

// slot is what a slot of the template has found, as it was normalised; empty when nothing.
func (q *turn) slot(name string) string {
	if q.f == nil || q.f.at == nil {
		return ""
	}
	return q.f.at.Slot(name)
}

// matched is what the template has found; the whole sentence where none has.
func (q *turn) matched() string {
	if q.f.at == nil {
		return q.m.plain
	}
	return q.f.at.Text()
}

// asSaid is a part of the sentence in the letters in which it was said.
func (q *turn) asSaid(part string) string {
	if at := strings.Index(strings.ToLower(q.r.Text), part); part != "" && at >= 0 && at+len(part) <= len(q.r.Text) {
		return q.r.Text[at : at+len(part)]
	}
	return part
}

func parseNumber(text string) (float64, bool) {
	v, err := strconv.ParseFloat(text, 64)
	return v, err == nil
}

// whole is a whole number in a slot within limits; usual when the slot is empty.
func (q *turn) whole(slot string, usual, low, high int) (n int, ok bool) {
	text := q.slot(slot)
	if text == "" {
		return usual, true
	}
	v, ok := parseNumber(language.InDigits(text))
	if !ok || v != float64(int(v)) || int(v) < low || int(v) > high {
		return 0, false
	}
	return int(v), true
}

// needing are the kinds that cannot be answered without what their templates find, and those that would be out of place as a guess.
var needing = map[string]bool{
	"rename": true, "until": true, "clock-in": true, "born": true, "spell": true, "length": true,
	"backwards": true, "choose": true, "able": true, "impression": true,
	"yes": true, "no": true, "agree": true, "praise": true, "blame": true, "parts": true, "day-part": true, "count": true, "did": true, "why": true,
	"simon-now": true, "rps-now": true, "grief": true, "louder-how": true, "thinking-of-you": true, "about-me": true, "prove": true, "contradict": true,
	"rest-now": true, "goes-home": true, "quiet-told": true, "likes": true, "knows": true, "thinks-of": true, "rhyme": true, "longer-word": true,
	"why-not": true, "not-for-me": true, "you-look": true, "define": true, "scared-person": true, "guess-what": true, "leave-alone": true,
	"exclaim": true, "devices": true, "recipe": true, "currency": true, "are-you-sure": true, "emergency": true, "ignored": true, "be-nice": true,
	"kidding": true, "number-told": true, "birthday-told": true,
	"luck": true, "errand": true, "teams-how": true, "old-name": true, "lost-thing": true, "reboot": true, "clap": true,
}

// ofNow are the kinds that tell what is so now, and so are no guess for a sentence that counts: "in six weeks, what is the date?".
var ofNow = map[string]bool{"time": true, "date": true, "weekday": true, "month": true, "year": true, "week": true}

// counts says whether a number is said.
func counts(u *language.Utterance) bool {
	return slices.ContainsFunc(u.Tokens, func(t language.Token) bool { return t.Kind == language.Number })
}

// wordless are those of needing that need nothing of the sentence: the stems of its words cannot tell them, the network can.
var wordless = map[string]bool{
	"praise": true, "blame": true, "grief": true, "louder-how": true, "thinking-of-you": true, "about-me": true, "prove": true, "contradict": true,
	"rest-now": true, "goes-home": true, "likes": true, "knows": true, "thinks-of": true, "why-not": true, "you-look": true, "define": true,
	"scared-person": true, "guess-what": true, "leave-alone": true, "devices": true, "recipe": true, "currency": true, "are-you-sure": true,
	"emergency": true, "ignored": true, "be-nice": true, "kidding": true, "birthday-told": true, "luck": true, "errand": true, "teams-how": true,
	"lost-thing": true, "reboot": true, "did": true, "why": true,
}
