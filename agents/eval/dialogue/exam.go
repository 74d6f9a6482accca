package main

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The sections of an exam.
const (
	dialogues = "dialogues"
	singles   = "singles"
	talk      = "talk"
)

var sections = []string{dialogues, singles, talk}

// exam is what is to be said, and what must then be true.
type exam []conversation

// conversation is one with a robot of its own: a dialogue, or a single sentence.
type conversation struct {
	section string
	name    string // of the comment before it
	turns   []turn
}

type turn struct {
	line int
	text string
	want []expectation
}

// expectation is one thing that must be true after a turn.
type expectation struct {
	text string
	// kind is an axis, or what is expected by its name: still, neutral, gesture …
	kind string
	// how is =, <, >, more, less, changed or same for an axis, and the name of a gesture or an emotion.
	how   string
	angle float64 // degrees
	says  *regexp.Regexp
}

// axisNames are the axes as an exam names them.
var axisNames = []string{"yaw", "pitch", "roll", "body", "left", "right"}

const (
	still    = "still"
	neutral  = "neutral"
	sleeps   = "sleeps"
	wakes    = "wakes"
	stopped  = "stopped"
	asks     = "asks"
	replies  = "replies"
	gesture  = "gesture"
	emotion  = "emotion"
	compares = "more, less, changed, same"
	kinds    = "an axis (yaw, pitch, roll, body, left, right), still, neutral, sleeps, wakes, stopped, asks, " +
		"gesture NAME, emotion NAME, replies /expression/"
)

// mostTold is how many mistakes of a file are told at once.
const mostTold = 20

// parse reads an exam. The error names each line that is wrong, and what of it.
func parse(text string) (e exam, err error) {
	r := examReader{}
	line := 0
	for l := range strings.Lines(text) {
		line++
		r.line(line, strings.TrimSpace(l))
	}
	r.end()
	if len(r.wrong) == 0 && len(r.exam) == 0 {
		r.wrong = append(r.wrong, errors.New("it holds no sentence"))
	}
	if n := len(r.wrong) - mostTold; n > 0 {
		r.wrong = append(r.wrong[:mostTold], fmt.Errorf("%d mistakes more", n))
	}
	return r.exam, errors.Join(r.wrong...)
}

type examReader struct {
	exam    exam
	section string
	name    string
	open    []turn // of the dialogue that is being read
	wrong   []error
}

func (r *examReader) line(number int, line string) {
	fail := func(format string, a ...any) {
		r.wrong = append(r.wrong, fmt.Errorf("line %d: "+format, append([]any{number}, a...)...))
	}
	switch {
	case strings.HasPrefix(line, "## "):
		r.end()
		if r.section = strings.TrimSpace(line[len("## "):]); !slices.Contains(sections, r.section) {
			fail("section %q is none of %s", r.section, strings.Join(sections, ", "))
			r.section = dialogues
		}
		return
	case strings.HasPrefix(line, "#"):
		r.end()
		r.name = strings.TrimSpace(line[1:])
		return
	case line == "":
		r.end()
		return
	case r.section == "":
		fail("section: a line \"## dialogues\", \"## singles\" or \"## talk\" must stand before the first sentence")
		r.section = dialogues
	}
	text, expected, found := strings.Cut(line, "=>")
	t := turn{line: number, text: strings.TrimSpace(text)}
	if !found {
		fail("expectation: \"=>\" and what must be true are missing")
	}
	if t.text == "" {
		fail("sentence: there is none before \"=>\"")
	}
	for part := range split(expected) {
		for _, one := range axesOf(part) {
			x, err := expect(one)
			if err != nil {
				fail("expectation %q: %v", one, err)
			}
			t.want = append(t.want, x)
		}
	}
	if found && len(t.want) == 0 {
		fail("expectation: there is none behind \"=>\"")
	}
	r.open = append(r.open, t)
	if r.section != dialogues {
		r.end()
	}
}

// end closes the conversation that is being read.
func (r *examReader) end() {
	if len(r.open) > 0 {
		r.exam = append(r.exam, conversation{section: r.section, name: r.name, turns: r.open})
		r.open, r.name = nil, ""
	}
}

// split cuts expectations at semicolons that stand in no regular expression.
func split(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		from, within := 0, false
		for i := 0; i <= len(text); i++ {
			switch {
			case i < len(text) && text[i] == '/' && (!within || text[i-1] != '\\'):
				within = !within
			case i == len(text) || text[i] == ';' && !within:
				if part := strings.TrimSpace(text[from:i]); part != "" && !yield(part) {
					return
				}
				from = i + 1
			}
		}
	}
}

// axesOf are the expectations of axes that stand side by side without semicolons: "yaw=20 pitch=-15".
func axesOf(part string) []string {
	fields := strings.Fields(part)
	for _, f := range fields {
		if at := strings.IndexAny(f, "=<>"); at < 0 || !slices.Contains(axisNames, f[:at]) {
			return []string{part}
		}
	}
	return fields
}

func expect(text string) (expectation, error) {
	x := expectation{text: text}
	word, rest, _ := strings.Cut(text, " ")
	rest = strings.TrimSpace(rest)
	switch word {
	case still, neutral, sleeps, wakes, stopped, asks:
		if x.kind = word; rest != "" {
			return x, fmt.Errorf("%q takes no value, and %q stands behind it", word, rest)
		}
		return x, nil
	case gesture, emotion:
		if x.kind, x.how = word, rest; rest == "" {
			return x, fmt.Errorf("the name of the %s is missing", word)
		}
		return x, nil
	case replies:
		x.kind = word
		n := len(rest)
		if n < 2 || rest[0] != '/' || rest[n-1] != '/' {
			return x, errors.New("a regular expression between slashes must follow: replies /twelve|12/")
		}
		var err error
		x.says, err = regexp.Compile("(?i)" + strings.ReplaceAll(rest[1:n-1], `\/`, "/"))
		return x, err
	}
	return axisExpected(x, text)
}

// axisExpected reads "yaw=20", "pitch<-5", "roll more".
func axisExpected(x expectation, text string) (expectation, error) {
	at := strings.IndexAny(text, "=<> ")
	if at < 0 || !slices.Contains(axisNames, text[:at]) {
		return x, errors.New("it is none of " + kinds)
	}
	x.kind = text[:at]
	value := strings.TrimSpace(text[at:])
	switch x.how = value[:1]; x.how {
	case "=", "<", ">":
		v, err := strconv.ParseFloat(strings.TrimSpace(value[1:]), 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return x, fmt.Errorf("%s: %q is no number of degrees", x.kind, strings.TrimSpace(value[1:]))
		}
		x.angle = v
		return x, nil
	}
	x.how = value
	if !slices.Contains(strings.Split(compares, ", "), value) {
		return x, fmt.Errorf("%s: %q is none of =, <, >, %s", x.kind, value, compares)
	}
	return x, nil
}
