package language

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/reachyd/reachyd/perception/language/template"
)

// What is asked for within more than that ("time for your bow, the guests are waiting", "make please one timer of 3 minutes") is told by what
// the sentence names: all parts of a wish, in any order, and nothing that reports, denies or asks. The wishes are in en/wishes.txt.

// Part is something that a sentence has, wherever it stands in it.
type Part struct {
	Name             string
	Rule             *template.Rule
	Optional, Unlike bool // it may lack; it must
}

// Parted is what is told by its parts.
type Parted struct {
	Name  string
	Parts []Part // in the order in which they are looked for
}

// InParts returns a table of patterns of which each is a part of something: "TOOL PART = …". Parts whose names begin with "maybe" may lack,
// those whose names begin with "no-" must.
func InParts(name string) (all []Parted) {
	for _, r := range Patterns(name).Rules() {
		of, part, _ := strings.Cut(r.Name, " ")
		if len(all) == 0 || all[len(all)-1].Name != of {
			all = append(all, Parted{Name: of})
		}
		last := &all[len(all)-1]
		last.Parts = append(last.Parts, Part{part, r, strings.HasPrefix(part, "maybe"), strings.HasPrefix(part, "no-")})
	}
	return all
}

var (
	wishes       = sync.OnceValue(func() []Parted { return InParts("wishes") })
	wishTexts    = Texts("wish-texts")
	wishBars     = Lists("wish-bars")
	wishTopics   = Lists("wish-topics")
	wishesAsked  = Words("wishes-that-ask")
	wishesOfTalk = Words("wishes-of-talk")
	wishesOfLast = Words("wishes-of-the-last")
	wishesFirst  = Words("wishes-first")
	wishJoints   = Phrases("wish-joints")
	asksBehind   = Words("asks-behind")
	thankWords   = Words("thank-words")
	thankSmall   = Words("thank-small")
	anewFirst    = Words("orders-anew")
	wishFixes    = Phrases("wish-fixes")
	partsOfHours = Words("parts-of-hours")
	clockTime    = regexp.MustCompile(`^\d{1,2}:\d\d$`)
	wishSlots    = regexp.MustCompile(`\{(\w+)\}`)
)

// Where parts are looked for and in the usual words timeSlot stands for a length of time. restSlot is a slot and all that follows it.
const (
	timeSlot = "timespan"
	restSlot = "rest"
)

// Wishes are what a text may ask for in passing, each in the usual words, the likeliest first: those that are sure, which go before any other
// reading of the text, or the others, which are guesses for a sentence that nobody understands. said reports whether something was spoken of
// of late, or in the last exchange, by one of its words: "and another for the eggs" is of a timer then. Where a language
// model talks, what is only talk is left to it.
func Wishes(u *Utterance, sure, model bool, said func(topic []string, last bool) bool) (all []string) {
	if u.TooLong || len(u.Text) > MaxRequest {
		return nil
	}
	w := wished{u: u}
	w.read()
	for _, wish := range wishes() {
		if wishesFirst[wish.Name] != sure || model && wishesOfTalk[wish.Name] || wishTexts[wish.Name] == "" {
			continue
		}
		say := w.as(&wish)
		if say == "" || strings.EqualFold(say, trimMarks(u.Text)) || w.barred(wish.Name) {
			continue
		}
		if topic := wishTopics[wish.Name]; topic == nil || said(topic, wishesOfLast[wish.Name]) {
			all = append(all, say)
		}
	}
	return all
}

// mostHalves is how many places of a text are tried at which it may fall into two requests.
const mostHalves = 4

// Halves are the two parts of a text at each place where it may fall into two requests: "bow to my guest" and "set a timer for three minutes".
func Halves(u *Utterance) (all [][2]string) {
	toks := u.Tokens
	for i := u.Address.To + 1; i < len(toks)-1 && len(all) < mostHalves; i++ {
		n := wishJoints.Len(toks, i)
		if n == 0 || i+n >= len(toks) {
			continue
		}
		first := strings.Trim(u.Text[toks[u.Address.To].Start:toks[i].Start], sentenceMarks)
		if second := u.Text[toks[i+n].Start:]; first != "" && trimMarks(second) != "" {
			all = append(all, [2]string{first, second})
		}
		i += n - 1
	}
	return all
}

// OrdersAnew reports whether the second half of a text is surely an order of its own: it is asked for politely, or is to be done then.
func OrdersAnew(u *Utterance, half string) bool {
	first, _, _ := strings.Cut(strings.ToLower(half), " ")
	at := strings.LastIndex(u.Text, half)
	joint := strings.ToLower(strings.TrimSpace(u.Text[max(0, at-len(" and then ")):max(0, at)]))
	return anewFirst[first] || strings.HasSuffix(joint, "then") || strings.HasSuffix(joint, ",") || strings.HasSuffix(joint, ", and")
}

// AsksBehind reports whether a text begins as what is asked behind an order: "and tell me the time".
func AsksBehind(u *Utterance) bool {
	return u.Address.To < len(u.Tokens) && asksBehind[strings.TrimSuffix(u.Tokens.Word(u.Address.To), "'s")]
}

// BehindThanks is what a text says behind thanks: "thanks. What's today's date, please"; empty where it does not begin with them.
func BehindThanks(u *Utterance) string {
	if u.TooLong || len(u.Clauses) < 2 {
		return ""
	}
	thanks := false
	for i := u.Address.To; i < u.Clauses[0].To; i++ {
		w := u.Tokens.Word(i)
		if thanks = thanks || thankWords[w]; !thankWords[w] && !thankSmall[w] {
			return ""
		}
	}
	if !thanks {
		return ""
	}
	return u.Text[u.Tokens[u.Clauses[1].From].Start:]
}

// BeginsAsOrder reports whether a text begins with a verb of something that the robot may be told to do, or with what is polite before one.
func BeginsAsOrder(u *Utterance) bool {
	return orderIn(u.Tokens, u.Address.To, len(u.Tokens)) >= 0
}

// wished is a text in which wishes are looked for.
type wished struct {
	u     *Utterance
	in    *template.Sentence // mended, in small letters, numbers in digits, timeSlot for each length of time
	times []string           // these
	fixed bool               // somebody corrects what was said
}

func (w *wished) read() {
	var words []string
	toks := w.u.Tokens
	for i := w.u.Address.To; i < len(toks); i++ {
		t := toks[i]
		w.fixed = w.fixed || wishFixes.Has(toks, i)
		if q, n := QuantityAt(toks, i); n > 0 && q.Dim == Time {
			words = append(words, timeSlot)
			i += n - 1
			w.times = append(w.times, w.u.Text[t.Start:toks[i].End])
			continue
		}
		said := w.u.Text[t.Start:t.End]
		switch {
		case clockTime.MatchString(said):
			words = append(words, said)
		case partsOfHours[strings.TrimPrefix(strings.ToLower(said), "a ")]: // "a quarter to six"
			words = append(words, strings.ToLower(said))
		case t.Kind == Number && !t.Pronoun && t.Orig != "one":
			words = append(words, strconv.FormatFloat(t.Num, 'f', -1, 64))
		case t.Orig == "one":
			words = append(words, t.Orig)
		case t.Word != "":
			words = append(words, t.Word)
		}
	}
	w.in = template.Split(WithTimes(strings.Join(words, " ")))
}

// barred reports whether the text says that a wish is none: a report, a denial, a question.
func (w *wished) barred(wish string) bool {
	all := wishes()
	return slices.ContainsFunc(all[len(all)-1].Parts, func(p Part) bool { // "bar" is the last
		of := wishBars[p.Name]
		if of == nil && wishesAsked[wish] || of != nil && !slices.Contains(of, wish) {
			return false
		}
		return p.Rule.Find(w.in) != nil
	})
}

// as are the usual words of a wish of which the text has all parts; empty where it has not.
func (w *wished) as(wish *Parted) string {
	say, before := wishTexts[wish.Name], ""
	for i, p := range wish.Parts {
		m := p.Rule.Find(w.in)
		if p.Unlike && m != nil || m == nil && !p.Unlike && !p.Optional {
			return ""
		}
		if i == 0 && m != nil {
			before = m.Before()
		}
		for _, slot := range wishSlots.FindAllStringSubmatch(say, -1) {
			if m != nil && m.Slot(slot[1]) != "" {
				said := m.Slot(slot[1])
				if slot[1] == restSlot {
					said = m.From(restSlot)
				}
				say = strings.ReplaceAll(say, slot[0], w.original(said))
			}
		}
	}
	if n := len(w.times); n > 0 { // the next to what it is about, and what was said last of what somebody corrects
		k := min(strings.Count(before, timeSlot), n-1)
		if w.fixed {
			k = n - 1
		}
		say = strings.ReplaceAll(say, timeSlot, w.times[k])
	}
	if strings.Contains(say, "{") || strings.Contains(say, timeSlot) {
		return ""
	}
	return say
}

// original is a part of what was read in the letters in which it was said.
func (w *wished) original(part string) string {
	if at := strings.Index(strings.ToLower(w.u.Text), part); at >= 0 && at+len(part) <= len(w.u.Text) {
		return w.u.Text[at : at+len(part)]
	}
	words := strings.Fields(part)
	for i, word := range words {
		for _, t := range w.u.Tokens {
			if said := w.u.Text[t.Start:t.End]; t.Word == word && strings.EqualFold(said, word) {
				words[i] = said
				break
			}
		}
	}
	return strings.Join(words, " ")
}
