package tools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/perception/scene"
)

// How a robot looks around for a thing that is not in view. Angles are degrees, speed degrees/s on average.
const (
	// MaxSearch is how long it may take, with all movements and pictures.
	MaxSearch = 8 * time.Second

	searchPitch = 15.0
	searchSpeed = 100.0
	lookTime    = 0.4  // s that a picture is reckoned with
	inView      = 20.0 // what is nearer to the middle of the view than that has been looked at
	same        = 25.0 // what is nearer to where it was than that is still there
	quickest    = 0.3  // s of a movement
)

// searchYaws are where the head turns to.
var searchYaws = [...]float64{-100, -50, 0, 50, 100}

// errSearched is the cause of a search that took too long.
var errSearched = errors.New("the search took too long")

// Places remembers where things were seen.
type Places interface {
	// Saw notes what is in view.
	Saw(found []Detection)
	// Last returns where a thing was seen, and how long ago.
	Last(name string) (d Detection, ago time.Duration, known bool)
	// Forget is told that a thing is not where it was.
	Forget(name string)
}

// nowhere is the memory of a robot that has none.
type nowhere struct{}

func (nowhere) Saw([]Detection)                                    {}
func (nowhere) Last(string) (d Detection, _ time.Duration, _ bool) { return d, 0, false }
func (nowhere) Forget(string)                                      {}

// finder looks for things: in view, where they were seen before, and then around.
type finder struct {
	body   Body
	vision Vision
	places Places
}

// Search is the data of a result that has looked for a thing.
type Search struct {
	Objects []Detection `json:"objects"`
	Turns   int         `json:"turns"`          // directions that the head was turned to
	Was     *Memory     `json:"was,omitempty"`  // where it was seen before
	Gone    bool        `json:"gone,omitempty"` // and is no longer

	name    string
	refused string // why it could not look around
	partly  bool   // there was no time to look everywhere
	at      gaze   // where the head looks
}

// Memory is where a thing was seen, and how many seconds ago.
type Memory struct {
	Detection
	Ago float64 `json:"ago"`
}

// see returns what is in view, and remembers where.
func (f finder) see(ctx context.Context, name string) ([]Detection, error) {
	found, err := f.vision.Detect(ctx, name)
	if err == nil {
		f.places.Saw(found)
	}
	return found, err
}

// recall is what is remembered of a thing; nil when it is nothing.
func (f finder) recall(name string) *Memory {
	d, ago, known := f.places.Last(name)
	if !known {
		return nil
	}
	return &Memory{d, ago.Seconds()}
}

// search looks for a thing. bad is set when looking failed or was interrupted. When the thing is not found the head goes
// back to where it was.
func (f finder) search(ctx context.Context, name string) (s Search, bad *tool.Result) {
	s = Search{name: name, Was: f.recall(name)}
	outer := ctx
	ctx, cancel := context.WithTimeoutCause(ctx, MaxSearch, errSearched)
	defer cancel()
	var err error
	if s.Objects, err = f.see(ctx, name); err != nil {
		r := failed(ctx, "look for the "+name, err)
		return s, &r
	}
	if len(s.Objects) > 0 || scene.Thing(name) == scene.Motion {
		return s, nil
	}
	state, err := f.body.State(ctx)
	if err != nil {
		r := unreached(ctx, err)
		return s, &r
	}
	if bad = f.around(ctx, &s, state.GoalHead); bad == nil && len(s.Objects) == 0 && s.Turns > 0 {
		_, bad = f.turn(outer, &s, state.GoalHead, s.at.time(gazeOf(state.GoalHead)))
	}
	return s, bad
}

// around turns the head from one direction to the next until the thing is seen.
func (f finder) around(ctx context.Context, s *Search, from hal.Head) *tool.Result {
	home := gazeOf(from)
	left := MaxSearch.Seconds() - lookTime
	s.at = home
	if s.Was != nil && home.away(s.Was.gaze()) <= inView {
		f.gone(s)
	}
	for _, g := range stations(home, s.Was) {
		if left < s.at.time(g)+lookTime+g.time(home) {
			s.partly = true
			return nil
		}
		took, bad := f.turn(ctx, s, goal(g, hal.Head{}), s.at.time(g))
		if bad != nil || s.refused != "" {
			return timely(ctx, s, bad)
		}
		left -= took + lookTime
		s.at = g
		s.Turns++
		var err error
		if s.Objects, err = f.see(ctx, s.name); err != nil {
			r := failed(ctx, "look for the "+s.name, err)
			return timely(ctx, s, &r)
		}
		if s.Was != nil && g == s.Was.gaze() && !slices.ContainsFunc(s.Objects, s.Was.near) {
			f.gone(s)
		}
		if len(s.Objects) > 0 {
			return nil
		}
	}
	return nil
}

// gone notes that a thing is not where it was seen. A place where it was seen meanwhile is remembered.
func (f finder) gone(s *Search) {
	s.Gone = true
	if len(s.Objects) == 0 {
		f.places.Forget(s.name)
	}
}

// timely makes the end of the time for a search no failure: it has looked as far as it could.
func timely(ctx context.Context, s *Search, bad *tool.Result) *tool.Result {
	if bad != nil && errors.Is(context.Cause(ctx), errSearched) {
		s.partly = true
		return nil
	}
	return bad
}

// turn moves the head and says how many seconds that took. A refusal of the body is no failure of the search: it is noted.
func (f finder) turn(ctx context.Context, s *Search, to hal.Head, duration float64) (took float64, bad *tool.Result) {
	a, end, err := Perform(ctx, f.body, hal.Request{Verb: hal.VerbGoto, Head: to.Goal(), Duration: duration})
	switch {
	case err != nil:
		if a.Move != "" {
			mover{body: f.body}.hold(ctx, a.Move)
		}
		r := unreached(ctx, err)
		return 0, &r
	case a.Outcome == hal.Rejected:
		s.refused = mover{body: f.body}.refusal(ctx, &a)
	case a.Move != "":
		if r, bad := ended(&end); bad {
			return 0, &r
		}
	}
	return a.Duration, nil
}

// gaze is where the head looks, degrees.
type gaze struct{ yaw, pitch float64 }

func gazeOf(h hal.Head) gaze { return gaze{degrees(h.Yaw), degrees(h.Pitch)} }

// away is the angle to another direction, near enough for directions that are not steep.
func (g gaze) away(o gaze) float64 {
	return math.Hypot(math.Remainder(g.yaw-o.yaw, 360), g.pitch-o.pitch)
}

// time is how long the head takes from one direction to another, s.
func (g gaze) time(o gaze) float64 {
	return max(quickest, math.Hypot(g.yaw-o.yaw, g.pitch-o.pitch)/searchSpeed)
}

// goal is the head's pose that looks there.
func goal(g gaze, h hal.Head) hal.Head {
	h.Yaw, h.Pitch = radians(g.yaw), radians(g.pitch)
	return h
}

func (m *Memory) gaze() gaze { return gaze{m.Yaw, m.Pitch} }

func (m *Memory) near(d Detection) bool { return m.gaze().away(gaze{d.Yaw, d.Pitch}) < same }

// stations are the directions to look in: where the thing was seen, then to the nearer side of the room, then to the other.
func stations(home gaze, was *Memory) []gaze {
	var out []gaze
	from := home
	if was != nil && home.away(was.gaze()) > inView {
		from = was.gaze()
		out = append(out, from)
	}
	var left, right []gaze
	for _, yaw := range searchYaws {
		g := gaze{yaw, searchPitch}
		switch {
		case g.away(home) <= inView || g.away(from) <= inView:
		case yaw >= from.yaw:
			left = append(left, g)
		default:
			right = append(right, g)
		}
	}
	slices.SortFunc(right, func(a, b gaze) int { return cmp.Compare(b.yaw, a.yaw) })
	// The shorter side first, so that the way back over what was seen already is short.
	if len(right) > 0 && (len(left) == 0 || left[len(left)-1].yaw-from.yaw > from.yaw-right[len(right)-1].yaw) {
		left, right = right, left
	}
	return append(append(out, left...), right...)
}

// words say how a search ended.
func (s *Search) words() string {
	if len(s.Objects) > 0 {
		text := places(s.Objects, s.name)
		switch {
		case s.Turns > 0 && s.Was != nil && !s.Gone && len(s.Objects) == 1 && s.Was.near(s.Objects[0]):
			return strings.TrimSuffix(text, ".") + ", where I saw it " + ago(s.Was.Ago) + "."
		case s.Turns > 0:
			text = "I looked around. " + text
		}
		if s.Gone {
			text += " It is no longer " + mySide(s.Was.Yaw) + ", where I saw it " + ago(s.Was.Ago) + "."
		}
		return text
	}
	var text string
	switch none := "do not see any " + s.name; {
	case s.refused != "" && s.Turns == 0:
		text = "I " + none + " from here, and I cannot look around: " + lowerFirst(s.refused)
	case s.refused != "" || s.partly:
		text = fmt.Sprintf("I looked in %s and %s, but I could not look everywhere.", scene.Count(s.Turns+1, "direction"), none)
	case s.Turns > 0:
		text = "I looked around and " + none + "."
	default:
		text = "I " + none + "."
	}
	return text + s.Was.words(s.name)
}

// words say where a thing was seen; nothing when that is not known.
func (m *Memory) words(name string) string {
	if m == nil {
		return ""
	}
	return " The " + name + " was " + mySide(m.Yaw) + " " + ago(m.Ago) + "."
}

// mySide is scene.Side as the robot says it of itself: "on my left".
func mySide(yaw float64) string { return strings.Replace(scene.Side(yaw), " the ", " my ", 1) }

// lowerFirst writes the first letter small, unless the word is "I".
func lowerFirst(s string) string {
	if strings.HasPrefix(s, "I ") || s == "" {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}

// times ago, up to so many seconds.
var agos = []struct {
	below, unit float64
	one, many   string // of the unit; many has no number where it is empty
}{
	{20, 1, "a moment ago", ""},
	{50, 1, "less than a minute ago", ""},
	{90, 60, "a minute ago", ""},
	{55 * 60, 60, "", "%.0f minutes ago"},
	{90 * 60, 3600, "an hour ago", ""},
	{23 * 3600, 3600, "", "%.0f hours ago"},
	{36 * 3600, 86400, "a day ago", ""},
	{math.Inf(1), 86400, "", "%.0f days ago"},
}

// ago says how long ago something was, seconds.
func ago(s float64) string {
	for _, a := range agos {
		if s < a.below {
			if a.many != "" {
				return fmt.Sprintf(a.many, max(2, math.Round(s/a.unit)))
			}
			return a.one
		}
	}
	return "long ago"
}

func findObject(f finder, why string) tool.Tool {
	type args struct{ Name string }
	return tool.Func(available("find_object", f.vision == nil, why), func(ctx context.Context, a args) tool.Result {
		s, bad := f.search(ctx, a.Name)
		if bad != nil {
			return *bad
		}
		return tool.Success(s.words(), s)
	})
}

func followObject(f finder, looker Looker, why string) tool.Tool {
	type args struct{ Target string }
	return tool.Func(available("follow_object", f.vision == nil || looker == nil, why), func(ctx context.Context, a args) tool.Result {
		s, bad := f.search(ctx, a.Target)
		if bad == nil {
			bad = s.lacks("follow the " + a.Target)
		}
		if bad != nil {
			return *bad
		}
		if err := looker.Follow(ctx, a.Target); err != nil {
			return failed(ctx, "follow the "+a.Target, err)
		}
		return tool.Success("I follow the "+a.Target+" from now on.", map[string]any{"target": a.Target})
	})
}

// lacks is the result of what cannot be done because the thing was not found; nil when it was.
func (s *Search) lacks(doing string) *tool.Result {
	if len(s.Objects) > 0 {
		return nil
	}
	r := tool.Errorf(tool.CodeFailed, "I could not %s: %s", doing, lowerFirst(s.words()))
	r.Data = *s
	return &r
}

// lookAtThing looks at what the camera has to find first.
func lookAtThing(ctx context.Context, f finder, looker Looker, target, why string) tool.Result {
	if looker == nil {
		return tool.Errorf(tool.CodeUnavailable, "Looking at a thing is not available: %s.", why)
	}
	did := "I looked at the " + target + "."
	if f.vision != nil {
		s, bad := f.search(ctx, target)
		if bad == nil {
			bad = s.lacks("look at the " + target)
		}
		if bad != nil {
			return *bad
		}
	}
	if err := looker.Look(ctx, target); err != nil {
		return failed(ctx, "look at the "+target, err)
	}
	return tool.Success(did, map[string]any{"target": target})
}
