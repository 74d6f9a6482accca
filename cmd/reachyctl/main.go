// Command reachyctl talks to a running robot: say, plan, state, events, stop, tools, doctor.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/reachyd/reachyd/toolsandbox/guest"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == guest.WorkerArg { // the process in which tools that a rehearsal makes run
		os.Exit(guest.WorkerMain(os.Args[1:], os.Stdin, os.Stderr))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Environ(), os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
