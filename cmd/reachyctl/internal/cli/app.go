// Package cli is one run of reachyctl: its flags, what it prints, its errors and exit codes.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/reachyd/reachyd/cmd/reachyctl/internal/host"
)

// Exit codes.
const (
	ExitDone        = 0
	ExitFailed      = 1 // refused or failed
	ExitUsage       = 2
	ExitUnreachable = 3
)

// App is one run of reachyctl: the world around it and the global flags.
type App struct {
	Env            map[string]string
	Stdin          io.Reader
	Terminal       bool // the input is one: somebody can be asked
	Stdout, Stderr io.Writer
	Style          Style

	Broker       string
	HTTP         string
	Robot        string
	Prefix       string
	User         string
	PasswordFile string
	CA           string
	Timeout      time.Duration
	JSON         bool

	Dirs  []string // where the reachyd of this machine may have its run directory
	Host  host.Host
	Begun bool // a command runs: from here on an error is no usage error
}

// Run carries out a command line and returns the exit code.
func (a *App) Run(ctx context.Context, root *cobra.Command, args []string) int {
	root.SetArgs(args)
	root.SetIn(a.Stdin)
	root.SetOut(a.Stdout)
	root.SetErr(a.Stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return ExitDone
	}
	code := ExitFailed
	var unreachable *unreachableError
	var usage *UsageError
	switch {
	case !a.Begun, errors.As(err, &usage):
		code = ExitUsage
	case errors.As(err, &unreachable):
		code = ExitUnreachable
	case errors.Is(err, ErrSaid):
		return code
	}
	if a.JSON && a.Begun {
		a.PrintJSON(jsonError(err))
	} else {
		fmt.Fprintf(a.Stderr, "reachyctl: %v\n", err) //nolint:errcheck // nowhere left to say so
	}
	return code
}

// Wait is how long to wait for an answer: as the user said, else the command's own time.
func (a *App) Wait(usual time.Duration) time.Duration {
	if a.Timeout > 0 {
		return a.Timeout
	}
	return usual
}

// How long commands wait unless told otherwise.
const (
	AskTime  = 10 * time.Second // what only asks
	MoveTime = 5 * time.Minute  // what moves the robot, perhaps several times
)

// NoArgs refuses every argument.
func NoArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("%q is not a command of %s; see %s --help", strings.Join(args, " "), cmd.CommandPath(), cmd.CommandPath())
	}
	return nil
}

// SomeArgs asks for at least one argument, which what describes, and at most so many when most is not negative.
func SomeArgs(most int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 || most >= 0 && len(args) > most {
			return fmt.Errorf("%s needs %s; see %s --help", cmd.CommandPath(), what, cmd.CommandPath())
		}
		return nil
	}
}

// Environment reads the variables of an environment, key=value.
func Environment(env []string) map[string]string {
	m := make(map[string]string, len(env))
	for _, e := range env {
		k, v, _ := strings.Cut(e, "=")
		m[k] = v
	}
	return m
}
