package sim

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/reachyd/reachyd/cmd/reachyctl/internal/cli"
)

// SimTime is how long the simulation may take to answer; the first picture takes longest.
const SimTime = 20 * time.Second

// The faults that can be switched on; the value says what its argument is.
var simFaults = map[string]string{
	"drop": "probability", "corrupt": "probability", "duplicate": "probability", "foreign": "probability",
	"delay_ms": "milliseconds", "voltage": "volts",
	"mute": "joints", "overload": "joints", "overheat": "joints", "unplug": "",
}

func (a commands) simCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "sim",
		Short: "Look into the simulated robot of this machine, and break it",
		Long: `sim speaks to the simulated robot behind the reachyd of this machine: what is really there, pictures of it, and faults
that can be switched on while it runs, to see how the robot bears them.`,
		Example: "  reachyctl sim fault unplug\n  reachyctl sim fault mute left_antenna\n  reachyctl sim clear\n  reachyctl sim picture robot.png",
		Args:    cli.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.simStateCommand(), a.simFaultCommand(), a.simClearCommand(), a.simPictureCommand())
	return cmd
}

func (a commands) simStateCommand() *cobra.Command {
	return &cobra.Command{
		Use: "state", Short: "Print the true state of the simulation",
		Long: "state prints what is really there, as JSON in SI units: true head pose, joints, objects, contacts.", Args: cli.NoArgs,
		Example: "  reachyctl sim state | jq .objects",
		RunE: func(cmd *cobra.Command, _ []string) error {
			data, err := a.sim(cmd.Context(), http.MethodGet, "/state", nil)
			if err == nil {
				a.Printf("%s\n", bytes.TrimSpace(data))
			}
			return err
		},
	}
}

func (a commands) simFaultCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "fault KIND [VALUE|JOINT...]",
		Short: "Switch a fault on",
		Long: `fault switches a fault of the simulated robot on, in the place of those that are on:

  unplug                               the cable is out
  mute JOINT...                        servos that do not answer
  overload JOINT... | overheat JOINT...  servos that shut themselves down
  voltage VOLTS                        a weak supply (below 3.5 V the servos restart)
  drop|corrupt|duplicate|foreign P     a bad line: so many packets, 0…1
  delay_ms MS                          late answers

Joints: body_rotation, stewart_1…stewart_6, right_antenna, left_antenna.`,
		Example: "  reachyctl sim fault mute stewart_3\n  reachyctl sim fault voltage 4.2",
		Args:    cli.SomeArgs(-1, "a kind of fault"),
		RunE: func(cmd *cobra.Command, args []string) error {
			body, err := faultOf(args[0], args[1:])
			if err != nil {
				return err
			}
			if _, err := a.sim(cmd.Context(), http.MethodPut, "/faults", body); err != nil {
				return err
			}
			return a.Said(map[string]any{"fault": args[0], "on": true}, "%s is on; `reachyctl sim clear` ends it", args[0])
		},
	}
}

// faultOf is the body of a request that switches the fault on.
func faultOf(kind string, values []string) ([]byte, error) {
	what, ok := simFaults[kind]
	switch {
	case !ok:
		return nil, cli.Usage("%q is no fault; known are %s", kind, strings.Join(cli.SortedKeys(simFaults), ", "))
	case what == "":
		if len(values) > 0 {
			return nil, cli.Usage("%s takes no argument", kind)
		}
		return json.Marshal(map[string]bool{kind: true})
	case len(values) == 0:
		return nil, cli.Usage("%s needs %s", kind, what)
	case what == "joints":
		return json.Marshal(map[string][]string{kind: values})
	case len(values) > 1:
		return nil, cli.Usage("%s takes one number (%s)", kind, what)
	}
	v, err := strconv.ParseFloat(values[0], 64)
	if err != nil {
		return nil, cli.Usage("%s: %q is not a number (%s)", kind, values[0], what)
	}
	return json.Marshal(map[string]float64{kind: v})
}

func (a commands) simClearCommand() *cobra.Command {
	return &cobra.Command{
		Use: "clear", Short: "Switch all faults off", Long: "clear switches all faults of the simulated robot off. What servos have latched stays until they are " +
			"restarted.", Args: cli.NoArgs, Example: "  reachyctl sim clear",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if _, err := a.sim(cmd.Context(), http.MethodDelete, "/faults", nil); err != nil {
				return err
			}
			return a.Said(map[string]any{"faults": []string{}}, "all faults are off")
		},
	}
}

func (a commands) simPictureCommand() *cobra.Command {
	var camera string
	cmd := &cobra.Command{
		Use: "picture FILE.png|FILE.jpg", Short: "Draw the simulated robot",
		Long:    "picture draws what a camera of the simulation sees: studio_close looks at the robot, eye_camera is the robot's own.",
		Example: "  reachyctl sim picture robot.png\n  reachyctl sim picture --camera eye_camera view.jpg",
		Args:    cli.SomeArgs(1, "the name of a file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			format := strings.ToLower(filepath.Ext(args[0]))
			if format != ".png" && format != ".jpg" {
				return cli.Usage("%s: the name must end in .png or .jpg", args[0])
			}
			data, err := a.sim(cmd.Context(), http.MethodGet, "/frame"+format+"?camera="+url.QueryEscape(camera), nil)
			if err != nil {
				return err
			}
			if err := os.WriteFile(args[0], data, 0o644); err != nil { //nolint:gosec // a picture for everybody
				return err
			}
			return a.Said(map[string]any{"file": args[0], "bytes": len(data)}, "%s: %d kB", args[0], len(data)/1000)
		},
	}
	cmd.Flags().StringVar(&camera, "camera", "studio_close", "studio_close or eye_camera")
	return cmd
}

// sim asks the simulation of this machine.
func (a commands) sim(ctx context.Context, method, path string, body []byte) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, a.Wait(SimTime))
	defer cancel()
	last := cli.Unreachable("no simulated robot runs on this machine; start one with `reachyd run --sim` (`make run`)")
	for _, dir := range a.Dirs {
		socket := filepath.Join(dir, cli.SimSocket)
		if _, err := os.Stat(socket); err != nil {
			continue
		}
		data, err := askSocket(ctx, socket, method, path, body)
		var no *net.OpError
		if !errors.As(err, &no) {
			return data, err
		}
		last = cli.Unreachable("the simulated robot at %s does not answer: %w", socket, err)
	}
	return nil, last
}

func askSocket(ctx context.Context, socket, method, path string, body []byte) ([]byte, error) {
	tr := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "unix", socket)
	}}
	defer tr.CloseIdleConnections()
	req, err := http.NewRequestWithContext(ctx, method, "http://sim"+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	resp, err := (&http.Client{Transport: tr}).Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close() //nolint:errcheck // nothing to be done about it
	const largest = 16 << 20
	data, err := io.ReadAll(io.LimitReader(resp.Body, largest))
	if err != nil {
		return nil, err
	}
	if resp.StatusCode >= http.StatusMultipleChoices {
		var e struct{ Error string }
		if json.Unmarshal(data, &e) != nil || e.Error == "" {
			e.Error = resp.Status
		}
		return nil, errors.New("the simulated robot: " + e.Error)
	}
	return data, nil
}
