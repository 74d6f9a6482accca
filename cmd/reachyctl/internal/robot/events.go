package robot

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/cmd/reachyctl/internal/cli"
	"github.com/reachyd/reachyd/cmd/reachyctl/internal/connect"
)

func (a commands) eventsCommand() *cobra.Command {
	var kinds []string
	var count int
	cmd := &cobra.Command{
		Use:     "events",
		Short:   "Print what happens, as it happens",
		Long:    "events prints what the robot reports until it is interrupted. docs/topics.md says what each has in it. Types are\n" + types() + ".",
		Example: "  reachyctl events\n  reachyctl events --type fault --type estop\n  reachyctl events --type move_done --count 1",
		Args:    cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			for _, k := range kinds {
				if k == "" || strings.ContainsAny(k, "/+#") {
					return cli.Usage("--type: %q is not a type of event", k)
				}
			}
			return a.events(cmd.Context(), kinds, count)
		},
	}
	cmd.Flags().StringArrayVar(&kinds, "type", nil, "only events of this `type`; may be given more than once")
	cmd.Flags().IntVarP(&count, "count", "n", 0, "end after so many events; 0: never")
	return cmd
}

// types lists the types of events, five a line.
func types() string {
	var b strings.Builder
	for i, t := range api.Types() {
		switch {
		case i%5 == 0 && i > 0:
			b.WriteString(",\n")
		case i > 0:
			b.WriteString(", ")
		}
		b.WriteString(string(t))
	}
	return b.String()
}

func (a commands) events(ctx context.Context, kinds []string, count int) error {
	l, err := connect.Open(ctx, a.App)
	if err != nil {
		return err
	}
	defer l.Close()
	topics := []string{"event/#"}
	if len(kinds) > 0 {
		topics = topics[:0]
		for _, k := range kinds {
			topics = append(topics, "event/"+k)
		}
	}
	events := make(chan []byte)
	ended, end := context.WithCancel(ctx)
	defer end()
	err = l.Subscribe(ctx, func(_ string, payload []byte) {
		select {
		case events <- payload: // every one: the broker waits for us
		case <-ended.Done():
		}
	}, topics...)
	if err != nil {
		return err
	}
	for n := 0; count == 0 || n < count; n++ {
		select {
		case data := <-events:
			line, err := EventLine(data)
			switch {
			case err != nil:
				fmt.Fprintf(a.Stderr, "reachyctl: %v\n", err) //nolint:errcheck // nowhere left to say so
			case a.JSON:
				a.PrintRaw(data)
			default:
				a.Printf("%s\n", line)
			}
		case err := <-l.Lost:
			return l.LostError(err)
		case <-ctx.Done():
			return nil // interrupting is how it ends
		}
	}
	return nil
}

// EventLine writes an event for people: time, type, then the rest in alphabetical order.
func EventLine(data []byte) (string, error) {
	var fields map[string]any
	err := json.Unmarshal(data, &fields)
	kind, ok := fields["type"].(string)
	if err == nil && !ok {
		err = errors.New("it has no type")
	}
	if err != nil {
		return "", cli.Malformed("an event", data, err)
	}
	at := "--:--:--.---"
	if s, ok := fields["ts"].(string); ok {
		if ts, err := time.Parse(time.RFC3339, s); err == nil {
			at = ts.UTC().Format("15:04:05.000")
		}
	}
	for _, k := range []string{"id", "ts", "trace", "type"} {
		delete(fields, k)
	}
	return strings.TrimRight(fmt.Sprintf("%s  %-12s %s", at, cli.Printable(kind), arguments(fields)), " "), nil
}
