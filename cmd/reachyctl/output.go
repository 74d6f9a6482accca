package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/term"
)

// style says whether and how to colour.
type style struct {
	tty bool // the output is a terminal
	on  bool // and colours are wanted
}

// styleFor colours a terminal only, and not when NO_COLOR is set (to anything) or the terminal is dumb.
func styleFor(w io.Writer, env map[string]string) style {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return style{}
	}
	return style{tty: true, on: env["NO_COLOR"] == "" && env["TERM"] != "dumb"}
}

// width is how many characters a line of the terminal has; 0 when the output is none.
func (a *app) width() int {
	f, ok := a.stdout.(*os.File)
	if !ok || !a.style.tty {
		return 0
	}
	w, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return w
}

// The colours in use: their codes for a terminal.
const (
	red    = "31"
	green  = "32"
	yellow = "33"
	bold   = "1"
	faint  = "2"
)

func (s style) paint(code, text string) string {
	if !s.on {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (a *app) printf(format string, args ...any) {
	fmt.Fprintf(a.stdout, format, args...) //nolint:errcheck // a reader that is gone needs no answer
}

// printJSON prints one JSON object on one line.
func (a *app) printJSON(v any) {
	e := json.NewEncoder(a.stdout)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		fmt.Fprintf(a.stderr, "reachyctl: %v\n", err) //nolint:errcheck // nowhere left to say so
	}
}

// printRaw prints a JSON value that came from the robot, on one line.
func (a *app) printRaw(data []byte) {
	var line bytes.Buffer
	if err := json.Compact(&line, data); err != nil {
		a.printJSON(jsonError(&malformedError{"a message", data, err}))
		return
	}
	line.WriteByte('\n')
	a.stdout.Write(line.Bytes()) //nolint:errcheck // a reader that is gone needs no answer
}

// jsonError is how an error looks with --json: like a reply of the robot that was refused.
func jsonError(err error) any {
	e := struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	}{"failed", err.Error()}
	var unreachable *unreachableError
	var refused *refusedError
	switch {
	case errors.As(err, &unreachable):
		e.Code = "unreachable"
	case errors.As(err, &refused):
		e.Code, e.Message = refused.Code, refused.Message
	}
	return map[string]any{"ok": false, "error": e}
}

// malformedError says that the robot sent something that does not fit package api.
type malformedError struct {
	what string
	data []byte
	err  error
}

func (e *malformedError) Error() string {
	const most = 60
	text := string(e.data)
	if len(text) > most {
		text = text[:most] + "…"
	}
	return fmt.Sprintf("the robot sent %s that cannot be read: %v: %q; do reachyd and reachyctl have the same version?", e.what, e.err, text)
}

func (e *malformedError) Unwrap() error { return e.err }
