// Package program is what the worker processes of reachyd share: how they start and end, and the flags that all of them have.
package program

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/rs/zerolog"

	"github.com/reachyd/reachyd/cmd/internal/crash"
)

// Exit codes.
const (
	ExitOK    = 0
	ExitError = 1
	ExitUsage = 2
)

// Main runs a program, which returns its exit code, until it is interrupted or told to end, and ends the process.
func Main(run func(ctx context.Context, args, env []string, stdout, stderr io.Writer) int) {
	if dir := os.Getenv(crash.DirEnv); dir != "" {
		if err := crash.Keep(dir, filepath.Base(os.Args[0]), ""); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
	signal.Ignore(syscall.SIGPIPE) // the worker outlives a reachyd that was killed, and whose log nobody reads any more
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The second signal finds the default action again: it ends the process at once, torque as it is.
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, os.Args[1:], os.Environ(), os.Stdout, os.Stderr))
}

// Refused says on stderr what is wrong with the options of the program of that name, and returns the exit code; done is
// false when nothing is.
func Refused(name string, err error, stderr io.Writer) (code int, done bool) {
	switch {
	case err == nil:
		return 0, false
	case errors.Is(err, flag.ErrHelp):
		return ExitOK, true
	}
	fmt.Fprintf(stderr, "%s: %v\n", name, err) //nolint:errcheck // nowhere else to say it
	return ExitUsage, true
}

// Flags returns an empty set of flags, which says on stderr what is wrong with them.
func Flags(name string, stderr io.Writer) *flag.FlagSet {
	f := flag.NewFlagSet(name, flag.ContinueOnError)
	f.SetOutput(stderr)
	return f
}

// Parse reads the flags of args, which are to be flags only.
func Parse(f *flag.FlagSet, args []string) error {
	if err := f.Parse(args); err != nil {
		return err
	}
	if f.NArg() > 0 {
		return fmt.Errorf("argument %q is not understood; there are only flags", f.Arg(0))
	}
	return nil
}

// LogLevel adds the flag -log-level.
func LogLevel(f *flag.FlagSet, to *zerolog.Level) {
	*to = zerolog.InfoLevel
	f.Func("log-level", "trace, debug, info, warn or error (default \"info\")", func(text string) (err error) {
		if *to, err = zerolog.ParseLevel(text); err != nil || text == "" {
			return fmt.Errorf("allowed are trace debug info warn error")
		}
		return nil
	})
}

// DefaultSocket is where a service keeps the socket of a program, or where a person may.
func DefaultSocket(name string) string {
	dir := os.TempDir()
	for _, key := range []string{"XDG_RUNTIME_DIR", "RUNTIME_DIRECTORY"} { // the last that is set counts
		if d := os.Getenv(key); d != "" {
			dir = d
		}
	}
	return filepath.Join(dir, name+".sock")
}
