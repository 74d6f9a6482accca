// Command frames holds the readings of a sentence against each other: dialogues whose sentences are labelled with what they ask for
// (perception/language/frames/sentences; a blank line ends one), what the rules make of each, what the network does, and which of them
// the dialogue believes. A reading is right if the robot ends where what was meant brings it. Each sentence is said after what was meant
// by those before it, so that one mistake counts once.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/reachyd/reachyd/agents/dialogue"
	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/hal/catalog"
	"github.com/reachyd/reachyd/perception/language"
	"github.com/reachyd/reachyd/perception/language/frames"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "frames:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("frames", flag.ContinueOnError)
	table := flags.Bool("table", false, "a line of tab-separated values for each sentence: how sure, which is right (rules, network, believed), …")
	verbose := flags.Bool("v", false, "show the sentences that are read wrongly")
	if err := flags.Parse(args); err != nil {
		return err
	}
	t := tally{out: out, verbose: *verbose, table: *table, p: planner.New(planner.WithPoses(catalog.PoseNames()...))}
	for _, name := range flags.Args() {
		if err := t.file(name); err != nil {
			return err
		}
	}
	t.print()
	return nil
}

// resting is the neutral pose.
var resting = dialogue.Pose{Antennas: dialogue.Antennas{Left: 10, Right: -10}}

type tally struct {
	out     io.Writer
	verbose bool
	table   bool
	p       *planner.Planner

	state dialogue.State
	pose  dialogue.Pose

	all, rules, network, believed, either int
	bins                                  [10][3]int // where they differ, by how sure the network is: all, rules right, network right
}

func (t *tally) file(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	t.begin()
	asked := false
	for in := bufio.NewScanner(f); in.Scan(); {
		line := strings.TrimSpace(in.Text())
		text, meant, ok := strings.Cut(line, " => ")
		switch {
		case line == "":
			t.begin()
		case line[0] == '#':
			asked = strings.HasPrefix(line, "# robot:")
		case ok && !asked: // answers are the business of the rules
			t.turn(text, meant)
		}
		asked = asked && line != "" && line[0] == '#'
	}
	return nil
}

func (t *tally) begin() { t.state, t.pose = dialogue.State{}, resting }

// turn says one sentence.
func (t *tally) turn(text, meant string) {
	u := language.Analyse(text)
	plan := t.p.PlanFor(u)
	now := dialogue.Now{Pose: t.pose, Awake: true}
	wanted, numbers := symbols(meant)
	want, ok := t.state.As(t.p, u, plan, now, wanted, numbers)
	if ok {
		got := t.state.Readings(t.p, u, plan, now)
		goal := t.end(&want)
		r, n, b := t.end(&got.Rules) == goal, got.Network != nil && t.end(got.Network) == goal, t.end(&got.Believed) == goal
		t.all++
		for count, right := range map[*int]bool{&t.rules: r, &t.network: n, &t.believed: b, &t.either: r || n} {
			if right {
				*count++
			}
		}
		if r != n {
			bin := &t.bins[min(9, int(10*got.Sure))]
			bin[0]++
			if r {
				bin[1]++
			} else {
				bin[2]++
			}
		}
		if t.table {
			_, _ = fmt.Fprintf(t.out, "%.3f\t%v\t%v\t%v\t%v\t%v\t%s\t%s\t%s\t%s\t%s\n", got.Sure, r, n, b, got.Terse, len(got.Rules.Steps()) > 0,
				t.end(&got.Rules)+" | "+goal, joined(got.Frames), meant, text, got.Kind)
		}
		if t.verbose && !b {
			_, _ = fmt.Fprintf(t.out, "%s => %s\n    meant %s\n    rules %s\n    network %s (%.2f, %v)\n",
				text, meant, goal, t.end(&got.Rules), t.endOf(got.Network), got.Sure, got.Frames)
		}
	} else {
		want = t.state.Read(t.p, u, plan, now)
	}
	before := t.pose
	t.state.Begin(&want, before)
	t.pose = after(&want, before)
	t.state.End(&want, before, t.pose, true)
}

func (t *tally) endOf(r *dialogue.Reading) string {
	if r == nil {
		return "-"
	}
	return t.end(r)
}

// end is what a reading does: where the robot is afterwards, and what it performed.
func (t *tally) end(r *dialogue.Reading) string {
	p := after(r, t.pose)
	var did []string
	for _, s := range r.Steps() {
		switch known := catalog.ToolNamed(s.Tool); {
		case s.Tool == "move_head", s.Tool == "turn_body", s.Tool == "set_antennas", known != nil && !known.Moves:
		default:
			did = append(did, s.Tool+" "+fmt.Sprint(s.Args["name"], s.Args["emotion"], s.Args["times"]))
		}
	}
	asks := ""
	if r.Ask != nil {
		asks = " asks"
	}
	slices.Sort(did)
	return fmt.Sprintf("%.0f %.0f %.0f %.0f %.0f %.0f %v%s", p.Head.Pitch, p.Head.Yaw, p.Head.Roll, p.BodyYaw, p.Antennas.Left, p.Antennas.Right, did, asks)
}

func after(r *dialogue.Reading, p dialogue.Pose) dialogue.Pose {
	start := p
	if r.Base != nil {
		start = *r.Base
	}
	for _, s := range r.Steps() {
		step, _ := dialogue.Resolve(s, start, p)
		for _, one := range append([]planner.Step{step}, inner(step)...) {
			p = dialogue.After(one, p)
		}
	}
	return p
}

func inner(s planner.Step) []planner.Step {
	steps, _ := s.Args["steps"].([]planner.Step)
	return steps
}

// symbols are labels as a network writes them: numbers by their place.
func symbols(meant string) (all []frames.Frame, numbers []float64) {
	for part := range strings.SplitSeq(meant, ";") {
		words := strings.Fields(part)
		f := make(frames.Frame, 0, len(words))
		for _, s := range words {
			if v, err := strconv.ParseFloat(s, 64); err == nil {
				numbers = append(numbers, v)
				s = "#" + strconv.Itoa(len(numbers))
			}
			f = append(f, s)
		}
		if len(f) > 0 {
			all = append(all, f)
		}
	}
	return all, numbers
}

func joined(all []frames.Frame) string {
	out := make([]string, 0, len(all))
	for _, f := range all {
		out = append(out, f.String())
	}
	return strings.Join(out, " ; ")
}

func (t *tally) print() {
	share := func(n int) string { return fmt.Sprintf("%d, %.1f %%", n, 100*float64(n)/float64(max(1, t.all))) }
	_, _ = fmt.Fprintf(t.out, "%d sentences whose frames can be said\nrules     %s\nnetwork   %s\nbelieved  %s\neither    %s\n",
		t.all, share(t.rules), share(t.network), share(t.believed), share(t.either))
	for i, b := range t.bins {
		if b[0] > 0 {
			_, _ = fmt.Fprintf(t.out, "  one of them, network sure %.1f–%.1f: %d, rules %d, network %d\n", float64(i)/10, float64(i+1)/10, b[0], b[1], b[2])
		}
	}
}
