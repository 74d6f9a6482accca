package memory

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// Act is what a sentence wants of the memory.
type Act string

// The acts. None is a sentence that has nothing to do with the memory.
const (
	None     Act = ""
	Remember Act = "remember"
	Forget   Act = "forget"
	Recall   Act = "recall"
)

var (
	polite   = regexp.MustCompile(`(?i)^(?:(?:ok(?:ay)?|hey|hi|so|well|and|please|robot|reachy|listen|could you|can you|would you|will you)[, ]+)+`)
	remember = regexp.MustCompile(`(?i)^(?:(?:do )?(?:not|n't) forget|don't forget|remember|keep in mind|note|memori[sz]e|learn)(?: for me)?(?:,? that|:| down that)?[ ,]+(.+)$`)
	named    = regexp.MustCompile(`(?i)^(my (?:(?:first|last|full|nick) ?)?name(?:'s| is) .+|i(?:'m| am) called .+|(?:you can |please )?call me .+|my (?:favou?rite \w+|birthday)(?:'s| is) .+)$`)
	forget   = regexp.MustCompile(`(?i)^(?:forget|erase|delete from your memory)(?: about)?(?: the fact| what (?:i|you) (?:told you|said|know|remember)(?: about)?)?(?:,? that)?(?: (.+))?$`)
	all      = regexp.MustCompile(`(?i)^(?:everything|all)(?: (?:you know|about me|of it|i (?:told you|said)|that i (?:told you|said)|you (?:remember|know)(?: about me)?))*$`)
	recall   = regexp.MustCompile(`(?i)^(?:what (?:do|did) (?:you|i) (?:know|remember|have in mind|memori[sz]e|tell you|ask you to remember)(?: about)?|what have (?:you|i) (?:remembered|told you|asked you to remember)(?: about)?|do you (?:still )?(?:remember|know)(?: about)?|can you remember)(?: (.+))?$`)
	mine     = regexp.MustCompile(`(?i)^(?:what(?:'s| is| was| are)|who(?:'s| is| are)|where(?:'s| is| are)|when(?:'s| is)|how old (?:is|are|am)|which(?: \w+)? (?:is|are)) (my .+)$`)
	whoami   = regexp.MustCompile(`(?i)^(?:who am i|what am i called|do you know who i am|do you know me)$`)
	motion   = regexp.MustCompile(`(?i)^(?:how )?to\b|^(?:this|that|the|your) (?:pose|position|move|movement|face|place|one)\b|^(?:it|this|that|me)$`)
)

// Understand says what a sentence wants of the memory, and with what: the fact to keep, or what to forget or to recall;
// empty for all.
func Understand(text string) (Act, string) {
	text = strings.TrimRight(strings.Join(strings.Fields(text), " "), ".!? ")
	text = polite.ReplaceAllString(text, "")
	text = strings.TrimSuffix(strings.TrimSuffix(text, " please"), ",")
	if m := remember.FindStringSubmatch(text); m != nil {
		if motion.MatchString(m[1]) {
			return None, "" // "don't forget to look left", "remember this pose"
		}
		return Remember, m[1]
	}
	if named.MatchString(text) {
		return Remember, text
	}
	if m := forget.FindStringSubmatch(text); m != nil {
		switch {
		case all.MatchString(m[1]), m[1] == "" && strings.Contains(text, "what "):
			return Forget, ""
		case m[1] == "" || motion.MatchString(m[1]) || strings.HasPrefix(strings.ToLower(m[1]), "your "):
			return None, ""
		}
		return Forget, m[1]
	}
	if whoami.MatchString(text) {
		return Recall, "my name"
	}
	if m := mine.FindStringSubmatch(text); m != nil {
		return Recall, m[1]
	}
	if m := recall.FindStringSubmatch(text); m != nil {
		what := strings.TrimSuffix(strings.TrimSuffix(m[1], " about me"), " me")
		switch strings.ToLower(what) {
		case "", "me", "about me", "of me", "everything":
			what = ""
		}
		return Recall, what
	}
	return None, ""
}

// ToYou turns a fact in a person's words round, as the robot says it to that person: "my name is Anna" becomes "your name
// is Anna".
func ToYou(fact string) string {
	fields := strings.Fields(fact)
	for i, w := range fields {
		core := strings.TrimRight(w, ",.;:!?")
		tail := w[len(core):]
		switch strings.ToLower(core) {
		case "i":
			core = "you"
		case "i'm":
			core = "you are"
		case "i've":
			core = "you have"
		case "i'll":
			core = "you will"
		case "me":
			core = "you"
		case "my":
			core = "your"
		case "mine":
			core = "yours"
		case "myself":
			core = "yourself"
		case "you":
			core = "I"
			if i > 0 && (i == len(fields)-1 || objectVerb(fields[i-1])) {
				core = "me"
			}
		case "your":
			core = "my"
		case "am":
			core = "are"
		case "are":
			if i > 0 && fields[i-1] == "I" {
				core = "am"
			}
		case "was":
			if i > 0 && strings.EqualFold(fields[i-1], "you") {
				core = "were"
			}
		case "we":
			core = "you"
		case "our":
			core = "your"
		}
		fields[i] = core + tail
	}
	return strings.Join(fields, " ")
}

// objectVerb reports whether "you" after this word is an object.
func objectVerb(word string) bool {
	switch strings.ToLower(word) {
	case "to", "for", "with", "love", "like", "told", "gave", "bought", "call", "see", "tell", "show", "about", "of":
		return true
	}
	return false
}

// small words say nothing about what a fact is about.
var small = set(`a an the is are was were be am i you my your me it its that this of to in on at for and or do does did what who where when how which about have has had with not
	know remember told tell please`)

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

func keywords(text string) []string {
	var out []string
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if !small[w] {
			out = append(out, stem(w))
		}
	}
	return out
}

// stem takes off what words of one kind differ in: cats and cat, birthday's and birthday.
func stem(w string) string {
	if len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") {
		w = w[:len(w)-1]
	}
	return strings.ReplaceAll(w, "colour", "color")
}

// about returns the facts that share words with what, the best and newest first.
func about(facts []Fact, what string) []Fact {
	asked := keywords(what)
	type scored struct {
		Fact
		hits int
	}
	var found []scored
	for _, f := range facts {
		known := keywords(f.Text)
		hits := 0
		for _, a := range asked {
			if slices.Contains(known, a) {
				hits++
			}
		}
		if hits > 0 && hits*2 >= len(asked) {
			found = append(found, scored{f, hits})
		}
	}
	slices.SortStableFunc(found, func(a, b scored) int { return cmp.Or(cmp.Compare(b.hits, a.hits), cmp.Compare(b.ID, a.ID)) })
	out := make([]Fact, len(found))
	for i, s := range found {
		out[i] = s.Fact
	}
	return out
}

var says = regexp.MustCompile(`(?i)^(my [\w ]{2,40}?)(?:'s| is| are) `)

// replaces reports whether a new fact takes the place of an old one: the same words, or the same thing of "my … is".
func replaces(now, old string) bool {
	if strings.EqualFold(now, old) {
		return true
	}
	a, b := says.FindStringSubmatch(now), says.FindStringSubmatch(old)
	return a != nil && b != nil && strings.EqualFold(a[1], b[1])
}
