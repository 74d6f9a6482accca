// Package program is the frame of the programs here that measure.
package program

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// Main runs a program until it returns its exit status, or is told to end.
func Main(run func(ctx context.Context, args []string, stdout, stderr io.Writer) int) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
