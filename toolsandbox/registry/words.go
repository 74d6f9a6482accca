package registry

import (
	"strings"
	"unicode"
)

// terms cuts text into stems, without words that say nothing, synonyms brought to one.
func terms(text string) []string {
	var out []string
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for _, w := range words {
		if stopWords[w] {
			continue
		}
		w = stem(w)
		if s, ok := synonyms[w]; ok {
			w = s
		}
		out = append(out, w)
	}
	return out
}

// stem takes the commonest English endings off, so that 'takes', 'taking' and 'take' are one. It errs on the side of
// leaving a word alone.
func stem(w string) string {
	switch {
	case len(w) <= 3:
		return w
	case strings.HasSuffix(w, "sses"):
		return w[:len(w)-2]
	case strings.HasSuffix(w, "ies"):
		w = w[:len(w)-3] + "y"
	case strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us") && !strings.HasSuffix(w, "is"):
		w = w[:len(w)-1]
	}
	for _, ending := range [...]string{"ing", "ed"} {
		rest, ok := strings.CutSuffix(w, ending)
		if !ok || len(rest) < 3 || !strings.ContainsAny(rest, "aeiouy") {
			continue
		}
		if n := len(rest); rest[n-1] == rest[n-2] && !strings.ContainsRune("lsz", rune(rest[n-1])) {
			rest = rest[:n-1] // nodding
		}
		w = rest
		break
	}
	return strings.TrimSuffix(w, "e")
}

var stopWords = set(`a about all an and any are as at be by can could do does every everything for from get has have how i
	if in into is it its let make me my of on or our please should so some that the their then there these this to tool
	up use used uses using want was we what when which will with would you your args returns return value none robot function`)

// synonyms are groups of words that mean the same to a robot's user.
var synonyms = groups(`
	photo picture image snapshot photograph shot frame capture
	camera lens webcam
	speak say talk tell voice announce utter
	look gaze watch observe see view
	move go drive motion
	turn rotate spin revolve
	head face neck
	antenna ear feeler
	nod yes agree
	shake no disagree
	person people human somebody someone visitor
	distance far range separation
	average mean
	count number amount tally
	detect find recognize recognise spot notice discover locate
	object thing item
	monitor surveil guard supervise
	scene surrounding room environment
	periodic repeat interval regular recurring
	wait pause delay sleep
	convert transform translate
	compute calculate work
	weather temperature forecast
	greet hello welcome
	remind alarm timer alert notify
	dance party
	happy glad joyful cheerful
	sad unhappy
	sum total add
	fast quick rapid
	big large huge
	small little tiny
	color colour hue
	list table
	file document`)

func set(text string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(text) {
		m[w] = true
	}
	return m
}

func groups(text string) map[string]string {
	m := map[string]string{}
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		for _, w := range words {
			m[stem(w)] = stem(words[0])
		}
	}
	return m
}
