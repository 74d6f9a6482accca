package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/cmd/reachyctl/internal/cli"
	"github.com/reachyd/reachyd/cmd/reachyctl/internal/connect"
	"github.com/reachyd/reachyd/cmd/reachyctl/internal/robot"
	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/body"
)

const doctorTimeout = 3 * time.Second

func bodyFinding(ctx context.Context, socket string) []Finding {
	ctx, cancel := context.WithTimeout(ctx, doctorTimeout)
	defer cancel()
	client := body.New(socket)
	defer client.Close()
	t, err := client.Telemetry(ctx)
	if err != nil {
		return wrong(fmt.Sprintf("%s does not answer: %v", socket, err), "see the log of reachyd, which restarts the body")
	}
	detail := fmt.Sprintf("%s answers: %.1f Hz, %.0f µs late at p99, %s", socket, t.LoopHz, t.JitterP99, t.Realtime)
	const lateUS = 5000
	if t.JitterP99 > lateUS {
		return remark(detail, "the host is too busy for the control loop; give it real-time priority (see realtime)")
	}
	return good(detail)
}

// checkRobot looks at broker, reachyd and robot, each of which needs the one before.
func checkRobot(ctx context.Context, a commands) []Finding {
	l, err := connect.Open(ctx, a.App)
	var usage *cli.UsageError
	if errors.As(err, &usage) {
		return wrong(err.Error(), "correct the command line")
	}
	if err != nil {
		detail, _, _ := strings.Cut(err.Error(), ": is reachyd running") // what is to be done about it stands below
		start := "start reachyd: `make run` for a simulated robot, `reachyd --port auto` for a real one"
		if a.Host.Packaged() {
			start = "sudo systemctl start reachyd; if it ends again, `journalctl -u reachyd -n 20` says why"
		}
		return wrong(detail, start)
	}
	defer l.Close()
	all := good("the broker at " + l.At.String() + " answers")

	states, status := make(chan []byte, 1), make(chan string, 1)
	err = l.Subscribe(ctx, func(topic string, payload []byte) {
		if topic == "status" {
			select {
			case status <- string(payload):
			default:
			}
			return
		}
		select {
		case states <- payload:
		default:
		}
	}, "state", "status")
	if err != nil {
		return append(all, wrong(err.Error(), "give this user the permission to read the robot's topics")...)
	}
	limit := time.After(a.Wait(doctorTimeout))
	for {
		select {
		case data := <-states:
			return append(all, stateFindings(a.Robot, data)...)
		case s := <-status:
			if s == "offline" {
				return append(all, wrong(fmt.Sprintf("robot %q is offline: reachyd does not run", a.Robot),
					"start reachyd, or look why it ended: journalctl -u reachyd")...)
			}
		case err := <-l.Lost:
			return append(all, wrong(l.LostError(err).Error(), "try again")...)
		case <-limit:
			return append(all, wrong(fmt.Sprintf("robot %q sends no state", a.Robot), "check --robot, or start reachyd")...)
		case <-ctx.Done():
			return all
		}
	}
}

func stateFindings(id string, data []byte) []Finding {
	var s api.State
	if err := json.Unmarshal(data, &s); err != nil {
		return wrong(cli.Malformed("a state", data, err).Error(), "update both")
	}
	var all []Finding
	if s.Mode == string(hal.ModeOffline) {
		all = wrong(fmt.Sprintf("robot %q: reachyd runs, but the robot's bus is not there", id), "check cable and power, then the port above")
	} else {
		all = good(fmt.Sprintf("robot %q: reachyd runs, motors %s", id, s.Mode))
	}
	if s.EStop {
		all = append(all, remark("the emergency stop is latched: "+s.EStopReason, "release it with `reachyctl reset` when it is safe")...)
	}
	for _, f := range s.Faults {
		all = append(all, wrong(robot.FaultText(f), faultRemedy(hal.FaultName(f.Name)))...)
	}
	return all
}

// faultRemedy says what a person can do about a fault.
func faultRemedy(name hal.FaultName) string {
	switch name {
	case hal.FaultBusLost:
		return "check the cable and the power of the robot; it is found again by itself"
	case hal.FaultServoMissing:
		return "check the cable of that servo"
	case hal.FaultOverload, hal.FaultElectrical:
		return "free what blocks the joint, then `reachyctl wake`"
	case hal.FaultOverheat:
		return "let it rest: `reachyctl sleep`"
	case hal.FaultVoltage:
		return "check the power supply (7 V) or charge the battery"
	case hal.FaultDeadline, hal.FaultNotLocked:
		return "give the control loop real-time priority (see realtime)"
	case hal.FaultUnreachable:
		return "see the log of reachyd, which restarts the body"
	case hal.FaultDiskFull:
		return "make room there (old photos, journalctl --vacuum-size=100M); reachyd notices it by itself"
	}
	return "see the log of reachyd, and firmware-notes"
}
