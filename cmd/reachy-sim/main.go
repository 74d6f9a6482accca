// Command reachy-sim is a simulated Reachy Mini: nine servos on the other end of a bus, moved by MuJoCo or by a simple model.
package main

import "github.com/reachyd/reachyd/cmd/internal/program"

func main() { program.Main(run) }
