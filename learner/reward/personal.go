package reward

import (
	"math"
	"slices"
	"strings"
	"sync"
)

// Personal is a model with what people have corrected. What one person corrects counts for that person at once: the same words
// are worth just what was said, like words nearly that. Its methods may be called by many goroutines at once.
type Personal struct {
	judge func(text string) Score

	mu     sync.Mutex
	taught map[string][]lesson // by person
}

// lesson is a sentence with what a person says that it is worth.
type lesson struct {
	plain  string
	words  map[string]bool
	reward float64
}

// maxLessons is how many corrections of a person count; the oldest go first.
const maxLessons = 500

// NewPersonal returns what nobody has corrected yet, over what judges for everybody.
func NewPersonal(judge func(text string) Score) *Personal {
	return &Personal{judge: judge, taught: map[string][]lesson{}}
}

// Teach says what a sentence of a person is worth.
func (p *Personal) Teach(person, text string, reward float64) {
	l := lesson{Plain(text), wordSet(text), reward}
	p.mu.Lock()
	defer p.mu.Unlock()
	all := slices.DeleteFunc(p.taught[person], func(o lesson) bool { return o.plain == l.plain })
	p.taught[person] = append(all[max(0, len(all)-maxLessons+1):], l)
}

// Forget forgets what was taught.
func (p *Personal) Forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	clear(p.taught)
}

func wordSet(text string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(Plain(text)) {
		set[w] = true
	}
	return set
}

// alike is from how many common words, of all, two sentences are alike.
const alike = 0.6

// Score says what a sentence of a person is worth.
func (p *Personal) Score(person, text string) Score {
	s := p.judge(text)
	plain, set := Plain(text), wordSet(text)
	p.mu.Lock()
	defer p.mu.Unlock()
	best, found := 0.0, lesson{}
	for _, l := range p.taught[person] {
		if l.plain == plain {
			s.Reward, s.Uncertainty = l.reward, sure
			return s
		}
		common := 0
		for w := range set {
			if l.words[w] {
				common++
			}
		}
		if n := len(set) + len(l.words) - common; n > 0 && float64(common)/float64(n) > best {
			best, found = float64(common)/float64(n), l
		}
	}
	if best >= alike {
		s.Reward = math.Round(100*(best*found.reward+(1-best)*s.Reward)) / 100
		s.Uncertainty *= 1 - best
	}
	return s
}
