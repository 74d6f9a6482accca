// Package people simulates people with tastes, who say what they think of what the robot chooses: it measures how soon a
// preference.Learner behaves as they like it.
package people

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/reachyd/reachyd/learner/preference"
)

// How people are. A step away from the taste costs dislike, in a choice without an order all of it; what they say varies with
// their mood; now and then they say the contrary of what they mean, or name the wrong side.
const (
	pleased     = 0.8
	perStep     = 0.5
	perOther    = 0.8
	mood        = 0.2  // standard deviation
	contrary    = 0.05 // share of the rewards
	talkative   = 0.5  // share of the pieces that name what was wrong
	wrongHint   = 0.1  // share of those that name the wrong side
	first, then = 30, 100
	drift       = 40
)

// asked are the parameters of one action, on which each piece of feedback is.
var asked = []string{preference.Speed, preference.Size, preference.Greeting}

// Person is somebody with a taste.
type Person struct {
	Taste  map[string]int
	Troll  bool // says anything
	random *rand.Rand
}

// New returns a person of a seed.
func New(seed uint64) *Person {
	p := &Person{random: rand.New(rand.NewPCG(seed, 7))} //nolint:gosec // a simulation
	p.Change()
	return p
}

// Change gives the person another taste.
func (p *Person) Change() {
	p.Taste = map[string]int{}
	for _, name := range asked {
		q, _ := preference.Named(name)
		p.Taste[name] = p.random.IntN(len(q.Options))
	}
}

// Says is the feedback on choices: a reward and what was meant.
func (p *Person) Says(choices map[string]int) (reward float64, meant []string) {
	if p.Troll {
		hints := [][]string{nil, {"too_fast"}, {"too_slow"}, {"too_far"}, {"not_far_enough"}}
		return 2*p.random.Float64() - 1, hints[p.random.IntN(len(hints))]
	}
	reward = pleased
	var worst preference.Parameter
	by := 0
	for _, name := range asked {
		q, _ := preference.Named(name)
		away := choices[name] - p.Taste[name]
		if !q.Ordered {
			if away != 0 {
				reward -= perOther
			}
			continue
		}
		reward -= perStep * math.Abs(float64(away))
		if away*away > by*by {
			worst, by = q, away
		}
	}
	reward += mood * p.random.NormFloat64()
	if p.random.Float64() < contrary {
		reward = -reward
	}
	if by != 0 && p.random.Float64() < talkative {
		if p.random.Float64() < wrongHint {
			by = -by
		}
		if meant = worst.TooLittle; by > 0 {
			meant = worst.TooMuch
		}
	}
	return max(-1, min(1, reward)), meant
}

// live lets a person give n pieces of feedback on what the robot chooses.
func (p *Person) live(l *preference.Learner, n int) {
	for range n {
		choices := map[string]int{}
		for _, name := range asked {
			choices[name] = l.Choose("p", name)
		}
		reward, meant := p.Says(choices)
		l.Learn(preference.Observation{Person: "p", Choices: choices, Reward: reward, Meant: meant, Weight: 1})
	}
}

// own is the share of the robot's choices that are the person's.
func (p *Person) own(l *preference.Learner) (share float64) {
	for _, name := range asked {
		if l.Choose("p", name) == p.Taste[name] {
			share += 1 / float64(len(asked))
		}
	}
	return share
}

// Report says how many of the robot's choices are those of the people, 0 … 1.
type Report struct {
	People    int
	After30   float64 // pieces of feedback
	After100  float64
	Changed40 float64 // pieces after the person has changed the taste
	// Troll30 and Troll100 are of people whose feedback is random: the share of choices that are the usual ones.
	Troll30, Troll100 float64
}

// Run lets n people live with a robot each.
func Run(n int) (r Report) {
	r.People = n
	for i := range uint64(n) { //nolint:gosec // a small number
		p, l := New(i), preference.New(nil, i)
		p.live(l, first)
		r.After30 += p.own(l) / float64(n)
		p.live(l, then-first)
		r.After100 += p.own(l) / float64(n)
		p.Change()
		p.live(l, drift)
		r.Changed40 += p.own(l) / float64(n)

		troll := New(i)
		troll.Troll = true
		for _, name := range asked { // the default is as good as anything
			q, _ := preference.Named(name)
			troll.Taste[name] = q.Usual
		}
		l = preference.New(nil, i)
		troll.live(l, first)
		r.Troll30 += troll.own(l) / float64(n)
		troll.live(l, then-first)
		r.Troll100 += troll.own(l) / float64(n)
	}
	return r
}

// String is the report in lines.
func (r Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d simulated people, %s; feedback on all of them at once\n", r.People, strings.Join(asked, ", "))
	fmt.Fprintf(&b, "choices that are the person's own: %.1f %% after %d pieces, %.1f %% after %d\n", 100*r.After30, first, 100*r.After100, then)
	fmt.Fprintf(&b, "%d pieces after the taste has changed: %.1f %%\n", drift, 100*r.Changed40)
	fmt.Fprintf(&b, "random feedback: %.1f %% of the choices are the usual ones after %d, %.1f %% after %d\n", 100*r.Troll30, first, 100*r.Troll100, then)
	return b.String()
}
