package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/reachyd/reachyd/cmd/reachyctl/internal/host"
)

const (
	ownUnit = "reachyd"
	// endPatience is how long the official daemon may take to lay the robot down and end.
	endPatience = 20 * time.Second
)

// unitState is what the files of systemd say of a unit.
func (a commands) unit(name string) (there, enabled bool) {
	for _, dir := range []string{"etc", "usr/lib", "lib"} {
		if _, err := os.Stat(a.Host.In(dir, "systemd", "system", name+".service")); err == nil {
			there = true
		}
	}
	return there, len(glob(a.Host.In("etc", "systemd", "system", "*.wants", name+".service"))) > 0
}

// systemctl carries out commands, each of which has its arguments.
func (a commands) systemctl(ctx context.Context, all ...[]string) error {
	for _, args := range all {
		if err := a.Host.Run(ctx, a.Stderr, "systemctl", args...); err != nil {
			return err
		}
	}
	return nil
}

// takeDaemon stops the official daemon, as the service that it is or as a program, and starts the service reachyd.
func (a commands) takeDaemon() (steps []step) {
	const part = "daemon"
	running := a.Host.Daemons()
	ofUnit := slices.ContainsFunc(running, inUnit)
	for _, p := range running {
		if inUnit(p) {
			continue
		}
		what := fmt.Sprintf("the official daemon (process %d: %s) is asked to end", p.PID, p.Command())
		steps = append(steps, step{Name: part, Detail: what, Undo: p.Command(), act: func(ctx context.Context, s *step) error {
			if err := a.end(ctx, p); err != nil {
				return err
			}
			s.Detail = fmt.Sprintf("the official daemon (process %d) has ended", p.PID)
			s.Do = "what began it may begin it again: the desktop app, a terminal, a script"
			return nil
		}})
	}
	there, enabled := a.unit(officialUnit)
	own, _ := a.unit(ownUnit)
	var commands [][]string
	var does []string
	if there && (enabled || ofUnit) {
		commands = append(commands, []string{"disable", "--now", officialUnit})
		does = append(does, "the service "+officialUnit+" is stopped, and begins with the machine no more")
	}
	if own && (len(commands) > 0 || len(steps) > 0) {
		commands = append(commands, []string{"enable", ownUnit}, []string{"restart", ownUnit})
		does = append(does, "the service "+ownUnit+" is started, and begins with the machine")
	}
	if len(commands) > 0 {
		steps = append(steps, a.services(takeOver, strings.Join(does, "; "), a.undo(part), commands))
	}
	return steps
}

func inUnit(p host.Process) bool { return p.Unit == officialUnit+".service" }

// services is the step of commands of systemctl.
func (a commands) services(command, what, undo string, commands [][]string) step {
	const part = "daemon"
	if !a.Host.Limits().Root {
		return forRoot(command, part, what)
	}
	return step{Name: part, Detail: what, Undo: undo, act: func(ctx context.Context, _ *step) error { return a.systemctl(ctx, commands...) }}
}

// end asks the official daemon to end, and waits until it has.
func (a commands) end(ctx context.Context, p host.Process) error {
	is := func() bool { return a.Host.Process(p.PID).Daemon() }
	err := a.Host.End(p.PID, is)
	switch {
	case errors.Is(err, os.ErrProcessDone):
		return nil
	case errors.Is(err, fs.ErrPermission):
		return errors.New("it is another user's: sudo reachyctl doctor " + takeOver + " daemon")
	case err != nil:
		return err
	}
	limit := time.After(endPatience)
	for is() {
		select {
		case <-time.After(endPatience / 200):
		case <-limit:
			return fmt.Errorf("it has not ended after %s: end it yourself: kill %d", endPatience, p.PID)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// backDaemon gives the robot back to the service of the official daemon.
func (a commands) backDaemon() []step {
	there, enabled := a.unit(officialUnit)
	own, ownEnabled := a.unit(ownUnit)
	if !there || enabled && !ownEnabled {
		return nil
	}
	var commands [][]string
	what := "the service " + officialUnit + " is started, and begins with the machine"
	if own {
		commands = append(commands, []string{"disable", "--now", ownUnit})
		what = "the service " + ownUnit + " is stopped, and begins with the machine no more; " + what
	}
	return []step{a.services(goBack, what, a.takes("daemon"), append(commands, []string{"enable", "--now", officialUnit}))}
}
