package tts

import (
	"regexp"
	"strings"
	"unicode"
)

// What is written for the eye and not for the ear.
var (
	codeBlock  = regexp.MustCompile("(?s)```.*?(?:```|$)")
	image      = regexp.MustCompile(`!\[([^\]\n]*)\]\([^)\s]*\)`)
	link       = regexp.MustCompile(`\[([^\]\n]+)\]\([^)\s]*\)`)
	tag        = regexp.MustCompile(`</?[a-zA-Z][^<>\n]{0,200}>`)
	address    = regexp.MustCompile(`(?i)\b(?:https?://|www\.)[^\s<>"')\]]+`)
	mail       = regexp.MustCompile(`\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+`)
	ipv4       = regexp.MustCompile(`\b\d{1,3}(?:\.\d{1,3}){3}\b`)
	heading    = regexp.MustCompile(`^\s{0,3}#{1,6}\s+`)
	bullet     = regexp.MustCompile(`^\s*(?:[-*+•‣▪]|>)\s+`)
	ruler      = regexp.MustCompile(`^[\s|:=_*-]*$`)
	emphasis   = regexp.MustCompile(`(\*{1,3}|~~|` + "`" + `+)`)
	underscore = regexp.MustCompile(`\b_{1,2}|_{1,2}\b`)
	degrees    = regexp.MustCompile(`°\s*([CF])\b`)
)

// symbols are said in words. The words stand apart from what is beside them.
var symbols = strings.NewReplacer(
	"&", " and ", "°", " degrees ", "→", " to ", "≥", " at least ", "≤", " at most ", "≈", " about ", "±", " plus or minus ",
	"×", " times ", "÷", " divided by ", "€", " euros ", "|", ", ", "[", " ", "]", " ",
	"{", " ", "}", " ", "\\", " ", "^", " ", "_", " ", "<", " ", ">", " ", "~", " ",
	"…", "... ", "“", `"`, "”", `"`, "„", `"`, "‘", "'", "’", "'", "–", ", ", "—", ", ",
)

// Clean makes text that can be said of text that was written to be read: without markdown, HTML, emoji and control
// characters, with addresses and symbols in words. What stood on a line of its own ends as a sentence; the lines of
// the result are its paragraphs.
func Clean(text string) string {
	text = strings.ToValidUTF8(text, "")
	text = codeBlock.ReplaceAllString(text, "\n")
	var out []string
	for line := range strings.Lines(text) {
		if line = cleanLine(line); line != "" {
			out = append(out, line)
		}
	}
	return strings.Join(out, "\n")
}

func cleanLine(line string) string {
	line = strings.TrimSpace(line)
	alone := heading.MatchString(line) || bullet.MatchString(line) || strings.HasPrefix(line, "|")
	if ruler.MatchString(line) {
		return ""
	}
	line = bullet.ReplaceAllString(heading.ReplaceAllString(line, ""), "")
	line = link.ReplaceAllString(image.ReplaceAllString(line, "$1"), "$1")
	line = mail.ReplaceAllStringFunc(line, sayMail)
	line = address.ReplaceAllStringFunc(line, sayAddress)
	line = ipv4.ReplaceAllStringFunc(line, sayDigits)
	line = emphasis.ReplaceAllString(tag.ReplaceAllString(line, " "), "")
	line = degrees.ReplaceAllString(underscore.ReplaceAllString(line, ""), " degrees $1")
	line = strings.Map(speakable, symbols.Replace(line))
	line = tidy(line)
	if !hasWord(line) {
		return ""
	}
	if last := line[len(line)-1]; alone && !strings.ContainsRune(".!?:;,", rune(last)) {
		line += "."
	}
	return line
}

// tidy leaves one space between words and none before a mark.
func tidy(s string) string {
	fields := strings.Fields(s)
	var b strings.Builder
	for _, f := range fields {
		mark := strings.Trim(f, ",;") == ""
		if mark && (b.Len() == 0 || strings.HasSuffix(b.String(), ",")) {
			continue
		}
		if b.Len() > 0 && !mark {
			b.WriteByte(' ')
		}
		b.WriteString(f)
	}
	return strings.TrimRight(b.String(), ",; ")
}

// sayAddress says where an address of the web leads, without the way there: "example dot com".
func sayAddress(s string) string {
	s, mark := trailing(s)
	if i := strings.Index(s, "://"); i >= 0 {
		s = s[i+3:]
	}
	if i := strings.IndexAny(s, "/?#:"); i >= 0 {
		s = s[:i]
	}
	if len(s) > 4 && strings.EqualFold(s[:4], "www.") {
		s = s[4:]
	}
	if ipv4.MatchString(s) {
		return sayDigits(s) + mark
	}
	return strings.ReplaceAll(s, ".", " dot ") + mark
}

// sayDigits says an address of a host as one writes it down: "1 9 2 dot 1 6 8 dot 1 dot 2 0".
func sayDigits(s string) string {
	parts := strings.Split(s, ".")
	for i, p := range parts {
		parts[i] = strings.Join(strings.Split(p, ""), " ")
	}
	return strings.Join(parts, " dot ")
}

func sayMail(s string) string {
	return strings.NewReplacer(".", " dot ", "@", " at ", "-", " dash ", "+", " plus ").Replace(s)
}

// trailing splits off the mark that ends the sentence and not the address.
func trailing(s string) (rest, mark string) {
	rest = strings.TrimRight(s, ".,;:!?")
	return rest, s[len(rest):]
}

// speakable drops what has no sound.
func speakable(r rune) rune {
	switch {
	case r == '\t' || unicode.Is(unicode.Zs, r):
		return ' '
	case unicode.IsControl(r), unicode.Is(unicode.Cf, r), unicode.Is(unicode.Co, r), unicode.Is(unicode.So, r),
		unicode.Is(unicode.Variation_Selector, r), r >= 0x1f3fb && r <= 0x1f3ff:
		return -1
	}
	return r
}

func hasWord(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}
