// Command heldout says how well the program's model of reward does on sentences that it did not learn from, by the words alone and, where
// minilm is, with the second layer. `make eval-reward` runs it.
package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"os"
	"time"

	"github.com/reachyd/reachyd/learner/reward"
	"github.com/reachyd/reachyd/perception/meaning"
	"github.com/reachyd/reachyd/perception/models"
)

// unseen are sentences of the sixth writer, by kinds of people that the writer's others are not of. They were put aside before
// anything was learned: whoever reads them to make the model better needs new ones.
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
	aside, err := reward.ReadExamples(bytes.NewReader(unseen))
	if err != nil {
		return fmt.Errorf("unseen.jsonl: %w", err)
	}
	fmt.Print("sentences that nothing was learned from, by the words alone: ", reward.Evaluate(aside, reward.NewJudge(nil).Score))
	path, err := models.NewStore("", os.Getenv).Find(models.MiniLM)
	if err != nil {
		fmt.Printf("the second layer is left out: %v\n", err)
		return nil
	}
	sentences := meaning.NewLazy(path, time.Minute)
	defer sentences.Close() //nolint:errcheck // it was only read
	judge := reward.NewJudge(sentences)
	defer judge.Close() //nolint:errcheck // the same
	if err := judge.Check(); err != nil {
		return err
	}
	fmt.Printf("sentences that nothing was learned from, with %s: %s", models.MiniLM, reward.Evaluate(aside, judge.Score))
	return nil
}
