package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"golang.org/x/term"
)

// Style says whether and how to colour.
type Style struct {
	Tty bool // the output is a terminal
	on  bool // and colours are wanted
}

// StyleFor colours a terminal only, and not when NO_COLOR is set (to anything) or the terminal is dumb.
func StyleFor(w io.Writer, env map[string]string) Style {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return Style{}
	}
	return Style{Tty: true, on: env["NO_COLOR"] == "" && env["TERM"] != "dumb"}
}

// Width is how many characters a line of the terminal has; 0 when the output is none.
func (a *App) Width() int {
	f, ok := a.Stdout.(*os.File)
	if !ok || !a.Style.Tty {
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
	Red    = "31"
	Green  = "32"
	Yellow = "33"
	Bold   = "1"
	Faint  = "2"
)

// Paint colours a text if colours are wanted.
func (s Style) Paint(code, text string) string {
	if !s.on {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// Printf prints what people read.
func (a *App) Printf(format string, args ...any) {
	fmt.Fprintf(a.Stdout, format, args...) //nolint:errcheck // a reader that is gone needs no answer
}

// PrintJSON prints one JSON object on one line.
func (a *App) PrintJSON(v any) {
	e := json.NewEncoder(a.Stdout)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		fmt.Fprintf(a.Stderr, "reachyctl: %v\n", err) //nolint:errcheck // nowhere left to say so
	}
}

// PrintRaw prints a JSON value that came from the robot, on one line.
func (a *App) PrintRaw(data []byte) {
	var line bytes.Buffer
	if err := json.Compact(&line, data); err != nil {
		a.PrintJSON(jsonError(Malformed("a message", data, err)))
		return
	}
	line.WriteByte('\n')
	a.Stdout.Write(line.Bytes()) //nolint:errcheck // a reader that is gone needs no answer
}

// Said prints one object with --json, else one line.
func (a *App) Said(object map[string]any, format string, args ...any) error {
	if a.JSON {
		a.PrintJSON(object)
	} else {
		a.Printf(format+"\n", args...)
	}
	return nil
}
