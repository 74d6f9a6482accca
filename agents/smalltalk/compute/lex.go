package compute

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/reachyd/reachyd/agents/units"
	"github.com/reachyd/reachyd/perception/language"
)

// maxTokens is how long a question may be.
const maxTokens = 60

// sort is what a token is.
type sort uint8

const (
	aWord sort = iota
	aNumber
	aClock
	aPlace // an ordinal: 3rd
	aMany  // 20s, sevens
	aMark
	aQuote
)

// token is a word, a number or a mark of a sentence.
type token struct {
	sort sort
	word string
	x    float64
}

// signs are written as the words that they stand for.
var signs = map[rune]string{
	'+': " plus ", '*': " times ", '×': " times ", '÷': " over ", '=': " , ", '%': " percent ", '^': " to the power ", '½': " 1/2 ", '¼': " 1/4 ", '¾': " 3/4 ",
	'’': "'", '‘': "'", '“': `"`, '”': `"`, '„': `"`, '(': " ⟨ ", ')': " ⟩ ", '–': " - ", '—': " , ", '…': " . ", '²': " squared ", '−': " - ",
}

// sums of money are written with their sign before them.
var coinSigns = map[rune]string{'£': "quid", '€': "euros", '$': "dollars"}

// lex cuts a text into tokens; nil when it is too long.
func lex(s string) []token {
	if len(s) > 400 {
		return nil
	}
	var b strings.Builder
	for _, r := range strings.ToLower(s) {
		if w, ok := signs[r]; ok {
			b.WriteString(w)
			continue
		}
		b.WriteRune(r)
	}
	l := &lexer{in: b.String()}
	for l.in = strings.TrimLeftFunc(l.in, unicode.IsSpace); l.in != ""; l.in = strings.TrimLeftFunc(l.in, unicode.IsSpace) {
		l.next()
		if len(l.out) > maxTokens {
			return nil
		}
	}
	return l.out
}

type lexer struct {
	in    string
	out   []token
	money string // the coin of the number that comes next
}

func (l *lexer) put(s sort, word string, x float64) { l.out = append(l.out, token{s, word, x}) }

func (l *lexer) next() {
	r, n := utf8.DecodeRuneInString(l.in)
	switch {
	case coinSigns[r] != "":
		l.money = coinSigns[r]
		l.in = l.in[n:]
	case isDigit(l.in[0]) || r == '.' && len(l.in) > 1 && isDigit(l.in[1]):
		l.number()
		if l.money != "" {
			l.put(aWord, l.money, 0)
			l.money = ""
		}
	case r == '"':
		if end := strings.IndexByte(l.in[1:], '"'); end > 0 {
			l.put(aQuote, strings.TrimSpace(l.in[1:1+end]), 0)
			l.in = l.in[end+2:]
			return
		}
		l.in = l.in[n:]
	case r == '-':
		l.dash()
	case unicode.IsLetter(r) || r == '°' || r == '\'':
		l.word()
	case r == '/' || r == '⟨' || r == '⟩':
		l.put(aWord, string(r), 0)
		l.in = l.in[n:]
	default:
		if strings.ContainsRune(",.;:!?", r) {
			l.put(aMark, string(r), 0)
		}
		l.in = l.in[n:]
	}
}

// dash is a minus between and before numbers, and else nothing.
func (l *lexer) dash() {
	l.in = l.in[1:]
	rest := strings.TrimLeft(l.in, " ")
	last := len(l.out) - 1
	if rest == "" || !isDigit(rest[0]) {
		if strings.HasPrefix(l.in, " ") {
			l.put(aMark, ",", 0)
		}
		return
	}
	if last >= 0 && l.out[last].sort != aNumber && l.out[last].sort != aWord {
		l.put(aWord, "negative", 0)
		return
	}
	if l.ranges(rest) {
		l.put(aWord, "to", 0)
		return
	}
	l.put(aWord, "minus", 0)
}

// ranges says whether a dash without blanks stands for "to": "rate it 1-10", where nothing is asked to be worked out.
func (l *lexer) ranges(rest string) bool {
	last := len(l.out) - 1
	if last < 1 || l.out[last].sort != aNumber || rest != l.in || l.out[0].sort != aWord || builtIn().asks[l.out[0].word] {
		return false
	}
	next := (&lexer{in: rest})
	next.number()
	return len(next.out) > 0 && next.out[0].x > l.out[last].x
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// number reads digits, and what touches them: 8:20, 1,000, 3.5, 3rd, 20s, 5km.
func (l *lexer) number() {
	i := 0
	digits := func() string {
		from := i
		for i < len(l.in) && isDigit(l.in[i]) {
			i++
		}
		return l.in[from:i]
	}
	if l.hex() {
		return
	}
	whole := digits()
	for i+3 < len(l.in) && l.in[i] == ',' && isDigit(l.in[i+1]) && isDigit(l.in[i+2]) && isDigit(l.in[i+3]) && (i+4 == len(l.in) || !isDigit(l.in[i+4])) {
		i++
		whole += digits()
	}
	if i+2 < len(l.in) && l.in[i] == ':' && isDigit(l.in[i+1]) && isDigit(l.in[i+2]) {
		i++
		minutes := digits()
		h, err := strconv.Atoi(whole)
		m, err2 := strconv.Atoi(minutes)
		l.in = l.in[i:]
		if err == nil && err2 == nil && h <= 24 && m < 60 {
			l.put(aClock, whole, float64(60*h+m))
			return
		}
		l.put(aQuote, whole+":"+minutes, 0)
		return
	}
	if i+1 < len(l.in) && (l.in[i] == '.' || l.in[i] == ',') && isDigit(l.in[i+1]) {
		i++
		whole += "." + digits()
	}
	l.in = l.in[i:]
	x, err := strconv.ParseFloat(whole, 64)
	if err != nil || len(whole) > 15 {
		l.put(aQuote, whole, 0)
		return
	}
	n := 0
	for n < len(l.in) && l.in[n] >= 'a' && l.in[n] <= 'z' {
		n++
	}
	switch l.in[:n] {
	case "st", "nd", "rd", "th":
		l.put(aPlace, whole, x)
	case "s":
		l.put(aMany, whole, x)
	default:
		l.put(aNumber, whole, x)
		return
	}
	l.in = l.in[n:]
}

// hex reads a number that is written with 0x before it.
func (l *lexer) hex() bool {
	if !strings.HasPrefix(l.in, "0x") {
		return false
	}
	i := 2
	for i < len(l.in) && (isDigit(l.in[i]) || l.in[i] >= 'a' && l.in[i] <= 'f') {
		i++
	}
	x, err := strconv.ParseUint(l.in[2:i], 16, 48)
	if err != nil {
		return false
	}
	l.put(aNumber, strconv.FormatUint(x, 10), float64(x))
	l.in = l.in[i:]
	return true
}

// shortened are words that stand for others.
var shortened = map[string]string{
	"whats": "what is", "thats": "that is", "hows": "how is", "whos": "who is", "whens": "when is", "wheres": "where is", "theres": "there is",
	"gimme": "give me", "u": "you", "ur": "your", "cos": "because", "coz": "because", "cuz": "because", "tho": "though", "pls": "please", "plz": "please",
	"cannot": "can not", "i'm": "i 'm", "im": "i 'm", "ive": "i have", "dont": "don't", "isnt": "isn't", "aint": "isn't",
	"ain't": "isn't", "tmrw": "tomorrow", "til": "till", "'til": "till",
	"we're": "we are", "they're": "they are", "you're": "you are",
}

func (l *lexer) word() {
	i := 0
	for i < len(l.in) {
		r, n := utf8.DecodeRuneInString(l.in[i:])
		slash := r == '/' && i > 0 && i+1 < len(l.in) && l.in[i+1] >= 'a' && l.in[i+1] <= 'z' && units.Of(l.in[:min(len(l.in), i+2)]) != nil
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' && r != '°' && !slash {
			break
		}
		i += n
	}
	w := strings.Trim(l.in[:i], "'")
	l.in = l.in[i:]
	if w == "" {
		return
	}
	if full, ok := shortened[w]; ok {
		for part := range strings.FieldsSeq(full) {
			l.put(aWord, part, 0)
		}
		return
	}
	w = l.meant(w)
	base, tail, found := strings.Cut(w, "'")
	switch {
	case found && tail == "s" && len(base) == 1: // r's
		l.put(aWord, base, 0)
	case found && base == "": // 'm
		l.put(aWord, w, 0)
	case found && (tail == "s" || tail == "re" || tail == "ll" || tail == "ve" || tail == "d" || tail == "m"):
		l.put(aWord, base, 0)
		l.put(aWord, "'"+tail, 0)
	default:
		l.put(aWord, w, 0)
	}
}

// meant is a word of which those around it say what it is: "a.m.", "o'clock", the "am" of "I am".
func (l *lexer) meant(w string) string {
	n := len(l.out)
	switch {
	case w == "am" && (n > 0 && l.out[n-1].word == "i" || strings.HasPrefix(l.in+" ", " i ")): // no time of the morning
		return "'m"
	case w == "o" && strings.HasPrefix(l.in, "'clock"):
		return "o'clock"
	case w == "p" || w == "a":
		return w + l.ofDay()
	}
	return w
}

// ofDay takes the rest of "p.m.", and returns the m.
func (l *lexer) ofDay() string {
	for _, m := range []string{".m.", ".m", ". m."} {
		if rest, ok := strings.CutPrefix(l.in, m); ok && (rest == "" || !unicode.IsLetter(rune(rest[0]))) {
			l.in = rest
			return "m"
		}
	}
	return ""
}

// tokens of package language, for its numbers.
func forLanguage(toks []token) language.Tokens {
	all := make(language.Tokens, 1, len(toks)+1) // a "hundred" is none at the very beginning
	for _, t := range toks {
		switch t.sort {
		case aNumber:
			all = append(all, language.Token{Kind: language.Number, Word: t.word, Num: t.x, Digits: true})
		case aWord:
			all = append(all, language.Token{Kind: language.Word, Word: t.word})
		default:
			all = append(all, language.Token{Kind: language.Mark, Word: ","})
		}
	}
	return all
}
