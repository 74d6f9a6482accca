package robot

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/reachyd/reachyd/agents/dialogue"
	"github.com/reachyd/reachyd/agents/rehearsal"
	"github.com/reachyd/reachyd/cmd/reachyctl/internal/cli"
)

// rehearse holds the conversations of a file with a robot that is not there.
func (a commands) rehearse(ctx context.Context, file string) (err error) {
	in := a.Stdin
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return fmt.Errorf("conversations: %w", err)
		}
		defer f.Close() //nolint:errcheck // it was only read
		in = f
	}
	stage := rehearsal.NewStage()
	talk := stage.Begin()
	defer func() { err = errors.Join(err, talk.Close(ctx), stage.Close()) }()
	fresh := true
	lines := newLines(in)
	for lines.Scan() {
		text := strings.TrimSpace(lines.Text())
		if text == "" {
			if !fresh {
				if err := talk.Close(ctx); err != nil {
					return err
				}
				talk, fresh = stage.Begin(), true
			}
			continue
		}
		fresh = false
		turn, err := talk.Say(ctx, text)
		if err != nil {
			return err
		}
		a.printTurn(turn)
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("read conversations: %w", err)
	}
	return nil
}

// newLines reads lines of up to a megabyte.
func newLines(r io.Reader) *bufio.Scanner {
	const longest = 1 << 20
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, longest)
	return lines
}

func (a commands) printTurn(t rehearsal.Turn) {
	if a.JSON {
		a.PrintJSON(t)
		return
	}
	a.Printf("> %s\n%s\n", cli.Printable(t.Text), cli.Printable(t.Reply))
	for i, s := range t.Steps {
		a.Printf("%d. %s %s\n", i+1, s.Tool, s.Args)
	}
	a.Printf("%s\n", a.Style.Paint(cli.Faint, poseText(t.Pose)))
}

// poseText writes a pose in one line.
func poseText(p dialogue.Pose) string {
	return fmt.Sprintf("(head pitch %g° yaw %g° roll %g°, body %g°, antennas left %g° right %g°)",
		p.Head.Pitch, p.Head.Yaw, p.Head.Roll, p.BodyYaw, p.Antennas.Left, p.Antennas.Right)
}
