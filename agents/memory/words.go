package memory

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/reachyd/reachyd/perception/language"
	"github.com/reachyd/reachyd/perception/language/template"
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
	sentences   = language.Sentences("memory")
	parts       = language.Patterns("memory-parts")
	turned      = language.Map("turned-round")
	objectVerbs = language.Words("object-openers") // after which "you" is an object
	notNames    = language.Words("no-person-names")
	givenNames  = language.Words("given-names")
	stopWords   = language.Words("stop-words", "fact-stop-words")
	relatives   = language.Words("kin")
	sameWords   = language.Map("fact-synonyms")
	askers      = language.Words("recall-asks")
	askedVerbs  = language.Words("recall-verbs")
	aboutRobot  = language.Words("recall-robot")
)

// bare is a sentence without politeness and reminders around it, and whether there was a reminder: "…, will you remember that?"
func bare(u *language.Utterance) (text string, told bool) {
	text = strings.TrimRight(strings.Join(strings.Fields(u.Text), " "), ".!? ")
	if m := parts.Rule("polite").Find(u.Said.Of(text)); m != nil {
		text = m.After()
	}
	if m := parts.Rule("recalled").Find(u.Said.Of(text)); m != nil && strings.TrimSpace(m.Before()) != "" {
		text = m.Before()
	}
	text = strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(text, " please"), " by the way"), ",")
	if m := parts.Rule("reminder").Find(u.Said.Of(text)); m != nil && strings.TrimSpace(m.Before()) != "" {
		return m.Before(), true
	}
	return text, false
}

// AskedBehind reports whether a sentence asks at its end that what it tells is remembered: it is one request.
func AskedBehind(u *language.Utterance) bool {
	act, _ := Understand(u)
	text, told := bare(u)
	return act == Remember && (told || frames.Rule("behind").Find(u.Said.Of(text)) != nil)
}

// asksBack reports whether what is to be remembered is a question: "you remember how I am called?".
func asksBack(u *language.Utterance, fact string) bool {
	first, _, _ := strings.Cut(strings.ToLower(fact), " ")
	return askers[first] || u.Question && strings.EqualFold(fact, "my name")
}

// titleDots are marks that end no sentence: "I am Mrs. Whitlock".
var titleDots = regexp.MustCompile(`\b(Mr|Mrs|Ms|Dr|Prof|mr|mrs|ms|dr|prof)\.`)

// Understand says what a sentence wants of the memory, and with what: the fact to keep, or what to forget or to recall;
// empty for all.
func Understand(u *language.Utterance) (Act, string) {
	said := u.Said
	text, told := bare(u)
	text = titleDots.ReplaceAllString(text, "$1")
	m := sentences.Find(said.Of(text))
	if name, certain := Presents(u); certain && (m == nil || m.Rule.Name == "named") {
		return Remember, "my name is " + name
	}
	switch {
	case m == nil:
		return tells(u, text, told)
	case parts.Rule("dropped").Find(said.Of(text)) != nil:
		return None, ""
	}
	fact := m.Slot("fact")
	about := template.Split(fact)
	motion := parts.Rule("motion").Find(about) != nil // "don't forget to look left", "remember this pose"
	switch m.Rule.Name {
	case "remember":
		if motion || asksBack(u, fact) || onlyPolite(fact) { // "the birthday of Rosa is in May, please remember it"
			return tells(u, text, false)
		}
		return Remember, cmp.Or(cleaned(u, fact), fact)
	case "named":
		return Remember, text
	case "i-am": // "I'm Markus", and not "I'm hungry"
		if name := m.Slot("name"); isName(name) || strings.Contains(strings.ToLower(text), "call me ") && !motion && !notNames[strings.ToLower(name)] {
			return Remember, "my name is " + name
		}
		return None, ""
	case "introduced":
		if name := m.Slot("name"); isName(name) {
			return Remember, m.Slot("who") + " is " + name
		}
		return None, ""
	case "forget":
		switch {
		case parts.Rule("all").Find(about) != nil, fact == "" && strings.Contains(text, "what "):
			return Forget, ""
		case fact == "" || motion || strings.HasPrefix(strings.ToLower(fact), "your "):
			return None, ""
		}
		return Forget, fact
	case "somewhere": // the eyes look, unless it was told; see Place
		return None, ""
	case "whoami":
		return Recall, "my name"
	case "mine":
		return Recall, fact
	}
	fact = strings.TrimSuffix(strings.TrimSuffix(fact, " about me"), " me")
	switch strings.ToLower(fact) {
	case "me", "about me", "of me", "everything":
		fact = ""
	}
	return Recall, fact
}

// onlyPolite reports whether a fact is none: "for me".
func onlyPolite(fact string) bool {
	return fact != "" && !slices.ContainsFunc(language.SplitWords(strings.ToLower(fact)), func(w string) bool { return !tailWords[w] })
}

// tells is what a sentence in no usual words wants to be remembered; told is whether it is asked for behind it.
func tells(u *language.Utterance, text string, told bool) (Act, string) {
	fact := text
	if !told || parts.Rule("states").Find(u.Said.Of(text)) == nil && !states(u, text) {
		fact = framed(u, text)
	}
	if fact == "" {
		return None, ""
	}
	return Remember, fact
}

// Presents is the name of who presents himself in a clause of a sentence, beside whatever else he says: "hello there, we never met, I'm
// Olga"; empty where nobody does. It is told for certain where a word says that it is a name, else where nothing is asked.
func Presents(u *language.Utterance) (name string, certain bool) {
	corrected := false
	for clause := range strings.FieldsFuncSeq(u.Text, func(r rune) bool { return strings.ContainsRune(",.;!?", r) }) {
		said := u.Said.Of(strings.TrimSpace(clause))
		named := func(rule string) bool {
			m := parts.Rule(rule).Find(said)
			if m == nil || notNames[strings.ToLower(m.Slot("name"))] || askers[strings.ToLower(m.Slot("name"))] {
				return false
			}
			called := m.Slot("name")
			if small := u.Text == strings.ToLower(u.Text); small && givenNames[called] { // of who writes no capitals
				called = strings.ToUpper(called[:1]) + called[1:]
			}
			if rule != "called" && rule != "is-my-name" && !isName(called) {
				return false
			}
			name = called
			return true
		}
		corrected = corrected || name != "" && parts.Rule("corrects-name").Find(said) != nil
		switch {
		case named("called"), named("call-me"), named("is-my-name"):
			certain = true
		case !u.Question && named("here"):
		case !certain && !u.Question && named("i-am"), corrected && named("name-anew"):
		}
	}
	return name, certain
}

// Place is the thing of which a sentence asks where it is; empty when it asks for none. It is for the eyes unless a fact tells it.
func Place(u *language.Utterance) string {
	text, _ := bare(u)
	m := sentences.Rule("somewhere").Find(u.Said.Of(text))
	if m == nil {
		return ""
	}
	return m.Slot("fact")
}

// Asked are the words of a question that say what it is about; empty where it is about the robot, or no question.
func Asked(u *language.Utterance) string {
	asks := u.Question
	for _, w := range language.SplitWords(u.Text) {
		switch w = strings.ToLower(w); {
		case aboutRobot[w]:
			return ""
		case askers[w]:
			asks = true
		}
	}
	if !asks {
		return ""
	}
	return strings.Join(slices.DeleteFunc(keywords(u.Text), func(w string) bool { return askers[w] || askedVerbs[w] }), " ")
}

// isName says whether a word is written like a name, and people are called so or it is no word of the language.
func isName(word string) bool {
	r, n := utf8.DecodeRuneInString(word)
	small := strings.ToLower(word)
	return unicode.IsUpper(r) && len(word) > n && word[n:] == strings.ToLower(word[n:]) && (givenNames[small] || !language.Known(small)) && !notNames[small]
}

// ToYou turns a fact in a person's words round, as the robot says it to that person: "my name is Anna" becomes "your name
// is Anna".
func ToYou(fact string) string {
	fields := strings.Fields(fact)
	for i, w := range fields {
		core := strings.TrimRight(w, ",.;:!?")
		tail := w[len(core):]
		before := ""
		if i > 0 {
			before = strings.ToLower(fields[i-1])
		}
		switch word := strings.ToLower(core); {
		case word == "you" && i > 0 && (i == len(fields)-1 || objectVerbs[before]):
			core = "me"
		case word == "you":
			core = "I"
		case word == "are" && before == "i": // it was "you" before
			core = "am"
		case word == "was" && before == "you":
			core = "were"
		case turned[word] != "":
			core = turned[word]
		}
		fields[i] = core + tail
	}
	return strings.Join(fields, " ")
}

func keywords(text string) []string {
	var out []string
	for _, w := range language.SplitWords(text) {
		if !stopWords[w] && w != "s" { // "the vet's"
			// Not by its stem: likes and liked may mean different things.
			w = strings.ReplaceAll(language.Singular(w), "colour", "color")
			if other := sameWords[w]; other != "" {
				w = other
			}
			out = append(out, w)
		}
	}
	return out
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
		if hits > 0 && hits*2 >= len(asked) && !ofAnother(asked, known) {
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

// ofAnother reports whether a fact is about other relatives than those that were asked about.
func ofAnother(asked, known []string) bool {
	one := func(words []string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return relatives[w] })
	}
	return one(asked) && one(known) && !slices.ContainsFunc(asked, func(w string) bool { return relatives[w] && slices.Contains(known, w) })
}

// replaces reports whether a new fact takes the place of an old one: the same words, or the same thing of "my … is".
func replaces(now, old string) bool {
	if strings.EqualFold(now, old) {
		return true
	}
	a, b := thing(now), thing(old)
	x, y := placed.FindStringSubmatch(now), placed.FindStringSubmatch(old)
	return a != "" && strings.EqualFold(a, b) || x != nil && y != nil && strings.EqualFold(x[1], y[1])
}

// placed finds the thing of a fact that says where it is.
var placed = regexp.MustCompile(`(?i)^(.+?) (?:is|are) (?:now )?(?:in|on|at|under|behind|beside|inside|near|by|with|above|below|next to)\b`)

// thing is the thing of a person of which a fact says something, "my name"; empty when there is none.
func thing(fact string) string {
	const longest = 43
	m := parts.Rule("mine").Find(template.Split(fact))
	if m == nil || len(m.Slot("thing")) > longest {
		return ""
	}
	return m.Slot("thing")
}
