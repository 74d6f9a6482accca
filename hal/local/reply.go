package local

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// refusal is what every reply with a status of 400 and more carries.
type refusal struct {
	Error string `json:"error"`
}

// Reply answers a request with v as JSON.
func Reply(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(v) //nolint:errcheck // the client has gone
}

// Refuse answers a request with a status of 400 or more and a reason in words.
func Refuse(w http.ResponseWriter, status int, format string, args ...any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(refusal{fmt.Sprintf(format, args...)}) //nolint:errcheck // the client has gone
}

// Decode reads the JSON object of a request, of at most so many bytes, into a pointer to a struct, or refuses it and
// returns false.
func Decode(w http.ResponseWriter, r *http.Request, most int64, into any) bool {
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, most))
	var tooBig *http.MaxBytesError
	switch {
	case errors.As(err, &tooBig):
		Refuse(w, http.StatusRequestEntityTooLarge, "the request is longer than %d bytes", most)
		return false
	case err != nil:
		Refuse(w, http.StatusBadRequest, "read the request: %v", err)
		return false
	}
	if err := Parse(data, into); err != nil {
		Refuse(w, http.StatusBadRequest, "%v", err)
		return false
	}
	return true
}

// Lines answers a request with JSON objects, one a line, as they come.
type Lines struct {
	*http.ResponseController
	enc     *json.Encoder
	timeout time.Duration
}

// NewLines begins such an answer. A reader that takes longer than timeout for one line is disconnected.
func NewLines(w http.ResponseWriter, timeout time.Duration) *Lines {
	w.Header().Set("Content-Type", "application/x-ndjson")
	return &Lines{http.NewResponseController(w), json.NewEncoder(w), timeout}
}

// Write sends each value as a line, all at once. After an error the reader has gone.
func (l *Lines) Write(values ...any) error {
	if err := l.SetWriteDeadline(time.Now().Add(l.timeout)); err != nil {
		return err
	}
	for _, v := range values {
		if err := l.enc.Encode(v); err != nil {
			return err
		}
	}
	return l.Flush()
}
