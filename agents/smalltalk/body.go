package smalltalk

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/reachyd/reachyd/agents/memory"
	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/agents/verbalize"
	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/catalog"
	"github.com/reachyd/reachyd/hal/kinematics"
)

var _ = register(map[string]maker{
	"feel":     {[]string{"", "warm", "stopped", "fault", "asleep", "offline", "unknown"}, bodySlots, feel, nil},
	"warm":     {[]string{"", "warm", "unknown"}, bodySlots, warm, nil},
	"tired":    {[]string{"", "warm", "asleep", "unknown"}, bodySlots, tired, nil},
	"stopped":  {[]string{"", "none"}, bodySlots, stopped, nil},
	"yes":      {[]string{"", "stopped"}, bodySlots, yes, nil},
	"faults":   {[]string{"", "none", "unknown"}, bodySlots, faults, nil},
	"doing":    {[]string{"", "still", "asleep", "stopped", "unknown"}, bodySlots, doing, nil},
	"power":    {[]string{"", "unknown"}, bodySlots, power, nil},
	"address":  {[]string{"", "wireless", "none"}, append([]string{"address", "network"}, bodySlots...), address, nil},
	"motors":   {plainCase, []string{"motors"}, func(*turn) (string, values) { return "", values{"motors": fmt.Sprint(hal.NumJoints)} }, nil},
	"reach":    {[]string{"", "head", "body", "antennas", "all"}, reachSlots, reach, nil},
	"speed":    {plainCase, []string{"least", "most"}, speed, nil},
	"gestures": {plainCase, []string{"all"}, gestures, nil},
	"emotions": {plainCase, []string{"all"}, emotions, nil},
	"tools":    {plainCase, []string{"count", "made"}, tools, nil},
	"parts":    {[]string{"head", "body", "antennas", "eyes", "ears", "voice"}, reachSlots, parts, nil},
})

var (
	bodySlots  = []string{"part", "celsius", "by", "faults", "up", "doing", "volts"}
	reachSlots = []string{"part", "up", "tilt", "neck", "yaw", "body", "antenna", "x", "z"}
)

// yes asks what to do, unless the robot may not do it.
func yes(q *turn) (string, values) {
	f, v := q.feelings()
	if f.Stopped {
		return "stopped", v
	}
	return "", v
}

// warmFrom is how warm a servo is that the robot feels, °C: half of the way from a room to what its servos allow.
const warmFrom = 45

// feelings are what the robot knows of itself, and the slots that they fill.
func (q *turn) feelings() (Feelings, values) {
	f := q.o.Feelings()
	v := values{
		"part": joint(f.Hottest), "celsius": fmt.Sprintf("%.0f", f.Celsius), "by": f.StoppedBy, "faults": verbalize.List(f.Faults),
		"doing": f.Moving, "volts": verbalize.Number(math.Round(f.Volts*10) / 10),
	}
	if f.Up > 0 {
		v["up"] = saySpan(f.Up)
	}
	return f, v
}

// joint names a servo as people do: "left_antenna" is "left antenna".
func joint(name string) string {
	name = strings.ReplaceAll(name, "_", " ")
	if rest, ok := strings.CutPrefix(name, "stewart "); ok {
		return "head motor " + rest
	}
	return name
}

// condition is what matters most of the robot's state.
func condition(f *Feelings) string {
	switch {
	case !f.Known:
		return "unknown"
	case f.Mode == string(hal.ModeOffline):
		return "offline"
	case f.Stopped:
		return "stopped"
	case len(f.Faults) > 0:
		return "fault"
	case f.Mode == string(hal.ModeDisabled):
		return "asleep"
	case f.Celsius >= warmFrom:
		return "warm"
	}
	return ""
}

func feel(q *turn) (string, values) {
	f, v := q.feelings()
	return condition(&f), v
}

func warm(q *turn) (string, values) {
	f, v := q.feelings()
	switch {
	case f.Celsius == 0:
		return "unknown", v
	case f.Celsius >= warmFrom:
		return "warm", v
	}
	return "", v
}

func tired(q *turn) (string, values) {
	f, v := q.feelings()
	switch c := condition(&f); c {
	case "warm", "asleep", "unknown":
		return c, v
	}
	return "", v
}

func stopped(q *turn) (string, values) {
	f, v := q.feelings()
	if !f.Stopped {
		return "none", v
	}
	if v["by"] == "" {
		v["by"] = "I do not know by whom"
	}
	return "", v
}

func faults(q *turn) (string, values) {
	f, v := q.feelings()
	switch {
	case !f.Known:
		return "unknown", v
	case len(f.Faults) == 0:
		return "none", v
	}
	return "", v
}

func doing(q *turn) (string, values) {
	f, v := q.feelings()
	switch {
	case !f.Known || f.Mode == string(hal.ModeOffline):
		return "unknown", v
	case f.Stopped:
		return "stopped", v
	case f.Mode == string(hal.ModeDisabled):
		return "asleep", v
	case f.Moving == "":
		return "still", v
	}
	return "", v
}

func power(q *turn) (string, values) {
	f, v := q.feelings()
	if f.Volts == 0 {
		return "unknown", v
	}
	return "", v
}

func address(q *turn) (string, values) {
	f, v := q.feelings()
	v["address"], v["network"] = f.Address, f.Network
	switch {
	case f.Address == "":
		return "none", v
	case f.Network != "":
		return "wireless", v
	}
	return "", v
}

// ranges are the limits of the robot's parts as it says them.
func ranges() values {
	say := func(r catalog.Range) string { return tool.FormatNumber(r.Max) }
	return values{
		"up": say(catalog.HeadPitch), "tilt": say(catalog.HeadRoll), "neck": fmt.Sprintf("%.0f", kinematics.MaxHeadToBody*180/math.Pi),
		"yaw": say(catalog.HeadYaw), "body": say(catalog.BodyYaw), "antenna": say(catalog.Antenna),
		"x": fmt.Sprintf("%.0f", catalog.HeadX.Max*100), "z": fmt.Sprintf("%.0f", catalog.HeadZ.Max*100),
	}
}

// partOf names the part that a word means; "" when it means none.
var partOf = map[string]string{
	"head": "head", "neck": "head", "face": "head", "body": "body", "torso": "body", "base": "body", "waist": "body", "yourself": "body",
	"antenna": "antennas", "antennas": "antennas", "antennae": "antennas", "feelers": "antennas", "eye": "eyes", "eyes": "eyes", "camera": "eyes",
	"ear": "ears", "ears": "ears", "microphone": "ears", "microphones": "ears", "mouth": "voice", "voice": "voice", "speaker": "voice",
}

func reach(q *turn) (string, values) {
	v := ranges()
	v["part"] = q.slot("part")
	switch p := partOf[q.slot("part")]; p {
	case "head", "body", "antennas":
		return p, v
	}
	if q.slot("part") == "all" {
		return "all", v
	}
	switch q.slot("way") {
	case "up", "down", "upwards", "downwards":
		return "head", v
	case "":
		return "all", v
	}
	return "", v
}

func parts(q *turn) (string, values) {
	if p := partOf[q.slot("part")]; p != "" {
		return p, ranges()
	}
	return "head", ranges()
}

func speed(*turn) (string, values) {
	return "", values{"least": tool.FormatNumber(catalog.MoveTime.Min), "most": tool.FormatNumber(catalog.MoveTime.Max)}
}

func gestures(*turn) (string, values) {
	all := make([]string, 0, len(catalog.Gestures))
	for _, g := range catalog.Gestures {
		all = append(all, g.Act)
	}
	return "", values{"all": verbalize.List(all)}
}

func emotions(*turn) (string, values) {
	return "", values{"all": verbalize.List(slices.DeleteFunc(catalog.EmotionNames(), func(n string) bool { return n == "neutral" }))}
}

func tools(q *turn) (string, values) {
	made := "none of them made by people yet"
	if n := q.o.Feelings().Tools; n > 0 {
		made = "and " + count(n, "tool", "tools") + " that I have learnt"
	}
	return "", values{"count": count(len(catalog.Tools), "tool", "tools"), "made": made}
}

// toYou turns what a person said round, as the robot says it.
func toYou(text string) string { return memory.ToYou(text) }
