// Command heldout says how well models of the other writers' sentences do on each writer. `make eval-reward` runs it.
package main

import (
	"fmt"
	"slices"

	"github.com/reachyd/reachyd/learner/reward"
)

func main() {
	names, writers := reward.Writers()
	var answers []reward.Score
	for held, sentences := range writers {
		m := reward.Fit(slices.Concat(slices.Delete(slices.Clone(writers), held, held+1)...))
		r := reward.Evaluate(sentences, func(text string) reward.Score {
			answers = append(answers, m.Score(text))
			return answers[len(answers)-1]
		})
		fmt.Printf("%s held out: %.1f %%, mean error %.3f\n", names[held], 100*r.Agreement, r.MAE)
	}
	next := 0
	fmt.Print(reward.Evaluate(slices.Concat(writers...), func(string) reward.Score { next++; return answers[next-1] }))
}
