// Command reachy-sense is the worker that hears, speaks and sees: it owns the microphone, the loudspeaker and the camera
// of a Reachy Mini, and serves on a unix socket.
package main

import "github.com/reachyd/reachyd/cmd/internal/program"

func main() { program.Main(run) }
