package language

import "strings"

// SpokenSentence is something that people say to the robot, and how often beside the others.
type SpokenSentence struct {
	Text   string
	Weight float64
}

// spokenMost is how many sentences are made of one with slots.
const spokenMost = 60

// Spoken returns what people say to the robot: the sentences of spoken.txt with all that their slots can hold, or an even choice of it, alone,
// with the words that stand before and behind sentences, and two after one another. The weights of those that come of one sum to about 1.
func Spoken() []SpokenSentence {
	slots, around := Lists("spoken-slots"), Lists("spoken-around")
	var plain, all []SpokenSentence
	for _, e := range find("spoken-sentences", "lists").entries() {
		for _, s := range e.list() {
			texts := fill(s, slots)
			for _, t := range texts {
				plain = append(plain, SpokenSentence{t, 1 / float64(len(texts))})
			}
		}
	}
	all = append(all, plain...)
	for i, s := range plain {
		pick := func(list string, k int) string { return around[list][(i*7+k)%len(around[list])] }
		other := plain[(i*7919+13)%len(plain)]
		all = append(
			all,
			SpokenSentence{pick("before", 0) + " " + s.Text, s.Weight / 2},
			SpokenSentence{s.Text + " " + pick("behind", 3), s.Weight / 4},
			SpokenSentence{s.Text + " " + pick("between", 5) + " " + other.Text, s.Weight / 4},
		)
	}
	return all
}

// fill replaces the slots of a sentence by all that they can hold, or by an even choice.
func fill(sentence string, slots map[string][]string) []string {
	out := []string{""}
	for part := range strings.SplitSeq(sentence, "{") {
		name, after, slot := strings.Cut(part, "}")
		values := []string{""}
		if slot {
			values = slots[name]
		} else {
			after = part
		}
		var next []string
		for _, o := range out {
			for _, v := range values {
				next = append(next, o+v+after)
			}
		}
		if len(next) > spokenMost {
			some := make([]string, spokenMost)
			for i := range some {
				some[i] = next[i*7919%len(next)]
			}
			next = some
		}
		out = next
	}
	return out
}
