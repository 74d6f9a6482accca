package language

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/reachyd/reachyd/perception/language/template"
)

var (
	aroundQuestions = Patterns("around-questions")
	questionVerbs   = Words("verbs-of-questions")
	pronouns        = set("i", "you", "he", "she", "it", "we", "they", "there")
	subjects        = Words("subjects-of-questions")
	coreOpeners     = Words("core-openers")
	pointingBack    = Words("pointing-back")
	notOther        = Words("not-another-thing")
)

var (
	moreOfTheSame = Sentences("more-of-the-same")
	thrownThings  = Words("thrown-things")
	goingOn       = Patterns("going-on")
)

// SameAgain says whether a sentence asks for the same once more, or for another of its kind: "again", "another one".
func SameAgain(u *Utterance) bool { return moreOfTheSame.Find(u.Request().Small) != nil }

// ThrownAgain says whether a sentence asks that what was thrown, in an earlier sentence, is thrown again: "roll it again" tilts no head then.
func ThrownAgain(u *Utterance, earlier string) bool {
	if m := moreOfTheSame.Find(u.Request().Small); m == nil || m.Rule.Name != "thrown" {
		return false
	}
	return slices.ContainsFunc(SplitWords(strings.ToLower(earlier)), func(w string) bool { return thrownThings[w] })
}

// GoesOn is what a sentence has in place of a part of the question before it: "Italy" in "and what about Italy?". expressly is false where
// nothing but that part is said. What is empty goes on with nothing.
func GoesOn(u *Utterance) (part string, expressly bool) {
	text := trimMarks(strings.ToLower(strings.Join(strings.Fields(plainMarks.Replace(u.Text)), " ")))
	said, beside := template.Split(text), false
	if m := goingOn.Rule("before").Find(said); m != nil {
		text, expressly = trimMarks(m.After()), true
	}
	if m := goingOn.Rule("after").Find(said.Of(text)); m != nil && m.Before() != "" {
		text = trimMarks(m.Before())
	}
	if part, _, aside := strings.Cut(text, ","); aside && expressly { // "and chocolate, for the little one?"
		text, expressly, beside = part, false, true
	}
	const most = 5 // words
	pointed := strings.HasSuffix(text, " that") || text == "that" || text == "it"
	if beside && slices.ContainsFunc(strings.Fields(text), func(w string) bool { return w == "now" || IsVerb(w) || orderOpeners[w] || notOther[w] }) {
		return "", false
	}
	if asksFirst(text) || !expressly && pointsBack(text) || expressly && pointed {
		return "", false
	}
	if strings.ContainsAny(text, ",.;:!?") || len(strings.Fields(text)) > most || !expressly && !beside && !strings.HasSuffix(strings.TrimSpace(u.Text), "?") {
		return "", false
	}
	return text, expressly
}

// maxCores is how many questions a text is tried to come down to.
const maxCores = 4

// Cores are the questions that a text may come down to, without what people say around one: "my boy is at his homework: what is 8 times 7?"
// is "what is 8 times 7", "do you happen to know what day it is" is "what day is it". The text itself is none of them.
func Cores(text string) (all []string) {
	if len(text) > MaxRequest {
		return nil
	}
	text = strings.Join(strings.Fields(plainMarks.Replace(text)), " ")
	whole := trimMarks(text)
	for from := 0; from >= 0 && len(all) < maxCores; from = NextPart(text, from) {
		part, behind := sentenceAt(text, from)
		if from > 0 && !asksFirst(part) && aroundQuestions.Rule("before").Find(template.Split(part)) == nil {
			continue
		}
		core := direct(bare(part))
		aside := text[:from] + " " + behind
		if !asksFirst(core) || strings.EqualFold(core, whole) || slices.Contains(all, core) || counts(aside) || strings.TrimSpace(aside) != "" && pointsBack(core) {
			continue
		}
		all = append(all, core)
	}
	return all
}

// NextPart is where the next part of a text begins, behind a mark; -1 where none does.
func NextPart(text string, from int) int {
	at := strings.IndexAny(text[from:], ",.;:!?")
	if at < 0 {
		return -1
	}
	from += at
	for from < len(text) && strings.ContainsRune(" ,.;:!?-\"", rune(text[from])) {
		from++
	}
	if from >= len(text) {
		return -1
	}
	return from
}

// sentenceAt is a text from a place up to the end of its sentence, and what is behind that.
func sentenceAt(text string, from int) (part, behind string) {
	for i := from; i < len(text); i++ {
		if strings.IndexByte(".!?", text[i]) >= 0 && (i+1 == len(text) || text[i+1] == ' ') {
			return text[from:i], strings.Trim(text[i:], sentenceMarks)
		}
	}
	return text[from:], ""
}

// bare is a question without what stands around it.
func bare(text string) string {
	const most = 5
	text = trimMarks(text)
	said := template.Split(text)
	for range most {
		before := text
		if m := aroundQuestions.Rule("before").Find(said); m != nil {
			rest := m.After()
			if q := m.From("q"); q != "" {
				rest = q
			}
			if rest = trimMarks(rest); rest != "" {
				text = rest
			}
		}
		said = said.Of(text)
		if m := aroundQuestions.Rule("after").Find(said); m != nil && m.Before() != "" {
			text = trimMarks(m.Before())
		}
		if text == before {
			break
		}
		said = said.Of(text)
	}
	return text
}

// direct is a question with its verb where a question has it: "how far your head can turn" is "how far can your head turn".
func direct(text string) string {
	words := strings.Fields(text)
	is := func(set map[string]bool, i int) bool { return i < len(words) && set[strings.ToLower(words[i])] }
	if len(words) < 3 {
		return text
	}
	at := 0 // of whom it is about
	switch first := strings.ToLower(words[0]); first {
	case "if", "whether":
		words = words[1:]
	case "what", "which", "who", "whom", "whose", "where", "when", "why", "how":
		for at = 1; at < len(words) && !is(subjects, at); at++ {
			if is(questionVerbs, at) {
				return text
			}
		}
	default:
		return text
	}
	const far = 5 // words of whom it is about
	for i := at + 1; i < len(words) && i <= at+far; i++ {
		if is(questionVerbs, i) && is(pronouns, i+1) { // "what day of the week is it"
			return text
		}
		if verb := words[i]; is(questionVerbs, i) && (!strings.EqualFold(verb, "have") || !is(subjects, i+1)) {
			return strings.Join(slices.Insert(slices.Delete(slices.Clone(words), i, i+1), at, verb), " ")
		}
	}
	if at+1 < len(words) && slices.Contains([]string{"you", "i", "we", "they", "people"}, strings.ToLower(words[at])) {
		return strings.Join(slices.Insert(slices.Clone(words), at, "do"), " ")
	}
	return text
}

// asksFirst says whether a text begins as a question.
func asksFirst(text string) bool {
	first, _, _ := strings.Cut(strings.ToLower(text), " ")
	return coreOpeners[strings.Trim(first, sentenceMarks)]
}

// counts says whether a number is said: what has one belongs to what is asked.
func counts(text string) bool {
	return strings.ContainsFunc(InDigits(strings.ToLower(text)), unicode.IsDigit)
}

// timely is what "it" is nothing that was said before.
var timely = regexp.MustCompile(`\b(?:time|day|date|month|year|late|early|weekend|morning|noon|week|it) (?:is|was|will) it\b` +
	`|\bis it (?:\w+ )?(?:time|day|weekend|late|\w+day)\b`)

// pointsBack says whether a question is about something that was said before it.
func pointsBack(text string) bool {
	for w := range strings.FieldsSeq(timely.ReplaceAllString(strings.ToLower(text), "")) {
		if pointingBack[strings.Trim(w, sentenceMarks)] {
			return true
		}
	}
	return false
}
