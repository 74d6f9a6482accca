package preference

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"testing"
)

// someone is a simulated person: a taste for each parameter, moods, and mistakes.
type someone struct {
	taste map[string]int
	r     *rand.Rand
	troll bool
}

// says is the feedback on a choice: praise when it is as the person likes it, less with every step away from that; half the time
// it names what was wrong. Every twentieth is the contrary of what was meant, every tenth hint names the wrong way.
func (p *someone) says(c map[string]int) (reward float64, meant []string) {
	if p.troll {
		return 2*p.r.Float64() - 1, [][]string{nil, {"too_fast"}, {"too_slow"}, {"too_far"}, {"not_far_enough"}}[p.r.IntN(5)]
	}
	reward = 0.8
	worst, by := -1, 0
	for i := range parameters {
		q := &parameters[i]
		o, there := c[q.Name]
		if !there {
			continue
		}
		away := o - p.taste[q.Name]
		if !q.Ordered && away != 0 {
			reward -= 0.8
			continue
		}
		reward -= 0.5 * math.Abs(float64(away))
		if away*away > by*by {
			worst, by = i, away
		}
	}
	reward += 0.2 * p.r.NormFloat64()
	if p.r.Float64() < 0.05 {
		reward = -reward
	}
	if worst >= 0 && p.r.Float64() < 0.5 {
		if p.r.Float64() < 0.1 {
			by = -by
		}
		hints := parameters[worst].TooMuch
		if by < 0 {
			hints = parameters[worst].TooLittle
		}
		meant = hints
	}
	return max(-1, min(1, reward)), meant
}

func (p *someone) own(l *Learner) (share float64) {
	learned := []string{Speed, Size, Greeting}
	for _, name := range learned {
		if l.Choose("p", name) == p.taste[name] {
			share += 1 / float64(len(learned))
		}
	}
	return share
}

func someTaste(r *rand.Rand) map[string]int {
	return map[string]int{Speed: r.IntN(5), Size: r.IntN(5), Greeting: r.IntN(4)}
}

// live lets a person give n pieces of feedback on what the robot chooses.
func live(l *Learner, p *someone, n int) {
	for i := range n {
		c := map[string]int{}
		for _, name := range []string{Speed, Size, Greeting} {
			c[name] = l.Choose("p", name)
		}
		reward, meant := p.says(c)
		l.Learn(Observation{ID: fmt.Sprint(i), Person: "p", Choices: c, Reward: reward, Meant: meant, Weight: 1})
	}
}

func TestSim(t *testing.T) {
	for _, conf := range []float64{-99, 0.3} {
		for _, sur := range []float64{5, 99} {
			for _, nn := range [][]float64{{1}, {1, 2.5}} {
				convinced, surprised, noises = conf, sur, nn
				people := 16
				var after30, after100, drift40, troll, tl, dis, best float64
				var wg sync.WaitGroup
				for i := range people {
					wg.Go(func() {
						r := rand.New(rand.NewPCG(uint64(i), 7))
						p := &someone{taste: someTaste(r), r: r}
						l := New(nil, uint64(i))
						live(l, p, 30)
						a := p.own(l)
						live(l, p, 70)
						b := p.own(l)
						mu.Lock()
						after30 += a
						after100 += b
						for _, n := range []string{Speed, Size, Greeting} {
							o, tr := l.Best("p", n)
							if !tr && p.taste[n] != parameters[index(n)].Usual {
								dis++
							} else if o == p.taste[n] {
								best++
							}
						}
						mu.Unlock()
						p.taste = someTaste(r)
						live(l, p, 40)
						c := p.own(l)
						tr := &someone{taste: map[string]int{Speed: 2, Size: 2, Greeting: 0}, r: r, troll: true}
						l = New(nil, uint64(i))
						live(l, tr, 30)
						d := tr.own(l)
						live(l, tr, 70)
						e := tr.own(l)
						mu.Lock()
						drift40 += c
						troll += d
						tl += e
						mu.Unlock()
					})
				}
				wg.Wait()
				n := float64(people)
				fmt.Printf("30: conf %g sur %g noises %v: %.3f 100: %.3f (best %.3f dis %.3f) drift40: %.3f troll default after 30 %.3f 100 %.3f\n", conf, sur, nn, after30/n, after100/n, best/n/3, dis/n/3, drift40/n, troll/n, tl/n)
			}
		}
	}
}

var mu sync.Mutex
