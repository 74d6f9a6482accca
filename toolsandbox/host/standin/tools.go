package standin

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/reachyd/reachyd/toolsandbox/host"
)

// parameter is what a tool of the robot takes: a number within limits, one of some words, a text, or a switch.
type parameter struct {
	name     string
	kind     string // number, text, switch
	min, max float64
	words    []string
	optional bool
}

var (
	duration = parameter{name: "duration", kind: "number", min: 0.1, max: 60, optional: true}
	prompt   = parameter{name: "prompt", kind: "text", optional: true}
)

func number(name string, limit float64, optional bool) parameter {
	return parameter{name: name, kind: "number", min: -limit, max: limit, optional: optional}
}

func text(name string) parameter { return parameter{name: name, kind: "text"} }

// parameters of the robot's tools, as the contract has them.
var parameters = map[string][]parameter{
	"move_head":    {number("pitch", 40, true), number("yaw", 180, true), number("roll", 40, true), duration},
	"set_antennas": {number("left", 180, true), number("right", 180, true), duration},
	"turn_body":    {number("yaw", 160, false), duration},
	"goto_pose":    {{name: "name", kind: "text", words: []string{"neutral", "home", "sleep"}}},
	"look_at":      {number("x", 100, true), number("y", 100, true), number("z", 100, true), {name: "target", kind: "text", optional: true}, duration},
	"track_face":   {{name: "enabled", kind: "switch", optional: true}},
	"take_photo":   {}, "analyze_scene": {prompt}, "detect_objects": {{name: "name", kind: "text", optional: true}},
	"describe_image": {text("photo"), prompt}, "speak": {text("text")}, "search_web": {text("query")}, "notify": {text("text")},
	"set_volume":      {{name: "level", kind: "number", max: 100}},
	"get_robot_state": {}, "wake_up": {}, "go_to_sleep": {}, "stop": {},
	"express_emotion": {{name: "emotion", kind: "text", words: []string{
		"happy", "sad", "surprised", "angry", "curious", "confused", "scared", "excited", "tired", "loving", "neutral",
	}}},
	"gesture":   {{name: "name", kind: "text", words: []string{"nod", "shake", "wiggle_antennas", "dance", "look_around", "bow"}}},
	"play_move": {text("name")},
}

// Tools are the names of the robot's tools.
func Tools() []string { return slices.Sorted(maps.Keys(parameters)) }

const maxText = 2000

// check reads arguments as the robot's schemas do.
func check(tool string, raw json.RawMessage) (map[string]any, error) {
	args := map[string]any{}
	d := json.NewDecoder(bytes.NewReader(raw))
	if err := d.Decode(&args); err != nil {
		return nil, fault(host.CodeInvalid, "%s: arguments: %v", tool, err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, fault(host.CodeInvalid, "%s: arguments: more than one value", tool)
	}
	rest := maps.Clone(args)
	for _, p := range parameters[tool] {
		v, given := args[p.name]
		delete(rest, p.name)
		if v == nil {
			if given || p.optional {
				delete(args, p.name)
			}
			if !p.optional {
				return nil, fault(host.CodeInvalid, "%s: %s is missing", tool, p.name)
			}
			continue
		}
		if err := p.check(v); err != nil {
			return nil, fault(host.CodeInvalid, "%s: %v", tool, err)
		}
	}
	for name := range rest {
		return nil, fault(host.CodeInvalid, "%s: unknown argument %.40q", tool, name)
	}
	return args, nil
}

func (p *parameter) check(v any) error {
	switch v := v.(type) {
	case float64:
		if p.kind == "number" && v >= p.min && v <= p.max {
			return nil
		}
		if p.kind == "number" {
			return fmt.Errorf("%s: %g, allowed %g to %g", p.name, v, p.min, p.max)
		}
	case bool:
		if p.kind == "switch" {
			return nil
		}
	case string:
		if p.kind == "text" && len(p.words) > 0 && !slices.Contains(p.words, v) {
			return fmt.Errorf("%s: %.40q, allowed %s", p.name, v, strings.Join(p.words, ", "))
		}
		if p.kind == "text" && len(v) <= maxText {
			return nil
		}
	}
	return fmt.Errorf("%s: not a %s", p.name, p.kind)
}

// Call implements host.Robot.
func (r *Robot) Call(ctx context.Context, tool string, raw json.RawMessage) (json.RawMessage, error) {
	now, err := r.enter(ctx, tool, raw)
	defer r.mu.Unlock()
	if err != nil {
		return nil, err
	}
	answer, replaced := r.config.Answers[tool]
	if _, ours := parameters[tool]; !ours {
		if replaced {
			return answer, nil
		}
		return nil, fault("unknown_tool", "there is no tool %.64q", tool)
	}
	args, err := check(tool, raw)
	if err != nil {
		return nil, err
	}
	value, err := r.do(now, tool, args)
	if err != nil || replaced {
		return answer, err
	}
	return json.Marshal(value)
}

// gestures take this long.
const gestureTime = 2 * time.Second

// do runs a tool. Tools that move are over when they return, so the robot's clock runs ahead of one
// that they do not move.
func (r *Robot) do(now time.Duration, tool string, args map[string]any) (any, error) {
	number := func(name string, otherwise float64) float64 {
		if v, ok := args[name].(float64); ok {
			return v
		}
		return otherwise
	}
	to, d := r.to, time.Duration(number("duration", 1)*float64(time.Second))
	switch tool {
	case "move_head":
		to[pitch], to[yaw], to[roll] = number("pitch", to[pitch]/degree)*degree, number("yaw", to[yaw]/degree)*degree, number("roll", to[roll]/degree)*degree
	case "set_antennas":
		to[left], to[right] = number("left", to[left]/degree)*degree, number("right", to[right]/degree)*degree
	case "turn_body":
		to[yaw] += number("yaw", 0)*degree - to[body]
		to[body] = number("yaw", 0) * degree
	case "look_at":
		lx, ly, lz := number("x", 1), number("y", 0), number("z", 0)
		to[yaw], to[pitch] = math.Atan2(ly, lx), -math.Atan2(lz, math.Hypot(lx, ly))
	case "goto_pose":
		if to = (pose{}); args["name"] == "sleep" {
			to = asleep
		}
	case "express_emotion", "gesture", "play_move":
		d = gestureTime
	case "wake_up":
		r.mode = "enabled"
		to, d = pose{}, gestureTime
	case "go_to_sleep":
		to, d = asleep, gestureTime
	case "stop":
		p := r.at(now)
		r.from, r.to, r.length = p, p, 0
		return nil, nil
	default:
		return r.sense(now, tool, args), nil
	}
	if err := r.start(now, to, d); err != nil {
		return nil, err
	}
	if tool == "go_to_sleep" {
		r.mode = "disabled"
	}
	r.until = now + d
	return map[string]any{"outcome": "accepted", "duration": d.Seconds()}, nil
}

// sense is what the tools answer that do not move.
func (r *Robot) sense(now time.Duration, tool string, args map[string]any) any {
	switch tool {
	case "analyze_scene", "describe_image":
		n := min(r.count[tool], len(r.config.Scenes)) - 1
		return map[string]any{"description": r.config.Scenes[n]}
	case "detect_objects":
		found := []Object{}
		for _, o := range r.config.Objects {
			if name, _ := args["name"].(string); name == "" || name == o.Name {
				found = append(found, o)
			}
		}
		return map[string]any{"objects": found}
	case "take_photo":
		r.photos++
		return map[string]any{"photo": fmt.Sprintf("photo-%04d.jpg", r.photos)}
	case "search_web":
		return map[string]any{"answer": fmt.Sprintf("Nothing was searched, because this robot is a stand-in: %v", args["query"])}
	case "set_volume":
		r.volume, _ = args["level"].(float64)
		return map[string]any{"level": r.volume}
	case "get_robot_state":
		s := r.state(now)
		for _, v := range []*float64{&s.Head.Roll, &s.Head.Pitch, &s.Head.Yaw, &s.BodyYaw, &s.Antennas.Left, &s.Antennas.Right} {
			*v = math.Round(*v/degree*10) / 10
		}
		return map[string]any{"mode": s.Mode, "moving": s.Moving, "head": s.Head, "body_yaw": s.BodyYaw, "antennas": s.Antennas, "estop": false}
	}
	return nil
}
