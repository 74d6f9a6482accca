package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// Exit codes.
const (
	exitDone        = 0
	exitFailed      = 1 // refused or failed
	exitUsage       = 2
	exitUnreachable = 3
)

// app is one run of reachyctl: the world around it and the global flags.
type app struct {
	env            map[string]string
	stdin          io.Reader
	stdout, stderr io.Writer
	style          style

	broker       string
	web          string
	robot        string
	prefix       string
	user         string
	passwordFile string
	ca           string
	timeout      time.Duration
	json         bool

	dirs   []string // where the reachyd of this machine may have its run directory
	doctor doctorHost
	begun  bool // a command runs: from here on an error is no usage error
}

// run carries out a command line and returns the exit code.
func (a *app) run(ctx context.Context, root *cobra.Command, args []string) int {
	root.SetArgs(args)
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitDone
	}
	code := exitFailed
	var unreachable *unreachableError
	var usage *usageError
	switch {
	case !a.begun, errors.As(err, &usage):
		code = exitUsage
	case errors.As(err, &unreachable):
		code = exitUnreachable
	case errors.Is(err, errSaid):
		return code
	}
	if a.json && a.begun {
		a.printJSON(jsonError(err))
	} else {
		fmt.Fprintf(a.stderr, "reachyctl: %v\n", err) //nolint:errcheck // nowhere left to say so
	}
	return code
}

// wait is how long to wait for an answer: as the user said, else the command's own time.
func (a *app) wait(usual time.Duration) time.Duration {
	if a.timeout > 0 {
		return a.timeout
	}
	return usual
}

// How long commands wait unless told otherwise.
const (
	quick = 10 * time.Second // what only asks
	long  = 5 * time.Minute  // what moves the robot, perhaps several times
)

func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("%q is not a command of %s; see %s --help", strings.Join(args, " "), cmd.CommandPath(), cmd.CommandPath())
	}
	return nil
}

// someArgs asks for at least one argument, which what describes, and at most so many when most is not negative.
func someArgs(most int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 || most >= 0 && len(args) > most {
			return fmt.Errorf("%s needs %s; see %s --help", cmd.CommandPath(), what, cmd.CommandPath())
		}
		return nil
	}
}

func environment(env []string) map[string]string {
	m := make(map[string]string, len(env))
	for _, e := range env {
		k, v, _ := strings.Cut(e, "=")
		m[k] = v
	}
	return m
}
