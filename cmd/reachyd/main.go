// Command reachyd runs a Reachy Mini: it understands, plans, moves the robot through its workers, and speaks MQTT.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime"
	"syscall"

	"github.com/reachyd/reachyd/daemon/toolmanager"
	"github.com/reachyd/reachyd/toolsandbox/files"
	"github.com/reachyd/reachyd/toolsandbox/guest"
)

func main() {
	runtime.MemProfileRate = 0                             // nobody asks for the profile, which takes a megabyte
	if len(os.Args) > 1 && os.Args[1] == guest.WorkerArg { // the process in which self-made tools run
		os.Exit(guest.WorkerMain(os.Args[1:], os.Stdin, os.Stderr))
	}
	if len(os.Args) > 1 && os.Args[1] == toolmanager.ReaderArg { // the process that reads one file which came with a call
		os.Exit(files.WorkerMain(os.Stdin, os.Stdout, guest.Seal))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Environ(), os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
