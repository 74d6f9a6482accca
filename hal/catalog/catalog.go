// Package catalog is what the robot can do, as plain data: tools with their arguments, poses, gestures, emotions, ranges.
//
// Everything else derives from it: the schemas of the tools, what the planner plans, the choices in Home Assistant, the
// Python module reachy, the names that a self-made tool cannot have, and the fake robot that tools are tested with.
// Angles are degrees and lengths metres, unless a field says otherwise; +yaw is left, +pitch down, +roll to the robot's right.
package catalog

import "slices"

// Kind is what kind of value an argument has.
type Kind string

// The kinds of arguments; they are the types of JSON Schema.
const (
	Number  Kind = "number"
	Integer Kind = "integer"
	Text    Kind = "string"
	Boolean Kind = "boolean"
	Object  Kind = "object"
	Array   Kind = "array"
)

// Argument is one argument of a tool.
type Argument struct {
	Name        string
	Kind        Kind
	Description string
	Required    bool
	Default     any      // filled in when the argument is left out; nil for none
	Range       Range    // number, integer
	MaxLength   int      // text: characters
	Enum        []string // text: the allowed values
	MaxItems    int      // array
	// Items are the properties of the objects in an array. An object takes any property.
	Items []Argument
}

// Tool is something that the robot can be told to do by name.
type Tool struct {
	Name        string
	Description string
	// Act says what the robot does, after "I could not …"; {argument} stands for the value of an argument.
	Act string
	// Moves says that the tool can move the robot.
	Moves bool
	// Arguments are in the order in which Python takes them without names.
	Arguments []Argument
}

// ToolNamed returns the tool of that name; nil when there is none.
func ToolNamed(name string) *Tool {
	return find(Tools, func(t *Tool) bool { return t.Name == name })
}

// GestureNamed returns the gesture of that name; nil when there is none.
func GestureNamed(name string) *Gesture {
	return find(Gestures, func(g *Gesture) bool { return g.Name == name })
}

// EmotionNamed returns the emotion of that name; nil when there is none.
func EmotionNamed(name string) *Emotion {
	return find(Emotions, func(e *Emotion) bool { return e.Name == name })
}

// PoseNamed returns the pose of that name; nil when there is none.
func PoseNamed(name string) *Pose {
	return find(Poses, func(p *Pose) bool { return p.Name == name })
}

func find[T any](rows []T, is func(*T) bool) *T {
	for i := range rows {
		if is(&rows[i]) {
			return &rows[i]
		}
	}
	return nil
}

// Argument returns the argument of that name; nil when the tool has none.
func (t *Tool) Argument(name string) *Argument {
	return find(t.Arguments, func(a *Argument) bool { return a.Name == name })
}

// ToolNames lists the names of the tools, sorted.
func ToolNames() []string { return names(Tools, func(t *Tool) string { return t.Name }, true) }

// GestureNames lists the names of the gestures, in the order of the table.
func GestureNames() []string {
	return names(Gestures, func(g *Gesture) string { return g.Name }, false)
}

// EmotionNames lists the names of the emotions, in the order of the table.
func EmotionNames() []string {
	return names(Emotions, func(e *Emotion) string { return e.Name }, false)
}

// PoseNames lists the names of the poses, sorted.
func PoseNames() []string { return names(Poses, func(p *Pose) string { return p.Name }, true) }

func names[T any](rows []T, name func(*T) string, sorted bool) []string {
	all := make([]string, len(rows))
	for i := range rows {
		all[i] = name(&rows[i])
	}
	if sorted {
		slices.Sort(all)
	}
	return all
}
