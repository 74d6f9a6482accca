package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"time"
)

// unitPoll is the pause between two looks for what systemd, or reachyd, has to do first.
const unitPoll = 50 * time.Millisecond

// argsFile is where the arguments are written for the unit that starts the program.
func (w *Worker) argsFile() string { return w.Socket + ".args" }

func (w *Worker) writeArgs() error {
	text, err := json.Marshal(w.Args)
	if err != nil {
		return err
	}
	part := w.argsFile() + ".part" // so that nobody reads half of it
	if err := os.WriteFile(part, text, 0o600); err != nil {
		return fmt.Errorf("arguments for %s: %w", w.Unit, err)
	}
	if err := os.Rename(part, w.argsFile()); err != nil {
		return fmt.Errorf("arguments for %s: %w", w.Unit, err)
	}
	return nil
}

func (w *Worker) removeArgs() { _ = os.Remove(w.argsFile()) } // one that stays is replaced by the next reachyd

// Exec becomes the program, with the arguments that a reachyd has written down. It waits for that, until ctx ends.
func (w *Worker) Exec(ctx context.Context) error {
	path, err := Find(w.Program, w.Dir)
	if err != nil {
		return err
	}
	args, err := w.awaitArgs(ctx)
	if err != nil || args == nil {
		return err
	}
	removeStale(w.Socket)
	return fmt.Errorf("start %s: %w", path, syscall.Exec(path, append([]string{path}, args...), os.Environ()))
}

// awaitArgs returns nil when ctx ended first.
func (w *Worker) awaitArgs(ctx context.Context) ([]string, error) {
	tick := time.NewTicker(unitPoll)
	defer tick.Stop()
	for {
		text, err := os.ReadFile(w.argsFile())
		if err == nil {
			args := []string{}
			if err := json.Unmarshal(text, &args); err != nil {
				return nil, fmt.Errorf("%s: %w", w.argsFile(), err)
			}
			return args, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil, nil
		}
	}
}

// fromUnit waits for the process that systemd starts. One that listens and does not answer in time is ended: the unit starts another.
func (w *Worker) fromUnit(ctx context.Context, h *health) (p process, reason string, missing bool) {
	deadline, tick := time.NewTimer(w.StartTimeout), time.NewTicker(unitPoll)
	defer deadline.Stop()
	defer tick.Stop()
	for {
		_, err := h.check(ctx)
		if err == nil {
			if p := w.adopt(ctx, h); p != nil {
				return p, "", false
			}
		}
		select {
		case <-tick.C:
		case <-deadline.C:
			p, reason = w.adopt(ctx, h), fmt.Sprintf("%s has not started it within %v (systemctl status %s): %v", w.Unit, w.StartTimeout, w.Unit, err)
			return p, reason, false
		case <-ctx.Done():
			return nil, "told to stop", false
		}
	}
}
