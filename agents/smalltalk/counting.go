package smalltalk

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/reachyd/reachyd/perception/language"
)

// maxCount is how many numbers are counted in one breath.
const maxCount = 50

// counting is what is to be counted: from, to, and the step between.
type counting struct{ from, to, step int }

// How counting is asked for: words that open it, that turn it round, and what stands before a number.
var (
	countingOpens = []string{"count", "countdown"}
	countingDown  = []string{"down", "backwards", "backward", "countdown", "reverse"}
	countingSteps = map[string]int{"twos": 2, "threes": 3, "fours": 4, "fives": 5, "sixes": 6, "sevens": 7, "eights": 8, "nines": 9, "tens": 10}
	countingGoals = []string{"to", "till", "until"}
)

// readCounting reads "count from 3 to 8", "count backwards from five", "count by twos up to 20". A sentence of which it does not
// know every word is another's.
func readCounting(t *Talk, _ *language.Utterance, text string) any {
	x := t.o.Persona.matcher()
	words := strings.Fields(language.InDigits(text))
	opens := slices.IndexFunc(words, func(w string) bool { return slices.Contains(countingOpens, w) })
	if opens < 0 || x.weight(strings.Join(words[:opens], " ")) > 0 {
		return nil
	}
	down, by := false, 1
	var from, to *int
	for i := opens; i < len(words); i++ {
		w := words[i]
		n, err := strconv.Atoi(w)
		switch {
		case err == nil && words[i-1] == "from":
			from = &n
		case err == nil && slices.Contains(countingGoals, words[i-1]):
			to = &n
		case err == nil && slices.Contains([]string{"by", "in", "of"}, words[i-1]) && n > 0 && n <= maxCount:
			by = n
		case countingSteps[strings.TrimSuffix(w, "'")] > 0:
			by = countingSteps[strings.TrimSuffix(w, "'")]
		case slices.Contains(countingDown, w):
			down = true
		case slices.Contains(countingOpens, w), slices.Contains(countingGoals, w), x.fillers[w] && err != nil,
			slices.Contains([]string{"steps", "far", "numbers", "loud", "aloud"}, w):
		case (from != nil || to != nil) && slices.Contains(words[opens:i], "for") || i == len(words)-2 && words[i+1] == "style":
			if strings.ContainsAny(strings.Join(words[i:], ""), "0123456789") {
				return nil
			}
			return counted(from, to, by, down) // for whom it is, or how
		default:
			return nil
		}
	}
	return counted(from, to, by, down)
}

// counted completes what was left out: up to ten, or down to one.
func counted(from, to *int, by int, down bool) counting {
	c := counting{from: 1, to: 10, step: by}
	if by > 1 {
		c.from = by
		c.to = 10 * by
	}
	if down {
		c.from, c.to = 10, 1
		if by > 1 {
			c.from, c.to = 10*by, 0
		}
		if from == nil && to != nil && *to > 1 { // "count down to …" is rare, "count backwards to 20" means from there
			from, to = to, nil
		}
	}
	if from != nil {
		c.from = *from
	}
	switch {
	case to != nil:
		c.to = *to
	case from != nil && !down:
		c.to = c.from + 9*by
	}
	if c.to < c.from {
		c.step = -c.step
	}
	return c
}

func countUp(q *turn) (string, values) {
	v := values{"most": fmt.Sprint(maxCount)}
	c, ok := q.f.read.(counting)
	if !ok || (c.to-c.from)/c.step >= maxCount || max(c.from, c.to, -c.from, -c.to) > 1_000_000_000 {
		return "none", v
	}
	var all []string
	for n := c.from; c.step > 0 && n <= c.to || c.step < 0 && n >= c.to; n += c.step {
		all = append(all, strconv.Itoa(n))
	}
	v["count"] = strings.Join(all, ", ")
	return "", v
}
