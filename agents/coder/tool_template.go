package coder

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/perception/language"
	"github.com/reachyd/reachyd/toolsandbox/registry"
	"github.com/reachyd/reachyd/toolsandbox/tester"
)

// args are the arguments of a tool.
type args = map[string]any

// toolTemplate is a tool that can be made without a language model: its source, what it must do, and which sentences want it.
type toolTemplate struct {
	name   string
	does   string // what it was made for, as the registry keeps it
	source string // read from python/ when empty
	// read takes the arguments out of a sentence; nil when the sentence is about something else.
	read func(s *language.Request, now time.Time) args
	// oracle works out in Go what the tool must return for inputs, so that its tests do not ask the tool.
	oracle func(a args) (any, error)
	inputs []args
	cases  []tester.Case // further ones
	// say puts the result into words.
	say func(a args, value any) string

	file      string            // the source of a template that is data
	arguments map[string]string // and how its arguments are read

	once sync.Once
	made json.RawMessage // the cases
	bad  error
}

// errValue is what an oracle returns when the tool must refuse its arguments.
var errValue = errors.New("ValueError")

//go:embed python/*.py
var sources embed.FS

// code is the source of the template's tool.
func (k *toolTemplate) code() string {
	if text := k.source + k.file; text != "" {
		return text
	}
	text, err := sources.ReadFile("python/" + k.name + ".py")
	if err != nil {
		panic(err) // it is in this program
	}
	return string(text)
}

// tests are the cases of the template's tool.
func (k *toolTemplate) tests() (json.RawMessage, error) {
	k.once.Do(func() { k.made, k.bad = k.examine() })
	return k.made, k.bad
}

func (k *toolTemplate) examine() (json.RawMessage, error) {
	all := slices.Clone(k.cases)
	for i, in := range k.inputs {
		c := tester.Case{Name: fmt.Sprintf("case %d", i+1), Tolerance: 1e-9}
		raw, err := json.Marshal(in)
		if err != nil {
			return nil, fmt.Errorf("cases of %s: %w", k.name, err)
		}
		c.Input = raw
		value, err := k.oracle(in)
		switch {
		case errors.Is(err, errValue):
			c.Error, c.Tolerance = "ValueError", 0
		case err != nil:
			return nil, fmt.Errorf("cases of %s: %w", k.name, err)
		default:
			if c.Expected, err = json.Marshal(value); err != nil {
				return nil, fmt.Errorf("cases of %s: %w", k.name, err)
			}
		}
		all = append(all, c)
	}
	return json.Marshal(all)
}

// draft is the template's tool as it is registered.
func (k *toolTemplate) draft(prompt string) (registry.Draft, error) {
	cases, err := k.tests()
	return registry.Draft{
		Name: k.name, Source: k.code(), Cases: cases, Author: Template, Prompt: k.does + "\n\n" + prompt,
		AllowDuplicate: true, // templates are like each other by design
	}, err
}

// Template is the author of tools that were made without a language model, and Writer that of those made with one.
const (
	Template = "template"
	Writer   = "coder"
)

// wanted is a template with the arguments of one sentence.
type wanted struct {
	*toolTemplate
	args  args
	match slots  // of a template that is data
	lacks string // what the robot lacks for it; empty: nothing
}

// answer puts the result into words.
func (u *wanted) answer(value any) string {
	if u.say != nil {
		return u.say(u.args, value)
	}
	return u.reply(value)
}

// chanceTools are templates for what sounds like work for hands: "flip a coin".
var (
	chanceTools = language.Words("chance-tools")
	toldTools   = language.Words("told-tools")
	thrownTools = language.Words("thrown-tools")
)

// template finds the template that a sentence wants; nil when it is none's.
func (c *Coder) template(s *language.Request, p planner.Plan) *wanted {
	if s.Text == "" {
		return nil
	}
	for s != nil {
		if u := c.templateOf(s, p); u != nil {
			return u
		}
		s = withoutAsides(s)
	}
	return nil
}

// templateOf is template for a sentence as it is.
func (c *Coder) templateOf(s *language.Request, p planner.Plan) *wanted {
	h := c.hear(s)
	switch p.Outcome {
	case planner.OutcomePlan:
	case planner.OutcomeNone:
		if u := h.fromData(func(name string) bool { return thrownTools[name] }); u != nil { // "flip a coin" is no text to be reversed
			return u
		}
	case planner.OutcomeError, planner.OutcomeRefuse: // "draw a card" is nothing for the hands that the robot lacks
		return h.fromData(func(name string) bool {
			return chanceTools[name] || toldTools[name] && s.HasAny("give", "get", "show", "list", "put")
		})
	default:
		return nil
	}
	may := func(name string) bool { return p.Outcome == planner.OutcomeNone || misread(name, s, p.Steps) }
	for _, k := range toolTemplates {
		if !may(k.name) {
			continue
		}
		if a := k.read(h.Request, h.now); a != nil {
			if finer := finerTools[k.name]; finer != "" {
				if u := h.fromData(func(name string) bool { return name == finer }); u != nil {
					return u
				}
			}
			return &wanted{toolTemplate: k, args: a}
		}
	}
	return h.fromData(may)
}

// finerTools are the templates that go before one that would take their sentences for texts: "reverse the words one two three".
var finerTools = language.Map("finer-tools")

// misread says whether the planner takes for a command what may be a question for the template of a name: "how many
// millilitres are in a cup" is not about what there is to be seen, "say robot backwards" not to be said as it is.
func misread(name string, s *language.Request, steps []planner.Step) bool {
	if len(steps) != 1 {
		return false
	}
	switch steps[0].Tool {
	case "detect_objects", "find_object":
		return textTools().Named(name) && s.HasAny("word", "words") || s.Has("many") || s.Has("count") || strings.ContainsAny(s.Digits, "0123456789")
	case "speak":
		return textTools().Named(name) || numberTools().Named(name) && s.HasAny(computedWords...) || name == "reverse_text" && s.HasAny("backwards", "backward")
	case "move_head": // "the roof goes up at 35 degrees , what is the tangent of 35 degrees"
		return name == "function_of" && s.HasAny(functionWords...)
	case "get_robot_state": // "the volume of a ball with a radius of 3" is not the loudspeaker's
		return strings.ContainsAny(s.Digits, "0123456789") && solidTools[name]
	}
	return false
}

// computedWords show that what is to be said is first to be worked out, and solidTools know of volumes.
var (
	computedWords = slices.Sorted(maps.Keys(language.Words("computed-words")))
	solidTools    = language.Words("solid-tools")
	functionWords = slices.Sorted(maps.Keys(language.Map("functions")))
)

// raw are the arguments as JSON.
func raw(a args) json.RawMessage {
	text, err := json.Marshal(a)
	if err != nil {
		return json.RawMessage("{}")
	}
	return text
}

// asNumber reads a number of a result.
func asNumber(v any) float64 {
	switch v := v.(type) {
	case float64:
		return v
	case int:
		return float64(v)
	case json.Number:
		if f, err := v.Float64(); err == nil {
			return f
		}
	}
	return 0
}

// decoded is a value of a result as plain data.
func decoded(v any) any {
	text, isRaw := v.(json.RawMessage)
	if !isRaw {
		var err error
		if text, err = json.Marshal(v); err != nil {
			return v
		}
	}
	var out any
	if json.Unmarshal(text, &out) != nil {
		return v
	}
	return out
}
