package smalltalk

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/reachyd/reachyd/agents/verbalize"
	"github.com/reachyd/reachyd/perception/language"
	"github.com/reachyd/reachyd/perception/language/template"
)

var _ = register(map[string]maker{
	"coin":       {plainCase, []string{"coin"}, func(q *turn) (string, values) { return "", values{"coin": [...]string{"heads", "tails"}[q.chance(2)]} }, nil},
	"dice":       {[]string{"", "none"}, []string{"dice", "most"}, dice, nil},
	"random":     {plainCase, []string{"number"}, randomNumber, nil},
	"choose":     {plainCase, []string{"choice"}, choose, nil},
	"pick-one":   {plainCase, []string{"choice"}, pickOne, readChoices},
	"card":       {plainCase, []string{"card"}, card, nil},
	"riddle":     {plainCase, []string{"riddle"}, riddle, nil},
	"solution":   {[]string{"", "none"}, []string{"answer"}, solution, nil},
	"impression": {plainCase, []string{"sound"}, impression, nil},
})

// maxDice is how many dice are rolled at once.
const maxDice = 10

func dice(q *turn) (string, values) {
	v := values{"most": fmt.Sprint(maxDice)}
	n, ok := q.whole("count", 1, 1, maxDice)
	if q.slot("count") == "" && strings.Contains(q.matched(), "dice") && !strings.Contains(q.matched(), "a dice") && !strings.Contains(q.matched(), "one dice") {
		n = 2
	}
	sides, ok2 := q.whole("sides", 6, 2, 1000)
	if !ok || !ok2 {
		return "none", v
	}
	var all []string
	total := 0
	for range n {
		x := 1 + q.chance(sides)
		total += x
		all = append(all, fmt.Sprint(x))
	}
	v["dice"] = verbalize.List(all)
	if n > 1 {
		v["dice"] += fmt.Sprintf(": %d together", total)
	}
	return "", v
}

func randomNumber(q *turn) (string, values) {
	low, ok := q.whole("low", 1, -1_000_000, 1_000_000)
	high, ok2 := q.whole("high", 100, -1_000_000, 1_000_000)
	if !ok || !ok2 {
		low, high = 1, 100
	}
	if low > high {
		low, high = high, low
	}
	return "", values{"number": fmt.Sprint(low + q.chance(high-low+1))}
}

// choose takes one of the things that are named.
func choose(q *turn) (string, values) {
	var all []string
	named := withoutEnd("decides", q.slot("a")+" or "+q.slot("b"))
	for part := range strings.SplitSeq(named, " or ") {
		for _, p := range strings.Split(part, " and ") {
			if p = strings.TrimSpace(p); p != "" {
				all = append(all, q.asSaid(p))
			}
		}
	}
	if len(all) == 0 {
		return "", values{"choice": "neither"}
	}
	return "", values{"choice": toYou(all[q.chance(len(all))])}
}

// choices are ways to have somebody choose among things that are named.
var choices = language.Patterns("choices")

// between separates things that are named.
var between = regexp.MustCompile(`(?i),? (?:or|and) |, ?`)

// maxChoice is how many words a thing has of which one is chosen.
const maxChoice = 4

// readChoices reads the things of which one is to be chosen.
func readChoices(_ *Talk, u *language.Utterance, _ string) any {
	for _, m := range choices.All(template.Split(u.Text)) {
		all := between.Split(m.Slot("among"), -1)
		if first := strings.ToLower(all[0]); first == "yes" || first == "true" || asking(strings.Fields(first)) {
			continue
		}
		if len(all) > 1 && !slices.ContainsFunc(all, func(c string) bool { n := len(strings.Fields(c)); return n == 0 || n > maxChoice }) {
			return all
		}
	}
	return nil
}

func pickOne(q *turn) (string, values) {
	all, _ := q.f.read.([]string)
	return "", values{"choice": toYou(all[q.chance(len(all))])}
}

func card(q *turn) (string, values) {
	ranks := [...]string{"ace", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen", "king"}
	suits := [...]string{"clubs", "diamonds", "hearts", "spades"}
	return "", values{"card": ranks[q.chance(len(ranks))] + " of " + suits[q.chance(len(suits))]}
}

// riddle asks one of the table of riddles: "question = answer | other words of the answer".
func riddle(q *turn) (string, values) {
	all := q.o.Persona.tables["riddles"]
	question, answer, _ := strings.Cut(all[q.pick("riddles", len(all))], "=")
	q.mu.Lock()
	q.s.secret = strings.TrimSpace(answer)
	q.mu.Unlock()
	return "", values{"riddle": strings.TrimSpace(question)}
}

func solution(q *turn) (string, values) {
	q.mu.Lock()
	answer, _, _ := strings.Cut(q.s.secret, "|")
	q.s.secret = ""
	q.mu.Unlock()
	if answer == "" {
		return "none", values{}
	}
	return "", values{"answer": strings.TrimSpace(answer)}
}

func impression(q *turn) (string, values) {
	animal := q.slot("animal")
	for word := range strings.FieldsSeq(q.matched()) {
		if animal == "" {
			animal = cries[word]
		}
	}
	for _, line := range q.o.Persona.tables["sounds"] {
		if name, sound, ok := strings.Cut(line, "="); ok && strings.TrimSpace(name) == animal {
			return "", values{"sound": strings.TrimSpace(sound)}
		}
	}
	return "", values{"sound": "Quack"}
}
