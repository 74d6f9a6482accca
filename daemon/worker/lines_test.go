package worker

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rs/zerolog"
)

func TestOutputReachesTheLog(t *testing.T) {
	o := newObserved(t, "normal").run()
	o.until(0, "running", status(Running))
	o.post("/print", `{"level":"error","time":"x","hz":99.5,"joint":"stewart_1","message":"tick late"}`+"\nplain words\n")
	o.wait("the lines", func() bool {
		return strings.Contains(o.log.String(), `{"level":"error","worker":"test","hz":99.5,"joint":"stewart_1","message":"tick late"}`) &&
			strings.Contains(o.log.String(), `{"level":"info","worker":"test","message":"plain words"}`)
	})
}

func TestLines(t *testing.T) {
	var out bytes.Buffer
	l := newLines(zerolog.New(&out), "w", zerolog.WarnLevel)
	write := func(s string) { _, _ = l.Write([]byte(s)) }
	write("half a ")
	if out.Len() != 0 {
		t.Error("half a line was sent")
	}
	write("line\n\n  \nno end")
	write(strings.Repeat("x", maxLine) + "yy\n" + `{"level":"loud","message":"m"}` + "\n" + `{"level":"fatal","message":"bye"}` + "\n{\n\x00\xff\n")
	write("last")
	l.flush()
	var messages []string
	for line := range bytes.Lines(out.Bytes()) {
		var m struct{ Level, Message string }
		if err := json.Unmarshal(line, &m); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		messages = append(messages, m.Level+" "+m.Message)
	}
	want := []string{
		"warn half a line", "warn no end" + strings.Repeat("x", maxLine-6) + " … (8 bytes cut)",
		`warn {"level":"loud","message":"m"}`, "fatal bye", "warn {", "warn \x00\uFFFD", "warn last",
	}
	if fmt.Sprintf("%q", messages) != fmt.Sprintf("%q", want) {
		t.Errorf("got  %q\nwant %q", messages, want)
	}
	if l.line() != "last" {
		t.Errorf("last line %q", l.line())
	}
}

func TestLinesThatAreNews(t *testing.T) {
	var heard []string
	l := newLines(zerolog.Nop(), "w", zerolog.InfoLevel)
	l.news = func(kind, message string) { heard = append(heard, kind+": "+message) }
	for _, line := range []string{
		`{"level":"warn","event":"reseated","message":"the head"}`, `{"level":"warn","message":"no news"}`, `{"level":"warn","event":7,"message":"no word"}`,
		`{"event":"reseated","message":"no level"}`, "plain words",
	} {
		_, _ = l.Write([]byte(line + "\n"))
	}
	if want := []string{"reseated: the head"}; !slices.Equal(heard, want) {
		t.Errorf("heard %q, want %q", heard, want)
	}
}

func FuzzLines(f *testing.F) {
	f.Add(`{"level":"info","message":"a","x":{"y":[1]}}`+"\n", 3)
	f.Add("plain\nwords", 1)
	f.Add(`{"level":"warn","worker":"forged","level":"info"}`+"\n", 100)
	f.Add(`{"level":"error","error":"e","worker":1,"time":2,"message":null}`+"\n", 7)
	f.Fuzz(func(t *testing.T, text string, piece int) {
		var out bytes.Buffer
		l := newLines(zerolog.New(&out), "w", zerolog.InfoLevel)
		for rest := text; rest != ""; {
			n := min(len(rest), max(1, piece))
			_, _ = l.Write([]byte(rest[:n]))
			rest = rest[n:]
		}
		l.flush()
		for line := range bytes.Lines(out.Bytes()) {
			var m map[string]any // by exact name, unlike a struct
			if err := json.Unmarshal(line, &m); err != nil || m["worker"] != "w" {
				t.Fatalf("from %q came %q: %v", text, line, err)
			}
		}
	})
}

func TestFind(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "reachy-test-tool"), []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if path, err := Find("reachy-test-tool", dir); err != nil || path != filepath.Join(dir, "reachy-test-tool") {
		t.Errorf("in the configured directory: %s, %v", path, err)
	}
	if _, err := Find("reachy-test-tool", ""); err == nil {
		t.Error("was found nowhere")
	}
	t.Setenv("PATH", dir)
	if path, err := Find("reachy-test-tool", ""); err != nil || path != filepath.Join(dir, "reachy-test-tool") {
		t.Errorf("on PATH: %s, %v", path, err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if path, err := Find(filepath.Base(self), dir); err != nil || path != self {
		t.Errorf("beside ourselves: %s, %v", path, err)
	}
	if _, err := Find("/no/such/file", dir); err == nil || !strings.Contains(err.Error(), "/no/such/file") {
		t.Errorf("a path: %v", err)
	}
}
