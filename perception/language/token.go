package language

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Kind is what sort of token it is.
type Kind uint8

// The kinds of tokens.
const (
	Word   Kind = iota
	Number      // Num holds the value
	Mark        // Word is one of , ; : . ! ? - ( )
	Quote       // Word is the text between the quotation marks
)

// Token is one word, number, mark or quotation of a text.
type Token struct {
	Kind       Kind
	Word       string  // spelling after repair
	Orig       string  // lower-case spelling before any repair
	Num        float64 // value of a number
	Start, End int     // bytes of the text
	Glued      bool    // joined to the token before by a hyphen
	Digits     bool    // a number that was written in digits
	Pronoun    bool    // "one" that is no number
}

// Tokens are the tokens of a text. Its methods answer for any index, also beyond the ends.
type Tokens []Token

// At returns token k, beyond the ends a mark without text.
func (ts Tokens) At(k int) *Token {
	if k >= 0 && k < len(ts) {
		return &ts[k]
	}
	return &beyond
}

var beyond = Token{Kind: Mark}

// Word returns the word at k, "" for what is no word.
func (ts Tokens) Word(k int) string {
	if k >= 0 && k < len(ts) && ts[k].Kind == Word {
		return ts[k].Word
	}
	return ""
}

// IsMark reports whether a mark stands at k.
func (ts Tokens) IsMark(k int) bool { return k >= 0 && k < len(ts) && ts[k].Kind == Mark }

// Bounds that keep the time for one text small. A longer text is no command.
const (
	MaxText   = 2000 // bytes
	MaxTokens = 160
)

// Plain is the spelling under which a name is looked up: lower case, single spaces.
func Plain(name string) string {
	return strings.Join(strings.Fields(strings.ToLower(strings.NewReplacer("_", " ", "-", " ").Replace(name))), " ")
}

// tokenize cuts a sentence into tokens; ok is false when it is too long to be a command.
func tokenize(text string) (toks Tokens, ok bool) {
	if len(text) > MaxText {
		return nil, false
	}
	toks = make(Tokens, 0, 24)
	for i := 0; i < len(text); {
		if len(toks) > MaxTokens {
			return nil, false
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		switch {
		case unicode.IsSpace(r):
			i += n
		case isQuote(r) && quoteOpens(text, i):
			if j, width := closingQuote(text, i+n, r); j >= 0 {
				toks = append(toks, Token{Kind: Quote, Word: text[i+n : j], Orig: text[i+n : j], Start: i, End: j + width})
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

// scanWord reads a word and takes contractions apart.
func scanWord(toks Tokens, text string, i int) (Tokens, int) {
	start := i
	for i < len(text) {
		r, n := utf8.DecodeRuneInString(text[i:])
		if !unicode.IsLetter(r) && r != '\'' && r != '’' && !unicode.Is(unicode.Mn, r) && !unicode.IsDigit(r) {
			break
		}
		i += n
	}
	w := strings.ToLower(strings.ReplaceAll(text[start:i], "’", "'"))
	if stem, ok := strings.CutSuffix(w, "in'"); ok && len(stem) > 1 && stem[0] != '\'' { // "lookin'", not "'robin'"
		w = stem + "ing"
	}
	w = strings.Trim(w, "'")
	if w == "" {
		return toks, i
	}
	put := func(s string) {
		toks = append(toks, Token{Kind: Word, Word: s, Orig: s, Start: start, End: i})
	}
	if parts, ok := contractions[w]; ok {
		for s := range strings.FieldsSeq(parts) {
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
		if w[k+1:] == "s" && takesIs[w[:k]] {
			put(w[:k])
			put("is")
			return toks, i
		}
	}
	put(w)
	return toks, i
}

var (
	contractions = Map("contractions")
	clitics      = Map("clitics")
	takesIs      = Words("takes-is")
)

// joinHyphens resolves hyphens inside words: stutters go ("l-look"), fixed words join ("e-stop"), others split.
func joinHyphens(toks Tokens) Tokens {
	out := toks[:0]
	for i := 0; i < len(toks); i++ {
		t := toks[i]
		between := t.Kind == Mark && len(out) > 0 && i+1 < len(toks)
		switch {
		case between && t.Word == "-":
			prev, next := &out[len(out)-1], toks[i+1]
			switch {
			case stuttered(prev, &next):
				out = out[:len(out)-1]
			case prev.Word == "e" && next.Word == "stop":
				prev.Word, prev.Orig, prev.End = "estop", "e-stop", next.End
				i++
			default:
				toks[i+1].Glued = next.Kind == Word
			}
			continue
		case between && t.Word == "~" && toks[i+1].Kind == Word: // "l- look", "tur- turn"
			prev := &out[len(out)-1]
			prev.Glued = false
			if prev.Kind == Word && (len(prev.Word) <= 2 || strings.HasPrefix(toks[i+1].Word, prev.Word) || !Known(prev.Word)) {
				out = out[:len(out)-1]
				continue
			}
		}
		if t.Kind == Mark && t.Word == "~" {
			t.Word, t.Orig = ",", ","
		}
		out = append(out, t)
	}
	return out
}

// stuttered reports whether what stands before a hyphen is the beginning of the word behind it: "l-look", "l-l-look".
func stuttered(before, behind *Token) bool {
	w, next := before.Word, behind.Word
	switch {
	case before.Kind != Word:
		return false
	case w == next:
		return len(w) <= 2
	}
	return behind.Kind == Word && len(w) <= 3 && strings.HasPrefix(next, w) && !wholeWord[w]
}

// wholeWord lists short words that are never the cut-off beginning of the next one.
var wholeWord = set("a", "no", "to", "so", "up", "on", "in", "do", "go", "be", "is", "me", "far")
