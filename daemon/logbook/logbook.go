// Package logbook keeps the latest lines of reachyd's log in memory, so that a person sees them without a shell on the host.
package logbook

import (
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"github.com/reachyd/reachyd/api"
)

const (
	// kept is how many lines are kept, and maxLine how long each may be: longer ones are told by their length only.
	kept    = 500
	maxLine = 1 << 10
)

// Book is a writer of the JSON lines of zerolog. A line costs a copy of it; it is read when somebody asks. The zero Book is empty.
type Book struct {
	mu    sync.Mutex
	lines [kept][]byte // line n is at n % kept
	last  uint64
}

// Write keeps a line. It never fails.
func (b *Book) Write(line []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.last++
	at := &b.lines[b.last%kept]
	if len(line) > maxLine {
		*at = nil // its place would stay as large
		return len(line), nil
	}
	*at = append((*at)[:0], line...)
	return len(line), nil
}

// Lines returns the newest limit lines of a level or graver, the oldest first; with after the first limit behind that line.
func (b *Book) Lines(after uint64, limit int, level zerolog.Level) api.LogList {
	b.mu.Lock()
	defer b.mu.Unlock()
	list := api.LogList{Lines: []api.LogLine{}, Last: b.last}
	first := uint64(1)
	if b.last > kept {
		first = b.last - kept + 1
	}
	if after > 0 {
		for n := max(first, after+1); n <= b.last && len(list.Lines) < limit; n++ {
			b.add(&list, n, level)
		}
		return list
	}
	for n := b.last; n >= first && len(list.Lines) < limit; n-- {
		b.add(&list, n, level)
	}
	slices.Reverse(list.Lines)
	return list
}

// add reads a line and adds it to a list if it is grave enough; b.mu is held.
func (b *Book) add(list *api.LogList, n uint64, level zerolog.Level) {
	text := b.lines[n%kept]
	line := api.LogLine{N: n, Level: zerolog.LevelInfoValue, Fields: map[string]any{}}
	switch {
	case text == nil:
		line.Message = "a line that is too long to be kept here"
	case json.Unmarshal(text, &line.Fields) != nil:
		line.Message = string(text)
	}
	for name, into := range map[string]*string{zerolog.LevelFieldName: &line.Level, zerolog.MessageFieldName: &line.Message} {
		if v, ok := line.Fields[name].(string); ok {
			*into = v
			delete(line.Fields, name)
		}
	}
	if v, ok := line.Fields[zerolog.TimestampFieldName].(string); ok {
		if ts, err := time.Parse(time.RFC3339Nano, v); err == nil {
			line.TS = api.Time(ts)
			delete(line.Fields, zerolog.TimestampFieldName)
		}
	}
	if grave, err := zerolog.ParseLevel(line.Level); err == nil && grave < level {
		return
	}
	list.Lines = append(list.Lines, line)
}
