package coder

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// sentence is what somebody said, in the forms in which templates look at it.
type sentence struct {
	text  string   // without politeness and the marks at its end, in its own letters
	lower string   // text in lower case
	nums  string   // lower, with numbers in digits: "fifteen percent" is "15 percent"
	words []string // of lower
}

// maxSentence is the longest text that templates look at, bytes; longer ones are no requests of one sentence.
const maxSentence = 400

var (
	politeBefore = regexp.MustCompile(`(?i)^(?:(?:hey|hi|hello|ok|okay|so|well|um|uh|er|and|now|then)[ ,]+(?:reachy|robot)?[ ,]*|(?:reachy|robot)[ ,]+|please[ ,]+|(?:can|could|would|will) you (?:please |kindly )?|would you mind |i (?:want|need|would like|'d like) you to |i(?:'d| would) like to know |i want to know |(?:do you|can you) know |(?:quickly|just) )`)
	tellMe       = regexp.MustCompile(`(?i)^(?:please )?(?:tell me|let me know) (what|how|which|the )`)
	wouldBe      = regexp.MustCompile(`(?i)^what (?:would|will) (.*\d.*) be$`)
	politeAfter  = regexp.MustCompile(`(?i)[ ,]+(?:please|for me|thanks|thank you|will you|would you|can you|now)$|(?i), (?:reachy|robot)$|(?i) reachy$`)
	blanks       = regexp.MustCompile(`\s+`)
	quotes       = strings.NewReplacer("“", `"`, "”", `"`, "„", `"`, "«", `"`, "»", `"`, "‘", "'", "’", "'", "×", "*", "÷", "/", "−", "-", "–", "-")
)

// sense reads a text.
func sense(text string) *sentence {
	if len(text) > maxSentence {
		return &sentence{}
	}
	text = strings.Trim(blanks.ReplaceAllString(quotes.Replace(text), " "), " .!?,;:")
	for range 3 {
		before := text
		text = politeBefore.ReplaceAllString(text, "")
		text = tellMe.ReplaceAllString(text, "$1")
		text = wouldBe.ReplaceAllString(text, "what is $1")
		text = strings.TrimSpace(politeAfter.ReplaceAllString(text, ""))
		if text == before {
			break
		}
	}
	text = strings.Trim(text, " .!?,;:")
	s := &sentence{text: text, lower: strings.ToLower(text)}
	s.words = strings.FieldsFunc(s.lower, func(r rune) bool { return strings.ContainsRune(" ,.;:!?", r) })
	s.nums = digits(s.lower)
	return s
}

func (s *sentence) has(word string) bool { return slices.Contains(s.words, word) }

func (s *sentence) hasAny(words ...string) bool { return slices.ContainsFunc(words, s.has) }

var (
	yesWords = regexp.MustCompile(`^(?:yes|yeah|yep|yup|sure|ok|okay|do it|do that|do so|go ahead|please do|of course|certainly|absolutely|go on|go for it|you may|write it|make it|why not|alright|all right)(?: (?:please|do it|do that|do so|go ahead|you may|reachy|write it|make it|of course|sure))*$`)
	noWords  = regexp.MustCompile(`^(?:no|nope|nah|never mind|nevermind|don't|do not|not now|forget it|rather not|no need|leave it)(?: (?:thanks|thank you|please|don't|do not|not now|need|it|that|do it|do that))*$`)
)

func (s *sentence) yes() bool {
	return len(s.lower) < 40 && yesWords.MatchString(strings.ReplaceAll(s.lower, ",", ""))
}

func (s *sentence) no() bool {
	return len(s.lower) < 40 && noWords.MatchString(strings.ReplaceAll(s.lower, ",", ""))
}

var small = map[string]float64{
	"zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11,
	"twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30,
	"forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90, "dozen": 12,
}

var large = map[string]float64{"hundred": 100, "thousand": 1000, "million": 1e6, "billion": 1e9}

var (
	thousands  = regexp.MustCompile(`\b(\d{1,3}(?:,\d{3})+)\b`)
	glued      = regexp.MustCompile(`(\d)(°?[a-zµ]+)\b`)
	ordinal    = regexp.MustCompile(`\b(\d+) (st|nd|rd|th)\b`)
	hyphenated = regexp.MustCompile(`([a-z])-([a-z])`)
)

// digits writes the numbers of a text in lower case in digits: "one hundred and five" is "105", "1,000" is "1000".
func digits(text string) string {
	text = thousands.ReplaceAllStringFunc(text, func(s string) string { return strings.ReplaceAll(s, ",", "") })
	text = strings.ReplaceAll(text, "%", " percent ")
	text = glued.ReplaceAllString(text, "$1 $2")
	text = ordinal.ReplaceAllString(text, "$1$2")
	text = hyphenated.ReplaceAllString(text, "$1 $2")
	text = strings.ReplaceAll(text, ",", " , ")
	in := strings.Fields(text)
	var out []string
	for i := 0; i < len(in); {
		value, n := spoken(in[i:])
		if n == 0 {
			out = append(out, in[i])
			i++
			continue
		}
		out = append(out, format(value))
		i += n
	}
	return strings.Join(out, " ")
}

// spoken reads the number at the beginning of words and says how many of them it has.
func spoken(words []string) (value float64, n int) {
	total, current := 0.0, 0.0
	const (
		nothing = iota
		unit    // 0 to 19
		tens
		big
	)
	last := nothing
	for n < len(words) {
		w := words[n]
		if w == "and" && last == big && n+1 < len(words) {
			if _, more := small[words[n+1]]; more {
				n++
				continue
			}
		}
		if v, ok := small[w]; ok {
			if last == unit || last == tens && (v >= 10 || v == 0) {
				break
			}
			if w == "dozen" && last != nothing {
				break
			}
			current += v
			last = unit
			if v >= 20 {
				last = tens
			}
			n++
			continue
		}
		v, ok := large[w]
		if !ok {
			break
		}
		if last == nothing { // "3 hundred" and "a hundred" begin elsewhere
			current = 1
		}
		if v == 100 {
			current *= v
		} else {
			total += current * v
			current = 0
		}
		last = big
		n++
	}
	if n > 0 && words[n-1] == "and" {
		n--
	}
	if n == 0 {
		return 0, 0
	}
	value = total + current
	if n+1 < len(words) && words[n] == "point" { // "three point one four"
		fraction := ""
		m := n + 1
		for m < len(words) {
			v, ok := small[words[m]]
			if !ok || v > 9 {
				break
			}
			fraction += strconv.Itoa(int(v))
			m++
		}
		if fraction != "" {
			f, err := strconv.ParseFloat("0."+fraction, 64)
			if err == nil {
				return value + f, m
			}
		}
	}
	return value, n
}

// format writes a number without an exponent.
func format(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// number reads digits; ok is false when there are none.
func number(text string) (x float64, ok bool) {
	x, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	return x, err == nil && x > -1e15 && x < 1e15
}

// original is a part of the sentence in the letters in which it was said, when it can be found there.
func (s *sentence) original(part string) string {
	if at := strings.Index(s.lower, part); at >= 0 && len(s.lower) == len(s.text) {
		return s.text[at : at+len(part)]
	}
	return part
}
