package robot

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/reachyd/reachyd/cmd/reachyctl/internal/cli"
	"github.com/reachyd/reachyd/cmd/reachyctl/internal/connect"
	"github.com/reachyd/reachyd/cmd/reachyctl/internal/early"
	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/body"
)

func (a commands) stopCommand() *cobra.Command {
	var off bool
	var reason string
	cmd := &cobra.Command{
		Use:   "stop",
		Short: "Emergency stop: brake and hold until `reachyctl reset`",
		Long: `stop brakes the robot at once and holds it there. It stays stopped, whatever anybody asks of it, until
"reachyctl reset". It goes two ways at the same time, to the body directly (when the robot is this machine's) and
through the broker, and so works while reachyd or the broker is dead. It says who confirmed.

It is software: it does not replace a switch that cuts the power.`,
		Example: "  reachyctl stop\n  reachyctl stop --off   # lets go of all motors: the head drops",
		Args:    cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			category := 1
			if off {
				category = 0
			}
			return a.both(cmd.Context(), both{
				verb: "stop", done: "stopped",
				args:    map[string]any{"category": category, "reason": reason},
				request: hal.Request{Verb: hal.VerbStop, Category: &category, Source: "reachyctl", Reason: reason},
			})
		},
	}
	cmd.Flags().BoolVar(&off, "off", false, "switch the motors off at once; the head drops")
	cmd.Flags().StringVar(&reason, "reason", early.DefaultReason, "why, as shown to others")
	return cmd
}

func (a commands) resetCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "reset",
		Short: "Release the emergency stop; never starts a motion",
		Long: "reset releases the emergency stop. Nothing moves by itself afterwards. It goes through the broker and, when that\nfails and the robot is this " +
			"machine's, to the body directly.",
		Example: "  reachyctl reset",
		Args:    cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.both(cmd.Context(), both{verb: "reset", done: "released", args: nil, request: hal.Request{Verb: hal.VerbReset}, inOrder: true})
		},
	}
}

// both is something that is told to the robot through the broker and to the body directly.
type both struct {
	verb, done string
	args       map[string]any
	request    hal.Request
	// inOrder tries the body only when the broker has failed. Otherwise both ways are taken at once.
	inOrder bool
}

// Confirmation is what came back from one way.
type Confirmation struct {
	Via   string `json:"via"`
	OK    bool   `json:"ok"`
	Error string `json:"error,omitempty"`

	silent bool // nobody was there
}

const (
	bothTimeout = 5 * time.Second
	// Once one way has confirmed, the other gets so long to be named too.
	secondTimeout = 150 * time.Millisecond
)

func (a commands) both(ctx context.Context, b both) error {
	ctx, cancel := context.WithTimeout(ctx, a.Wait(bothTimeout))
	defer cancel()
	// A bad --broker must not keep a stop from the body: it shows as the broker's way failing.
	at, err := connect.AddressOf(a.App)
	ways := []func() Confirmation{func() Confirmation { return a.viaBroker(ctx, b) }}
	if err != nil || at.Local {
		for _, socket := range a.Sockets(cli.BodySocket) {
			ways = append(ways, func() Confirmation { return viaBody(ctx, socket, b) })
		}
	}
	var all []Confirmation
	if b.inOrder {
		for _, way := range ways {
			c := way()
			all = append(all, c)
			if !c.silent {
				break
			}
		}
	} else {
		all = inParallel(ways, cancel)
	}
	return a.report(b, all)
}

// inParallel takes all ways at once and waits for all, but not long for the rest once one has confirmed.
func inParallel(ways []func() Confirmation, cancel func()) []Confirmation {
	results := make(chan Confirmation, len(ways))
	for _, way := range ways {
		go func() { results <- way() }()
	}
	var all []Confirmation
	hurry := time.NewTimer(time.Hour)
	defer hurry.Stop()
	for range ways {
		select {
		case c := <-results:
			all = append(all, c)
			if c.OK {
				hurry.Reset(secondTimeout)
			}
		case <-hurry.C:
			cancel()
			all = append(all, <-results)
		}
	}
	return all
}

func (a commands) viaBroker(ctx context.Context, b both) Confirmation {
	c := Confirmation{Via: "reachyd"}
	l, err := connect.Open(ctx, a.App)
	if err == nil {
		defer l.Close()
		var r *connect.Reply
		r, err = l.Call(ctx, b.verb, b.args, a.Wait(bothTimeout))
		if err == nil && !r.OK {
			c.Error = r.Error.Message
			return c
		}
	}
	if err != nil {
		c.Error, c.silent = err.Error(), true
		return c
	}
	c.OK = true
	return c
}

func viaBody(ctx context.Context, socket string, b both) Confirmation {
	c := Confirmation{Via: "body"}
	answer, err := ask(ctx, socket, b)
	switch {
	case err != nil:
		c.Error, c.silent = err.Error(), errors.Is(err, body.ErrUnavailable) || ctx.Err() != nil
	case answer.Outcome == hal.Rejected:
		c.Error = answer.Reason
	default:
		c.OK = true
	}
	return c
}

// ask has the body's answer, which a stop may have had before the command began.
func ask(ctx context.Context, socket string, b both) (hal.Answer, error) {
	if b.request.Verb == hal.VerbStop {
		if said, ok := early.Answered(socket); ok {
			return said, nil
		}
	}
	client := body.New(socket)
	defer client.Close()
	return client.Do(ctx, b.request)
}

// report says who confirmed, or why nobody did.
func (a commands) report(b both, all []Confirmation) error {
	names := map[string]string{"reachyd": "reachyd, through the broker", "body": "the body, directly"}
	var by, failed []string
	silent := true
	for _, c := range all {
		silent = silent && c.silent
		if c.OK {
			by = append(by, names[c.Via])
		} else {
			failed = append(failed, fmt.Sprintf("%s: %s", names[c.Via], c.Error))
		}
	}
	if a.JSON && len(by) > 0 {
		a.PrintJSON(map[string]any{"ok": true, "result": map[string]any{b.done: true, "ways": all}})
		return nil
	}
	if len(by) > 0 {
		a.Printf("%s, confirmed by %s\n", b.done, strings.Join(by, " and by "))
		for _, f := range failed {
			a.Printf("%s\n", a.Style.Paint(cli.Faint, "not by "+cli.Printable(f)))
		}
		return nil
	}
	if len(all) == 1 {
		failed = []string{all[0].Error} // there was no other way that could be meant
	}
	err := fmt.Errorf("not %s: %s", b.done, strings.Join(failed, "; "))
	if silent {
		return cli.Unreachable("%w", err)
	}
	return err
}
