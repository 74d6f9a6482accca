package tts

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// How long the pieces are that a voice gets, in characters. The first is short, so that it is heard soon.
const (
	firstPiece = 80
	laterPiece = 200
)

// abbreviations end with a dot that ends no sentence.
var abbreviations = map[string]bool{
	"mr": true, "mrs": true, "ms": true, "dr": true, "prof": true, "st": true, "sr": true, "jr": true, "vs": true, "etc": false,
	"e.g": true, "i.e": true, "cf": true, "approx": true, "ca": true, "no": false, "nr": true, "fig": true, "vol": true, "p": true, "pp": true,
	"inc": true, "ltd": true, "co": true, "dept": true, "gen": true, "capt": true, "lt": true, "z.b": true, "bzw": true, "usw": false,
	"jan": true, "feb": true, "mar": true, "apr": true, "jun": true, "jul": true, "aug": true, "sep": true, "sept": true, "oct": true, "nov": true, "dec": true,
}

// Split cuts cleaned text into what a voice says at a time: sentences, and clauses where a sentence is long. Put
// together again with spaces the pieces are the words of the text.
func Split(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		for _, s := range sentences(strings.Fields(line)) {
			for s != "" {
				most := laterPiece
				if len(out) == 0 {
					most = firstPiece
				}
				var piece string
				piece, s = clause(s, most)
				out = append(out, piece)
			}
		}
	}
	return out
}

// sentences joins words up to those that end a sentence.
func sentences(words []string) []string {
	var out []string
	from := 0
	for i, w := range words {
		next := ""
		if i+1 < len(words) {
			next = words[i+1]
		}
		if next == "" || ends(w, next, i == from) {
			out = append(out, strings.Join(words[from:i+1], " "))
			from = i + 1
		}
	}
	return out
}

// ends reports whether a sentence ends with word when next follows.
func ends(word, next string, first bool) bool {
	core := strings.TrimRight(word, `"')»`)
	switch {
	case core == "":
		return false
	case strings.HasSuffix(core, "!"), strings.HasSuffix(core, "?"), strings.HasSuffix(core, "。"):
		return true
	case !strings.HasSuffix(core, "."):
		return false
	}
	lower := startsLower(next)
	stem := strings.TrimLeft(strings.TrimRight(core, "."), `"'(«`)
	switch known, is := abbreviations[strings.ToLower(stem)]; {
	case is && known:
		return false
	case is:
		return !lower
	}
	if utf8.RuneCountInString(stem) == 1 && !first {
		r, _ := utf8.DecodeRuneInString(stem)
		if unicode.IsUpper(r) && stem != "I" { // an initial
			return false
		}
	}
	if first && strings.Trim(stem, "0123456789") == "" { // the number of a list
		return false
	}
	return !lower
}

func startsLower(s string) bool {
	r, _ := utf8.DecodeRuneInString(strings.TrimLeft(s, `"'(«`))
	return unicode.IsLower(r)
}

// clause cuts s after at most so many characters: at the last mark between clauses, else before the last conjunction,
// else between words, else anywhere. A short rest is not worth a cut.
func clause(s string, most int) (piece, rest string) {
	if utf8.RuneCountInString(s) <= most+most/4 {
		return s, ""
	}
	limit := 0
	for range most {
		_, n := utf8.DecodeRuneInString(s[limit:])
		limit += n
	}
	least := limit / 4
	mark, conjunction, space := -1, -1, -1
	for i := least; i < limit; i++ {
		if s[i] != ' ' {
			continue
		}
		space = i
		if strings.IndexByte(",;:)", s[i-1]) >= 0 {
			mark = i
		}
		switch word, _, _ := strings.Cut(s[i+1:], " "); strings.ToLower(word) {
		case "and", "or", "but", "because", "which", "that", "so", "then", "while", "when", "if", "und", "oder", "aber", "weil", "dass":
			conjunction = i
		}
	}
	for _, at := range []int{mark, conjunction, space} {
		if at > 0 {
			return s[:at], s[at+1:]
		}
	}
	return s[:limit], s[limit:]
}
