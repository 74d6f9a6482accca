package language

import (
	"regexp/syntax"
	"strings"
	"unicode"
)

// needs returns pieces of text, in lower case, of which one stands in every text that an expression fits; nil where nothing is known.
// To look for them costs a hundredth of trying the expression.
func needs(re *syntax.Regexp) []string {
	switch re.Op {
	case syntax.OpLiteral:
		if text := strings.ToLower(string(re.Rune)); isASCII(text) {
			return []string{text}
		}
	case syntax.OpCapture, syntax.OpPlus:
		return needs(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return needs(re.Sub[0])
		}
	case syntax.OpConcat:
		var best []string
		for _, part := range re.Sub {
			if found := needs(part); rarer(found, best) {
				best = found
			}
		}
		return best
	case syntax.OpAlternate:
		var all []string
		for _, way := range re.Sub {
			found := needs(way)
			if found == nil {
				return nil
			}
			all = append(all, found...)
		}
		return all
	}
	return nil
}

// rarer reports whether a text is less likely to have one of a than one of b: the shortest decides, then how many there are.
func rarer(a, b []string) bool {
	if len(a) == 0 || len(b) == 0 {
		return len(a) > 0
	}
	m, n := shortest(a), shortest(b)
	return m > n || m == n && len(a) < len(b)
}

func shortest(texts []string) int {
	n := len(texts[0])
	for _, t := range texts[1:] {
		n = min(n, len(t))
	}
	return n
}

func isASCII(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return r > unicode.MaxASCII }) < 0
}
