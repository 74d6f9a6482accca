package catalog

import (
	"regexp"
	"slices"
	"testing"
)

var snake = regexp.MustCompile(`^[a-z]+(_[a-z]+)*$`)

func TestNamesAreUnique(t *testing.T) {
	for what, all := range map[string][]string{
		"tool": ToolNames(), "gesture": GestureNames(), "emotion": EmotionNames(), "pose": PoseNames(),
	} {
		if len(all) == 0 {
			t.Errorf("there is no %s", what)
		}
		slices.Sort(all)
		for i, name := range all {
			if !snake.MatchString(name) {
				t.Errorf("%s %q: a name is words of lower-case letters with underscores between", what, name)
			}
			if i > 0 && all[i-1] == name {
				t.Errorf("%s %q is there twice", what, name)
			}
		}
	}
}

func TestEverythingIsSaid(t *testing.T) {
	for _, tool := range Tools {
		if tool.Act == "" || tool.Description == "" {
			t.Errorf("tool %s: act %q, description %q", tool.Name, tool.Act, tool.Description)
		}
	}
	for _, g := range Gestures {
		if g.Act == "" || g.Done == "" {
			t.Errorf("gesture %s: act %q, done %q", g.Name, g.Act, g.Done)
		}
	}
	for _, p := range Poses {
		if p.Done == "" || p.Head == nil && p.BodyYaw == nil && p.Antennas == nil {
			t.Errorf("pose %+v", p)
		}
	}
}

func TestArguments(t *testing.T) {
	for _, tool := range Tools {
		optional := false
		for _, a := range tool.Arguments {
			if a.Required && optional {
				t.Errorf("%s: %s is required but stands behind one that is not", tool.Name, a.Name)
			}
			optional = !a.Required
			checkArgument(t, tool.Name, &a)
		}
	}
}

func checkArgument(t *testing.T, tool string, a *Argument) {
	t.Helper()
	bad := ""
	switch a.Kind {
	case Number, Integer:
		if a.Range.Min >= a.Range.Max {
			bad = "its range is empty"
		}
		if v, ok := a.Default.(float64); a.Default != nil && (!ok || !a.Range.Contains(v)) {
			bad = "its default is out of range"
		}
	case Text:
		if (a.MaxLength > 0) == (len(a.Enum) > 0) {
			bad = "it needs a length or an enum"
		}
	case Array:
		if a.MaxItems <= 0 || len(a.Items) == 0 {
			bad = "it needs items and their number"
		}
		for i := range a.Items {
			checkArgument(t, tool+"."+a.Name, &a.Items[i])
		}
	case Boolean, Object:
	default:
		bad = "its kind is unknown"
	}
	if a.Description == "" {
		bad = "it is not described"
	}
	if a.Required && a.Default != nil {
		bad = "it is required and has a default"
	}
	if bad != "" {
		t.Errorf("%s: %s %+v: %s", tool, a.Name, *a, bad)
	}
}

// Key frames begin in the pose in which the robot is, rise in time, and stay within what the robot can do.
func TestKeyframes(t *testing.T) {
	animations := map[string][]Keyframe{}
	for _, g := range Gestures {
		animations["gesture "+g.Name] = g.Keys
		if first, last := g.Keys[0], g.Keys[len(g.Keys)-1]; first != (Keyframe{}) || last != (Keyframe{T: last.T}) {
			t.Errorf("gesture %s: the first and the last key frame are the pose in which it began: all 0", g.Name)
		}
	}
	for _, e := range Emotions {
		animations["emotion "+e.Name] = e.Keys
		if last := e.Keys[len(e.Keys)-1]; last != (Keyframe{T: last.T, Left: 10, Right: -10}) {
			t.Errorf("emotion %s: ends in %+v, not in the neutral pose", e.Name, last)
		}
	}
	for name, keys := range animations {
		if len(keys) < 2 || keys[0].T != 0 || keys[len(keys)-1].T > MoveTime.Max {
			t.Errorf("%s: %d key frames from %g s to %g s", name, len(keys), keys[0].T, keys[len(keys)-1].T)
		}
		for i, k := range keys {
			if i > 0 && k.T <= keys[i-1].T {
				t.Errorf("%s: key frame %d at %g s: times must rise", name, i, k.T)
			}
			for field, v := range map[string]struct {
				value float64
				in    Range
			}{
				"X": {k.X / 1000, HeadX}, "Y": {k.Y / 1000, HeadY}, "Z": {k.Z / 1000, HeadZ}, "Roll": {k.Roll, HeadRoll},
				"Pitch": {k.Pitch, HeadPitch}, "Yaw": {k.Yaw, HeadYaw}, "Body": {k.Body, BodyYaw},
				"Left": {k.Left, Antenna}, "Right": {k.Right, Antenna},
			} {
				if !v.in.Contains(v.value) {
					t.Errorf("%s: key frame %d: %s is %g, allowed %g…%g%s", name, i, field, v.value, v.in.Min, v.in.Max, v.in.Unit)
				}
			}
		}
	}
}
