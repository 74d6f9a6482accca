// Package body is the door of the control loop: a small HTTP server on a unix socket, and its client.
//
// Everything can be tried with curl:
//
//	curl --unix-socket body.sock http://body/state
//	curl --unix-socket body.sock http://body/command -d '{"verb":"wake"}'
//	curl --unix-socket body.sock -N http://body/command?wait=1 -d '{"verb":"gesture","name":"nod"}'
//	curl --unix-socket body.sock -N http://body/watch?hz=2
//
// One process serves one robot. Whoever may open the socket (mode 0600) may move the robot.
package body

import "github.com/reachyd/reachyd/hal"

// Message is one line of a watch: exactly one of the three is set.
type Message struct {
	State     *hal.State     `json:"state,omitempty"`
	Event     *hal.Event     `json:"event,omitempty"`
	Telemetry *hal.Telemetry `json:"telemetry,omitempty"`
}

// End is the second line of what the body answers to a request that waits for the end of its move: one of the two is set.
type End struct {
	Event *hal.Event `json:"event,omitempty"`
	Error string     `json:"error,omitempty"`
}

// StreamAnswer is one line that the body sends on a stream of targets. Of targets that arrive faster than the loop
// turns only the newest is applied, so there is an answer for every rejected line, and one per tick for the others;
// with ?answers=all there is one for every line.
// Answers that the reader is too slow for are dropped.
type StreamAnswer struct {
	hal.Answer
	// N says which line of the stream this answers, counting from 1.
	N uint64 `json:"n"`
}
