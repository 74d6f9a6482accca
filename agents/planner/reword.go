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
	{regexp.MustCompile(`(?i)^((?:and|then|now|please),? )*back to (.+ (?:expression|face|mood|pose|position|posture))\b`), "go back to $2"},
	{regexp.MustCompile(`(?i)\b(?:drop|leave) (?:whatever|everything|what)(?: it is)?(?: you(?:'re| are) doing)?,? and `), ""},
	{regexp.MustCompile(`(?i)\b(?:the|your|those|these|both) two (antennas|antennae|ears|feelers)\b`), "both $1"}, // no number of degrees
	{
		regexp.MustCompile(`(?i)\brest (your|the|both) (head|antennas|antenna|neck|gaze|eyes|body) (straight|up|down|left|right` +
			`|level|in|at|to|back)\b`), "put $1 $2 $3",
	},
	{regexp.MustCompile(`(?i)([a-z]),? yes,? (left|right|up|down)\b`), "$1"}, // "no, down, yes down"
	{regexp.MustCompile(`(?i),? (?:and )?not by [a-z0-9-]+(?: degrees)?\b`), ""},
	{regexp.MustCompile(`(?i)\b((?:turn|rotate|spin|swivel|pivot)(?: the| your)? (?:body|base|torso)) by (?:plus|positive|\+) ?`), "$1 left by "},
	{regexp.MustCompile(`(?i)\b(to|by|at|of) plus `), "$1 "},
	{regexp.MustCompile(`(?i)\band after(?:wards?)?,? you (?:to |please )?`), "and then "},
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
	{
		regexp.MustCompile(`(?i)\b(do|perform|make|show (?:me|us)|give (?:me|us)) (?:that|the|your` +
			`|this) ((?:[a-z]+ ){1,3})(?:thing|thingy|trick|bit|routine)\b`), "do a $2",
	},
	{regexp.MustCompile(`(?i)\b(?:increase|raise|up) (?:your |the )?(?:head(?:'s)? )?(pitch|yaw|roll)(?: angle)? by `), "$1 your head by "},
	{regexp.MustCompile(`(?i)\b(?:decrease|reduce|lower) (?:your |the )?(?:head(?:'s)? )?(pitch|yaw|roll)(?: angle)? by `), "$1 your head by minus "},
	{regexp.MustCompile(`(?i)\b(?:increase|raise) (?:your |the )?(?:body|base|torso)(?:'s)? yaw(?: angle)? by `), "turn your body left by "},
	{regexp.MustCompile(`(?i)\b(?:decrease|reduce|lower) (?:your |the )?(?:body|base|torso)(?:'s)? yaw(?: angle)? by `), "turn your body right by "},
	{
		regexp.MustCompile(`(?i)\b(?:command|drive|bring|send|take) (?:your |the |both )?((?:left |right )?(?:head|body|base` +
			`|antennas?|neck)(?: pitch| yaw| roll)?) to\b`), "set your $1 to",
	},
	{regexp.MustCompile(`(?i)\b(to|by|at|of) \+`), "$1 "},
	{regexp.MustCompile(`(?i)\blook for (.+?) (?:on|in) (?:the )?(web|internet|net)\b`), "search the web for $1"},
	{
		regexp.MustCompile(`(?i)\bwhere (?:did|has|have) ((?:the|my|your|that|this|our) [a-z' ]+?) (?:go|gone|get to|got to` +
			`|gotten to|disappear(?:ed)?|vanish(?:ed)?)\b(?: to)?`), "where is $1",
	},
	{regexp.MustCompile(`(?i)\b(where is [^,?]+), (?:is|are|was|can|could|do|did) (?:it|they|you)\b[^?]*`), "$1"},
	{regexp.MustCompile(`(?i)^(\d+|three sixty|one eighty)(?: degrees?)? (?:spin|turn|twirl)\b(?: go\b)?`), "do a $1 degree turn"},
	{regexp.MustCompile(`(?i)^camera,? (follow|track|look|watch|find)\b`), "$1"},
	{
		regexp.MustCompile(`(?i)\b(?:the|your) voice,? (?:more |a bit |a little )?(?:low|lower|soft|softer|quiet|quieter|loud` +
			`|louder|high|higher|up|down),? (?:at|to) (?:the )?`), "volume to ",
	},
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
