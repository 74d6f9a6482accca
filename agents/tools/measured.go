package tools

import (
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/agents/verbalize"
	"github.com/reachyd/reachyd/hal"
)

// Place is where the robot is, as it was measured: metres and degrees.
type Place struct {
	Head     hal.Head     `json:"head"`
	BodyYaw  float64      `json:"body_yaw"`
	Antennas hal.Antennas `json:"antennas"`
}

const (
	// confirms is how far, in degrees, a measured angle may be from its goal and still be called by the goal: sag under load.
	confirms = 2.0
	// notable is from how many degrees on a movement is one.
	notable = 1.0
	// settleTime is how long a movement that has ended is given to come to rest, and settleStep how often that is looked at.
	settleTime = time.Second
	settleStep = 20 * time.Millisecond
)

// placeOf is a stance in degrees.
func placeOf(s *hal.Stance) *Place {
	h := s.Head
	return &Place{
		Head: hal.Head{
			X: tenthMM(h.X), Y: tenthMM(h.Y), Z: tenthMM(h.Z),
			Roll: tenth(degrees(h.Roll)), Pitch: tenth(degrees(h.Pitch)), Yaw: tenth(degrees(h.Yaw)),
		},
		BodyYaw:  tenth(degrees(s.BodyYaw)),
		Antennas: hal.Antennas{Left: tenth(degrees(s.Antennas.Left)), Right: tenth(degrees(s.Antennas.Right))},
	}
}

// tenthMM rounds metres to a tenth of a millimetre, and −0 to 0.
func tenthMM(v float64) float64 { return math.Round(v*1e4)/1e4 + 0 }

// confirmed is a place in round words: the goals where the measurement confirms them.
func confirmed(measured *Place, goal *hal.Stance) *Place {
	p := *measured
	for _, v := range []struct {
		is   *float64
		goal float64
	}{
		{&p.Head.Roll, goal.Head.Roll},
		{&p.Head.Pitch, goal.Head.Pitch},
		{&p.Head.Yaw, goal.Head.Yaw},
		{&p.BodyYaw, goal.BodyYaw},
		{&p.Antennas.Left, goal.Antennas.Left},
		{&p.Antennas.Right, goal.Antennas.Right},
	} {
		if meant := tenth(degrees(v.goal)); math.Abs(meant-*v.is) <= confirms {
			*v.is = meant
		} else {
			*v.is = math.Round(*v.is) + 0
		}
	}
	return &p
}

// settled is the state once the robot is at rest, or what it is after settleTime.
func (m mover) settled(ctx context.Context) (hal.State, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTime)
	defer cancel()
	for {
		s, err := m.body.State(ctx)
		if err != nil || !s.Moving && still(&s) {
			return s, err
		}
		select {
		case <-ctx.Done():
			return s, nil
		case <-time.After(settleStep):
		}
	}
}

// atRest is the most that a joint at rest moves, rad/s.
const atRest = 0.1

// still reports whether no joint moves: a movement that was cut short still brakes for a moment.
func still(s *hal.State) bool {
	return !slices.ContainsFunc(s.Velocity[:], func(v float64) bool { return math.Abs(v) > atRest })
}

// by is a movement about one angle: "12° to the left"; empty for none.
func by(from, to float64, plus, minus string) string {
	d := math.Round(to - from)
	switch {
	case math.Abs(to-from) < notable:
		return ""
	case d > 0:
		return tool.FormatNumber(d) + "° " + plus
	}
	return tool.FormatNumber(-d) + "° " + minus
}

// soFar says what of a request was done before it was cut short: "By then I had turned my body 12° to the left."
func soFar(req *hal.Request, from, to *Place) string {
	if from == nil || to == nil || req.Verb != hal.VerbGoto {
		return ""
	}
	var did, not []string
	add := func(asked bool, what, amount string) {
		switch {
		case asked && amount != "":
			did = append(did, what+" "+amount)
		case asked:
			not = append(not, what)
		}
	}
	h := req.Head
	if h == nil {
		h = &hal.HeadGoal{}
	}
	add(req.BodyYaw != nil, "turned my body", by(from.BodyYaw, to.BodyYaw, "to the left", "to the right"))
	add(h.Yaw != nil, "turned my head", by(from.Head.Yaw, to.Head.Yaw, "to the left", "to the right"))
	add(h.Pitch != nil, "moved my head", by(from.Head.Pitch, to.Head.Pitch, "down", "up"))
	add(h.Roll != nil, "tilted my head", by(from.Head.Roll, to.Head.Roll, "to the right", "to the left"))
	if req.Antennas != nil {
		add(req.Antennas.Left != nil, "moved my left antenna", by(from.Antennas.Left, to.Antennas.Left, "outward", "inward"))
		add(req.Antennas.Right != nil, "moved my right antenna", by(from.Antennas.Right, to.Antennas.Right, "inward", "outward"))
	}
	switch {
	case len(did) == 0 && len(not) == 0:
		return " By then I had not done any of that."
	case len(did) == 0: // other parts may have moved before
		return " By then I had not " + verbalize.Either(not) + "."
	}
	return " By then I had " + verbalize.List(did) + "."
}

// unmoved reports whether nothing that a request names has moved.
func unmoved(req *hal.Request, from, to *Place) bool {
	if req.Verb != hal.VerbGoto {
		return false
	}
	same := func(asked bool, from, to float64) bool { return !asked || math.Abs(to-from) < notable }
	still := same(req.BodyYaw != nil, from.BodyYaw, to.BodyYaw)
	if h := req.Head; h != nil {
		still = still && same(h.Yaw != nil, from.Head.Yaw, to.Head.Yaw) && same(h.Pitch != nil, from.Head.Pitch, to.Head.Pitch) &&
			same(h.Roll != nil, from.Head.Roll, to.Head.Roll)
		for _, mm := range [][2]float64{{from.Head.X, to.Head.X}, {from.Head.Y, to.Head.Y}, {from.Head.Z, to.Head.Z}} {
			still = still && math.Abs(mm[1]-mm[0]) < 0.002
		}
	}
	if a := req.Antennas; a != nil {
		still = still && same(a.Left != nil, from.Antennas.Left, to.Antennas.Left) && same(a.Right != nil, from.Antennas.Right, to.Antennas.Right)
	}
	return still
}

// already says that what was to be done was so before: "I was already looking left".
func already(did string) string {
	for _, form := range [][2]string{
		{"I looked ", "I was already looking "},
		{"I tilted my head", "I already had my head tilted"},
		{"I held ", "I already held "},
		{"I moved my", "I already had my"},
	} {
		if rest, ok := strings.CutPrefix(did, form[0]); ok {
			text := form[1] + strings.ReplaceAll(rest, " and tilted my head", " and had my head tilted")
			if form[0] == "I moved my" {
				text += " there"
			}
			return text
		}
	}
	return "I was already there"
}

// turned says how the body has turned.
func bodyTurned(from, to float64) string {
	amount := by(from, to, "to the left", "to the right")
	switch {
	case amount == "" && math.Abs(to) < notable:
		return "I was already facing the front"
	case amount == "":
		return "I was already there, with my body turned " + toSide(tenth(to), "to the left", "to the right")
	case math.Abs(to) < notable:
		return "I turned my body to the front"
	case math.Abs(from) < notable:
		return "I turned my body " + toSide(tenth(to), "to the left", "to the right")
	}
	return "I turned my body " + amount + ", so that it faces " + toSide(tenth(to), "to the left", "to the right")
}
