package smalltalk

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/reachyd/reachyd/agents/verbalize"
	"github.com/reachyd/reachyd/perception/language"
	"github.com/reachyd/reachyd/perception/language/template"
)

var _ = register(map[string]maker{
	"sum":         {[]string{"", "none"}, []string{"sum"}, sum, readSum},
	"compare":     {[]string{"", "same"}, []string{"more", "what", "values"}, compare, readComparison},
	"bigger":      {[]string{"", "same"}, []string{"more", "less"}, bigger, nil},
	"parity":      {[]string{"even", "odd", "none"}, []string{"number"}, parity, nil},
	"count":       {[]string{"", "none"}, []string{"count", "most"}, countUp, readCounting},
	"spell":       {plainCase, []string{"word", "letters"}, spell, nil},
	"length":      {plainCase, []string{"word", "letters"}, length, nil},
	"contains":    {plainCase, []string{"word", "letter", "count"}, contains, readContains},
	workedOut:     {plainCase, []string{"answer"}, func(q *turn) (string, values) { return "", values{"answer": q.f.read.(string)} }, workOut},
	"vowels":      {[]string{"", "none"}, []string{"word", "count", "letters"}, vowels, nil},
	"backwards":   {plainCase, []string{"word"}, backwards, nil},
	"nth-letter":  {[]string{"", "none"}, []string{"word", "letter"}, nthLetter, nil},
	"next-number": {plainCase, []string{"number"}, nextNumber, nil},
	"share":       {[]string{"", "even", "none"}, []string{"each", "left"}, share, nil},
})

// workedOut is the kind of what was worked out of the words of a question.
const workedOut = "worked-out"

func number(v float64) string { return verbalize.Number(v) }

// requests are the ways to look at a sentence with numbers: as it is, and without the fillers around it ("eight times seven, quick").
func requests(t *Talk, u *language.Utterance, text string) []*language.Request {
	r := u.Request()
	if !strings.ContainsAny(r.Digits, "0123456789") {
		return []*language.Request{r}
	}
	f := strings.Fields(text)
	x := t.o.Persona.matcher()
	for len(f) > 0 && x.fillers[f[len(f)-1]] {
		f = f[:len(f)-1]
	}
	all := []*language.Request{r}
	if bare := strings.Join(f, " "); bare != r.Lower {
		all = append(all, u.RequestAs(bare))
	}
	return all
}

func readSum(t *Talk, u *language.Utterance, text string) any {
	if t.o.Sum == nil {
		return nil
	}
	for _, r := range requests(t, u, text) {
		if v, ok := t.o.Sum(r); ok {
			return v
		}
	}
	return nil
}

// workOut asks who can work out questions with numbers, dates and words.
func workOut(t *Talk, u *language.Utterance, text string) any {
	if t.o.WorkOut == nil {
		return nil
	}
	for _, r := range requests(t, u, text) {
		if answer, ok := t.o.WorkOut(r, t.o.Now()); ok {
			return answer
		}
	}
	return nil
}

func sum(q *turn) (string, values) {
	v, ok := q.f.read.(float64)
	if !ok || math.IsNaN(v) || math.IsInf(v, 0) {
		return "none", values{}
	}
	return "", values{"sum": number(v)}
}

// comparison is which of two amounts is more.
type comparison struct {
	a, b string // as a person says them
	x, y float64
	most bool // the greater one is asked for
	what string
}

// amounts are two amounts with units: "which is heavier, a kilo or two pounds".
var amounts = mustCompile(
	template.Entry{Name: "or", At: "numbers.go", Text: "{text 0-1} <what> [,] {text 0-1} <x> [of {word}] [,] (or|and) <y> [of {word}] [?]" +
		" | {text 0-1} <x> <what> than <y> [?]"},
	template.Entry{Name: "<what>", At: "numbers.go", Text: "(heavier|lighter|longer|shorter|more|less|bigger|smaller|larger|faster|slower|further|farther" +
		"|warmer|hotter|colder|greater|taller|higher):what"},
	template.Entry{Name: "<x>", At: "numbers.go", Text: "[is] ({number}|a|an|one):n ({word}|{word} per {word}|degree[s] {word}):u"},
	template.Entry{Name: "<y>", At: "numbers.go", Text: "({number}|a|an|one):m ({word}|{word} per {word}|degree[s] {word}):w"},
)

// lesser are comparatives that ask for the smaller amount.
var lesser = []string{"lighter", "shorter", "less", "smaller", "slower", "colder"}

func readComparison(t *Talk, u *language.Utterance, _ string) any {
	if t.o.Measure == nil {
		return nil
	}
	m := amounts.Find(u.Request().Counted)
	if m == nil {
		return nil
	}
	value := func(slot string) float64 {
		if v, ok := m.Number(slot); ok {
			return v
		}
		return 1
	}
	x, kind, a, ok := t.o.Measure(value("n"), m.Slot("u"))
	y, other, b, ok2 := t.o.Measure(value("m"), m.Slot("w"))
	if !ok || !ok2 || kind != other {
		return nil
	}
	what := m.Slot("what")
	return comparison{a: a, b: b, x: x, y: y, what: what, most: !slices.Contains(lesser, what)}
}

func compare(q *turn) (string, values) {
	c, _ := q.f.read.(comparison)
	if math.Abs(c.x-c.y) <= 1e-9*math.Max(math.Abs(c.x), math.Abs(c.y)) {
		return "same", values{}
	}
	more, less := c.a, c.b
	if (c.x > c.y) != c.most {
		more, less = less, more
	}
	ratio := math.Max(c.x, c.y) / math.Min(c.x, c.y)
	return "", values{"more": upper(more), "what": c.what, "values": "than " + less + ", by a factor of " + number(math.Round(ratio*100)/100)}
}

// numberIn is the number in a slot.
func (q *turn) numberIn(slot string) float64 {
	v, _ := parseNumber(q.slot(slot))
	return v
}

func bigger(q *turn) (string, values) {
	a, b := q.numberIn("a"), q.numberIn("b")
	if a == b {
		return "same", values{}
	}
	return "", values{"more": number(math.Max(a, b)), "less": number(math.Min(a, b))}
}

func parity(q *turn) (string, values) {
	n := q.numberIn("number")
	v := values{"number": number(n)}
	switch {
	case n != math.Trunc(n) || math.Abs(n) > 1e15:
		return "none", v
	case math.Mod(n, 2) == 0:
		return "even", v
	}
	return "odd", v
}

// letters spells a word: "R, O, B, O, T".
func letters(word string) string {
	return strings.Join(strings.Split(strings.ToUpper(strings.ReplaceAll(word, "-", "")), ""), ", ")
}

// maxWord is the longest word that is looked at, in bytes.
const maxWord = 60

func (q *turn) word() string {
	w := strings.Trim(q.slot("word"), "\"'“”.,!?")
	return w[:min(len(w), maxWord)]
}

func spell(q *turn) (string, values) {
	return "", values{"word": q.word(), "letters": letters(q.word())}
}

func length(q *turn) (string, values) {
	return "", values{"word": q.word(), "letters": count(len([]rune(q.word())), "letter", "letters")}
}

// howOften asks for a letter in a word: "how many r's are in strawberry".
var howOften = regexp.MustCompile(
	`\bhow (?:many|often)\b.*\b([a-z])(?:'s| s)?(?: (?:is|are|does|do|there|appear|occur|come|letters?|times))* (?:in|does|has|have) (?:the )?` +
		`(?:word |name )?([a-z-]+)(?: have| has| contain| contains)?$`)

func readContains(_ *Talk, u *language.Utterance, _ string) any {
	if m := howOften.FindStringSubmatch(u.Request().Lower); m != nil { // in a mended text the letter r is "are"
		return m
	}
	return nil
}

func contains(q *turn) (string, values) {
	m, _ := q.f.read.([]string)
	return "", values{"letter": strings.ToUpper(m[1]), "word": m[2], "count": fmt.Sprint(strings.Count(m[2], m[1]))}
}

func vowels(q *turn) (string, values) {
	var found []string
	for _, r := range q.word() {
		is := strings.ContainsRune("aeiou", r)
		if r >= 'a' && r <= 'z' && is == (q.slot("what") == "vowels") {
			found = append(found, strings.ToUpper(string(r)))
		}
	}
	kind := q.slot("what")
	v := values{"word": q.word(), "count": count(len(found), strings.TrimSuffix(kind, "s"), kind), "letters": strings.Join(found, ", ")}
	if len(found) == 0 {
		return "none", v
	}
	return "", v
}

func backwards(q *turn) (string, values) {
	r := []rune(q.word())
	slices.Reverse(r)
	return "", values{"word": string(r)}
}

var places = map[string]int{
	"first": 0, "second": 1, "third": 2, "fourth": 3, "fifth": 4, "sixth": 5, "seventh": 6, "eighth": 7, "ninth": 8, "tenth": 9,
}

func nthLetter(q *turn) (string, values) {
	r := []rune(q.word())
	if q.word() == "alphabet" {
		r = []rune("abcdefghijklmnopqrstuvwxyz")
	}
	at, ok := places[q.slot("which")]
	if !ok {
		at = len(r) - 1
	}
	if at < 0 || at >= len(r) {
		return "none", values{"word": q.word()}
	}
	return "", values{"letter": strings.ToUpper(string(r[at]))}
}

func nextNumber(q *turn) (string, values) {
	n := q.numberIn("number")
	if strings.HasPrefix(q.slot("way"), "before") || q.slot("way") == "predecessor" {
		return "", values{"number": number(n - 1)}
	}
	return "", values{"number": number(n + 1)}
}

func share(q *turn) (string, values) {
	total, people := q.numberIn("total"), q.numberIn("people")
	if people < 1 || total < 0 || total != math.Trunc(total) || people != math.Trunc(people) || total > 1e12 || people > 1e12 {
		return "none", values{}
	}
	left := math.Mod(total, people)
	v := values{"each": number((total - left) / people), "left": number(left)}
	if left == 0 {
		return "even", v
	}
	return "", v
}
