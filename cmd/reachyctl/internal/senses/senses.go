package senses

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/cmd/reachyctl/internal/cli"
	"github.com/reachyd/reachyd/cmd/reachyctl/internal/robot"
	"github.com/reachyd/reachyd/cmd/reachyctl/internal/sim"
	"github.com/reachyd/reachyd/perception/client"
)

// sense returns a client of the worker on this machine. Close it.
func (a commands) sense() (*client.Client, error) {
	sockets := a.Sockets(cli.SenseSocket)
	if len(sockets) == 0 {
		return nil, cli.Unreachable("no reachy-sense runs on this machine: listen and see work where its reachyd runs; `reachyctl doctor` says what is missing")
	}
	return client.New(sockets[0]), nil
}

// senseError says what went wrong with a call of the worker.
func senseError(err error) error {
	if errors.Is(err, client.ErrUnavailable) {
		return cli.Unreachable("%w", err)
	}
	return err
}

func (a commands) listenCommand() *cobra.Command {
	var only bool
	cmd := &cobra.Command{
		Use:   "listen FILE.wav",
		Short: "Let the robot hear a recording",
		Long: `listen feeds a recording (WAV) through the robot's ear: voice activity, end of turn, speech to text. It prints what was
understood, or why nothing was, and then lets the robot answer each sentence as if it had been said to it. A stop word in
a recording stops nothing.

Exit codes: 0 every sentence was done, 1 nothing was understood or a sentence was not done.`,
		Example: "  reachyctl listen look_left.wav\n  reachyctl listen --transcript meeting.wav\n  reachyctl listen - < look_left.wav",
		Args:    cli.SomeArgs(1, "a WAV file, or - for standard input"),
		RunE: func(cmd *cobra.Command, args []string) error {
			h, err := a.hear(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if only || len(h.Utterances) == 0 {
				return a.printHearings(h)
			}
			if !a.JSON {
				_ = a.printHearings(h)
			}
			failed := false
			for _, u := range h.Utterances {
				err := robot.Say(cmd.Context(), a.App, api.ChatArgs{Text: u.Text, Session: "voice", Unsure: u.Unsure})
				if err != nil && !errors.Is(err, cli.ErrSaid) {
					return err
				}
				failed = failed || err != nil
			}
			if failed {
				return cli.ErrSaid
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&only, "transcript", false, "only print what was understood; the robot does nothing")
	return cmd
}

// maxRecording is how long a recording may take to be worked through.
const maxRecording = 5 * time.Minute

func (a commands) hear(ctx context.Context, file string) (client.Hearings, error) {
	ctx, cancel := context.WithTimeout(ctx, a.Wait(maxRecording))
	defer cancel()
	in := a.Stdin
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return client.Hearings{}, err
		}
		defer f.Close() //nolint:errcheck // only read
		in = f
	}
	c, err := a.sense()
	if err != nil {
		return client.Hearings{}, err
	}
	defer c.Close()
	h, err := c.Listen(ctx, in, nil)
	return h, senseError(err)
}

// printHearings prints what was understood; nothing at all is a failure.
func (a commands) printHearings(h client.Hearings) error {
	if a.JSON {
		a.PrintJSON(h)
	} else {
		for _, u := range h.Utterances {
			a.Printf("> %s  %s\n", cli.Printable(u.Text),
				a.Style.Paint(cli.Faint, fmt.Sprintf("(confidence %.2f, text %.0f ms after the end of speech)", u.Confidence, u.Latency*1000)))
		}
		for _, r := range h.Rejected {
			a.Printf("  %s\n", a.Style.Paint(cli.Faint, "not taken for a sentence ("+cli.Printable(r.Reason)+"): "+cli.Printable(r.Message)))
		}
		if h.StopWord != "" {
			a.Printf("  stop word heard: %s\n", cli.Printable(h.StopWord))
		}
		if len(h.Utterances) == 0 {
			a.Printf("%s\n", cli.Printable(h.Message))
		}
	}
	if len(h.Utterances) == 0 {
		return cli.ErrSaid
	}
	return nil
}

func (a commands) seeCommand() *cobra.Command {
	var prompt string
	cmd := &cobra.Command{
		Use:     "see [FILE.jpg|FILE.png]",
		Short:   "Let the robot look at a picture, or tell what it sees",
		Long:    "see shows the robot a picture and prints what it finds in it. Without a file it prints what the robot's camera sees now.",
		Example: "  reachyctl see kitchen.jpg\n  reachyctl see --prompt \"what colour is the duck?\"\n  reachyctl see --json table.png | jq .view.detections",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, cancel := context.WithTimeout(cmd.Context(), a.Wait(sim.SimTime))
			defer cancel()
			c, err := a.sense()
			if err != nil {
				return err
			}
			defer c.Close()
			var seen client.Seen
			if len(args) == 0 {
				seen, err = lookNow(ctx, c, prompt)
			} else {
				seen, err = lookAtFile(ctx, c, args[0], prompt)
			}
			if err != nil {
				return senseError(err)
			}
			if a.JSON {
				a.PrintJSON(seen)
				return nil
			}
			a.Printf("%s\n", cli.Printable(seen.Description))
			for _, d := range seen.View.Detections {
				a.Printf("  %-12s %3.0f %%  %4d,%-4d %dx%d px  yaw %+.0f°, pitch %+.0f°  %s\n", cli.Printable(d.Name), d.Score*100, d.Box.X, d.Box.Y, d.Box.W, d.Box.H,
					d.Yaw, d.Pitch, a.Style.Paint(cli.Faint, "by "+cli.Printable(d.By)))
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&prompt, "prompt", "", "a question about it")
	return cmd
}

func lookNow(ctx context.Context, c *client.Client, prompt string) (seen client.Seen, err error) {
	if seen.View, err = c.Detect(ctx, ""); err == nil {
		seen.Description, err = c.Describe(ctx, "", prompt)
	}
	return seen, err
}

func lookAtFile(ctx context.Context, c *client.Client, file, prompt string) (client.Seen, error) {
	f, err := os.Open(file)
	if err != nil {
		return client.Seen{}, err
	}
	defer f.Close() //nolint:errcheck // only read
	return c.See(ctx, f, prompt)
}

func (a commands) muteCommand() *cobra.Command {
	return &cobra.Command{
		Use:       "mute on|off",
		Short:     "Make the robot deaf, or let it hear again",
		Long:      "mute on switches the robot's ear off: nothing is heard, not even a stop word. mute off lets it hear again.",
		Example:   "  reachyctl mute on",
		ValidArgs: []string{"on", "off"},
		Args:      cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, cancel := context.WithTimeout(cmd.Context(), a.Wait(cli.AskTime))
			defer cancel()
			c, err := a.sense()
			if err != nil {
				return err
			}
			defer c.Close()
			on := args[0] == "on"
			if err := c.Mute(ctx, on); err != nil {
				return senseError(err)
			}
			return a.Said(map[string]any{"muted": on}, "%s", map[bool]string{true: "the robot hears nothing now", false: "the robot hears again"}[on])
		},
	}
}
