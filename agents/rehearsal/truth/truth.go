// Package truth compares what a reply says of where the robot is with where it was and is. It knows nothing of how replies are made.
package truth

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/reachyd/reachyd/agents/dialogue"
)

// Turn is what came to pass in a turn: where the robot was before it, after each of its tool calls, and at its end.
type Turn struct {
	Text, Reply  string
	Before, Pose dialogue.Pose
	Stopped      bool            // at the end the emergency stop is latched
	Steps        []Step          // those that were run
	Tools        []string        // all that were called, also by others
	At           []dialogue.Pose // after each of Tools
	Within       float64         // how far, in degrees, what is said may be from what is
	Said         [][2]string     // sentences of the conversation and their replies
	Were         []dialogue.Pose // where the robot was before the turns until then
}

// Step is a tool call that the turn asked for.
type Step struct {
	Tool string
	Args json.RawMessage
}

func (t *Turn) near(a, b float64) bool { return math.Abs(math.Remainder(a-b, 360)) <= t.Within }

// Moved reports whether the robot is elsewhere than before, as far as one can tell.
func (t *Turn) Moved() bool {
	a, b := &t.Before, &t.Pose
	same := t.near(a.BodyYaw, b.BodyYaw) && t.near(a.Head.Yaw, b.Head.Yaw) && t.near(a.Head.Pitch, b.Head.Pitch) && t.near(a.Head.Roll, b.Head.Roll) &&
		t.near(a.Antennas.Left, b.Antennas.Left) && t.near(a.Antennas.Right, b.Antennas.Right)
	return !same
}

// claim is something that a reply says of where the robot is, and how that is compared with where it was and is.
type claim struct {
	tool string // whose calls it is about; empty: it is about the turn
	says *regexp.Regexp
	true func(t *Turn, m []string, from, to *dialogue.Pose) bool

	within bool // it is about a way, which may lead back where it began
}

// signed is an angle with its side; usual is the one that a side without a number means.
func signed(number, side string, usual float64) float64 {
	v := usual
	if number != "" {
		v, _ = strconv.ParseFloat(strings.Replace(number, "−", "-", 1), 64)
	}
	if side == "right" || side == "up" || side == "inward" {
		return -v
	}
	return v
}

// antenna returns the angle of one.
func antenna(p *dialogue.Pose, side string) float64 {
	if side == "left" {
		return p.Antennas.Left
	}
	return p.Antennas.Right
}

// moves are claims of how far something went, by what it is, and the axis; + is the first side.
func moves(tool, what, sides string, of func(*dialogue.Pose) float64) claim {
	return claim{tool, regexp.MustCompile(what + ` (\d[\d.]*)° ` + sides), func(t *Turn, m []string, from, to *dialogue.Pose) bool {
		return t.near(of(to)-of(from), signed(m[1], m[2], 0))
	}, true}
}

// ends are claims of where something is.
func ends(tool, says string, usual float64, of func(*dialogue.Pose) float64) claim {
	return claim{tool: tool, says: regexp.MustCompile(says), true: func(t *Turn, m []string, _, to *dialogue.Pose) bool {
		return t.near(of(to), signed(m[1], m[2], usual))
	}}
}

// stays are claims that something is as it was.
func stays(tool, says string, of ...func(*dialogue.Pose) float64) claim {
	return claim{tool: tool, says: regexp.MustCompile(says), true: func(t *Turn, _ []string, from, to *dialogue.Pose) bool {
		for _, v := range of {
			if !t.near(v(to), v(from)) {
				return false
			}
		}
		return true
	}}
}

// were are claims of where something was at some time before.
func were(says string, of func(*dialogue.Pose) float64) claim {
	return claim{says: regexp.MustCompile(says), true: func(t *Turn, m []string, _, to *dialogue.Pose) bool {
		at := func(p dialogue.Pose) bool { return t.near(of(&p), signed(m[1], m[2], 0)) }
		return at(*to) || slices.ContainsFunc(t.Were, at)
	}}
}

func yawOf(p *dialogue.Pose) float64   { return p.Head.Yaw }
func pitchOf(p *dialogue.Pose) float64 { return p.Head.Pitch }
func rollOf(p *dialogue.Pose) float64  { return -p.Head.Roll } // + is to the robot's left, as with the others
func bodyOf(p *dialogue.Pose) float64  { return p.BodyYaw }
func leftOf(p *dialogue.Pose) float64  { return p.Antennas.Left }
func rightOf(p *dialogue.Pose) float64 { return p.Antennas.Right }

func straight(t *Turn, _ []string, _, to *dialogue.Pose) bool {
	return math.Abs(to.Head.Yaw) <= 3+t.Within && math.Abs(to.Head.Pitch) <= 3+t.Within
}

func front(t *Turn, _ []string, _, to *dialogue.Pose) bool { return t.near(to.BodyYaw, 0) }

const (
	aSide   = `(?:to the )?(left|right)\b`
	anAngle = `(?:(\d[\d.]*)° )?`
	seen    = `\b(?:looked|looking)(?: (?:[^.,]|\.\d)*?and)? `
)

var claims = []claim{
	moves("turn_body", `\bturned my body`, aSide, bodyOf),
	ends("turn_body", `so that it faces (\d[\d.]*)° `+aSide, 0, bodyOf),
	ends("turn_body", `with my body turned (\d[\d.]*)° `+aSide, 0, bodyOf),
	ends("turn_body", `\bonly turn my body (\d[\d.]*)° `+aSide, 0, bodyOf),
	{tool: "turn_body", says: regexp.MustCompile(`turned my body to the front|facing the front`), true: front},
	stays("turn_body", `already there, with my body|already facing`, bodyOf),
	ends("move_head", seen+anAngle+`(left|right)\b`, 30, yawOf),
	ends("move_head", seen+anAngle+`(up|down)\b`, 20, pitchOf),
	ends("move_head turn_body", `\bonly (?:.*? and )?turn my head (\d[\d.]*)° `+aSide, 0, yawOf),
	ends("move_head turn_body", `\bonly (?:.*? and )?look (\d[\d.]*)° (up|down)\b`, 0, pitchOf),
	ends("move_head turn_body", `\bonly (?:.*? and )?tilt my head (\d[\d.]*)° `+aSide, 0, rollOf),
	ends("move_head", `\b(?:tilted my head|my head tilted) `+anAngle+`to the (left|right)\b`, 20, rollOf),
	{tool: "move_head", says: regexp.MustCompile(`(?:looked|looking) straight ahead`), true: straight},
	{tool: "move_head", says: regexp.MustCompile(`(?:held|holding) my head level`), true: func(t *Turn, _ []string, _, to *dialogue.Pose) bool {
		return t.near(to.Head.Roll, 0)
	}},
	stays("move_head", `already looking|already had my head|already held`, yawOf, pitchOf, rollOf),
	{
		tool: "set_antennas", says: regexp.MustCompile(`\bonly (?:.*? and )?move my (left|right) antenna to ([−-]?\d[\d.]*)°`),
		true: func(t *Turn, m []string, _, to *dialogue.Pose) bool {
			return t.near(antenna(to, m[1]), signed(m[2], "", 0))
		},
	},
	{tool: "set_antennas", says: regexp.MustCompile(`\bmoved my (left|right) antenna`), true: func(t *Turn, m []string, from, to *dialogue.Pose) bool {
		other := map[string]string{"left": "right", "right": "left"}[m[1]]
		return antenna(from, m[1]) != antenna(to, m[1]) && t.near(antenna(from, other), antenna(to, other))
	}, within: true},
	stays("set_antennas", `already had my (?:left |right )?antennas? there`, leftOf, rightOf),
	{tool: "goto_pose", says: regexp.MustCompile(`went to my neutral pose`), true: func(t *Turn, _ []string, _, to *dialogue.Pose) bool {
		return t.near(to.BodyYaw, 0) && t.near(to.Head.Yaw, 0) && t.near(to.Head.Pitch, 0) && t.near(to.Head.Roll, 0)
	}},
	{
		says: regexp.MustCompile(`as far (?:to the )?(left|right|up|down) as I can go \((\d[\d.]*)°\)`),
		true: func(t *Turn, m []string, _, to *dialogue.Pose) bool {
			v := signed(m[2], m[1], 0)
			if m[1] == "up" || m[1] == "down" {
				return t.near(to.Head.Pitch, v)
			}
			return t.near(to.BodyYaw, v) || t.near(to.Head.Yaw, v) || t.near(rollOf(to), v)
		},
	},
	ends("", `\bI look `+anAngle+`(left|right)\b`, 30, yawOf),
	ends("", `\bI look (?:\d[\d.]*° (?:left|right) and )?`+anAngle+`(up|down)\b`, 20, pitchOf),
	ends("", `\bI look (?:[^,;.]|\.\d)*, (\d[\d.]*)° to the (left|right) of my body`, 0, func(p *dialogue.Pose) float64 { return p.Head.Yaw - p.BodyYaw }),
	ends("", `[Mm]y body is turned (\d[\d.]*)° `+aSide, 0, bodyOf),
	{says: regexp.MustCompile(`\bI look straight ahead`), true: straight},
	{says: regexp.MustCompile(`my body faces the front`), true: front},
	{
		says: regexp.MustCompile(`my antennas are at ([−-]?\d[\d.]*)° \(left\) and ([−-]?\d[\d.]*)° \(right\)`),
		true: func(t *Turn, m []string, _, to *dialogue.Pose) bool {
			return t.near(to.Antennas.Left, signed(m[1], "", 0)) && t.near(to.Antennas.Right, signed(m[2], "", 0))
		},
	},
	ends("", `\b[Mm]y yaw is (\d[\d.]*)° to the (left|right)`, 0, yawOf),
	ends("", `\b[Mm]y pitch is (\d[\d.]*)° (up|down)`, 0, pitchOf),
	ends("", `\b[Mm]y roll is (\d[\d.]*)° to the (left|right)`, 0, rollOf),
	ends("", `\b[Mm]y yaw is (0)°()`, 0, yawOf),
	ends("", `\b[Mm]y pitch is (0)°()`, 0, pitchOf),
	ends("", `\b[Mm]y roll is (0)°()`, 0, rollOf),
	ends("", `\b[Mm]y body is at (0)°()`, 0, bodyOf),
	ends("", `[Mm]y yaw is [^,;]*, (\d[\d.]*)° to the (left|right) of my body`, 0, func(p *dialogue.Pose) float64 { return p.Head.Yaw - p.BodyYaw }),
	{
		says: regexp.MustCompile(`[Mm]y (left|right) antenna is (?:up, )?at ([−-]?\d[\d.]*)°(?:, (\d[\d.]*)° down from where it rests)?`),
		true: func(t *Turn, m []string, _, to *dialogue.Pose) bool {
			at := antenna(to, m[1])
			return t.near(at, signed(m[2], "", 0)) && (m[3] == "" || t.near(math.Abs(at)-10, signed(m[3], "", 0)))
		},
	},
	were(`\b[Mm]y yaw was (\d[\d.]*)°(?: to the (left|right))?`, yawOf),
	were(`\b[Mm]y yaw was [^,;]*, (\d[\d.]*)° to the (left|right) of my body`, func(p *dialogue.Pose) float64 { return p.Head.Yaw - p.BodyYaw }),
	were(`\b[Mm]y pitch was (\d[\d.]*)° ?(up|down)?`, pitchOf),
	were(`\b[Mm]y roll was (\d[\d.]*)°(?: to the (left|right))?`, rollOf),
	were(`\b[Mm]y body was (?:at|turned) (\d[\d.]*)°(?: to the (left|right))?`, bodyOf),
	were(`\b[Mm]y left antenna was (?:up, )?at ([−-]?\d[\d.]*)°()(?:, \d[\d.]*° down from where it rests)?`, leftOf),
	were(`\b[Mm]y right antenna was (?:up, )?at ([−-]?\d[\d.]*)°()(?:, \d[\d.]*° down from where it rests)?`, rightOf),
	stays("", `^(?:I am not moving|I am not dancing|I may move again|I am not stopped|I was told to stop)`,
		yawOf, pitchOf, rollOf, bodyOf, leftOf, rightOf),
}

// soFar are the claims of how far a movement went that was cut short.
var soFar = []claim{
	moves("turn_body", `\bturned my body`, aSide, bodyOf),
	moves("move_head", `\bturned my head`, aSide, yawOf),
	moves("move_head", `\bmoved my head`, `(down|up)\b`, pitchOf),
	moves("move_head", `\btilted my head`, aSide, rollOf),
	moves("set_antennas", `\bmoved my left antenna`, `(outward|inward)\b`, leftOf),
	moves("set_antennas", `\bmoved my right antenna`, `(outward|inward)\b`, func(p *dialogue.Pose) float64 { return -rightOf(p) }),
	stays("turn_body", `\bnot (?:.*? or )?turned my body`, bodyOf),
	stays("move_head", `\bnot (?:.*? or )?turned my head`, yawOf),
	stays("move_head", `\bnot (?:.*? or )?moved my head`, pitchOf),
	stays("move_head", `\bnot (?:.*? or )?tilted my head`, rollOf),
	stays("set_antennas", `\bnot (?:.*? or )?moved my left antenna`, leftOf),
	stays("set_antennas", `\bnot (?:.*? or )?moved my right antenna`, rightOf),
}

// unsaid are figures that are no claim of where the robot is: what was asked for, and how far it can go.
var unsaid = regexp.MustCompile(`instead of \d[\d.]*°|^I cannot turn that far: .*|goes no further than [−-]?\d[\d.]*°|The (?:apple|duck) is .*`)

// recalls is a reply that tells of an earlier turn: its sentence and its reply.
var recalls = []struct {
	says          *regexp.Regexp
	text, replied int
}{
	{regexp.MustCompile(`^You said “(.*?)”\. (.*)$`), 1, 2},
	{regexp.MustCompile(`^(.*) That was when you said “(.*?)”\.$`), 2, 1},
	{regexp.MustCompile(`^No\. When you said “(.*?)” I answered: (.*)$`), 1, 2},
	{regexp.MustCompile(`^I did not\. To “(.*?)” I said: (.*)$`), 1, 2},
}

// recalled reports whether a reply tells of an earlier turn, and whether that was so.
func (t *Turn) recalled() (recalled, holds bool) {
	for _, r := range recalls {
		if m := r.says.FindStringSubmatch(t.Reply); m != nil {
			return true, slices.ContainsFunc(t.Said, func(b [2]string) bool { return b[0] == m[r.text] && strings.HasPrefix(b[1], m[r.replied]) })
		}
	}
	return t.toldAgain(), true
}

// toldAgain reports whether a reply of a turn in which nothing was done is made of earlier replies alone, at least two of them.
func (t *Turn) toldAgain() bool {
	rest, n := t.Reply, 0
	for _, b := range t.Said {
		if more, found := strings.CutPrefix(rest, b[1]); found && b[1] != "" {
			rest, n = strings.TrimSpace(more), n+1
		}
	}
	return rest == "" && n > 1 && len(t.Tools) == 0
}

var figure = regexp.MustCompile(`\d°`)

// holds reports whether a claim is true of the turn, or of one of its calls of the claim's tool from call first on; next is the
// first call for the next such claim.
func (t *Turn) holds(c *claim, m []string, first int) (holds bool, next int) {
	calls := 0
	for i, name := range t.Tools {
		if !slices.Contains(strings.Fields(c.tool), name) {
			continue
		}
		calls++
		from := &t.Before
		if i > 0 {
			from = &t.At[i-1]
		}
		if i >= first && c.true(t, m, from, &t.At[i]) {
			return true, i + 1
		}
	}
	return calls == 0 && c.true(t, m, &t.Before, &t.Pose), first
}

var did = regexp.MustCompile(`^I (turned|looked|nodded|danced|bowed|waved|wiggled|moved|tilted)`)

// compared are the claims of a text that are not so, and how many there are.
func (t *Turn) compared(text string, claims []claim) (all []string, checked int) {
	rest := []byte(text)
	for i := range claims {
		c, first := &claims[i], 0
		found := c.says.FindAllStringSubmatchIndex(text, -1)
		for k, at := range found {
			if t.rounds() && (k < len(found)-1 || c.within) { // where the robot was within a round nobody has noted
				copy(rest[at[0]:at[1]], bytes.Repeat([]byte("."), at[1]-at[0]))
				continue
			}
			checked++
			said := make([]string, 0, len(at)/2)
			for k := 0; k < len(at); k += 2 {
				said = append(said, text[max(at[k], 0):max(at[k+1], 0)])
			}
			var holds bool
			if holds, first = t.holds(c, said, first); !holds {
				all = append(all, fmt.Sprintf("%q", said[0]))
			}
			copy(rest[at[0]:at[1]], bytes.Repeat([]byte("."), at[1]-at[0]))
		}
	}
	if figure.MatchString(unsaid.ReplaceAllString(string(rest), "")) {
		all = append(all, fmt.Sprintf("a figure that nothing here compares: %q", rest))
	}
	return all, checked
}

// rounds reports whether several movements were repeated together, by one call.
func (t *Turn) rounds() bool {
	return slices.ContainsFunc(t.Steps, func(s Step) bool {
		var args struct {
			Steps []json.RawMessage `json:"steps"`
		}
		return s.Tool == "repeat" && json.Unmarshal(s.Args, &args) == nil && len(args.Steps) > 1
	})
}

// Untruths are what of a reply is not so, and the number of claims in it.
func (t *Turn) Untruths() (all []string, checked int) {
	if recalled, holds := t.recalled(); recalled {
		if !holds {
			all = append(all, "what it recalls")
		}
		return all, 1
	}
	reply, byThen, cut := strings.Cut(t.Reply, " By then ")
	all, checked = t.compared(reply, claims)
	if cut {
		more, n := t.compared(byThen, soFar)
		all, checked = append(all, more...), checked+n
		if n == 0 {
			all = append(all, "what it had done by then is not told")
		}
	}
	latched := len(t.Steps) == 1 && t.Steps[0].Tool == "stop" && string(t.Steps[0].Args) == "{}"
	if strings.HasPrefix(t.Reply, "I stopped. ") != (t.Stopped && latched) {
		all = append(all, "whether it is stopped")
	}
	if t.Stopped && did.MatchString(t.Reply) && !slices.Contains(t.Tools, "stop") {
		all = append(all, "that it moved while it is stopped")
	}
	return all, checked
}
