// Command hearing measures how well reachy-sense understands the recordings that perception/stt/train/evaluate.py writes: the
// deed that was asked for, another one, a question whether it was said, the words, and the time from the end of speech to the text.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/reachyd/reachyd/agents/eval/program"
	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/perception/client"
	"github.com/reachyd/reachyd/perception/language"
	"github.com/reachyd/reachyd/perception/language/levenshtein"
	"github.com/reachyd/reachyd/perception/models"
	"github.com/reachyd/reachyd/perception/speechtest"
)

func main() { program.Main(run) }

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("hearing", flag.ContinueOnError)
	flags.SetOutput(stderr)
	sense := flags.String("sense", "bin/reachy-sense", "the program that hears")
	dir := flags.String("data", "", "directory of the recordings and their index.tsv")
	modelDir := flags.String("models", "", "directory of the model files, before the usual ones")
	speech := flags.String("speech", "", "speech model; empty: the best that is there")
	untuned := flags.Bool("untuned", false, "with Whisper tiny.en as it was published")
	threads := flags.Int("threads", 2, "of the recogniser")
	every := flags.Int("every", 1, "only every so many of the recordings")
	only := flags.String("only", "", "only recordings whose kind or condition begins with one of these, with commas between: babble,stop")
	show := flags.Bool("v", false, "show what was not right")
	budget := flags.Duration("budget", 15*time.Minute, "after which no other recording is begun; they come in an order in which any part is a fair sample")
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
	rows, err := speechtest.ReadIndex(filepath.Join(*dir, "index.tsv"), kinds...)
	if err != nil || *every < 1 {
		_, _ = fmt.Fprintln(stderr, "hearing: -data names a directory with recordings, -every is at least 1:", err)
		return 2
	}
	m := measurement{dir: *dir, planner: planner.New(), table: map[string]*tally{}, every: *every, budget: *budget, progress: stderr}
	if rows = selected(rows, *only); len(rows) == 0 && *only != "" {
		_, _ = fmt.Fprintf(stderr, "hearing: no recording has a kind or condition that begins with one of %q\n", *only)
		return 2
	}
	if *show {
		m.show = stderr
	}
	err = m.with(ctx, *sense, []string{"--models", *modelDir, "--speech", *speech, "--threads", fmt.Sprint(*threads), fmt.Sprint("--untuned=", *untuned)}, rows)
	m.print(stdout)
	if err != nil {
		_, _ = fmt.Fprintln(stderr, "hearing:", err)
		return 1
	}
	return 0
}

// row is a recording.
type row = speechtest.Recording

// kinds of recordings: what is said to the robot, a stop, what is said to somebody else, no speech, and a person who reads.
var kinds = []string{"command", "stop", "other", "nothing", "reader"}

// tally counts a group of recordings.
type tally struct {
	all           int
	verdicts      map[verdict]int
	empty         int
	causes        map[string]int
	errors, words int
	latency       []float64 // s
}

type measurement struct {
	dir     string
	planner *planner.Planner
	every   int
	table   map[string]*tally
	show    io.Writer // may be nil

	budget   time.Duration
	progress io.Writer
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
	m.table[title(&state.Hearing)] = &tally{}
	rows = m.chosen(rows)
	began, told := time.Now(), time.Now()
	for i, r := range rows {
		if time.Since(began) > m.budget {
			_, _ = fmt.Fprintf(m.progress, "hearing: %d of %d recordings are left out, for %v are over\n", len(rows)-i, len(rows), m.budget)
			break
		}
		if time.Since(told) > 20*time.Second {
			told = time.Now()
			_, _ = fmt.Fprintf(m.progress, "hearing: %d of %d recordings after %v\n", i, len(rows), time.Since(began).Round(time.Second))
		}
		// A client of its own: a connection that the program has just closed cannot send a recording twice.
		each := client.New(socket)
		err := m.hear(ctx, each, &r)
		each.Close()
		if err != nil {
			return fmt.Errorf("%s: %w\n%s", r.File, err, log.String())
		}
	}
	return nil
}

// title says with what is measured.
func title(h *client.Hearing) string {
	tuned := ""
	if h.Tuned {
		tuned = ", tuned"
	}
	return "model " + h.Model + tuned + ", " + h.Detector
}

// selected are the recordings whose kind or condition begins with one of the words that are given with commas between; all without one.
func selected(rows []row, only string) []row {
	if only == "" {
		return rows
	}
	words := strings.FieldsFunc(only, func(r rune) bool { return r == ',' })
	return slices.DeleteFunc(rows, func(r row) bool {
		return !slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(r.Kind, w) || strings.HasPrefix(r.Condition, w) })
	})
}

// chosen are the recordings that are heard, in an order that is always the same and mixes voices and conditions.
func (m *measurement) chosen(rows []row) []row {
	var all []row
	for i, r := range rows {
		if i%m.every == 0 || r.Kind == "reader" || r.Kind == "nothing" {
			all = append(all, r)
		}
	}
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] }) //nolint:gosec // no secret
	return all
}

func (m *measurement) hear(ctx context.Context, c *client.Client, r *row) error {
	f, err := os.Open(filepath.Join(m.dir, r.File))
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // only read
	h, err := c.Listen(ctx, f, nil)
	if err != nil {
		return err
	}
	x := heard{stop: h.StopWord}
	var texts []string
	for i := range h.Utterances {
		u := &h.Utterances[i]
		texts = append(texts, u.Text)
		if p := m.planner.Plan(u.Text); p.Deed() != "" {
			if u.Unsure {
				x.asked++
			} else {
				x.deeds++
			}
		}
	}
	x.text = strings.Join(texts, " ")
	v := m.judge(r, &x)
	for _, group := range []string{r.Kind + "\t" + r.Condition + "\tall voices", r.Kind + "\t" + r.Condition + "\t" + r.Voice} {
		t := m.table[group]
		if t == nil {
			t = &tally{}
			m.table[group] = t
		}
		t.add(r, x.text+x.stop, v, &h)
		if v != right {
			t.causes[cause(r, &x, &h)]++
		}
	}
	if v != right && m.show != nil {
		_, _ = fmt.Fprintf(m.show, "%s, %s: %s, %s, %s: %q heard as %q %s\n", v, cause(r, &x, &h), r.Kind, r.Voice, r.Condition, r.Text, x.text, x.stop)
		for i := range h.Utterances {
			_, _ = fmt.Fprintf(m.show, "  %q, confidence %.2f, unsure %v\n", h.Utterances[i].Text, h.Utterances[i].Confidence, h.Utterances[i].Unsure)
		}
		for i := range h.Rejected {
			_, _ = fmt.Fprintf(m.show, "  rejected (%s): %s\n", h.Rejected[i].Reason, h.Rejected[i].Message)
		}
	}
	return nil
}

// heard is what was made of a recording: all its sentences, those that are done, and those that are asked about.
type heard struct {
	text, stop   string
	deeds, asked int
}

// verdict is what became of a recording.
type verdict string

const (
	right    verdict = "right"    // the robot does what was said
	wrong    verdict = "wrong"    // it does something else
	askRight verdict = "ask"      // it asks whether what was said was said
	askWrong verdict = "askwrong" // it asks whether something else was said
	nothing  verdict = "nothing"  // it does nothing, though it should
)

// causes are why a recording was not right, in the order of the table.
var causes = []string{"not heard", "rejected", "cut", "misheard", "asked", "not understood"}

// cause says where a recording was lost: nobody was heard, what was heard was not believed, it was cut into several sentences, the
// words are others, they are right but asked about, or right but not understood.
func cause(r *row, x *heard, h *client.Hearings) string {
	same := slices.Equal(language.HeardWords(r.Text), language.HeardWords(strings.TrimSpace(x.text+" "+x.stop)))
	switch {
	case len(h.Utterances)+len(h.Rejected) > 1:
		return "cut"
	case same && x.asked > 0:
		return "asked"
	case same:
		return "not understood"
	case x.text+x.stop != "":
		return "misheard"
	case len(h.Rejected) > 0 && h.Rejected[0].Reason != client.ReasonNoSpeech:
		return "rejected"
	}
	return "not heard"
}

// american has words as Whisper spells them: a question keeps its words, and it is the same in both.
var american = strings.NewReplacer("colour", "color")

// judge says whether the robot does what was said.
func (m *measurement) judge(r *row, x *heard) verdict {
	acts := x.deeds > 0 || x.stop != ""
	good := !acts && x.asked == 0
	switch r.Kind {
	case "command":
		want, got := m.planner.Plan(american.Replace(r.Text)), m.planner.Plan(strings.TrimSpace(x.text+" "+x.stop))
		good = want.Deed() == got.Deed() && want.Outcome == got.Outcome
		switch {
		case good && !acts && x.asked > 0:
			return askRight
		case good && x.asked > 0: // half of it is done
			return wrong
		}
	case "stop":
		want, got := m.planner.Plan("stop"), m.planner.Plan(x.text)
		good = x.stop != "" || want.Deed() == got.Deed() && x.deeds > 0
	case "nothing":
		good = x.text == "" && x.stop == ""
	case "reader": // more than one deed in minutes is too many
		good = x.deeds <= 1 && x.stop == ""
		acts = !good
	}
	switch {
	case good:
		return right
	case acts:
		return wrong
	case x.asked > 0:
		return askWrong
	}
	return nothing
}

func (t *tally) add(r *row, text string, v verdict, h *client.Hearings) {
	if t.verdicts == nil {
		t.verdicts, t.causes = map[verdict]int{}, map[string]int{}
	}
	t.all++
	t.verdicts[v]++
	if text == "" {
		t.empty++
	}
	if r.Text != "" {
		want := language.HeardWords(r.Text)
		t.words += len(want)
		t.errors += levenshtein.Words(want, language.HeardWords(text))
	}
	for i := range h.Utterances {
		t.latency = append(t.latency, h.Utterances[i].Latency)
	}
}

func (m *measurement) print(w io.Writer) {
	groups := make([]string, 0, len(m.table))
	for g := range m.table {
		groups = append(groups, g)
	}
	slices.Sort(groups)
	out := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	_, _ = fmt.Fprintln(out, "kind\tcondition\tvoice\tn\tright\twrong deed\task\task wrongly\tno text\tWER\tp50\tp95")
	for _, g := range groups {
		t := m.table[g]
		if t.all == 0 {
			_, _ = fmt.Fprintln(out, g)
			continue
		}
		share := func(n, of int) string { return fmt.Sprintf("%.1f %%", 100*float64(n)/float64(max(of, 1))) }
		_, _ = fmt.Fprintf(out, "%s\t%d", g, t.all)
		for _, v := range []verdict{right, wrong, askRight, askWrong} {
			_, _ = fmt.Fprintf(out, "\t%s", share(t.verdicts[v], t.all))
		}
		_, _ = fmt.Fprintf(out, "\t%s\t%s\t%.2f s\t%.2f s\n", share(t.empty, t.all), share(t.errors, t.words), at(t.latency, 0.5), at(t.latency, 0.95))
	}
	_, _ = fmt.Fprintln(out, "\nnot right\tcondition\tvoice\t"+strings.Join(causes, "\t"))
	for _, g := range groups {
		if t := m.table[g]; t.all > t.verdicts[right] {
			_, _ = fmt.Fprint(out, g)
			for _, c := range causes {
				_, _ = fmt.Fprintf(out, "\t%d", t.causes[c])
			}
			_, _ = fmt.Fprintln(out)
		}
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
