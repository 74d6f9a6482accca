// Command heldout says how well models of the other writers' sentences do on each writer, by the words alone and, where minilm is,
// with the second layer. `make eval-reward` runs it.
package main

import (
	"context"
	"fmt"
	"os"
	"slices"

	"github.com/reachyd/reachyd/learner/reward"
	"github.com/reachyd/reachyd/perception/meaning"
	"github.com/reachyd/reachyd/perception/models"
)

func main() {
	names, writers := reward.Writers()
	states, err := states(writers)
	if err != nil {
		fmt.Printf("by the words alone; the second layer is left out: %v\n", err)
	}
	words, both := make([]reward.Score, 0, 4096), make([]reward.Score, 0, 4096)
	for held, sentences := range writers {
		m := reward.Fit(others(writers, held))
		r := reward.Evaluate(sentences, func(text string) reward.Score {
			words = append(words, m.Score(text))
			return words[len(words)-1]
		})
		fmt.Printf("%s held out: %.1f %%, mean error %.3f", names[held], 100*r.Agreement, r.MAE)
		if states != nil {
			l := reward.FitLayer(others(writers, held), others(states, held))
			next := 0
			r = reward.Evaluate(sentences, func(text string) reward.Score {
				both = append(both, reward.ScoreWith(m, l, states[held][next], text))
				next++
				return both[len(both)-1]
			})
			fmt.Printf("; with %s %.1f %%, %.3f", models.MiniLM, 100*r.Agreement, r.MAE)
		}
		fmt.Println()
	}
	for _, answers := range [][]reward.Score{words, both} {
		if len(answers) > 0 {
			next := 0
			fmt.Print(reward.Evaluate(slices.Concat(writers...), func(string) reward.Score { next++; return answers[next-1] }))
		}
	}
}

// others are those of all writers but one.
func others[T any](all [][]T, held int) []T {
	return slices.Concat(slices.Delete(slices.Clone(all), held, held+1)...)
}

// states are the vectors of each writer's sentences.
func states(writers [][]reward.Example) (all [][][]float32, err error) {
	path, err := models.NewStore("", os.Getenv).Find(models.MiniLM)
	if err != nil {
		return nil, err
	}
	m, err := meaning.Open(path)
	if err != nil {
		return nil, err
	}
	defer m.Close() //nolint:errcheck // it was only read
	for _, w := range writers {
		s, err := reward.AllStates(context.Background(), m, w, nil)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}
