package guest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"
	"unicode/utf8"
)

// The lines between a guest and its host, one JSON object each. A guest is given one task, makes any number of calls,
// each of which is answered, and ends with one outcome. Python uses the file descriptors 0 and 1 for it, as any other
// WebAssembly module could.
type (
	task struct {
		Source    string          `json:"source,omitempty"`
		Module    string          `json:"module,omitempty"`
		Function  string          `json:"function"`
		Args      json.RawMessage `json:"args"`
		Grants    []string        `json:"grants"`
		Recursion int             `json:"recursion"`
	}
	answer struct {
		Value json.RawMessage `json:"value,omitempty"`
		Error *HostError      `json:"error,omitempty"`
		Pass  time.Duration   `json:"pass,omitempty"` // from parent to worker only
	}
	guestLine struct { // fields of these names in lower case
		Call   *string
		Args   json.RawMessage
		Value  json.RawMessage
		Error  *Error
		Reason Reason
	}
)

const (
	maxDepth    = 64
	maxCallName = 64
)

// stop ends a call from inside a host function.
type stop struct {
	reason  Reason
	message string
}

func (s *stop) Error() string { return s.message }

// parseGuestLine checks a line of a guest, of which nothing may be believed.
func parseGuestLine(line []byte) (*guestLine, error) {
	if err := checkPlain(line); err != nil {
		return nil, err
	}
	var fields map[string]json.RawMessage // a struct would take CALL for call
	if err := json.Unmarshal(line, &fields); err != nil {
		return nil, fmt.Errorf("line of the guest: %w", err)
	}
	var l guestLine
	for name, text := range fields {
		var err error
		switch name {
		case "call":
			err = json.Unmarshal(text, &l.Call)
		case "args":
			l.Args = text
		case "value":
			l.Value = text
		case "error":
			err = json.Unmarshal(text, &l.Error)
		case "reason":
			err = json.Unmarshal(text, &l.Reason)
		default:
			err = errors.New("not a field that there is")
		}
		if err != nil {
			return nil, fmt.Errorf("line of the guest: %.80q: %w", name, err)
		}
	}
	switch {
	case l.Call != nil && l.Value == nil && l.Error == nil && l.Reason == "":
		if err := checkCallName(*l.Call); err != nil {
			return nil, err
		}
		if l.Args = bytes.TrimSpace(l.Args); len(l.Args) == 0 || l.Args[0] != '{' {
			return nil, errors.New("arguments of a host call: not a JSON object")
		}
	case l.Value != nil && l.Call == nil && l.Args == nil && l.Error == nil && l.Reason == "":
	case l.Error != nil && l.Call == nil && l.Args == nil && l.Value == nil:
		switch l.Reason {
		case ReasonError, ReasonMemory, ReasonRecursion, ReasonDenied, ReasonResult, ReasonExit:
		default:
			return nil, fmt.Errorf("reason %q of the guest: not one it may give", l.Reason)
		}
	default:
		return nil, errors.New("line of the guest: not exactly one of call, value and error")
	}
	return &l, nil
}

// checkCallName allows names such as move_head and camera.read.
func checkCallName(name string) error {
	ok := len(name) > 0 && len(name) <= maxCallName
	for i, r := range []byte(name) {
		letter := r >= 'a' && r <= 'z'
		ok = ok && (letter || i > 0 && (r >= '0' && r <= '9' || r == '_' || r == '.'))
	}
	if !ok {
		return fmt.Errorf("name of a host call %.80q: allowed are lower-case letters, digits, _ and ., 1 to %d of them", name, maxCallName)
	}
	return nil
}

// checkPlain says whether text is one JSON value that every reader understands the same way: UTF-8, not deeper than
// maxDepth, without numbers that overflow and without objects that have a key twice.
func checkPlain(text []byte) error {
	if !utf8.Valid(text) {
		return errors.New("not valid UTF-8")
	}
	if !json.Valid(text) {
		return errors.New("not valid JSON")
	}
	var levels [maxDepth]level
	depth := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			start := i
			for i++; text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
			if depth > 0 && levels[depth-1].wantsKey {
				levels[depth-1].wantsKey = false
				if key, seen := levels[depth-1].see(text[start : i+1]); seen {
					return fmt.Errorf("the key %.80s is there twice", key)
				}
			}
		case c == '{' || c == '[':
			if depth == maxDepth {
				return fmt.Errorf("nested deeper than %d", maxDepth)
			}
			levels[depth].begin(c == '{')
			depth++
		case c == '}' || c == ']':
			depth--
		case c == ',':
			if depth > 0 {
				levels[depth-1].wantsKey = levels[depth-1].object
			}
		case c == '-' || c >= '0' && c <= '9':
			start := i
			for i+1 < len(text) && bytes.IndexByte([]byte("+-.eE0123456789"), text[i+1]) >= 0 {
				i++
			}
			if f, err := strconv.ParseFloat(string(text[start:i+1]), 64); err != nil || math.IsInf(f, 0) {
				return fmt.Errorf("number %.40s: too large", text[start:i+1])
			}
		}
	}
	return nil
}

// level is an object or a list that is being read.
type level struct {
	object, wantsKey bool
	few              [][]byte // keys so far, in quotes
	many             map[string]struct{}
}

// fewKeys is how many keys are compared one by one.
const fewKeys = 16

func (l *level) begin(object bool) {
	l.object, l.wantsKey, l.few, l.many = object, object, l.few[:0], nil
}

// see notes a key in quotes and says whether it was there before.
func (l *level) see(key []byte) ([]byte, bool) {
	if bytes.IndexByte(key, '\\') >= 0 { // one key can be written in several ways
		var plain string
		if json.Unmarshal(key, &plain) == nil {
			key = []byte(`"` + plain + `"`)
		}
	}
	if l.many != nil {
		_, seen := l.many[string(key)]
		l.many[string(key)] = struct{}{}
		return key, seen
	}
	for _, k := range l.few {
		if bytes.Equal(k, key) {
			return key, true
		}
	}
	if l.few = append(l.few, key); len(l.few) > fewKeys {
		l.many = make(map[string]struct{}, 4*fewKeys)
		for _, k := range l.few {
			l.many[string(k)] = struct{}{}
		}
	}
	return key, false
}

// appendLine appends v as a line of JSON. It is for values of ours, which always can be encoded.
func appendLine(b []byte, v any) ([]byte, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return b, err
	}
	return append(append(b, text...), '\n'), nil
}
