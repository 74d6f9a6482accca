package train

import (
	_ "embed" // what people say is a text file
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/reachyd/reachyd/learner/env"
)

// praise has lines of a reward and words that people say for it.
//
//go:embed praise.txt
var praise string

type saying struct {
	reward float64
	text   string
}

var sayings = func() (all []saying) {
	for line := range strings.Lines(praise) {
		value, text, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if r, err := strconv.ParseFloat(value, 64); ok && err == nil {
			all = append(all, saying{r, text})
		}
	}
	return all
}()

// simulatedPerson says something about every third episode: how quick it was, and whether it worked at all.
func simulatedPerson(seed uint64, episode int, unit string, f env.Finished) (text string, reward float64) {
	rng := rand.New(rand.NewPCG(seed, uint64(episode)))
	if rng.IntN(3) != 0 {
		return "", 0
	}
	want := 1.0
	switch slow := 0.6; {
	case f.Unsafe > 2:
		want = -1
	case !f.Outcome.Success:
		want = -0.3
	case unit == "s" && f.Outcome.Merit > slow:
		want = 0.5
	}
	var fits []saying
	for _, s := range sayings {
		if s.reward == want {
			fits = append(fits, s)
		}
	}
	s := fits[rng.IntN(len(fits))]
	return s.text, s.reward
}
