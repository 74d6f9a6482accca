// Command reachy-body is the control loop of a Reachy Mini: it alone talks to the servos, and serves whoever may move them
// on a unix socket.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	signal.Ignore(syscall.SIGPIPE) // the robot outlives a reachyd that was killed, and whose log nobody reads any more
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The second signal finds the default action again: it ends the process at once, torque as it is.
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, os.Args[1:], os.Environ(), os.Stdout, os.Stderr))
}
