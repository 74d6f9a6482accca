// Command reachy-body is the control loop of a Reachy Mini: it alone talks to the servos, and serves whoever may move them
// on a unix socket.
package main

import "github.com/reachyd/reachyd/cmd/internal/program"

func main() { program.Main(run) }
