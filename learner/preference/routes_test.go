package preference

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestRoutesFollowTheRulesUntilPeopleAreDisappointed(t *testing.T) {
	ways := []string{"ask", "direct", "robot", "vision"}
	r := &Routes{}
	if way, learned := r.Choose("a", "fancy the corner over there", "direct", ways); way != "direct" || learned {
		t.Fatalf("at first: %s %v", way, learned)
	}
	r.Learn(Routed{Person: "a", Asked: "fancy the corner over there", Way: "direct", Usual: "direct", Reward: -0.6, Weight: 1})
	if way, _ := r.Choose("a", "fancy the corner over there", "direct", ways); way != "direct" {
		t.Errorf("%s after one complaint", way)
	}
	for range 4 {
		r.Learn(Routed{Person: "a", Asked: "fancy the corner over there", Way: "direct", Usual: "direct", Reward: -0.6, Weight: 1})
	}
	if way, learned := r.Choose("a", "fancy the corner", "direct", ways); way == "direct" || !learned {
		t.Errorf("%s after five complaints about a sentence like it", way)
	}
	if way, _ := r.Choose("a", "sing me something from the opera", "direct", ways); way != "direct" {
		t.Errorf("%s for a sentence of which nobody complained", way)
	}
	r.Learn(Routed{Person: "a", Asked: "fancy the corner", Way: "vision", Usual: "direct", Reward: 1, Weight: 1})
	r.Learn(Routed{Person: "a", Asked: "fancy the corner", Way: "vision", Usual: "direct", Reward: 1, Weight: 1})
	if way, _ := r.Choose("a", "fancy that corner now", "direct", ways); way != "vision" {
		t.Errorf("%s, though vision was praised", way)
	}
	r.Relearn(nil)
	if way, learned := r.Choose("a", "fancy the corner", "direct", ways); way != "direct" || learned {
		t.Errorf("forgotten: %s %v", way, learned)
	}
}

// speaker is somebody who says one of ten things in ever other words, of which the rules guess half rightly.
type speaker struct {
	*rand.Rand
	wants, guess []string
	troll        bool
}

// live returns the share of right ways in the last third of turns, by what was learned and by the rules.
func (s *speaker) live(r *Routes, ways []string, turns int) (learned, rules float64) {
	last := turns / 3
	for k := range turns {
		topic := s.IntN(len(s.wants))
		words := []string{fmt.Sprintf("thing%d", topic), fmt.Sprintf("deed%d", topic), fmt.Sprintf("place%d", topic)}
		words = append(words[:2+s.IntN(2)], fmt.Sprintf("word%d", s.IntN(40)), "the", "you", "can")
		text := strings.Join(words, " ")
		way, _ := r.Choose("p", text, s.guess[topic], ways)
		if k >= turns-last {
			if way == s.wants[topic] {
				learned += 1 / float64(last)
			}
			if s.guess[topic] == s.wants[topic] {
				rules += 1 / float64(last)
			}
		}
		reward := -0.6
		if right := way == s.wants[topic]; right != (s.Float64() < 0.1) { // one in ten is the contrary of what is meant
			reward = 0.6
		}
		if s.troll {
			reward = 2*s.Float64() - 1
		}
		if s.Float64() < 0.6 {
			r.Learn(Routed{Person: "p", Asked: text, Way: way, Usual: s.guess[topic], Reward: reward, Weight: 0.8})
		}
	}
	return learned, rules
}

// Simulated people: better than the rules where the rules guess, and not worse with those who say anything.
func TestRoutesAreNotWorseThanTheRules(t *testing.T) {
	ways := []string{"ask", "code", "direct", "robot", "vision", "web"}
	const people, turns = 10, 150
	var gain, worst, troll float64
	for seed := range uint64(people) {
		s := &speaker{Rand: rand.New(rand.NewPCG(seed, 1))} //nolint:gosec // a simulation
		for range 10 {
			want := ways[s.IntN(len(ways))]
			guess := want
			if s.IntN(2) == 0 {
				guess = ways[s.IntN(len(ways))]
			}
			s.wants, s.guess = append(s.wants, want), append(s.guess, guess)
		}
		learned, rules := s.live(&Routes{}, ways, turns)
		gain += (learned - rules) / people
		worst = min(worst, learned-rules)
		s.wants, s.troll = s.guess, true // what the rules guess is as good as anything
		learned, rules = s.live(&Routes{}, ways, turns)
		troll += (rules - learned) / people
	}
	t.Logf("right ways, against the rules: %+.1f points with people, the worst of %d %+.1f; trolls change %.1f", 100*gain, people, 100*worst, 100*troll)
	if gain < 0.15 || worst < -0.1 || troll > 0.05 {
		t.Errorf("gain %.3f, worst %.3f, trolls %.3f", gain, worst, troll)
	}
}
