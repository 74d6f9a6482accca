package smalltalk

import (
	"math"
	"slices"
	"strings"

	"github.com/reachyd/reachyd/agents/verbalize"
	"github.com/reachyd/reachyd/perception/language"
	"github.com/reachyd/reachyd/perception/language/template"
)

var _ = register(map[string]maker{
	"sum":       {[]string{"", "none"}, []string{"sum"}, sum, readSum},
	"compare":   {[]string{"", "same"}, []string{"more", "what", "values"}, compare, readComparison},
	"count":     {[]string{"", "none"}, []string{"count", "most"}, countUp, readCounting},
	"spell":     {plainCase, []string{"word", "letters"}, spell, nil},
	"length":    {plainCase, []string{"word", "letters"}, length, nil},
	workedOut:   {plainCase, []string{"answer"}, func(q *turn) (string, values) { return "", values{"answer": q.f.read.(string)} }, workOut},
	"backwards": {plainCase, []string{"word"}, backwards, nil},
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

func backwards(q *turn) (string, values) {
	r := []rune(q.word())
	slices.Reverse(r)
	return "", values{"word": string(r)}
}
