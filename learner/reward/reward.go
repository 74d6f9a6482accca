// Package reward turns what a person says about the robot's doing into a reward: praise is up to 1, blame down to −1, and what is
// about something else is 0. It says how unsure it is, which words decided, and what was meant, such as too_fast.
//
// Two models have a say. A linear one over words, word pairs, parts of words and what the words do in the sentence is fitted to the
// labelled sentences (make reward-linear). A small network has weights of its own, which train makes. Where there is a
// model of sentences, what that makes of the words counts, too. What a person corrects counts at once, and from then on.
package reward

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/reachyd/reachyd/perception/weights"
)

// Threshold is the reward from which a sentence is praise; below −Threshold it is blame.
const Threshold = 0.15

// Class is what a sentence is.
type Class int

// The classes.
const (
	Blame Class = iota
	Neutral
	Praise
	numClasses
)

var classNames = [numClasses]string{"blame", "neutral", "praise"}

func (c Class) String() string { return classNames[c] }

// ClassOf returns the class of a reward.
func ClassOf(r float64) Class {
	switch {
	case r > Threshold:
		return Praise
	case r < -Threshold:
		return Blame
	}
	return Neutral
}

// Meanings are what can be named as wrong, in the order of the model's heads.
var Meanings = []string{
	"too_fast", "too_slow", "too_far", "not_far_enough", "wrong_direction", "wrong_thing", "too_loud", "too_quiet", "too_often", "too_long", "too_short",
}

// Score is what a sentence is worth.
type Score struct {
	Text        string   `json:"text"`
	Reward      float64  `json:"reward"`      // −1 … 1
	Uncertainty float64  `json:"uncertainty"` // the probability that it is of another class, 0 … 1
	Reason      []string `json:"reason"`      // the words that decided, the weightiest first
	Meant       []string `json:"meant"`       // of Meanings
}

// Example is a sentence with what it is worth. After is what the robot had just done, in a few vocab().
type Example struct {
	Text    string   `json:"text"`
	After   string   `json:"after,omitempty"`
	Reward  float64  `json:"reward"`
	Meant   []string `json:"meant"`
	Persona string   `json:"persona,omitempty"`
}

const (
	headStrength = int(numClasses) // how strong praise or blame is
	headMeant    = headStrength + 1
	maxReasons   = 4
	meantFrom    = 0.5 // probability from which a meaning is named
)

var heads = headMeant + len(Meanings)

// Model is the linear model's weights of all heads for each bucket, and the network. It does not change once it is made; any number of goroutines may use it.
type Model struct {
	steps   string    // buckets × heads, a byte each
	scales  []float32 // of the steps of each head
	anchors map[string]float64
	net     *network // nil: the linear model alone
}

// apply returns what the heads say of features.
func (m *Model) apply(fs []feature, out []float64) {
	clear(out)
	n := len(out)
	for _, f := range fs {
		w := m.steps[int(f.bucket)*heads:][:n]
		for k := range out {
			out[k] += float64(weights.Number(w[k]) * f.value)
		}
	}
	for k := range out {
		out[k] *= float64(m.scales[k])
	}
}

// softmax makes probabilities of the first numClasses values.
func softmax(z []float64) (p [numClasses]float64) {
	top := max(z[Blame], z[Neutral], z[Praise])
	sum := 0.0
	for k := range p {
		p[k] = math.Exp(z[k] - top)
		sum += p[k]
	}
	for k := range p {
		p[k] /= sum
	}
	return p
}

// probabilities makes those of the values and of the meanings, which do not exclude each other.
func probabilities(z []float64) []float64 {
	p := make([]float64, len(z))
	top, sum := slices.Max(z[:numValues]), 0.0
	for k, v := range z[:numValues] {
		p[k] = math.Exp(v - top)
		sum += p[k]
	}
	for k := range numValues {
		p[k] /= sum
	}
	for k := numValues; k < len(z); k++ {
		p[k] = sigmoid(z[k])
	}
	return p
}

// classesOf are the probabilities of the classes.
func classesOf(p []float64) (c [numClasses]float64) {
	for k, v := range p[:numValues] {
		c[ClassOf(values[k])] += v
	}
	return c
}

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// Score says what a sentence is worth by itself.
func (m *Model) Score(text string) Score { return m.score(text, nil) }

// score says what a sentence is worth when second, if there is one, has its say in the probabilities.
func (m *Model) score(text string, second func(p []float64)) Score {
	s := Score{Text: text, Reason: []string{}, Meant: []string{}}
	said := read(text)
	if len(said.words) == 0 {
		return s
	}
	fs := said.features()
	z := make([]float64, heads)
	m.apply(fs, z)
	p := spread(z)
	if m.net != nil {
		mix(p, probabilities(m.net.read(said)), networkShare)
	}
	if second != nil {
		second(p)
	}
	reward, likely := outcome(p)
	s.Reward, s.Uncertainty = reward, 1-likely
	if at, known := m.anchors[plain(said.words)]; known {
		s.Reward, s.Uncertainty = at, sure
	}
	if ClassOf(s.Reward) == Neutral && s.Uncertainty < doubtful {
		return s
	}
	named := said.named()
	for k, name := range Meanings {
		if named&(1<<k) != 0 || p[numValues+k] > meantFrom {
			s.Meant = append(s.Meant, name)
		}
	}
	if ClassOf(s.Reward) != Neutral {
		s.Reason = m.reasons(said, fs, z, ClassOf(s.Reward))
	}
	return s
}

// networkShare is that of the network in the probabilities; the rest is the linear model's.
const networkShare = 0.5

// mix gives q a share in the probabilities p.
func mix(p, q []float64, share float64) {
	for k, v := range q {
		p[k] = (1-share)*p[k] + share*v
	}
}

// strengthWidth is how far the worth of a sentence lies from what the linear model says, at most times.
const strengthWidth = 0.15

// spread makes the probabilities of the values and of the meanings of what the heads of the linear model say.
func spread(z []float64) []float64 {
	p := make([]float64, outputs)
	classes := softmax(z)
	strength, sum := min(1, max(values[neutral+1], z[headStrength])), 0.0
	for _, v := range values[neutral+1:] {
		sum += math.Exp(-math.Abs(v-strength) / strengthWidth)
	}
	for k, v := range values {
		p[k] = classes[Neutral]
		if c := ClassOf(v); c != Neutral {
			p[k] = classes[c] * math.Exp(-math.Abs(math.Abs(v)-strength)/strengthWidth) / sum
		}
	}
	for k := range Meanings {
		p[numValues+k] = sigmoid(z[headMeant+k])
	}
	return p
}

// sure is the uncertainty of a sentence whose worth is given.
const sure = 0.02

// doubtful is the uncertainty from which a meaning is named also when the sentence seems neutral.
const doubtful = 0.35

// outcome is the likeliest class's value with the smallest expected error, and the probability of the class.
func outcome(p []float64) (r, likely float64) {
	classes := classesOf(p)
	best := Neutral
	for c, q := range classes {
		if q > classes[best] {
			best = Class(c)
		}
	}
	sum := 0.0
	for k, v := range p[:numValues] {
		if sum += v; sum >= 0.5 {
			r = values[k]
			break
		}
	}
	switch least := values[neutral+1]; best {
	case Praise:
		r = max(r, least)
	case Blame:
		r = min(r, -least)
	default:
		r = 0
	}
	return r, classes[best]
}

// named are the bits of Meanings whose phrases a sentence has.
func (s *sentence) named() (bits uint32) {
	w := slices.DeleteFunc(slices.Clone(s.words), isSign)
	for i := 0; i < len(w); {
		n := min(vocab().meantBegins[w[i]], len(w)-i)
		for ; n > 0; n-- {
			if b, known := vocab().meant[strings.Join(w[i:i+n], " ")]; known {
				bits |= b
				break
			}
		}
		i += max(1, n)
	}
	return bits
}

// reasons are the words that speak for a class, against the next likely one.
func (m *Model) reasons(said *sentence, fs []feature, z []float64, c Class) []string {
	next := Neutral
	for k := range numClasses {
		if k != c && (next == c || z[k] > z[next]) {
			next = k
		}
	}
	by := make([]float32, len(said.words))
	for _, f := range fs {
		if f.word >= 0 {
			w := m.steps[int(f.bucket)*heads:]
			by[f.word] += f.value * (weights.Number(w[c])*m.scales[c] - weights.Number(w[next])*m.scales[next])
		}
	}
	order := make([]int, 0, len(by))
	for i := range by {
		if l := vocab().valence[said.words[i]]; l > 0 && c == Praise || l < 0 && c == Blame {
			by[i] += float32(max(l, -l)) // what a word is worth by itself is a better reason than the words beside it
		}
		if by[i] > reasonFrom && !isSign(said.words[i]) && slices.Index(said.words, said.words[i]) == i {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(by[b], by[a]) })
	out := make([]string, 0, maxReasons)
	for _, i := range order[:min(len(order), maxReasons)] {
		out = append(out, said.words[i])
	}
	return out
}

// reasonFrom is what a word must speak for a class to be a reason, in logits.
const reasonFrom = 0.1

func isSign(t string) bool { return len(t) == 1 && strings.ContainsAny(t, "?!.,;:\"") }

// Plain is a text as sentences are compared: words in lower case, without signs and without whom it is said to.
func Plain(text string) string { return plain(tokens(text)) }

func plain(words []string) string {
	out := make([]string, 0, len(words))
	for _, t := range words {
		if !isSign(t) && vocab().roles[t]&vocab().bit["vocative"] == 0 {
			out = append(out, t)
		}
	}
	return strings.Join(out, " ")
}

// Stops reports whether a text says stop and nothing else.
func Stops(text string) bool {
	stop := false
	for _, t := range tokens(text) {
		r := vocab().roles[t]
		stop = stop || r&vocab().bit["halting"] != 0
		if !isSign(t) && r&(vocab().bit["halting"]|vocab().bit["urging"]|vocab().bit["vocative"]) == 0 {
			return false
		}
	}
	return stop
}

// mostGreeting is how many words a greeting has at most, besides those for whom it is.
const mostGreeting = 3

// Greets reports whether a text is a greeting and nothing else, such as "good morning, Reachy".
func Greets(text string) bool {
	w := strings.Fields(Plain(text))
	hello := false
	for _, t := range w {
		hello = hello || vocab().roles[t]&vocab().bit["hello"] != 0
		if vocab().roles[t]&(vocab().bit["hello"]|vocab().bit["wishing"]) == 0 {
			return false
		}
	}
	return hello && len(w) <= mostGreeting
}
