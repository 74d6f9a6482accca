// Command heldout says how well the program's model of reward does on sentences that it did not learn from, by the words alone and, where
// minilm is, with the second layer. `make eval-reward` runs it. With the names of files it judges their sentences instead: those of a new
// writer say most.
package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"os"
	"strings"
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
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(files []string) error {
	text, from := unseen, "unseen.jsonl"
	for i, file := range files {
		more, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if i == 0 {
			text, from = nil, strings.Join(files, ", ")
		}
		text = append(text, more...)
	}
	aside, err := reward.ReadExamples(bytes.NewReader(text))
	if err != nil {
		return fmt.Errorf("%s: %w", from, err)
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
