// Command hearing measures how well reachy-sense understands the recordings that perception/stt/train/evaluate.py writes: the
// deed that was asked for, another one, the words, and the time from the end of speech to the text.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/perception/client"
	"github.com/reachyd/reachyd/perception/language"
	"github.com/reachyd/reachyd/perception/models"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("hearing", flag.ContinueOnError)
	flags.SetOutput(stderr)
	sense := flags.String("sense", "bin/reachy-sense", "the program that hears")
	dir := flags.String("data", "", "directory of the recordings and their index.tsv")
	modelDir := flags.String("models", "", "directory of the model files, before the usual ones")
	speech := flags.String("speech", "", "speech model; empty: the best that is there")
	threads := flags.Int("threads", 2, "of the recogniser")
	every := flags.Int("every", 1, "only every so many of the recordings")
	show := flags.Bool("v", false, "show what was not right")
	fetch := flags.String("fetch", "", "only put this recording of a person into -data")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if *fetch != "" {
		s := models.Store{Models: models.Recordings()}
		if err := s.Pull(ctx, *fetch, *dir, nil); err != nil {
			_, _ = fmt.Fprintln(stderr, "hearing:", err)
			return 1
		}
		return 0
	}
	rows, err := readIndex(filepath.Join(*dir, "index.tsv"))
	if err != nil || *every < 1 {
		_, _ = fmt.Fprintln(stderr, "hearing: -data names a directory with recordings, -every is at least 1:", err)
		return 2
	}
	m := measurement{dir: *dir, planner: planner.New(), table: map[string]*tally{}, every: *every}
	if *show {
		m.show = stderr
	}
	err = m.with(ctx, *sense, []string{"--models", *modelDir, "--speech", *speech, "--threads", fmt.Sprint(*threads)}, rows)
	m.print(stdout)
	if err != nil {
		_, _ = fmt.Fprintln(stderr, "hearing:", err)
		return 1
	}
	return 0
}

// row is a recording: kind is command, stop, other (said to somebody else), nothing (no speech) or reader (a person who reads).
type row struct{ file, voice, condition, kind, text string }

func readIndex(path string) ([]row, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var rows []row
	for line := range strings.Lines(string(b)) {
		f := strings.Split(strings.TrimRight(line, "\n"), "\t")
		if len(f) != 5 {
			return nil, fmt.Errorf("%s: %q has %d columns instead of 5", path, line, len(f))
		}
		rows = append(rows, row{f[0], f[1], f[2], f[3], f[4]})
	}
	return rows, nil
}

// tally counts a group of recordings.
type tally struct {
	all, right, wrong, empty int
	errors, words            int
	latency                  []float64 // s
}

type measurement struct {
	dir     string
	planner *planner.Planner
	every   int
	table   map[string]*tally
	show    io.Writer // may be nil
}

// with starts the program and has it hear all recordings.
func (m *measurement) with(ctx context.Context, program string, args []string, rows []row) error {
	tmp, err := os.MkdirTemp("", "hearing-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp) //nolint:errcheck // temporary
	socket := filepath.Join(tmp, "s")
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, append(args, "--socket", socket, "--microphone", "none", "--speaker", "none", "--camera", "none")...)
	var log strings.Builder
	cmd.Stderr = &log
	if err := cmd.Start(); err != nil {
		return err
	}
	defer func() { cancel(); _ = cmd.Wait() }()
	c := client.New(socket)
	defer c.Close()
	state, err := c.State(ctx)
	for deadline := time.Now().Add(time.Minute); err != nil && time.Now().Before(deadline); state, err = c.State(ctx) {
		time.Sleep(100 * time.Millisecond)
	}
	if err != nil {
		return fmt.Errorf("%s does not answer: %w\n%s", program, err, log.String())
	}
	if state.Hearing.Model == "" {
		return fmt.Errorf("%s does not hear: %s", program, state.Hearing.Off)
	}
	m.table["model "+state.Hearing.Model+", "+state.Hearing.Detector] = &tally{}
	for i, r := range rows {
		if i%m.every != 0 && r.kind != "reader" && r.kind != "nothing" {
			continue
		}
		// A client of its own: a connection that the program has just closed cannot send a recording twice.
		each := client.New(socket)
		err := m.hear(ctx, each, &r)
		each.Close()
		if err != nil {
			return fmt.Errorf("%s: %w\n%s", r.file, err, log.String())
		}
	}
	return nil
}

func (m *measurement) hear(ctx context.Context, c *client.Client, r *row) error {
	f, err := os.Open(filepath.Join(m.dir, r.file))
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // only read
	h, err := c.Listen(ctx, f, nil)
	if err != nil {
		return err
	}
	var texts []string
	deeds := 0
	for i := range h.Utterances {
		texts = append(texts, h.Utterances[i].Text)
		if len(m.planner.Plan(h.Utterances[i].Text).Steps) > 0 {
			deeds++
		}
	}
	text := strings.Join(texts, " ")
	right, wrong := m.judge(r, text, h.StopWord, deeds)
	for _, group := range []string{r.kind + "\t" + r.condition + "\tall voices", r.kind + "\t" + r.condition + "\t" + r.voice} {
		t := m.table[group]
		if t == nil {
			t = &tally{}
			m.table[group] = t
		}
		t.add(r, text+h.StopWord, right, wrong, &h)
	}
	if !right && m.show != nil {
		_, _ = fmt.Fprintf(m.show, "%s, %s, %s: %q heard as %q %s\n", r.kind, r.voice, r.condition, r.text, text, h.StopWord)
	}
	return nil
}

// judge reports whether the robot does what was said, and whether it does something else. deeds counts the sentences that were
// heard as commands.
func (m *measurement) judge(r *row, text, stop string, deeds int) (right, wrong bool) {
	acts := deeds > 0 || stop != ""
	switch r.kind {
	case "command":
		want, got := m.planner.Plan(r.text), m.planner.Plan(text)
		right = stop == "" && reflect.DeepEqual(want.Steps, got.Steps) && want.Outcome == got.Outcome
		return right, !right && acts
	case "stop":
		return stop != "", stop == "" && acts
	case "nothing":
		return text == "" && stop == "", acts
	case "reader": // more than one deed in minutes is too many
		return deeds <= 1 && stop == "", deeds > 1 || stop != ""
	}
	return !acts, acts
}

func (t *tally) add(r *row, text string, right, wrong bool, h *client.Hearings) {
	t.all++
	if right {
		t.right++
	}
	if wrong {
		t.wrong++
	}
	if text == "" {
		t.empty++
	}
	if r.text != "" {
		want := language.HeardWords(r.text)
		t.words += len(want)
		t.errors += edits(want, language.HeardWords(text))
	}
	for i := range h.Utterances {
		t.latency = append(t.latency, h.Utterances[i].Latency)
	}
}

// edits is how many words must be changed, added or left out.
func edits(a, b []string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		before := row[0]
		row[0]++
		for j := range b {
			cost := before
			if a[i] != b[j] {
				cost = min(before, row[j], row[j+1]) + 1
			}
			before, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}

func (m *measurement) print(w io.Writer) {
	groups := make([]string, 0, len(m.table))
	for g := range m.table {
		groups = append(groups, g)
	}
	slices.Sort(groups)
	out := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	_, _ = fmt.Fprintln(out, "kind\tcondition\tvoice\tn\tright\twrong deed\tnothing\tWER\tp50\tp95")
	for _, g := range groups {
		t := m.table[g]
		if t.all == 0 {
			_, _ = fmt.Fprintln(out, g)
			continue
		}
		share := func(n, of int) string { return fmt.Sprintf("%.1f %%", 100*float64(n)/float64(max(of, 1))) }
		_, _ = fmt.Fprintf(out, "%s\t%d\t%s\t%s\t%s\t%s\t%.2f s\t%.2f s\n", g, t.all, share(t.right, t.all), share(t.wrong, t.all), share(t.empty, t.all),
			share(t.errors, t.words), at(t.latency, 0.5), at(t.latency, 0.95))
	}
	_ = out.Flush()
}

// at is a quantile.
func at(all []float64, q float64) float64 {
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[int(q*float64(len(all)-1))]
}
