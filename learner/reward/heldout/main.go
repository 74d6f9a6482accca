// Command heldout says how well models of the other writers' sentences do on each writer, by the words alone and, where minilm is,
// with the second layer, and how well the program's own does on sentences that nothing is fitted to. `make eval-reward` runs it.
package main

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"os"
	"slices"

	"github.com/reachyd/reachyd/learner/reward"
	"github.com/reachyd/reachyd/perception/meaning"
	"github.com/reachyd/reachyd/perception/models"
)

// unseen are sentences of the last writer, by kinds of people that the writer's others are not of. They were put aside before
// anything was fitted: whoever reads them to make the model better needs new ones.
//
//go:embed unseen.jsonl
var unseen []byte

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	names, writers := reward.Writers()
	aside, err := reward.ReadExamples(bytes.NewReader(unseen))
	if err != nil {
		return fmt.Errorf("unseen.jsonl: %w", err)
	}
	states, err := states(append(slices.Clone(writers), aside))
	if err != nil {
		fmt.Printf("by the words alone; the second layer is left out: %v\n", err)
		states = make([][][]float32, len(writers)+1)
	}
	var words, both []reward.Score
	for held, sentences := range writers {
		w, b := judge(others(writers, held), others(states[:len(writers)], held), sentences, states[held])
		fmt.Printf("%s held out: %s", names[held], brief(sentences, w))
		if b != nil {
			fmt.Printf("; with %s %s", models.MiniLM, brief(sentences, b))
		}
		fmt.Println()
		words, both = append(words, w...), append(both, b...)
	}
	fmt.Print("writers held out, by the words alone: ", report(slices.Concat(writers...), words))
	if both != nil {
		fmt.Printf("writers held out, with %s: %s", models.MiniLM, report(slices.Concat(writers...), both))
	}
	words, both = judge(slices.Concat(writers...), slices.Concat(states[:len(writers)]...), aside, states[len(writers)])
	fmt.Print("sentences that nothing is fitted to, by the words alone: ", report(aside, words))
	if both != nil {
		fmt.Printf("sentences that nothing is fitted to, with %s: %s", models.MiniLM, report(aside, both))
	}
	return nil
}

// judge scores sentences by models of others: by the words, and with the second layer where there are vectors.
func judge(known []reward.Example, knownStates [][]float32, sentences []reward.Example, states [][]float32) (words, both []reward.Score) {
	m := reward.Fit(known)
	for _, e := range sentences {
		words = append(words, m.Score(e.Text))
	}
	if states == nil {
		return words, nil
	}
	l := reward.FitLayer(known, knownStates)
	for i, e := range sentences {
		both = append(both, reward.ScoreWith(m, l, states[i], e.Text))
	}
	return words, both
}

// report compares scores with sentences, one by one.
func report(sentences []reward.Example, scores []reward.Score) reward.Report {
	next := 0
	return reward.Evaluate(sentences, func(string) reward.Score { next++; return scores[next-1] })
}

func brief(sentences []reward.Example, scores []reward.Score) string {
	r := report(sentences, scores)
	return fmt.Sprintf("%.1f %%, mean error %.3f", 100*r.Agreement, r.MAE)
}

// others are those of all writers but one.
func others[T any](all [][]T, held int) []T {
	return slices.Concat(slices.Delete(slices.Clone(all), held, held+1)...)
}

// states are the vectors of each set of sentences.
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
