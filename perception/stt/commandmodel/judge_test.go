//go:build whisper

package commandmodel

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/reachyd/reachyd/perception/speechtest"
	"github.com/reachyd/reachyd/perception/stt"
)

// unheard are voices that had no part in training (in the weights of the confidence other recordings of theirs had): flite's awb, a Scottish accent, and
// variants of espeak-ng.
var unheard = []string{
	"flite:awb", "flite:awb@0.9", "espeak:en-gb-scotland", "espeak:en-gb-scotland+f5@0.95",
	"espeak:en-us+belinda", "espeak:en-gb+m3", "espeak:en-us+shelby",
}

// others are no commands; the model has not read these sentences either.
var others = strings.Split(`the soup needs a bit more pepper
my neighbour plays the trumpet on saturdays
we missed the last ferry to the island
please remind your cousin about the tickets
who won the match on wednesday
it smells like burnt toast in this building
her bicycle has been in the cellar since march
the teacher wrote three letters on the board
i would rather walk through the forest
both shops close early in winter
banana bread with walnuts
the left one is mine and the right one is yours
you turned up far too late
nobody looked at the map
seven green bottles were standing on the wall
that window was cleaned twice this month
have a nice weekend everybody
this battery is completely flat
he stopped smoking ten years ago
the happy couple left for spain`, "\n")

// recording is one thing said.
type recording struct {
	kind, text string
	command    bool
	samples    []float32
}

// pad puts the recording between the silence that a voice activity detector leaves.
func pad(x []float32) []float32 {
	return speechtest.Join(speechtest.Pause(300*time.Millisecond), x, speechtest.Pause(300*time.Millisecond))
}

// speak makes each voice say some commands and other sentences.
func speak(t testing.TB, commands, sentences int) []recording {
	r := rand.New(rand.NewPCG(2026, 3)) //nolint:gosec // a sample, not a secret
	var all []recording
	for _, v := range unheard {
		kind, _, _ := strings.Cut(v, "@")
		if strings.HasPrefix(kind, "espeak:") {
			if kind = "espeak variants"; strings.Contains(v, "scotland") {
				kind = "espeak Scottish"
			}
		}
		for _, i := range r.Perm(len(Commands()))[:commands] {
			all = append(all, recording{kind, Commands()[i], true, pad(speechtest.Say(t, v, Commands()[i]))})
		}
		for _, i := range r.Perm(len(others))[:sentences] {
			all = append(all, recording{"other speech", others[i], false, pad(speechtest.Say(t, v, others[i]))})
		}
	}
	return all
}

// recordings reads those of the folder that train/judge.py wrote, if there is one: voices that need more than Debian has.
func recordings(t testing.TB) []recording {
	dir := os.Getenv("COMMAND_MODEL_RECORDINGS")
	if dir == "" {
		return nil
	}
	f, err := os.Open(filepath.Join(dir, "index.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var all []recording
	for s := bufio.NewScanner(f); s.Scan(); {
		c := strings.Split(s.Text(), "\t")
		b, err := os.ReadFile(filepath.Join(dir, c[0]))
		if err != nil {
			t.Fatal(err)
		}
		x, _, err := speechtest.ParseWAV(b)
		if err != nil {
			t.Fatal(err)
		}
		r := recording{c[1], c[2], slices.Contains(Commands(), c[2]), pad(x)}
		if !r.command {
			r.kind = "other speech"
		}
		all = append(all, r)
	}
	return all
}

func noises(t testing.TB) []recording {
	var all []recording
	for _, k := range speechtest.Kinds {
		for seed := range uint64(3) {
			x := speechtest.Gain(speechtest.Noise(t, k, 2*speechtest.Rate, seed), -25)
			all = append(all, recording{"noise alone", k.String(), false, x})
		}
	}
	return all
}

// synonyms names for each command one that has the same plan; agents/planner tests that the file is right.
var synonyms = sync.OnceValue(func() map[string]string {
	b, err := os.ReadFile("testdata/synonyms.txt")
	if err != nil {
		panic(err)
	}
	m := map[string]string{}
	for _, line := range strings.Split(strings.TrimSpace(string(b)), "\n") {
		same := strings.Split(line, " = ")
		for _, c := range same {
			m[c] = same[0]
		}
	}
	return m
})

func means(command string) string {
	if c, ok := synonyms()[command]; ok {
		return c
	}
	return command
}

// tally counts by kind of voice.
type tally struct {
	right, all map[string]int
	wrong      map[string]int
}

func newTally() *tally {
	return &tally{map[string]int{}, map[string]int{}, map[string]int{}}
}

// add counts a recording: a command is right when the planner makes the same of what was understood, all else when
// nothing was.
func (c *tally) add(r *recording, heard string) {
	ok := heard == ""
	if r.command {
		ok = means(heard) == means(r.text)
	}
	c.all[r.kind]++
	if ok {
		c.right[r.kind]++
		return
	}
	c.wrong[fmt.Sprintf("%s → %s", r.text, heard)]++
}

func (c *tally) commands() (right, all int) {
	for k, n := range c.all {
		if k != "other speech" && k != "noise alone" {
			right, all = right+c.right[k], all+n
		}
	}
	return right, all
}

func model(t testing.TB) *Recogniser {
	m, err := Open(stt.Settings{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.Close() })
	return m
}

func cpu(who int) time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(who, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// ours lets the model hear all and returns what it understood and how long each took.
func ours(t testing.TB, m *Recogniser, all []recording) (heard []string, took []time.Duration) {
	for i := range all {
		begin := time.Now()
		res, err := m.Transcribe(context.Background(), all[i].samples)
		if err != nil {
			t.Fatalf("%s %q: %v", all[i].kind, all[i].text, err)
		}
		took = append(took, time.Since(begin))
		heard = append(heard, res.Text)
	}
	return heard, took
}

// sphinx lets pocketsphinx hear all, with a grammar of exactly the same commands.
func sphinx(t testing.TB, all []recording) (heard []string, used time.Duration) {
	dir := t.TempDir()
	var files, grammar bytes.Buffer
	fmt.Fprintf(&grammar, "#JSGF V1.0;\ngrammar commands;\npublic <command> = %s;\n", strings.Join(Commands(), " | "))
	for i := range all {
		fmt.Fprintf(&files, "%d\n", i)
		speechtest.WriteWAV(t, filepath.Join(dir, fmt.Sprintf("%d.wav", i)), all[i].samples)
	}
	write := func(name string, b []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const share = "/usr/share/pocketsphinx/model/en-us/"
	words, err := os.ReadFile(share + "cmudict-en-us.dict")
	if err != nil {
		t.Fatalf("apt-get install pocketsphinx pocketsphinx-en-us: %v", err)
	}
	words = append(words, "\nunmute AH N M Y UW T\n"...) // the only word of ours that it does not know
	out := filepath.Join(dir, "out.txt")
	cmd := exec.Command("pocketsphinx_batch", "-hmm", share+"en-us", "-dict", write("words.dict", words), //nolint:gosec // our own arguments
		"-jsgf", write("commands.gram", grammar.Bytes()), "-ctl", write("files.ctl", files.Bytes()), "-cepdir", dir, "-cepext", ".wav",
		"-adcin", "yes", "-adchdr", "44", "-hyp", out, "-logfn", filepath.Join(dir, "log.txt"))
	before := cpu(syscall.RUSAGE_CHILDREN)
	if b, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("pocketsphinx_batch (apt-get install pocketsphinx pocketsphinx-en-us): %v: %s", err, b)
	}
	used = cpu(syscall.RUSAGE_CHILDREN) - before
	b, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimRight(string(b), "\n"), "\n") {
		text, _, _ := strings.Cut(line, " (")
		heard = append(heard, strings.TrimSpace(text))
	}
	if len(heard) != len(all) {
		t.Fatalf("pocketsphinx answered %d of %d recordings", len(heard), len(all))
	}
	return heard, used
}

// BenchmarkAgainstPocketsphinx prints how both understand voices that the model has never heard, and what that costs.
// One run is enough: go test -tags whisper -run '^$' -bench Pocketsphinx -benchtime 1x
func BenchmarkAgainstPocketsphinx(b *testing.B) {
	m := model(b)
	base := append(speak(b, 16, 6), recordings(b)...)
	var table bytes.Buffer
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "condition\tengine (p50/p95)\tcommands\tby voice\tother speech accepted\tnoise accepted\tCPU per recording")
	confused := newTally()
	for b.Loop() {
		for _, c := range []struct {
			name string
			mix  func(x []float32, i int) []float32
		}{
			{"clean", func(x []float32, _ int) []float32 { return x }},
			{"white noise 10 dB", func(x []float32, i int) []float32 { return speechtest.Mix(b, x, speechtest.White, 10, uint64(i)) }},
			{"hum, servo, babble, pink 10 dB", func(x []float32, i int) []float32 {
				return speechtest.Mix(b, x, []speechtest.Kind{speechtest.Hum, speechtest.Servo, speechtest.Babble, speechtest.Pink}[i%4], 10, uint64(i))
			}},
			{"room 0.3 s", func(x []float32, i int) []float32 {
				return speechtest.Reverb(x, 300*time.Millisecond, uint64(i))
			}},
		} {
			all := make([]recording, 0, len(base))
			for i, r := range base {
				r.samples = c.mix(r.samples, i)
				all = append(all, r)
			}
			all = append(all, noises(b)...)
			before := cpu(syscall.RUSAGE_SELF)
			mine, took := ours(b, m, all)
			used := cpu(syscall.RUSAGE_SELF) - before
			slices.Sort(took)
			row(w, c.name, fmt.Sprintf("ours (%.0f/%.0f ms)", milliseconds(took[len(took)/2]), milliseconds(took[len(took)*95/100])), all, mine, used, confused)
			theirs, used := sphinx(b, all)
			row(w, c.name, "pocketsphinx", all, theirs, used, newTally())
		}
	}
	_ = w.Flush()
	// b.Log would cut it after ten lines.
	fmt.Printf("\n%s\nmost confused by ours:\n%s", &table, confused.worst(20))
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func row(w *tabwriter.Writer, condition, engine string, all []recording, heard []string, used time.Duration, sum *tally) {
	c := newTally()
	for i := range all {
		c.add(&all[i], heard[i])
		sum.add(&all[i], heard[i])
	}
	var kinds []string
	for k := range c.all {
		if k != "other speech" && k != "noise alone" {
			kinds = append(kinds, k)
		}
	}
	slices.Sort(kinds)
	var by []string
	for _, k := range kinds {
		by = append(by, fmt.Sprintf("%s %d %%", k, 100*c.right[k]/c.all[k]))
	}
	right, n := c.commands()
	accepted := func(k string) string { return fmt.Sprintf("%d of %d", c.all[k]-c.right[k], c.all[k]) }
	fmt.Fprintf(w, "%s\t%s\t%.1f %%\t%s\t%s\t%s\t%.1f ms\n", condition, engine, 100*float64(right)/float64(n), strings.Join(by, ", "),
		accepted("other speech"), accepted("noise alone"), milliseconds(used)/float64(len(all)))
}

func (c *tally) worst(n int) string {
	var keys []string
	for k := range c.wrong {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b string) int {
		if d := c.wrong[b] - c.wrong[a]; d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	var out strings.Builder
	for _, k := range keys[:min(n, len(keys))] {
		fmt.Fprintf(&out, "%4d  %s\n", c.wrong[k], k)
	}
	return out.String()
}
