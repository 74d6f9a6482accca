// Command eval measures how well the wake phrase is found in recordings: how many of those who say it are heard, by condition and by
// voice, how often an hour something else is taken for it, and what that costs.
//
//	go run ./perception/wake/eval [-network FILE] [-phrase "hey reachy"] [-thresholds 0.4,0.5,0.6] DIRECTORY
//
// The directory has an index.tsv, a recording a line: file (WAV), voice, condition, kind (phrase: the phrase is in it once; other: it is
// not; near: what sounds nearly like it is, which is counted apart), text.
package main

import (
	"context"
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
	"time"

	"github.com/reachyd/reachyd/hal/local"
	"github.com/reachyd/reachyd/perception/speechtest"
	"github.com/reachyd/reachyd/perception/wake"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("eval", flag.ContinueOnError)
	flags.SetOutput(stderr)
	file := flags.String("network", "", "file of the network; empty: the program's own")
	phrase := flags.String("phrase", "hey reachy", "the phrase")
	list := flags.String("thresholds", "", "thresholds of the confidence, with commas between them; empty: the network's own")
	worst := flags.Float64("worst", -1, "threshold of the worst sound; below 0: the network's own")
	show := flags.Bool("v", false, "show what was not right at the first threshold")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	fail := func(err error) int {
		_, _ = fmt.Fprintln(stderr, "eval:", err)
		return 1
	}
	if flags.NArg() != 1 {
		_, _ = fmt.Fprintln(stderr, "eval: one directory with recordings and an index.tsv is needed")
		return 2
	}
	n, err := open(*file)
	if err != nil {
		return fail(err)
	}
	ways, err := n.Sounds(ctx, *phrase)
	if err != nil {
		return fail(err)
	}
	thresholds, err := parseThresholds(*list, n.ThresholdOf(*phrase))
	if err != nil {
		return fail(err)
	}
	if *worst < 0 {
		*worst = n.Worst
	}
	rows, err := speechtest.ReadIndex(filepath.Join(flags.Arg(0), "index.tsv"), phraseKind, otherKind, nearKind)
	if err != nil {
		return fail(err)
	}
	m := &measurement{network: n}
	if *show {
		m.show = stderr
	}
	for _, th := range thresholds {
		s, err := n.NewSearch(*phrase, ways, th, *worst)
		if err != nil {
			return fail(err)
		}
		m.tries = append(m.tries, &try{threshold: th, search: s})
	}
	for _, r := range rows {
		if err := ctx.Err(); err != nil {
			return fail(err)
		}
		b, err := os.ReadFile(filepath.Join(flags.Arg(0), r.File))
		if err != nil {
			return fail(err)
		}
		x, rate, err := speechtest.ParseWAV(b)
		if err != nil {
			return fail(fmt.Errorf("%s: %w", r.File, err))
		}
		m.hear(&r, speechtest.Resample(x, rate, wake.Rate))
	}
	m.print(stdout)
	return 0
}

func open(file string) (*wake.Network, error) {
	if file == "" {
		return wake.Own()
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // read only
	return wake.Read(f)
}

func parseThresholds(list string, otherwise float64) ([]float64, error) {
	if list == "" {
		return []float64{otherwise}, nil
	}
	var out []float64
	for text := range strings.SplitSeq(list, ",") {
		v, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		if err != nil || !(v >= 0 && v <= 1) {
			return nil, fmt.Errorf("-thresholds has %q; allowed are numbers from 0 to 1 with commas between them", text)
		}
		out = append(out, v)
	}
	return out, nil
}

// row is a recording.
type row = speechtest.Recording

// The kinds of recordings.
const (
	phraseKind = "phrase"
	otherKind  = "other"
	nearKind   = "near"
)

// measurement hears all recordings once, with a search for each threshold.
type measurement struct {
	network *wake.Network
	tries   []*try
	show    io.Writer // nil: nothing is shown

	heard, others time.Duration // of all recordings; of those without the phrase
	work          time.Duration // of the processor
}

// try is what becomes of the recordings at one threshold.
type try struct {
	threshold float64
	search    *wake.Search
	groups    map[string]*tally // by "condition" and by "voice"
	all       tally
	near      tally
	strange   int // phrases found where none, or only one, is
}

type tally struct{ said, found int }

func (m *measurement) hear(r *row, x []float32) {
	length := time.Duration(len(x)) * time.Second / wake.Rate
	m.heard += length
	if r.Kind == otherKind {
		m.others += length
	}
	found := make([]int, len(m.tries))
	step := func(i int, f wake.Found, ok bool) {
		if ok {
			found[i]++
			if i == 0 && m.show != nil && (r.Kind != phraseKind || found[i] > 1) {
				_, _ = fmt.Fprintf(m.show, "%s (%s, %s) %q: %.2f…%.2f s is none, %.2f, worst %.2f\n", r.File, r.Voice, r.Condition, r.Text,
					float64(f.Begin)/wake.Rate, float64(f.End)/wake.Rate, f.Confidence, f.Worst)
			}
		}
	}
	began := local.ProcessorTime()
	tell := func(logs []float32) {
		for i, t := range m.tries {
			f, ok := t.search.Step(logs)
			step(i, f, ok)
		}
	}
	s := m.network.NewStream()
	s.Hear(x, tell)
	s.Flush(tell)
	for i, t := range m.tries {
		f, ok := t.search.Flush()
		step(i, f, ok)
		t.search.Reset()
		t.count(r, found[i])
	}
	m.work += local.ProcessorTime() - began
	if m.show != nil && r.Kind == phraseKind && found[0] == 0 {
		_, _ = fmt.Fprintf(m.show, "%s (%s, %s) %q: not found\n", r.File, r.Voice, r.Condition, r.Text)
	}
}

func (t *try) count(r *row, found int) {
	switch r.Kind {
	case otherKind:
		t.strange += found
		return
	case nearKind:
		t.near.said++
		t.near.found += min(found, 1)
		return
	}
	if t.groups == nil {
		t.groups = map[string]*tally{}
	}
	all := []*tally{&t.all}
	for _, name := range []string{"condition\t" + r.Condition, "voice\t" + r.Voice} {
		if t.groups[name] == nil {
			t.groups[name] = &tally{}
		}
		all = append(all, t.groups[name])
	}
	for _, g := range all {
		g.said++
		g.found += min(found, 1)
	}
	t.strange += max(0, found-1)
}

// hourly is how often an hour of the recordings without the phrase it was found.
func (m *measurement) hourly(t *try) float64 {
	if m.others == 0 {
		return 0
	}
	return float64(t.strange) / m.others.Hours()
}

// share is the part of a core that it takes, percent.
func (m *measurement) share() float64 { return 100 * m.work.Seconds() / max(m.heard.Seconds(), 1e-9) }

func (g *tally) percent() float64 { return 100 * float64(g.found) / float64(max(g.said, 1)) }

func (m *measurement) print(out io.Writer) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	line := func(format string, args ...any) { _, _ = fmt.Fprintf(w, format, args...) }
	line("\t\tthreshold")
	for _, t := range m.tries {
		line("\t%.3f", t.threshold)
	}
	line("\t\nphrase\theard of\t%d", m.tries[0].all.said)
	for _, t := range m.tries {
		line("\t%.1f %%", t.all.percent())
	}
	names := make([]string, 0, len(m.tries[0].groups))
	for name := range m.tries[0].groups {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		line("\t\n%s\t%d", name, m.tries[0].groups[name].said)
		for _, t := range m.tries {
			line("\t%.1f %%", t.groups[name].percent())
		}
	}
	line("\t\nfalse\tin %.2f h\t", m.others.Hours())
	for _, t := range m.tries {
		line("\t%d", t.strange)
	}
	line("\t\nfalse\tan hour\t")
	for _, t := range m.tries {
		line("\t%.2f", m.hourly(t))
	}
	line("\t\nnear\ttaken of\t%d", m.tries[0].near.said)
	for _, t := range m.tries {
		line("\t%d", t.near.found)
	}
	line("\t\n")
	_ = w.Flush()
	_, _ = fmt.Fprintf(out, "%.2f %% of a core for %v of sound, with %d searches\n", m.share(), m.heard.Round(time.Second), len(m.tries))
}
