package llm

import (
	"errors"
	"fmt"
	"strings"
)

// What a caller may want to tell apart. All are wrapped.
var (
	// ErrAway is that no server answers, or that it did not lately and is not asked again yet.
	ErrAway = errors.New("the language model's server does not answer")
	// ErrNoModel is that the server has no model that can do what was asked; see NoModelError.
	ErrNoModel = errors.New("no suitable language model")
	// ErrTimeout is that a deadline of the Config passed.
	ErrTimeout = errors.New("the language model is too slow")
	// ErrIncomplete is that the reply ended before its end: the server died, or the connection broke.
	ErrIncomplete = errors.New("the language model's reply broke off")
	// ErrTooLong is that a limit of the length was passed.
	ErrTooLong = errors.New("too long")
	// ErrBadOutput is that the reply is not what the schema asked for, or the server's answer not what was agreed.
	ErrBadOutput = errors.New("the language model's reply is malformed")
	// ErrRequest is that the request itself cannot be sent.
	ErrRequest = errors.New("bad request to the language model")
)

// ServerError is what the server said instead of a reply.
type ServerError struct {
	Status  int // of HTTP; 200 when it came in the middle of a reply
	Message string
}

func (e *ServerError) Error() string {
	return fmt.Sprintf("the language model's server says: %s (status %d)", e.Message, e.Status)
}

// Is makes a prompt that is longer than the model can keep in mind an ErrTooLong: servers say so in words only.
func (e *ServerError) Is(target error) bool {
	return target == ErrTooLong && strings.Contains(e.Message, "context length")
}

// NoModelError says what is missing. It is an ErrNoModel.
type NoModelError struct {
	Role Role
	Need string // the capability that no model has: "tools", "vision"; empty when there is no model at all
	Pull string // the model to get; empty when the Config names none
}

func (e *NoModelError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v for %s", ErrNoModel, e.Role)
	if e.Need != "" {
		fmt.Fprintf(&b, " with %s", e.Need)
	}
	if e.Pull != "" {
		fmt.Fprintf(&b, "; to get one: ollama pull %s", e.Pull)
	}
	return b.String()
}

func (e *NoModelError) Unwrap() error { return ErrNoModel }
