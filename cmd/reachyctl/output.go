package main

import (
	"bytes"
	"encoding/json"
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
		a.printJSON(jsonError(malformed("a message", data, err)))
		return
	}
	line.WriteByte('\n')
	a.stdout.Write(line.Bytes()) //nolint:errcheck // a reader that is gone needs no answer
}

// said prints one object with --json, else one line.
func (a *app) said(object map[string]any, format string, args ...any) error {
	if a.json {
		a.printJSON(object)
	} else {
		a.printf(format+"\n", args...)
	}
	return nil
}
