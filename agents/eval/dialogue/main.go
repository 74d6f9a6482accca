// Command dialogue measures how well the robot understands an exam: sentences, and what must be true after each. The dialogue, the
// planner and the motions are those of the daemon, the body is simulated and its clock runs at once.
//
// An exam is plain text in three sections, each begun by its line: "## dialogues", "## singles", "## talk" (what is said near the
// robot and asks for no movement). A sentence is one line:
//
//	turn left 20 => body=20
//	what is your pitch => still; replies /12|twelve/
//
// A dialogue is lines that follow each other, ended by an empty line or a comment ("# d1" names what comes next); each dialogue, and
// each line of the other sections, begins with a robot of its own that is awake in the neutral pose. A dialogue is right if all its
// turns are. Behind "=>" stand expectations, joined by ";", all of which must hold when the robot is at rest again:
//
//   - yaw=20 pitch=-15 roll=10 body=30 left=40 right=-20: the axis is there, ±2°. yaw (head, + left) may hold on the body or in the
//     room; pitch + is down, roll + to the right shoulder, body + left; left and right are the antennas, from their neutral
//     pose or from upright, of either sign.
//   - yaw>10, pitch<-5: beyond that.
//   - yaw more, pitch less, body changed, roll same: the signed angle against that before the turn.
//   - neutral (every axis at 0), still (nothing moves), sleeps, wakes, stopped.
//   - gesture nod, emotion happy: by the names of hal/catalog.
//   - asks: it moves nothing and asks back. replies /expression/: what it says, case ignored.
//
// Axes that a line does not name must stay as they were; sleeps, wakes and emotion leave them open.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/reachyd/reachyd/agents/eval/program"
	"github.com/reachyd/reachyd/agents/rehearsal"
	"github.com/reachyd/reachyd/toolsandbox/guest"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == guest.WorkerArg {
		os.Exit(guest.WorkerMain(os.Args[1:], os.Stdin, os.Stderr))
	}
	program.Main(run)
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("dialogue", flag.ContinueOnError)
	flags.SetOutput(stderr)
	file := flags.String("exam", "", "the exam")
	verbose := flags.Bool("v", false, "show the turns that are wrong")
	asJSON := flags.Bool("json", false, "print a JSON object; with -v a line for each wrong turn before it")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if *file == "" || flags.NArg() > 0 {
		_, _ = fmt.Fprintln(stderr, "dialogue: name one exam: -exam FILE")
		return 2
	}
	text, err := os.ReadFile(*file)
	if err != nil {
		_, _ = fmt.Fprintln(stderr, "dialogue:", err)
		return 2
	}
	e, err := parse(string(text))
	if err != nil {
		_, _ = fmt.Fprintf(stderr, "dialogue: %s:\n%v\n", *file, err)
		return 2
	}
	show := func(failure) {}
	switch {
	case *verbose && *asJSON:
		show = func(f failure) { _ = json.NewEncoder(stdout).Encode(f) } // nobody is left to tell
	case *verbose:
		show = func(f failure) { f.print(stdout) }
	}
	s, err := sit(ctx, e, show)
	if err != nil {
		_, _ = fmt.Fprintln(stderr, "dialogue:", err)
		return 1
	}
	if *asJSON {
		err = json.NewEncoder(stdout).Encode(s)
	} else {
		s.print(stdout)
	}
	if err != nil {
		return 1
	}
	return 0
}

// count is how many of so many are right.
type count struct {
	Right int `json:"right"`
	All   int `json:"all"`
}

func (c *count) add(right bool) {
	c.All++
	if right {
		c.Right++
	}
}

func (c count) String() string {
	if c.All == 0 {
		return "none"
	}
	return fmt.Sprintf("%d of %d, %.1f %%", c.Right, c.All, 100*float64(c.Right)/float64(c.All))
}

// score is what an exam comes to.
type score struct {
	Dialogues count `json:"dialogues"` // in every turn
	Turns     count `json:"turns"`     // of the dialogues
	Singles   count `json:"singles"`
	Talk      count `json:"talk"`
	// Held are the turns of the dialogues that are wrong while a stop is latched, which nobody has released: it holds on purpose.
	Held int `json:"held"`
}

func (s *score) print(w io.Writer) {
	_, _ = fmt.Fprintf(w, "dialogues  %v\nturns      %v\nsingles    %v\ntalk       %v\n", s.Dialogues, s.Turns, s.Singles, s.Talk)
	if s.Held > 0 {
		_, _ = fmt.Fprintf(w, "%d wrong turns of the dialogues were said to a robot that had been stopped and not told that it may move again\n", s.Held)
	}
}

// failure is a turn that is wrong.
type failure struct {
	Section string         `json:"section"`
	Name    string         `json:"name"`
	Line    int            `json:"line"`
	Said    []string       `json:"said"` // before it, in the same conversation
	Text    string         `json:"text"`
	Wrong   []string       `json:"wrong"`
	Turn    rehearsal.Turn `json:"turn"`
}

func (f *failure) print(w io.Writer) {
	_, _ = fmt.Fprintf(w, "%s %s, line %d\n", f.Section, f.Name, f.Line)
	for _, s := range f.Said {
		_, _ = fmt.Fprintln(w, "    "+s)
	}
	_, _ = fmt.Fprintf(w, "  > %s\n    %s\n    it says %q, %s\n", f.Text, strings.Join(f.Wrong, "; "), f.Turn.Reply, f.Turn.Outcome)
	for _, step := range f.Turn.Steps {
		_, _ = fmt.Fprintf(w, "    %s %s\n", step.Tool, step.Args)
	}
}

// sit holds all conversations of an exam, and shows each turn that is wrong.
func sit(ctx context.Context, e exam, show func(failure)) (s score, err error) {
	stage := rehearsal.NewStage()
	defer func() {
		if failed := stage.Close(); err == nil {
			err = failed
		}
	}()
	for i := range e {
		c := &e[i]
		right, err := s.hold(ctx, stage, c, show)
		if err != nil {
			return s, err
		}
		switch c.section {
		case dialogues:
			s.Dialogues.add(right)
		case singles:
			s.Singles.add(right)
		case talk:
			s.Talk.add(right)
		}
	}
	return s, nil
}

// hold holds one conversation, and reports whether all of its turns are right.
func (s *score) hold(ctx context.Context, stage *rehearsal.Stage, c *conversation, show func(failure)) (right bool, err error) {
	robot := stage.Begin()
	defer func() {
		if failed := robot.Close(ctx); err == nil {
			err = failed
		}
	}()
	right = true
	halted := false // before the turn
	var said []string
	for _, t := range c.turns {
		got, err := robot.Say(ctx, t.text)
		if err != nil {
			return false, fmt.Errorf("line %d: sentence: %w", t.line, err)
		}
		wrong := judge(&got, t.want)
		if len(wrong) > 0 {
			right = false
			show(failure{c.section, c.name, t.line, said, t.text, wrong, got})
		}
		if c.section == dialogues {
			s.Turns.add(len(wrong) == 0)
			if halted && len(wrong) > 0 {
				s.Held++
			}
		}
		halted = got.Stopped
		said = append(said, t.text)
	}
	return right, nil
}
