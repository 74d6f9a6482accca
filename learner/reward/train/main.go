// Command train makes the weights of the reward model of labelled sentences, and says how well models do on a writer that they
// have not seen. `make reward-model` runs it.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/reachyd/reachyd/learner/reward"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "train:", err)
		os.Exit(1)
	}
}

func run() error {
	dir := flag.String("data", "learner/reward/testdata", "folder of writer-*.jsonl")
	out := flag.String("out", "learner/reward/model.bin", "where the weights go; empty for nowhere")
	check := flag.Bool("check", true, "measure models that have not seen a writer, too")
	flag.Parse()
	paths, err := filepath.Glob(filepath.Join(*dir, "writer-*.jsonl"))
	if err != nil || len(paths) < 2 {
		return fmt.Errorf("%s: %d files writer-*.jsonl; two or more are needed (%w)", *dir, len(paths), err)
	}
	writers := make([][]reward.Example, len(paths))
	var all []reward.Example
	for i, path := range paths {
		data, err := os.ReadFile(path) //nolint:gosec // the person who trains names it
		if err != nil {
			return err
		}
		if writers[i], err = reward.ReadExamples(bytes.NewReader(data)); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		all = append(all, writers[i]...)
	}
	if *check {
		leaveOneOut(paths, writers)
	}
	if *out == "" {
		return nil
	}
	var b bytes.Buffer
	if err := reward.Fit(all).Write(&b); err != nil {
		return err
	}
	fmt.Printf("%s: %d sentences, %d bytes\n", *out, len(all), b.Len())
	return os.WriteFile(*out, b.Bytes(), 0o644) //nolint:gosec // it is part of the source
}

// leaveOneOut tries each writer on a model of the others.
func leaveOneOut(paths []string, writers [][]reward.Example) {
	var all []reward.Example
	var answers []reward.Score
	for held := range writers {
		var others []reward.Example
		for i, w := range writers {
			if i != held {
				others = append(others, w...)
			}
		}
		m := reward.Fit(others)
		r := reward.Evaluate(writers[held], func(text string) reward.Score {
			s := m.Score(text)
			answers = append(answers, s)
			return s
		})
		all = append(all, writers[held]...)
		fmt.Printf("%s held out: %.1f %%, mean error %.3f\n", filepath.Base(paths[held]), 100*r.Agreement, r.MAE)
	}
	next := 0
	fmt.Print(reward.Evaluate(all, func(string) reward.Score { next++; return answers[next-1] }))
}
