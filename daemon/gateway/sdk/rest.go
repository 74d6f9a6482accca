package sdk

import (
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/reachyd/reachyd/hal"
)

// maxBody is the longest body of a request, bytes.
const maxBody = 1 << 20

// problem is an answer that is no success, in the shape of the official daemon.
type problem struct {
	code   int
	detail any // a text, or what a validation found
}

func (p *problem) Error() string { return fmt.Sprint(p.detail) }

func wrong(code int, format string, args ...any) error {
	return &problem{code, fmt.Sprintf(format, args...)}
}

// invalid says which field of the body or the address is wrong, as the official daemon's validation does.
func invalid(format string, args ...any) error {
	text := fmt.Sprintf(format, args...)
	field, _, _ := strings.Cut(text, " ")
	return &problem{http.StatusUnprocessableEntity, []map[string]any{{"loc": []string{"body", field}, "msg": text, "type": "value_error"}}}
}

// route is one operation of the REST interface. do returns what is sent as JSON.
type route struct {
	pattern string
	about   string // for people
	do      func(g *Gateway, r *http.Request) (any, error)
}

// routes are all operations; those of WebSockets are in sockets.
var routes = slices.Concat(stateRoutes, moveRoutes, robotRoutes, appRoutes, keeperRoutes, absentRoutes())

func (g *Gateway) registerREST(mux *http.ServeMux) {
	for _, r := range routes {
		mux.HandleFunc(r.pattern, func(w http.ResponseWriter, req *http.Request) {
			if !g.begin() {
				answer(w, nil, wrong(http.StatusServiceUnavailable, "reachyd is ending"))
				return
			}
			defer g.work.Done()
			v, err := r.do(g, req)
			answer(w, v, err)
		})
	}
	for pattern, serve := range sockets {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) { g.socket(w, r, serve) })
	}
	for pattern, s := range streamRoutes {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) { g.stream(w, r, s.serve) })
	}
	mux.HandleFunc("GET /docs", g.docs)
}

// answer sends a value, or what went wrong.
func answer(w http.ResponseWriter, v any, err error) {
	code := http.StatusOK
	if err != nil {
		var p *problem
		var refused *refusal
		switch {
		case errors.As(err, &p):
			code, v = p.code, map[string]any{"detail": p.detail}
		case errors.As(err, &refused):
			code, v = statusOf(refused.Code), map[string]any{"detail": refused.Error()}
		default:
			code, v = http.StatusServiceUnavailable, map[string]any{"detail": err.Error()}
		}
	}
	data, encodeErr := json.Marshal(v)
	if encodeErr != nil {
		code, data = http.StatusInternalServerError, []byte(`{"detail":"the answer is not JSON"}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_, _ = w.Write(data) // a client that is gone has no use for the error
}

// statusOf is the HTTP status of a refusal by the body.
func statusOf(code string) int {
	switch code {
	case hal.CodeInvalid, hal.CodeUnknownName, hal.CodeUnreachable:
		return http.StatusUnprocessableEntity
	case hal.CodeUnavailable, hal.CodeFault:
		return http.StatusServiceUnavailable
	}
	return http.StatusConflict
}

// decode reads the JSON body of a request into v.
func decode(r *http.Request, v any) error {
	data, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	switch {
	case err != nil:
		return wrong(http.StatusBadRequest, "the body broke off: %v", err)
	case len(data) > maxBody:
		return wrong(http.StatusRequestEntityTooLarge, "the body is longer than %d bytes", maxBody)
	case len(data) == 0:
		return invalid("body is empty; a JSON object is needed")
	}
	if err := json.Unmarshal(data, v); err != nil {
		return invalid("body is not understood: %v", err)
	}
	return nil
}

// docs lists the operations for people.
func (g *Gateway) docs(w http.ResponseWriter, _ *http.Request) {
	var b strings.Builder
	b.WriteString("<!doctype html><html lang=en><meta charset=utf-8><title>Reachy Mini: interface of the official daemon</title>" +
		"<h1>Interface of the official daemon</h1><p>Served by reachyd " + html.EscapeString(g.Version) +
		". Units are metres and radians; a pose is {x, y, z, roll, pitch, yaw} or {m: 16 numbers}.<table>")
	row := func(pattern, about string) {
		b.WriteString("<tr><td><code>" + html.EscapeString(pattern) + "</code><td>" + html.EscapeString(about) + "\n")
	}
	row("GET /ws/sdk (WebSocket)", "the Python SDK")
	for pattern := range sockets {
		row(pattern+" (WebSocket)", "")
	}
	for pattern, s := range streamRoutes {
		row(pattern, s.about)
	}
	for _, r := range routes {
		row(r.pattern, r.about)
	}
	b.WriteString("</table>")
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = io.WriteString(w, b.String())
}
