package cli

import (
	"errors"
	"fmt"

	"github.com/reachyd/reachyd/api"
)

// unreachableError says that the robot cannot be reached, and what to do about it.
type unreachableError struct{ error }

func (e *unreachableError) Unwrap() error { return e.error }

// Unreachable is an error after which the exit code is ExitUnreachable.
func Unreachable(format string, args ...any) error {
	return &unreachableError{fmt.Errorf(format, args...)}
}

// RefusedError is the robot's own word on why it did not do something.
type RefusedError struct{ Reply *api.Error }

func (e *RefusedError) Error() string { return e.Reply.Message }

// UsageError is a mistake on the command line that shows only when the command runs.
type UsageError struct{ error }

func (e *UsageError) Unwrap() error { return e.error }

// Usage is an error after which the exit code is ExitUsage.
func Usage(format string, args ...any) error { return &UsageError{fmt.Errorf(format, args...)} }

// ErrSaid ends a command with code 1 when everything has been printed already.
var ErrSaid = errors.New("failed")

// malformedError says that the robot sent something that does not fit package api.
type malformedError struct {
	what string
	data []byte
	err  error
}

// Malformed says that data, which is meant to be what, cannot be read because of err.
func Malformed(what string, data []byte, err error) error { return &malformedError{what, data, err} }

func (e *malformedError) Error() string {
	const most = 60
	text := string(e.data)
	if len(text) > most {
		text = text[:most] + "…"
	}
	return fmt.Sprintf("the robot sent %s that cannot be read: %v: %q; do reachyd and reachyctl have the same version?", e.what, e.err, text)
}

func (e *malformedError) Unwrap() error { return e.err }

// jsonError is how an error looks with --json: like a reply of the robot that was refused.
func jsonError(err error) any {
	e := api.Error{Code: api.CodeFailed, Message: err.Error()}
	var unreachable *unreachableError
	var refused *RefusedError
	switch {
	case errors.As(err, &unreachable):
		e.Code = "unreachable"
	case errors.As(err, &refused):
		e = *refused.Reply
	}
	return map[string]any{"ok": false, "error": e}
}
