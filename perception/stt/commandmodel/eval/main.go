//go:build whisper

// Command eval measures the command model on recordings: how many commands are understood, by condition and voice, how many are taken for
// another, and what else is taken for one, at several least confidences.
//
//	go run -tags whisper ./perception/stt/commandmodel/eval [-features] [-thresholds 0.5,0.75] DIRECTORY
//
// The directory has an index.tsv, a recording a line: file (WAV), voice, condition, kind (command; near: a command with another word in
// it; other), text. -features prints the features of each candidate instead, and whether it was said, for train/weigh.py.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/reachyd/reachyd/perception/speechtest"
	"github.com/reachyd/reachyd/perception/stt"
	"github.com/reachyd/reachyd/perception/stt/commandmodel"
)

const (
	command = "command"
	near    = "near"
	other   = "other"
	every   = "all voices"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	switch {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		_, _ = fmt.Fprintln(os.Stderr, "eval:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("eval", flag.ContinueOnError)
	flags.SetOutput(stderr)
	features := flags.Bool("features", false, "print the features of the candidates")
	list := flags.String("thresholds", "0.5,0.7,0.9", "least confidences, with commas between them")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 1 {
		return errors.New("one directory with recordings and an index.tsv is needed")
	}
	var thresholds []float64
	for _, s := range strings.Split(*list, ",") {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil || v < 0 || v > 1 {
			return fmt.Errorf("threshold %q; allowed are 0…1, with commas between them", s)
		}
		thresholds = append(thresholds, v)
	}
	dir := flags.Arg(0)
	rows, err := speechtest.ReadIndex(filepath.Join(dir, "index.tsv"), command, near, other)
	if err != nil {
		return err
	}
	m, err := commandmodel.Open(stt.Settings{Threads: 1})
	if err != nil {
		return err
	}
	defer func() { _ = m.Close() }()
	counts := map[group]*count{}
	for i, r := range rows {
		b, err := os.ReadFile(filepath.Join(dir, r.File)) //nolint:gosec // the caller's own directory
		if err != nil {
			return err
		}
		samples, _, err := speechtest.ParseWAV(b)
		if err != nil {
			return fmt.Errorf("%s: %w", r.File, err)
		}
		res, candidates, err := m.Candidates(ctx, samples)
		if err != nil {
			return fmt.Errorf("%s: %w", r.File, err)
		}
		if *features {
			for _, c := range candidates {
				printFeatures(stdout, c, &res, r.Kind == command && c.Text == r.Text)
			}
			continue
		}
		for _, g := range []group{{r.Condition, r.Voice}, {r.Condition, every}} {
			if counts[g] == nil {
				counts[g] = newCount(thresholds)
			}
			counts[g].add(&r, candidates)
		}
		if (i+1)%200 == 0 {
			_, _ = fmt.Fprintf(stderr, "eval: %d of %d recordings\n", i+1, len(rows))
		}
	}
	if !*features {
		table(stdout, counts)
	}
	return nil
}

func printFeatures(w io.Writer, c commandmodel.Candidate, res *stt.Result, said bool) {
	x := commandmodel.Features(c.Text, c.Fit, res.Raw, res.Confidence)
	right := 0
	if said {
		right = 1
	}
	_, _ = fmt.Fprintln(w, right, strings.Trim(fmt.Sprintf("%.4f", x), "[]"))
}

type group struct{ condition, voice string }

// count is what became of the recordings of a group, at each least confidence.
type count struct {
	least                 []float64
	commands, nears, rest int
	right, wrong          []int
	nearTaken, otherTaken []int
}

func newCount(least []float64) *count {
	n := len(least)
	return &count{least: least, right: make([]int, n), wrong: make([]int, n), nearTaken: make([]int, n), otherTaken: make([]int, n)}
}

func (c *count) add(r *speechtest.Recording, candidates []commandmodel.Candidate) {
	best := commandmodel.Candidate{}
	if len(candidates) > 0 {
		best = slices.MaxFunc(candidates, func(a, b commandmodel.Candidate) int { return cmp.Compare(a.Confidence, b.Confidence) })
	}
	switch r.Kind {
	case command:
		c.commands++
	case near:
		c.nears++
	default:
		c.rest++
	}
	for i, least := range c.least {
		taken := best.Text != "" && best.Confidence >= least
		switch {
		case !taken:
		case r.Kind == near:
			c.nearTaken[i]++
		case r.Kind == other:
			c.otherTaken[i]++
		case best.Text == r.Text:
			c.right[i]++
		default:
			c.wrong[i]++
		}
	}
}

func table(out io.Writer, counts map[group]*count) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "condition\tvoice\tleast\tcommands\tright\tanother\tnear ones\ttaken\tothers\ttaken")
	groups := make([]group, 0, len(counts))
	for g := range counts {
		groups = append(groups, g)
	}
	slices.SortFunc(groups, func(a, b group) int {
		return cmp.Or(cmp.Compare(a.condition, b.condition), cmp.Compare(a.voice, b.voice))
	})
	for _, g := range groups {
		c := counts[g]
		for i, least := range c.least {
			_, _ = fmt.Fprintf(w, "%s\t%s\t%.2f\t%d\t%s\t%s\t%d\t%s\t%d\t%s\n", g.condition, g.voice, least, c.commands, percent(c.right[i], c.commands),
				percent(c.wrong[i], c.commands), c.nears, percent(c.nearTaken[i], c.nears), c.rest, percent(c.otherTaken[i], c.rest))
		}
	}
	_ = w.Flush()
}

func percent(n, all int) string {
	if all == 0 {
		return ""
	}
	return fmt.Sprintf("%.1f %%", 100*float64(n)/float64(all))
}
