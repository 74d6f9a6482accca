package tester

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/reachyd/reachyd/toolsandbox/guest"
)

// Conditions are what a case wishes of the robot.
type Conditions struct {
	CameraAway bool              `json:"camera_away,omitempty"`
	Objects    []Object          `json:"objects,omitempty"` // in sight; nil: an apple and a face
	Fail       map[string]string `json:"fail,omitempty"`    // call name to the message with which it fails
	Files      map[string]string `json:"files,omitempty"`   // that come with the call: name to content
}

// Object is something the stand-in's camera sees.
type Object struct {
	Name       string     `json:"name"`
	Box        [4]float64 `json:"box"` // x, y, width, height in pixels of 640 by 480
	Confidence float64    `json:"confidence"`
}

// Robot stands in for the robot: it has its limits, its moves take their time on the tool's clock, and it remembers
// what it was asked. Results are those of the contract: status, data, message.
type Robot struct {
	// Else answers calls that the robot does not know. May be nil.
	Else guest.HostFunc

	conditions Conditions
	mu         sync.Mutex
	names      []string
	head       [3]float64 // degrees: roll, pitch, yaw
	bodyYaw    float64
	left       float64
	right      float64
	volume     float64
	awake      bool
	tracking   bool
	photos     int
	doneAt     time.Duration // when the last move ends
}

// NewRobot makes a robot that is awake and looks ahead.
func NewRobot(c Conditions) *Robot {
	if c.Objects == nil {
		c.Objects = []Object{{"apple", [4]float64{300, 250, 60, 58}, 0.91}, {"face", [4]float64{210, 90, 120, 150}, 0.97}}
	}
	return &Robot{conditions: c, volume: 60, awake: true}
}

// RobotCalls are the names that a Robot answers.
func RobotCalls() []string { return slices.Sorted(maps.Keys(robotCalls)) }

// Names are the calls so far.
func (r *Robot) Names() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.names)
}

// watch notes the calls that somebody else answers.
func (r *Robot) watch(answers guest.HostFunc) guest.HostFunc {
	return func(ctx context.Context, c guest.HostCall) (json.RawMessage, error) {
		r.mu.Lock()
		r.names = append(r.names, c.Name)
		r.mu.Unlock()
		return answers(ctx, c)
	}
}

type reply struct {
	Status  string `json:"status"`
	Data    any    `json:"data,omitempty"`
	Message string `json:"message"`
}

func done(message string, data any) reply { return reply{"success", data, message} }

func refuse(format string, args ...any) reply {
	return reply{Status: "error", Message: fmt.Sprintf(format, args...)}
}

// Call answers a host call; it is a guest.HostFunc.
func (r *Robot) Call(ctx context.Context, c guest.HostCall) (json.RawMessage, error) {
	r.mu.Lock()
	r.names = append(r.names, c.Name)
	f, known := robotCalls[c.Name]
	if !known {
		r.mu.Unlock()
		if r.Else == nil {
			return nil, &guest.HostError{Code: "denied", Message: c.Name + " was not granted to this tool"}
		}
		return r.Else(ctx, c)
	}
	defer r.mu.Unlock()
	if message, fails := r.conditions.Fail[c.Name]; fails {
		return json.Marshal(refuse("%s", message))
	}
	a := arguments{}
	if err := json.Unmarshal(c.Args, &a); err != nil {
		return nil, err
	}
	answer := f(r, a, c.At)
	c.Pass(r.doneAt - c.At) // as on the robot, a move is over when its call returns
	return json.Marshal(answer)
}

// arguments are those of a call, by name.
type arguments map[string]any

// number is a numeric argument; ok is false when it is something else or out of range.
func (a arguments) number(name string, otherwise, low, high float64) (float64, *reply) {
	v, given := a[name]
	if !given || v == nil {
		return otherwise, nil
	}
	n, ok := v.(float64)
	if !ok || n < low || n > high || math.IsNaN(n) {
		bad := refuse("%s is %v, allowed are %g to %g", name, v, low, high)
		return 0, &bad
	}
	return n, nil
}

func (a arguments) text(name string) (string, *reply) {
	s, ok := a[name].(string)
	if !ok || s == "" {
		bad := refuse("%s is %v, allowed is a text", name, a[name])
		return "", &bad
	}
	return s, nil
}

// numbers reads several at once: name, otherwise, low, high, and where it goes.
type number struct {
	name                 string
	otherwise, low, high float64
	into                 *float64
}

func (a arguments) numbers(wanted ...number) *reply {
	values := make([]float64, len(wanted))
	for i, w := range wanted {
		v, bad := a.number(w.name, w.otherwise, w.low, w.high)
		if bad != nil {
			return bad // before anything was changed
		}
		values[i] = v
	}
	for i, w := range wanted {
		*w.into = values[i]
	}
	return nil
}

func (r *Robot) move(at time.Duration, seconds float64, message string) reply {
	if !r.awake {
		return refuse("the robot sleeps; wake_up first")
	}
	r.doneAt = max(r.doneAt, at) + time.Duration(seconds*float64(time.Second))
	return done(message, map[string]any{"duration": seconds})
}

func oneOf(what string, allowed ...string) func(*Robot, arguments, time.Duration) reply {
	return func(r *Robot, a arguments, at time.Duration) reply {
		name, bad := a.text(what)
		if bad != nil {
			return *bad
		}
		if len(allowed) > 0 && !slices.Contains(allowed, name) {
			return refuse("%s is %q, allowed are %q", what, name, allowed)
		}
		return r.move(at, 1, name)
	}
}

var robotCalls = map[string]func(r *Robot, a arguments, at time.Duration) reply{
	"move_head": func(r *Robot, a arguments, at time.Duration) reply {
		var d float64
		if bad := a.numbers(number{"roll", r.head[0], -40, 40, &r.head[0]}, number{"pitch", r.head[1], -40, 40, &r.head[1]},
			number{"yaw", r.head[2], -180, 180, &r.head[2]}, number{"duration", 1, 0.1, 60, &d}); bad != nil {
			return *bad
		}
		return r.move(at, d, "head moved")
	},
	"set_antennas": func(r *Robot, a arguments, at time.Duration) reply {
		var d float64
		if bad := a.numbers(number{"left", r.left, -180, 180, &r.left}, number{"right", r.right, -180, 180, &r.right}, number{"duration", 1, 0.1, 60, &d}); bad != nil {
			return *bad
		}
		return r.move(at, d, "antennas set")
	},
	"turn_body": func(r *Robot, a arguments, at time.Duration) reply {
		var d float64
		if bad := a.numbers(number{"yaw", 0, -160, 160, &r.bodyYaw}, number{"duration", 1, 0.1, 60, &d}); bad != nil {
			return *bad
		}
		return r.move(at, d, "body turned")
	},
	"look_at": func(r *Robot, a arguments, at time.Duration) reply {
		if name, ok := a["target"].(string); ok {
			if !slices.ContainsFunc(r.conditions.Objects, func(o Object) bool { return o.Name == name }) {
				return refuse("%s is not in sight", name)
			}
			return r.move(at, 1, "looking at "+name)
		}
		var x, y, z, d float64
		if bad := a.numbers(number{"x", 1, -10, 10, &x}, number{"y", 0, -10, 10, &y}, number{"z", 0, -10, 10, &z}, number{"duration", 1, 0.1, 60, &d}); bad != nil {
			return *bad
		}
		r.head[2] = math.Atan2(y, x) * 180 / math.Pi
		r.head[1] = min(max(-math.Atan2(z, math.Hypot(x, y))*180/math.Pi, -40), 40)
		return r.move(at, d, "looking there")
	},
	"take_photo": func(r *Robot, _ arguments, at time.Duration) reply {
		if r.conditions.CameraAway {
			return refuse("there is no camera")
		}
		r.photos++
		return done("photo taken", map[string]any{"photo": fmt.Sprintf("photo-%04d.jpg", r.photos), "width": 640, "height": 480, "at": at.Seconds()})
	},
	"analyze_scene":  func(r *Robot, _ arguments, _ time.Duration) reply { return r.see() },
	"describe_image": func(r *Robot, _ arguments, _ time.Duration) reply { return r.see() },
	"detect_objects": func(r *Robot, a arguments, _ time.Duration) reply {
		if r.conditions.CameraAway {
			return refuse("there is no camera")
		}
		found := []Object{}
		for _, o := range r.conditions.Objects {
			if name, ok := a["name"].(string); !ok || name == o.Name {
				found = append(found, o)
			}
		}
		return done(fmt.Sprintf("%d found", len(found)), found)
	},
	"get_robot_state": func(r *Robot, _ arguments, at time.Duration) reply {
		return done("state", map[string]any{
			"mode": map[bool]string{true: "awake", false: "asleep"}[r.awake], "moving": at < r.doneAt, "volume": r.volume, "tracking": r.tracking,
			"head":     map[string]float64{"x": 0, "y": 0, "z": 0, "roll": r.head[0], "pitch": r.head[1], "yaw": r.head[2]},
			"body_yaw": r.bodyYaw, "antennas": map[string]float64{"left": r.left, "right": r.right}, "estop": false, "faults": []string{},
		})
	},
	"speak": func(_ *Robot, a arguments, _ time.Duration) reply {
		text, bad := a.text("text")
		if bad != nil {
			return *bad
		}
		return done("said", map[string]any{"text": text, "seconds": float64(len(text)) / 15})
	},
	"set_volume": func(r *Robot, a arguments, _ time.Duration) reply {
		if bad := a.numbers(number{"level", r.volume, 0, 100, &r.volume}); bad != nil {
			return *bad
		}
		return done("volume set", map[string]any{"level": r.volume})
	},
	"track_face": func(r *Robot, a arguments, _ time.Duration) reply {
		enabled, ok := a["enabled"].(bool)
		if !ok {
			return refuse("enabled is %v, allowed are true and false", a["enabled"])
		}
		r.tracking = enabled
		return done("tracking", map[string]any{"enabled": enabled})
	},
	"express_emotion": oneOf("emotion", "happy", "sad", "surprised", "angry", "curious", "confused", "scared", "excited", "tired", "loving", "neutral"),
	"gesture":         oneOf("name", "nod", "shake", "wiggle_antennas", "dance", "look_around", "bow"),
	"play_move":       oneOf("name"),
	"goto_pose":       oneOf("name"),
	"notify":          func(*Robot, arguments, time.Duration) reply { return done("noted", nil) },
	"search_web": func(_ *Robot, a arguments, _ time.Duration) reply {
		if _, bad := a.text("query"); bad != nil {
			return *bad
		}
		return done("3 results", []map[string]string{{"title": "First result", "snippet": "A text about it."}, {"title": "Second result", "snippet": "More."}, {"title": "Third result", "snippet": "The rest."}})
	},
	"wake_up": func(r *Robot, _ arguments, at time.Duration) reply {
		r.awake = true
		return r.move(at, 2, "awake")
	},
	"go_to_sleep": func(r *Robot, _ arguments, at time.Duration) reply {
		answer := r.move(at, 2, "asleep")
		r.awake = false
		return answer
	},
	"stop": func(r *Robot, _ arguments, at time.Duration) reply {
		r.doneAt = at
		return done("stopped", nil)
	},
}

func (r *Robot) see() reply {
	if r.conditions.CameraAway {
		return refuse("there is no camera")
	}
	text := "Nothing in particular is to be seen."
	if n := len(r.conditions.Objects); n > 0 {
		text = fmt.Sprintf("%d things are to be seen, among them: %s.", n, r.conditions.Objects[0].Name)
	}
	return done("seen", map[string]any{"description": text, "objects": r.conditions.Objects})
}
