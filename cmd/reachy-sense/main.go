// Command reachy-sense is the worker that hears, speaks and sees: it owns the microphone, the loudspeaker and the camera
// of a Reachy Mini, and serves on a unix socket.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	signal.Ignore(syscall.SIGPIPE) // its output may go nowhere when reachyd was killed
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	os.Exit(run(ctx, os.Args[1:], os.Environ(), os.Stdout, os.Stderr))
}
