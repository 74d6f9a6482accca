package planner

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// kind is what sort of token it is.
type kind uint8

const (
	word   kind = iota
	number      // num holds the value
	punct       // w is one of , ; : . ! ? - ( )
	quote       // w is the text between the quotation marks
)

// token is one word, number, mark or quotation of a sentence.
type token struct {
	kind       kind
	w          string  // normalised spelling
	orig       string  // lower-case spelling before any repair
	num        float64 // value of a number
	start, end int     // bytes of the sentence
	glued      bool    // joined to the token before by a hyphen
	digits     bool    // a number that was written in digits
	pronoun    bool    // "one" that is no number
}

// Bounds that keep the time for one sentence small.
const (
	maxText   = 2000
	maxTokens = 160
	maxTrials = 400
)

// plain is the spelling under which a name is looked up: lower case, single spaces.
func plain(name string) string {
	return strings.Join(strings.Fields(strings.ToLower(strings.NewReplacer("_", " ", "-", " ").Replace(name))), " ")
}

// tokenize cuts a sentence into tokens; ok is false when it is too long to be a command.
func tokenize(text string) (toks []token, ok bool) {
	if len(text) > maxText {
		return nil, false
	}
	toks = make([]token, 0, 24)
	for i := 0; i < len(text); {
		if len(toks) > maxTokens {
			return nil, false
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		switch {
		case unicode.IsSpace(r):
			i += n
		case isQuote(r) && quoteOpens(text, i):
			if j, width := closingQuote(text, i+n, r); j >= 0 {
				toks = append(toks, token{kind: quote, w: text[i+n : j], orig: text[i+n : j], start: i, end: j + width})
				i = j + width
			} else {
				i += n
			}
		case r >= '0' && r <= '9' || (r == '.' && i+1 < len(text) && isDigit(text[i+1]) && (i == 0 || !isDigit(text[i-1]))):
			toks, i = scanNumber(toks, text, i)
		case unicode.IsLetter(r) || r == '\'' || r == '’':
			toks, i = scanWord(toks, text, i)
		default:
			toks = appendMark(toks, text, i, n, r)
			i += n
		}
	}
	return toks, true
}

func isDigit(b byte) bool { return b >= '0' && b <= '9' }

func isQuote(r rune) bool {
	return r == '"' || r == '“' || r == '”' || r == '„' || r == '«' || r == '\'' || r == '‘'
}

// quoteOpens tells an opening quotation mark from an apostrophe.
func quoteOpens(text string, i int) bool {
	if i == 0 {
		return true
	}
	r, _ := utf8.DecodeLastRuneInString(text[:i])
	return !unicode.IsLetter(r) && !unicode.IsDigit(r)
}

// closingQuote finds the mark that closes the quotation opened by open, or −1.
func closingQuote(text string, from int, open rune) (at, width int) {
	for i, r := range text[from:] {
		match := false
		switch open {
		case '\'', '‘':
			if r == '\'' || r == '’' {
				next, _ := utf8.DecodeRuneInString(text[from+i+utf8.RuneLen(r):])
				match = !unicode.IsLetter(next)
			}
		case '«':
			match = r == '»'
		default:
			match = r == '"' || r == '”' || r == '“'
		}
		if match {
			return from + i, utf8.RuneLen(r)
		}
	}
	return -1, 0
}

// appendMark adds the token for a mark; marks that say nothing are dropped.
func appendMark(toks []token, text string, i, n int, r rune) []token {
	t := token{start: i, end: i + n}
	if k := len(toks) - 1; r == '.' && k >= 0 && toks[k].end == i && toks[k].kind == punct && (toks[k].w == "." || toks[k].w == ",") {
		toks[k].w, toks[k].orig, toks[k].end = ",", ",", i+n // an ellipsis is a pause
		return toks
	}
	switch r {
	case ',', ';', ':', '.', '!', '?', '(', ')':
		t.kind, t.w = punct, string(r)
	case '…', '—', '–':
		t.kind, t.w = punct, ","
	case '°':
		t.kind, t.w = word, "degrees"
	case '%':
		t.kind, t.w = word, "percent"
	case '&', '+':
		t.kind, t.w = word, "and"
	case '=':
		t.kind, t.w = word, "="
	case '½', '¼', '¾':
		t.kind, t.num = number, map[rune]float64{'½': 0.5, '¼': 0.25, '¾': 0.75}[r]
	case '-', '−', '‒':
		next := rune(0)
		if i+n < len(text) {
			next, _ = utf8.DecodeRuneInString(text[i+n:])
		}
		before := rune(' ')
		if i > 0 {
			before, _ = utf8.DecodeLastRuneInString(text[:i])
		}
		switch {
		case unicode.IsDigit(next) || next == '.':
			if unicode.IsDigit(before) {
				return append(toks, token{kind: punct, w: "-", start: i, end: i + n})
			}
			t.kind, t.w = word, "minus"
		case unicode.IsLetter(next) && (unicode.IsLetter(before) || unicode.IsDigit(before)):
			return append(toks, token{kind: punct, w: "-", start: i, end: i + n}) // resolved by joinHyphens
		default:
			if len(toks) > 0 && unicode.IsLetter(before) { // "l- look": a word cut off
				toks[len(toks)-1].glued = true
				return append(toks, token{kind: punct, w: "~", start: i, end: i + n})
			}
			t.kind, t.w = punct, ","
		}
	default:
		return toks
	}
	t.orig = t.w
	return append(toks, t)
}

// scanNumber reads 12, 2.5, 2,5, 1,000, 1/2, 3x and the unit glued to it.
func scanNumber(toks []token, text string, i int) ([]token, int) {
	start := i
	digits := func() int {
		for i < len(text) && isDigit(text[i]) {
			i++
		}
		return i
	}
	whole := digits() - start
	s := text[start:i]
	for i+3 < len(text) && text[i] == ',' && whole <= 3 && isDigit(text[i+1]) && isDigit(text[i+2]) && isDigit(text[i+3]) && (i+4 == len(text) || !isDigit(text[i+4])) {
		s += text[i+1 : i+4]
		i += 4
	}
	if i+1 < len(text) && (text[i] == '.' || text[i] == ',') && isDigit(text[i+1]) {
		from := i + 1
		i++
		digits()
		s += "." + text[from:i]
	} else if i+1 < len(text) && text[i] == '/' && isDigit(text[i+1]) {
		from := i + 1
		i++
		digits()
		a, _ := strconv.ParseFloat(s, 64)
		b, _ := strconv.ParseFloat(text[from:i], 64)
		if b != 0 {
			s = strconv.FormatFloat(a/b, 'g', -1, 64)
		}
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		v = 1e9 // too many digits: beyond every limit, said so later
	}
	if i < len(text) && text[i] == ':' && i+1 < len(text) && isDigit(text[i+1]) { // a time of day
		for i < len(text) && (isDigit(text[i]) || text[i] == ':') {
			i++
		}
		return append(toks, token{kind: word, w: "o'clock", orig: "o'clock", start: start, end: i}), i
	}
	end := i
	from := i
	for i < len(text) && (text[i] >= 'a' && text[i] <= 'z' || text[i] >= 'A' && text[i] <= 'Z') {
		i++
	}
	suffix := strings.ToLower(text[from:i])
	if ord, ok := map[string]bool{"st": true, "nd": true, "rd": true, "th": true}[suffix]; ok && ord {
		return append(toks, token{kind: word, w: s + suffix, orig: s + suffix, start: start, end: i}), i
	}
	toks = append(toks, token{kind: number, num: v, w: s, orig: s, start: start, end: end, digits: true})
	if suffix == "" {
		return toks, i
	}
	if suffix == "x" {
		suffix = "times"
	}
	return append(toks, token{kind: word, w: suffix, orig: suffix, start: from, end: i}), i
}

// scanWord reads a word and takes contractions apart.
func scanWord(toks []token, text string, i int) ([]token, int) {
	start := i
	for i < len(text) {
		r, n := utf8.DecodeRuneInString(text[i:])
		if !unicode.IsLetter(r) && r != '\'' && r != '’' && !unicode.Is(unicode.Mn, r) && !unicode.IsDigit(r) {
			break
		}
		i += n
	}
	w := strings.ToLower(strings.ReplaceAll(text[start:i], "’", "'"))
	w = strings.Trim(w, "'")
	if w == "" {
		return toks, i
	}
	put := func(s string) {
		toks = append(toks, token{kind: word, w: s, orig: s, start: start, end: i})
	}
	if parts, ok := contractions[w]; ok {
		for _, s := range parts {
			put(s)
		}
		return toks, i
	}
	if stem, ok := strings.CutSuffix(w, "n't"); ok {
		put(stem)
		put("not")
		return toks, i
	}
	if k := strings.IndexByte(w, '\''); k > 0 {
		if tail, ok := clitics[w[k+1:]]; ok {
			put(w[:k])
			put(tail)
			return toks, i
		}
		if w[k+1:] == "s" && isPronoun[w[:k]] {
			put(w[:k])
			put("is")
			return toks, i
		}
	}
	put(w)
	return toks, i
}

// contractions are the words that stand for several.
var contractions = expandContractions(`
can't: can not | cannot: can not | won't: will not | shan't: shall not | dont: do not | cant: can not | wont: will not | doesnt: does not | didnt: did not
let's: let us | lets: let us | whats: what is | wheres: where is | whos: who is | hows: how is | thats: that is | its: its | theres: there is
wanna: want to | gonna: going to | gotta: got to | gimme: give me | lemme: let me | c'mon: come on | cmon: come on | d'you: do you | dyou: do you
ya: you | u: you | r: are | pls: please | plz: please | plse: please | thx: thanks | ur: your | yer: your | kinda: kind of | sorta: sort of | dunno: do not know
im: i am | ive: i have | youre: you are | 'em: them | em: them | couldya: could you | wouldja: would you | couldja: could you | y'all: you | o'clock: o'clock
whaddya: what do you | whatcha: what do you | dont't: do not | don't: do not | ain't: is not | 'cause: because | cuz: because | coz: because
thankyou: thank you | noone: no one | alot: a lot | abit: a bit | alittle: a little | allright: all right | alright: all right | anymore: any more
upwards: up | downwards: down | leftwards: left | rightwards: right | leftward: left | rightward: right | upward: up | downward: down
forwards: forward | backwards: backward | snapshot: photo | lookup: look up | wakeup: wake up | cos: because | hafta: have to | oughta: ought to
facetracking: face tracking | photograph: photo | lefthand: left | righthand: right | clockwards: clockwise | anticlockwise: counterclockwise
`)

func expandContractions(table string) map[string][]string {
	m := map[string][]string{}
	for _, e := range strings.FieldsFunc(table, func(r rune) bool { return r == '|' || r == '\n' }) {
		k, v, ok := strings.Cut(e, ":")
		if ok {
			m[strings.TrimSpace(k)] = strings.Fields(v)
		}
	}
	return m
}

var clitics = map[string]string{"re": "are", "ll": "will", "d": "would", "ve": "have", "m": "am"}

var isPronoun = map[string]bool{
	"what": true, "that": true, "it": true, "who": true, "where": true, "how": true, "there": true, "here": true,
	"he": true, "she": true, "everything": true, "when": true, "why": true, "which": true,
}

// joinHyphens resolves hyphens inside words: stutters go ("l-look"), fixed words join ("e-stop"), others split.
func joinHyphens(toks []token) []token {
	out := toks[:0]
	for i := 0; i < len(toks); i++ {
		t := toks[i]
		if t.kind == punct && t.w == "-" && len(out) > 0 && i+1 < len(toks) {
			prev, next := &out[len(out)-1], toks[i+1]
			switch {
			case prev.kind == word && next.kind == word && len(prev.w) <= 3 && prev.w != next.w && strings.HasPrefix(next.w, prev.w) && !wholeWord[prev.w]:
				out = out[:len(out)-1] // l-look, le-left
			case prev.kind == word && prev.w == next.w && len(prev.w) <= 2:
				out = out[:len(out)-1] // l-l-look
			case prev.w == "e" && next.w == "stop":
				prev.w, prev.orig, prev.end = "estop", "e-stop", next.end
				i++
			default:
				toks[i+1].glued = next.kind == word
			}
			continue
		}
		if t.kind == punct && t.w == "~" { // "l- look", "tur- turn"
			if len(out) > 0 && i+1 < len(toks) && toks[i+1].kind == word {
				prev := &out[len(out)-1]
				prev.glued = false
				if prev.kind == word && (len(prev.w) <= 2 || strings.HasPrefix(toks[i+1].w, prev.w) || !vocabulary[prev.w]) {
					out = out[:len(out)-1]
					continue
				}
			}
			t.w, t.orig = ",", ","
		}
		out = append(out, t)
	}
	return out
}

// wholeWord lists short words that are never the cut-off beginning of the next one.
var wholeWord = map[string]bool{"a": true, "no": true, "to": true, "so": true, "up": true, "on": true, "in": true, "do": true, "go": true, "be": true, "is": true, "me": true, "far": true, "wi": false}
