package robot

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/cmd/reachyctl/internal/cli"
	"github.com/reachyd/reachyd/cmd/reachyctl/internal/connect"
)

func (a commands) stateCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "state",
		Short: "Print where the robot is and how it is",
		Long: "state prints the robot's pose in degrees and millimetres, its mode, its stop and its faults.\n" +
			"With --watch it goes on until it is interrupted.",
		Example: "  reachyctl state\n  reachyctl state --watch --json | jq -c .head",
	}
	return watchable(a, cmd, "a state", stateLine, stateTable)
}

func (a commands) telemetryCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "telemetry",
		Short: "Print the health of the control loop, the bus and the servos",
		Long: "telemetry prints the control loop's rate and lateness, the errors on the bus, and each servo's voltage,\n" +
			"temperature and current. With --watch it goes on, once a second, until it is interrupted.",
		Example: "  reachyctl telemetry\n  reachyctl telemetry --watch --json | jq .jitter_p99_us",
	}
	return watchable(a, cmd, "telemetry", telemetryLine, telemetryTable)
}

// watchable makes a command print the topic of its name once, as a table, or with --watch go on, a line a message. what
// is what a message is called in an error.
func watchable[T any](
	a commands, cmd *cobra.Command, what string, line func(*T, cli.Style) string, table func(*T, io.Writer, string, cli.Style),
) *cobra.Command {
	var watch bool
	topic := cmd.Name()
	cmd.Args = cli.NoArgs
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return a.follow(cmd.Context(), topic, watch, func(data []byte) error {
			var v T
			if err := json.Unmarshal(data, &v); err != nil {
				return cli.Malformed(what, data, err)
			}
			if watch {
				a.printLine(line(&v, a.Style))
			} else {
				table(&v, a.Stdout, a.Robot, a.Style)
			}
			return nil
		})
	}
	cmd.Flags().BoolVarP(&watch, "watch", "w", false, "go on until interrupted")
	return cmd
}

// follow shows the first message of a topic, or with watch every one until ctx ends.
func (a commands) follow(ctx context.Context, topic string, watch bool, show func([]byte) error) error {
	l, err := connect.Open(ctx, a.App)
	if err != nil {
		return err
	}
	defer l.Close()
	there := connect.NewPresence()
	messages := make(chan []byte, 64)
	err = l.Subscribe(ctx, func(t string, payload []byte) {
		if t == "status" {
			there.Note(payload)
			return
		}
		select {
		case messages <- payload:
		default: // the reader is slow: the next one is newer anyway
		}
	}, topic, "status")
	if err != nil {
		return err
	}
	limit := time.After(a.Wait(cli.AskTime))
	last := "" // status that a watcher was told of
	for {
		select {
		case data := <-messages:
			if err := a.show(data, show); err != nil {
				return err
			}
			if !watch {
				return nil
			}
			limit = nil
		case s := <-there.Status:
			if !watch {
				if s == "offline" {
					return l.OfflineError()
				}
				there.Online = true
				continue
			}
			if s != last && (last != "" || s == "offline") {
				fmt.Fprintf(a.Stderr, "reachyctl: robot %q is %s\n", a.Robot, cli.Printable(s)) //nolint:errcheck // nowhere left to say so
			}
			last, limit = s, nil
		case <-there.Timeout:
			if !there.Online && limit != nil {
				return l.AbsentError()
			}
		case <-limit:
			return fmt.Errorf("robot %q is online but has sent no %s within %v", a.Robot, topic, a.Wait(cli.AskTime))
		case err := <-l.Lost:
			return l.LostError(err)
		case <-ctx.Done():
			if watch {
				return nil // interrupting is how a watch ends
			}
			return ctx.Err()
		}
	}
}

// show prints a message as JSON, or as show does; while watching, one bad message is no reason to give up.
func (a commands) show(data []byte, show func([]byte) error) error {
	if a.JSON {
		if !json.Valid(data) {
			return cli.Malformed("a message", data, fmt.Errorf("not JSON"))
		}
		a.PrintRaw(data)
		return nil
	}
	return show(data)
}

// printLine prints one line of a watch; on a terminal it takes the place of the line before.
func (a commands) printLine(line string) {
	if a.Style.Tty {
		a.Printf("\r%s\x1b[K", line)
		return
	}
	a.Printf("%s\n", line)
}

// doing says in words what the robot does.
func doing(s *api.State) string {
	if !s.Moving {
		return s.Mode
	}
	name := s.MoveName
	if name == "" {
		name = s.Move
	}
	return cli.Printable(strings.TrimSpace(fmt.Sprintf("%s, moving %s", s.Mode, name)))
}

func stopText(s *api.State) string {
	if !s.EStop {
		return "released"
	}
	if s.EStopReason == "" {
		return "STOPPED"
	}
	return "STOPPED: " + cli.Printable(s.EStopReason)
}

func stateTable(s *api.State, w io.Writer, robot string, st cli.Style) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	row := func(name, format string, args ...any) {
		fmt.Fprintf(t, "%s\t%s\n", name, fmt.Sprintf(format, args...)) //nolint:errcheck // a reader that is gone needs no answer
	}
	row("robot", "%s, %s", robot, doing(s))
	h := s.Head
	row("head", "roll %6.1f°  pitch %6.1f°  yaw %6.1f°", tidy(h.Roll), tidy(h.Pitch), tidy(h.Yaw))
	row("", "x %7.1f mm  y %8.1f mm  z %6.1f mm", tidy(1e3*h.X), tidy(1e3*h.Y), tidy(1e3*h.Z))
	row("body", "yaw  %6.1f°", tidy(s.BodyYaw))
	row("antennas", "left %6.1f°  right %6.1f°", tidy(s.Antennas.Left), tidy(s.Antennas.Right))
	stop := st.Paint(cli.Green, stopText(s))
	if s.EStop {
		stop = st.Paint(cli.Red, stopText(s)) + "  (release it with `reachyctl reset`)"
	}
	row("stop", "%s", stop)
	if len(s.Faults) == 0 {
		row("faults", "%s", st.Paint(cli.Green, "none"))
	}
	for i, f := range s.Faults {
		name := "faults"
		if i > 0 {
			name = ""
		}
		row(name, "%s", st.Paint(cli.Red, FaultText(f)))
	}
	t.Flush() //nolint:errcheck // a reader that is gone needs no answer
}

func stateLine(s *api.State, st cli.Style) string {
	h := s.Head
	line := fmt.Sprintf("%s  roll %6.1f° pitch %6.1f° yaw %6.1f°  body %6.1f°  antennas %6.1f° %6.1f°  %s",
		time.Time(s.TS).UTC().Format("15:04:05.0"), tidy(h.Roll), tidy(h.Pitch), tidy(h.Yaw), tidy(s.BodyYaw),
		tidy(s.Antennas.Left), tidy(s.Antennas.Right), doing(s))
	if s.EStop {
		line += "  " + st.Paint(cli.Red, stopText(s))
	}
	for _, f := range s.Faults {
		line += "  " + st.Paint(cli.Red, FaultText(f))
	}
	return line
}

// FaultText is a fault in one line.
func FaultText(f api.StateFault) string {
	text := f.Name
	if f.Joint != "" {
		text += " (" + f.Joint + ")"
	}
	if f.Detail != "" {
		text += ": " + f.Detail
	}
	return cli.Printable(text)
}

// tidy keeps "-0.0" off the screen.
func tidy(v api.Number) api.Number {
	const invisible = 0.05
	if v < 0 && v > -invisible {
		return 0
	}
	return v
}

func telemetryLine(t *api.Telemetry, _ cli.Style) string {
	return fmt.Sprintf("%s  %.1f Hz  late p50 %.0f p99 %.0f max %.0f µs  missed %d  bus errors %d  cpu %.1f %%",
		time.Time(t.TS).UTC().Format("15:04:05.0"), t.LoopHz, t.JitterP50, t.JitterP99, t.JitterMax, t.Missed,
		t.Bus.Timeouts+t.Bus.Corrupt+t.Bus.Foreign, t.CPUPercent)
}

func telemetryTable(t *api.Telemetry, w io.Writer, _ string, st cli.Style) {
	const mib = 1 << 20
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	row := func(name, format string, args ...any) {
		fmt.Fprintf(tw, "%s\t%s\n", name, fmt.Sprintf(format, args...)) //nolint:errcheck // a reader that is gone needs no answer
	}
	row("loop", "%.1f Hz, %d of %d ticks missed", t.LoopHz, t.Missed, t.Ticks)
	row("lateness", "p50 %.0f µs, p99 %.0f µs, max %.0f µs", t.JitterP50, t.JitterP99, t.JitterMax)
	row("realtime", "%s", cli.Printable(t.Realtime))
	row("bus", "%d cycles, %d timeouts, %d corrupt, %d foreign, %d reconnects", t.Bus.Cycles, t.Bus.Timeouts, t.Bus.Corrupt, t.Bus.Foreign, t.Bus.Reconnects)
	row("process", "%.1f MiB, %.1f %% of a core, up %v", float64(t.RSSBytes)/mib, t.CPUPercent, (time.Duration(t.UptimeS) * time.Second))
	tw.Flush() //nolint:errcheck // a reader that is gone needs no answer
	if len(t.Servos) == 0 {
		return
	}
	fmt.Fprintln(w)                                                                          //nolint:errcheck // as above
	fmt.Fprintf(w, "%s\n", st.Paint(cli.Bold, "servo            volt    °C      mA  error")) //nolint:errcheck // as above
	for _, s := range t.Servos {
		trouble := "-"
		switch {
		case !s.Present:
			trouble = st.Paint(cli.Red, "does not answer")
		case s.HardwareError != 0:
			trouble = st.Paint(cli.Yellow, fmt.Sprintf("0x%02x", s.HardwareError))
		}
		fmt.Fprintf(w, "%-14s %6.1f %5.0f %7.0f  %s\n", cli.Printable(s.Joint), s.Voltage, s.Temperature, s.Current, trouble) //nolint:errcheck // as above
	}
}
