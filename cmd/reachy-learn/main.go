// Command reachy-learn trains the robot's policies in simulation: a worker of reachyd that only uses the processor time that
// nobody else wants.
package main

import "github.com/reachyd/reachyd/cmd/internal/program"

func main() { program.Main(run) }
