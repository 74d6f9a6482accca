package dialogue

import (
	"maps"
	"math"
	"reflect"
	"slices"

	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/hal/catalog"
	"github.com/reachyd/reachyd/perception/language"
)

// partAxes are the axes that a movement of a part can be carried over to: one to one.
var partAxes = map[string][]planner.Axis{
	"head": {planner.Yaw}, "body": {planner.BodyYaw}, "leftAntenna": {planner.LeftAntenna}, "rightAntenna": {planner.RightAntenna},
	"antennas": {planner.LeftAntenna, planner.RightAntenna},
}

// withPart is a movement as another part would do it.
func withPart(s planner.Step, part string) (planner.Step, bool) {
	from, to := partAxes[partOf(s)], partAxes[part]
	if len(from) == 0 || len(to) == 0 || isAntenna(partOf(s)) != isAntenna(part) {
		return s, false
	}
	out := planner.Step{Tool: arguments[to[0]].tool, Args: map[string]any{}}
	if d, ok := s.Args["duration"]; ok {
		out.Args["duration"] = d
	}
	for _, a := range to {
		source := from[0]
		if slices.Contains(from, a) {
			source = a
		}
		way := s.Axes[source]
		value, ok := s.Args[arguments[source].name].(float64)
		if way == planner.Unnamed || !ok {
			return s, false
		}
		if (way == planner.Apart || way.Relative() && isAntenna(part) && way != planner.Rise && way != planner.Sink) && a != source {
			value = language.Tidy(-value)
		}
		out.Args[arguments[a].name], out.Axes[a] = value, way
	}
	return out, true
}

// mirrored are steps the other way round; ok is false when there is no other way.
func mirrored(steps []planner.Step) (out []planner.Step, ok bool) {
	for _, s := range steps {
		args := maps.Clone(s.Args)
		if inner, nested := args["steps"].([]planner.Step); nested {
			other, turned := mirrored(inner)
			args["steps"], ok = other, ok || turned
		}
		for a := range planner.NumAxes {
			value, isNumber := args[arguments[a].name].(float64)
			switch way := s.Axes[a]; {
			case way == planner.Unnamed || !isNumber:
			case way == planner.Rise:
				s.Axes[a], ok = planner.Sink, true
			case way == planner.Sink:
				s.Axes[a], ok = planner.Rise, true
			case way == planner.Apart && value == 0: // up: down
				args[arguments[a].name], ok = map[planner.Axis]float64{planner.LeftAntenna: 180, planner.RightAntenna: -180}[a], true
			case way == planner.Apart:
				args[arguments[a].name], ok = 0.0, true
			case value != 0:
				args[arguments[a].name], ok = -value, true
			}
		}
		out = append(out, planner.Step{Tool: s.Tool, Args: args, Axes: s.Axes})
	}
	return out, ok
}

// scaled are steps that take so many times as long.
func scaled(steps []planner.Step, factor float64) []planner.Step {
	out := make([]planner.Step, len(steps))
	for i, s := range steps {
		args := maps.Clone(s.Args)
		if inner, nested := args["steps"].([]planner.Step); nested {
			args["steps"] = scaled(inner, factor)
		}
		d, ok := args["duration"].(float64)
		if !ok && factor != 1 {
			d = lasting(s)
		}
		if d > 0 {
			args["duration"] = min(max(d*factor, catalog.MoveTime.Min), catalog.MoveTime.Max)
		}
		out[i] = planner.Step{Tool: s.Tool, Args: args, Axes: s.Axes}
	}
	return out
}

// alike reports whether steps are the same.
func alike(a, b []planner.Step) bool { return reflect.DeepEqual(a, b) }

var (
	exchanges     = language.Phrases("exchanges")
	exchangeSmall = language.Words("exchange-small")
)

// exchanged does the last command with the angles of its two parts the other way round: "body 20 and head 10 the wrong way round". Every
// word of such a sentence is of the tables.
func (r *reader) exchanged() (Reading, bool) {
	if r.Last == nil || len(r.Last.Steps) != 2 { //nolint:mnd // two parts
		return Reading{}, false
	}
	toks, found := r.u.Tokens[r.u.Address.To:], false
	for i := 0; i < len(toks); {
		n := exchanges.Len(toks, i)
		found = found || n > 0
		if toks.IsMark(i) || toks[i].Kind == language.Number || exchangeSmall[toks.Word(i)] {
			n = max(n, 1)
		}
		if n = max(n, parts.Len(toks, i)); n == 0 {
			return Reading{}, false
		}
		i += n
	}
	var axes, tools [2]string
	var degs [2]float64
	steps := slices.Clone(r.Last.Steps)
	for i, s := range steps {
		for a, way := range s.Axes {
			if v, ok := s.Args[arguments[a].name].(float64); ok && way != planner.Unnamed {
				if axes[i] != "" {
					return Reading{}, false // several axes of one part
				}
				axes[i], tools[i], degs[i] = arguments[a].name, s.Tool, v
			}
		}
	}
	if !found || axes[0] == "" || axes[1] == "" || tools[0] == tools[1] {
		return Reading{}, false
	}
	for i := range steps {
		steps[i].Args = maps.Clone(steps[i].Args)
		steps[i].Args[axes[i]] = signed(math.Abs(degs[1-i]), degs[i])
	}
	return r.replaces(r.deed(steps)), true
}
