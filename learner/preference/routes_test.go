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
	// says is the verdict of somebody who does not mean it, in a turn; nil for those who do.
	says func(turn int) float64
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
		if s.says != nil {
			reward = s.says(k)
		}
		if s.Float64() < 0.6 {
			r.Learn(Routed{Person: "p", Asked: text, Way: way, Usual: s.guess[topic], Reward: reward, Weight: 0.8})
		}
	}
	return learned, rules
}

// newSpeaker is a person of a seed, of whose topics the rules guess half.
func newSpeaker(seed uint64, ways []string) *speaker {
	s := &speaker{Rand: rand.New(rand.NewPCG(seed, 1))} //nolint:gosec // a simulation
	for range 10 {
		want := ways[s.IntN(len(ways))]
		guess := want
		if s.IntN(2) == 0 {
			guess = ways[s.IntN(len(ways))]
		}
		s.wants, s.guess = append(s.wants, want), append(s.guess, guess)
	}
	return s
}

var allWays = []string{"ask", "code", "direct", "robot", "vision", "web"}

// Simulated people: better than the rules where the rules guess.
func TestRoutesAreBetterThanTheRules(t *testing.T) {
	const people, turns = 10, 150
	var gain, worst float64
	for seed := range uint64(people) {
		learned, rules := newSpeaker(seed, allWays).live(&Routes{}, allWays, turns)
		gain += (learned - rules) / people
		worst = min(worst, learned-rules)
	}
	t.Logf("right ways, against the rules: %+.1f points with people, the worst of %d %+.1f", 100*gain, people, 100*worst)
	if gain < 0.2 || worst < -0.1 {
		t.Errorf("gain %.3f, worst %.3f", gain, worst)
	}
}

// Who says anything, or always the same, has no weight: what the rules guess is as good as anything for them, and stays.
func TestRoutesAreNotWorseWithTrolls(t *testing.T) {
	const people, turns = 8, 150
	for name, says := range map[string]func(r *rand.Rand, turn int) float64{
		"anything": func(r *rand.Rand, _ int) float64 { return 2*r.Float64() - 1 },
		"good or bad": func(r *rand.Rand, _ int) float64 {
			return 0.6 - 1.2*float64(r.IntN(2))
		},
		"mostly bad": func(r *rand.Rand, _ int) float64 { return 0.6 - 1.2*float64(min(1, r.IntN(4))) },
		"bad":        func(*rand.Rand, int) float64 { return -0.6 },
		"by moods":   func(_ *rand.Rand, turn int) float64 { return 0.8 - 1.6*float64(turn/15%2) },
	} {
		worse := 0.0
		for seed := range uint64(people) {
			s := newSpeaker(seed, allWays)
			s.wants, s.says = s.guess, func(turn int) float64 { return says(s.Rand, turn) }
			learned, rules := s.live(&Routes{}, allWays, turns)
			worse += (rules - learned) / people
		}
		t.Logf("says %s: %.1f points fewer right ways than the rules", name, 100*worse)
		if worse > 0.01 {
			t.Errorf("says %s: %.3f fewer right ways than the rules", name, worse)
		}
	}
}

// What somebody says who does not mean it does not count for others either.
func TestATrollHasNoWeightForOthers(t *testing.T) {
	with, without := &Routes{}, &Routes{}
	troll := newSpeaker(3, allWays)
	for k := range 60 {
		with.Learn(Routed{
			Person: "troll", Asked: fmt.Sprintf("fancy the corner %d", k), Way: allWays[k%6], Usual: "direct", Reward: 2*troll.Float64() - 1, Weight: 0.8,
		})
	}
	for range 5 {
		for _, r := range []*Routes{with, without} {
			r.Learn(Routed{Person: "a", Asked: "fancy the corner over there", Way: "direct", Usual: "direct", Reward: -0.6, Weight: 1})
		}
	}
	a, _ := with.Choose("a", "fancy the corner", "direct", allWays)
	b, _ := without.Choose("a", "fancy the corner", "direct", allWays)
	if a != b || a == "direct" {
		t.Errorf("%s beside a troll, %s alone", a, b)
	}
}
