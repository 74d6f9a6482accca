// Command spoken holds a conversation with a simulated robot and all its processes, aloud: what synthesisers say goes into its microphone,
// and what its loudspeaker plays is listened to. It keeps a transcript, compares what the robot says of itself with where its body was, and prints a table.
// See cross/eval-conversation.sh.
package main

import (
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/reachyd/reachyd/agents/eval/program"
	"github.com/reachyd/reachyd/agents/planner"
)

func main() { program.Main(run) }

// options say with what the conversation is held.
type options struct {
	program, lines, speech, dir, keep, name string
	patience, settle                        time.Duration
	count                                   int
	list                                    bool
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var o options
	flags := flag.NewFlagSet("spoken", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&o.program, "reachyd", "bin/reachyd", "the program")
	flags.StringVar(&o.lines, "lines", "", "a file of lines in place of the conversation's own")
	flags.BoolVar(&o.list, "list", false, "only print the lines, voice and text, for who speaks them")
	flags.StringVar(&o.speech, "speech", "", "directory of what was spoken: 0000.pcm for the first line and so on, 16 bits, 16 kHz, mono")
	flags.StringVar(&o.dir, "dir", "", "directory for the robot, with a short path")
	flags.StringVar(&o.keep, "keep", "", "directory for the transcript, the sound and the log")
	flags.StringVar(&o.name, "name", "without a model", "the language model, for the table")
	flags.DurationVar(&o.patience, "patience", 90*time.Second, "for an answer")
	flags.DurationVar(&o.settle, "settle", 20*time.Second, "before the first line, for the model to be read")
	flags.IntVar(&o.count, "count", 0, "only so many of the lines; 0: all")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if err := o.hold(ctx, stdout, stderr); err != nil {
		_, _ = fmt.Fprintln(stderr, "spoken:", err)
		return 1
	}
	return 0
}

// hold holds the conversation.
func (o *options) hold(ctx context.Context, stdout, stderr io.Writer) (err error) {
	text := ownLines
	if o.lines != "" {
		data, err := os.ReadFile(o.lines)
		if err != nil {
			return err
		}
		text = string(data)
	}
	lines, err := script(text)
	if err != nil {
		return err
	}
	if o.count > 0 {
		lines = lines[:min(o.count, len(lines))]
	}
	if o.list {
		for _, l := range lines {
			if _, err := fmt.Fprintf(stdout, "%s\t%s\n", l.voice, l.text); err != nil {
				return err
			}
		}
		return nil
	}
	speech, err := recordings(o.speech, len(lines))
	if err != nil {
		return err
	}
	r, err := startRobot(ctx, o.program, o.dir, o.keep)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.close()) }()
	if err := sleep(ctx, o.settle); err != nil {
		return err
	}
	said, talked := r.talk(ctx, lines, speech, o.patience, func(s *said) {
		_, _ = fmt.Fprintf(stderr, "%s %s: %s\n", s.start.Format(clock), s.who, s.text) // progress
	})
	if len(said) == 0 {
		return talked
	}
	if last := &said[len(said)-1]; last.next.IsZero() { // it was broken off
		last.next = time.Now()
	}
	j := judge{robot: r, plan: planner.New(), deeds: deeds()}
	all := j.all(said)
	out, err := os.Create(filepath.Join(o.keep, "transcript.txt"))
	if err != nil {
		return errors.Join(talked, err)
	}
	r.mu.Lock()
	other := r.other
	r.mu.Unlock()
	how := fmt.Sprintf("%s, %s, %s", o.name, r.hears.Model, r.hears.Detector)
	return errors.Join(talked, transcript(out, all, other), table(out, all, how), out.Close(), table(stdout, all, how))
}

// recordings reads what was spoken.
func recordings(dir string, n int) (all [][]int16, err error) {
	for i := range n {
		data, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("%04d.pcm", i)))
		if err != nil {
			return nil, err
		}
		samples := make([]int16, len(data)/2)
		for k := range samples {
			samples[k] = int16(binary.LittleEndian.Uint16(data[2*k:]))
		}
		all = append(all, samples)
	}
	return all, nil
}
