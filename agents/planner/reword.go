package planner

import "regexp"

// rewording says in words of the grammar what people also say in a form that it has no place for.
type rewording struct {
	from *regexp.Regexp
	to   string
}

// misleading are forms that would be understood as something else.
var misleading = []rewording{
	{ // no amount: "your little head"
		regexp.MustCompile(`(?i)\b(your|those|these|the) (?:little|tiny|small|cute|sweet|lovely|pretty|big|funny|silly|shiny|nice) ` +
			`(head|antennas|antennae|antenna|body|neck|ears)\b`), "$1 $2",
	},
	{regexp.MustCompile(`(?i)\bat an angle of\b`), "by"}, // no thing to look at
	{regexp.MustCompile(`(?i)\bsearch (?:in|on) (?:the )?(internet|web)\b`), "search the $1"},
}

// rewordings are tried, all of them, on a text that was not understood as it stands.
var rewordings = []rewording{
	{regexp.MustCompile(`(?i)\bthose (antennas|antennae|ears)\b`), "your $1"},
	{regexp.MustCompile(`(?i)\b(head|antennas|antennae|antenna|body|neck) of yours\b`), "$1"},
	{regexp.MustCompile(`(?i)([a-z]) x ?(\d{1,2})\b`), "$1 $2 times"},
	{regexp.MustCompile(`(?i)([a-z]) (\d{1,2}) ?x\b`), "$1 $2 times"},
	{regexp.MustCompile(`(?i)^emotion[: ]+(\w+)[.!]?$`), "express $1"},
	{regexp.MustCompile(`(?i)^gesture[: ]+(\w+)[.!]?$`), "do the $1 gesture"},
	{regexp.MustCompile(`(?i)^(?:web search|internet search|search query)[: ]+(?:for )?`), "search the web for "},
	{regexp.MustCompile(`(?i)\brepeat (?:the|that|your) (\w+) gesture\b`), "do the $1 gesture"},
	{regexp.MustCompile(`(?i)\bshow (?:me|us|everyone|everybody|(?:the|my) \w+) what (\w+) looks like\b`), "express $1"},
	{regexp.MustCompile(`(?i)\bi (?:want|would like|'d like) to see you (\w+)[.!]?$`), "look $1"},
}

// quotedOrSpoken texts are left as they are: what is to be said must not be reworded.
var quotedOrSpoken = regexp.MustCompile(`(?i)["“”]|\b(say|speak|tell|repeat after)\b`)

// reword returns the text in other words, and whether there are any.
func reword(text string) (string, bool) {
	if quotedOrSpoken.MatchString(text) {
		return text, false
	}
	out := replace(text, rewordings)
	return out, out != text
}

// clarify returns the text without what would mislead.
func clarify(text string) string {
	if quotedOrSpoken.MatchString(text) {
		return text
	}
	return replace(text, misleading)
}

func replace(text string, with []rewording) string {
	for _, r := range with {
		text = r.from.ReplaceAllString(text, r.to)
	}
	return text
}
