// Package early carries `reachyctl stop` out before the rest of the program begins.
//
// The planner and the tables of language, which other commands need, take longer to begin than the way to the body. Packages
// begin in the order of their paths, as far as what they import has begun, and this one imports little (not even package net): a
// test holds it to that.
package early

import (
	"encoding/json"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/reachyd/reachyd/cmd/reachyctl/internal/rundir"
	"github.com/reachyd/reachyd/hal"
)

// DefaultReason is the reason of a stop that was given none.
const DefaultReason = "reachyctl stop"

// patience is how long a body that does not answer may keep the rest of the program from beginning.
const patience = 200 * time.Millisecond

// mostReply is the longest answer that is read, bytes.
const mostReply = 64 << 10

// answers are those of the sockets that were asked; nil: this is no plain stop of this machine's robot.
var answers = stop(os.Args, os.Environ())

// Answered returns what the body on a socket has said already, and forgets it.
func Answered(socket string) (hal.Answer, bool) {
	a, ok := answers[socket]
	delete(answers, socket)
	return a, ok
}

func stop(args, environ []string) map[string]hal.Answer {
	req, ok := Request(args)
	if !ok {
		return nil
	}
	env := map[string]string{}
	for _, e := range environ {
		k, v, _ := strings.Cut(e, "=")
		env[k] = v
	}
	if env["REACHYCTL_BROKER"] != "" {
		return nil // the robot may be another machine's: the command itself finds out
	}
	said := map[string]hal.Answer{}
	for _, socket := range rundir.Sockets(rundir.List(env), rundir.BodySocket) {
		if a, ok := tell(socket, req); ok {
			said[socket] = a
		}
	}
	return said
}

// tell asks the body by hand, since what package net needs begins too late. ok is false when no answer came: the command itself,
// which has more time, asks again, and a second stop does no harm.
func tell(socket string, req hal.Request) (a hal.Answer, ok bool) {
	data, err := json.Marshal(&req)
	if err != nil {
		return a, false
	}
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		return a, false
	}
	syscall.CloseOnExec(fd)
	line := os.NewFile(uintptr(fd), socket)
	defer line.Close() //nolint:errcheck // all was read
	limit := syscall.NsecToTimeval(patience.Nanoseconds())
	if syscall.SetsockoptTimeval(fd, syscall.SOL_SOCKET, syscall.SO_RCVTIMEO, &limit) != nil ||
		syscall.SetsockoptTimeval(fd, syscall.SOL_SOCKET, syscall.SO_SNDTIMEO, &limit) != nil ||
		syscall.Connect(fd, &syscall.SockaddrUnix{Name: socket}) != nil {
		return a, false
	}
	head := "POST /command HTTP/1.0\r\nHost: body\r\nContent-Type: application/json\r\nContent-Length: " + strconv.Itoa(len(data)) + "\r\n\r\n"
	if _, err := line.WriteString(head + string(data)); err != nil {
		return a, false
	}
	reply, err := io.ReadAll(io.LimitReader(line, mostReply))
	if err != nil {
		return a, false
	}
	head, body, _ := strings.Cut(string(reply), "\r\n\r\n")
	_, status, _ := strings.Cut(head, " ")
	return a, strings.HasPrefix(status, "200 ") && json.Unmarshal([]byte(body), &a) == nil && a.Outcome != ""
}

// Request is the stop that a command line asks of the robot of this machine; ok is false for any other command line, also for one
// that is not understood without doubt.
func Request(args []string) (req hal.Request, ok bool) {
	if len(args) < 2 || args[1] != "stop" {
		return req, false
	}
	category, reason := 1, DefaultReason
	for rest := args[2:]; len(rest) > 0; rest = rest[1:] {
		switch value, given := strings.CutPrefix(rest[0], "--reason="); {
		case given:
			reason = value
		case rest[0] == "--reason" && len(rest) > 1:
			reason = rest[1]
			rest = rest[1:]
		case rest[0] == "--off":
			category = 0
		case rest[0] != "--json":
			return req, false
		}
	}
	return hal.Request{Verb: hal.VerbStop, Category: &category, Source: "reachyctl", Reason: reason}, true
}
