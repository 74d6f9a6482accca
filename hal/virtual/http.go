package virtual

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// maxFaultsJSON is the longest accepted body of PUT /faults.
const maxFaultsJSON = 16 << 10

// FaultsHandler serves the faults as JSON: GET reads them, PUT replaces them all, DELETE heals. Every answer is what
// is switched on afterwards; what is wrong with a PUT is said with status 400 as {"error":…} and changes nothing.
func (c *Chain) FaultsHandler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var err error
		switch r.Method {
		case http.MethodGet:
		case http.MethodPut:
			var f Faults
			if f, err = decodeFaults(http.MaxBytesReader(w, r.Body, maxFaultsJSON)); err == nil {
				err = c.SetFaults(f)
			}
		case http.MethodDelete:
			err = c.SetFaults(Faults{})
		default:
			w.Header().Set("Allow", "GET, PUT, DELETE")
			http.Error(w, "allowed are GET, PUT and DELETE", http.StatusMethodNotAllowed)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
			json.NewEncoder(w).Encode(map[string]string{"error": err.Error()}) //nolint:errcheck // the client is gone
			return
		}
		json.NewEncoder(w).Encode(c.Faults()) //nolint:errcheck // the client is gone
	})
}

func decodeFaults(r io.Reader) (f Faults, err error) {
	d := json.NewDecoder(r)
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil {
		return f, fmt.Errorf("faults: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return f, errors.New("faults: more than one JSON value")
	}
	return f, nil
}
