package worker

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/rs/zerolog"
)

// maxLine is the longest line of output that is kept, bytes.
const maxLine = 8 << 10

// newsField is the field of a line that makes it news: a word for what has happened.
const newsField = "event"

// lines is an io.Writer that sends every line of a worker's output to our log: JSON of zerolog with its level and fields,
// anything else as a message.
type lines struct {
	log   zerolog.Logger
	name  string
	level zerolog.Level // of lines that do not say theirs
	news  func(kind, message string)

	mu   sync.Mutex
	buf  []byte
	cut  int // bytes of the present line that were dropped
	last string
}

func newLines(log zerolog.Logger, name string, level zerolog.Level) *lines {
	return &lines{log: log, name: name, level: level}
}

// Write takes output in pieces of any size. It never fails.
func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := len(p)
	for {
		i := bytes.IndexByte(p, '\n')
		if i < 0 {
			l.add(p)
			return n, nil
		}
		l.add(p[:i])
		l.emit()
		p = p[i+1:]
	}
}

// ReadFrom is how package exec copies output: with less than the 32 KiB that it would keep for every pipe.
func (l *lines) ReadFrom(r io.Reader) (int64, error) {
	return io.CopyBuffer(struct{ io.Writer }{l}, r, make([]byte, 2<<10))
}

// flush sends a last line that has no end.
func (l *lines) flush() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.emit()
}

// line returns the last line that had something on it.
func (l *lines) line() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.last
}

func (l *lines) add(p []byte) {
	if room := maxLine - len(l.buf); len(p) > room {
		l.cut += len(p) - room
		p = p[:room]
	}
	l.buf = append(l.buf, p...)
}

func (l *lines) emit() {
	text, cut := bytes.TrimSpace(l.buf), l.cut
	l.buf, l.cut = l.buf[:0], 0
	if len(text) == 0 {
		return
	}
	if cut == 0 && l.structured(text) {
		return
	}
	message := strings.ToValidUTF8(string(text), "\uFFFD")
	if cut > 0 {
		message += fmt.Sprintf(" … (%d bytes cut)", cut)
	}
	l.last = message
	l.log.WithLevel(l.level).Str("worker", l.name).Msg(message)
}

// structured re-emits a line of zerolog and reports whether it was one.
func (l *lines) structured(text []byte) bool {
	if text[0] != '{' {
		return false
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(text, &fields) != nil {
		return false
	}
	var word, message string
	if json.Unmarshal(fields[zerolog.LevelFieldName], &word) != nil {
		return false
	}
	level, err := zerolog.ParseLevel(word)
	if err != nil || level > zerolog.PanicLevel {
		return false
	}
	if raw, ok := fields[zerolog.MessageFieldName]; ok && json.Unmarshal(raw, &message) != nil {
		return false
	}
	e := l.log.WithLevel(level).Str("worker", l.name)
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		switch key {
		case zerolog.LevelFieldName, zerolog.MessageFieldName, zerolog.TimestampFieldName, "worker":
		default:
			e = e.RawJSON(key, fields[key])
		}
	}
	e.Msg(message)
	var kind string
	if l.news != nil && json.Unmarshal(fields[newsField], &kind) == nil && kind != "" {
		l.news(kind, message)
	}
	if message != "" {
		l.last = message
	}
	return true
}
