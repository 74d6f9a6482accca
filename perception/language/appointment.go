package language

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// A reminder or an alarm may be for a day, or for many ("every weekday at five to ten", "on the third of December", "Sunday evening at eight"), and
// what it is of may be told before it is asked for ("Biscuit gets his walk at five, remind me then please"). Appointments says it in the usual
// words: "remind me every weekday at 9:55 to join".

const (
	weekday  = `(?:mon|tues|wednes|thurs|fri|satur|sun)days?`
	weekdays = `(?:mon|tues|wednes|thurs|fri|satur|sun)days`
	sets     = `(?:set|start|make|put|add|need|want|give|create|have|get|schedule|begin|run)(?: (?:me|us|up|in|on|down))* `
	monthDay = `\d{1,2}(?:st|nd|rd|th)?`
	month    = `(?:january|february|march|april|may|june|july|august|september|october|november|december)`
	dayPart  = `(?:morning|afternoon|evening|night|lunchtime)s?`
)

var (
	everyDay = regexp.MustCompile(`\b(?:(?:on )?(?:every|each) (?:single )?(` + weekday + `(?: ?(?:,|and|, and) (?:every |each |on )?` + weekday + `)*|` +
		`weekdays?|weekends?|days?|` + dayPart + `)|` +
		`(?:on )?(` + weekdays + `(?: and ` + weekdays + `)*|weekdays)|(?:from )?(monday (?:to|till|through) friday)|(daily))` +
		`(?: (?:in the )?(` + dayPart + `))?\b`)
	oneDay = regexp.MustCompile(`\b(?:(?:on |this |coming |come |next |for |by )*(` + weekday + `)|` +
		`(tomorrow|today|tonight|this (?:morning|afternoon|evening)|in the (?:morning|afternoon|evening)|the day after tomorrow)|` +
		`(?:on |for )?(?:the )?(` + monthDay + `(?: of)? ` + month + `)|(?:on |for )?(` + month + ` (?:the )?` + monthDay + `)|` +
		`(?:on|for) the (\d{1,2}(?:st|nd|rd|th)))(?: (?:in the )?(` + dayPart + `))?\b`)
	hourSaid = regexp.MustCompile(`(?:\b(?:at|by|around|about|for|from) (?:about |around )?` +
		`(\d{1,2}(?::\d\d)?(?: ?[ap]\.?m\b\.?)?|noon|midday|midnight|lunchtime)|` +
		`\b(\d{1,2}:\d\d(?: ?[ap]\.?m\b\.?)?|\d{1,2} ?[ap]\.?m\b\.?))(?: o'?clock)?`)
	asksReminder = regexp.MustCompile(`\b(?:remind (?:me|us)|` + sets + `(?:a|an|another|one|one more) (?:\w+ )?reminder(?: (?:for (?:me|us)|please))*)\b`)
	asksAlarm    = regexp.MustCompile(`\b(?:wake (?:me|us)(?: up)?|` + sets + `(?:a|an|my|the|another|one) (?:\w+ )?alarm(?: (?:for (?:me|us)|please))*)\b`)
	ofWhat       = regexp.MustCompile(`^(?:[ ,:]|please\b|also\b|again\b|then\b)*(?:to|about|of|that|for)\b`)
	onlyPoints   = regexp.MustCompile(`^(?:then|of|about|it|that|this|both|them|those|to do it|to|for|please|thanks|thank you|would you|could you|will you|` +
		`can you|ok|okay|all right|[ ,.!?;:])*$`)
	appointEnds = regexp.MustCompile(`(?:[ ,.!?;:]|'s|\b(?:please|thanks|thank you|would you|will you|could you|dear|love|mate|darling|as well|too|ok|is|are|` +
		`gets|get))+$`)
	marksApart = regexp.MustCompile(`([a-z])([.?!,;:](?:\s|$))`)
	hourLeft   = regexp.MustCompile(`\b(?:past|o'?clock|quarter (?:to|past)|half (?:past|[a-z]+)|at \w+)\b`)
	saysThem   = regexp.MustCompile(`^\w+ (?:it|them|that|those)$`)
	goesOnLead = regexp.MustCompile(`^(?:(?:and|also|plus|oh|then|ok|okay|now)\b[ ,]*)+`)
	ofMotion   = regexp.MustCompile(`^\W*(?:\d|$|(?:then|now|again|back|up|down|left|right|more|less|by|and|stop|so|not|it|that|this|another|one|` +
		`other|the other)\b)|\b(?:head|body|antennas?|ears?)\b`)
	onlyOne  = regexp.MustCompile(`\b(?:one|1|another|too|as well|also)\b|^\W*$`)
	inSpan   = regexp.MustCompile(`^ (?:in|after|for) ((?:\d|an? |half )(?:[^ ]+ )*?(?:minute|hour|second|day)s?\b)`)
	nextPart = regexp.MustCompile(` and (?:the |my |his |her |our |their |mine |hers |yours |ours )`)
	// dayInWords may be a day of a month: "on the third", "the twenty first of May".
	dayInWords = regexp.MustCompile(`\b((?:on|for|the) (?:the )?)([a-z]+(?:[ -][a-z]+)??)((?: of)? ` + month + `|$|[,.?!]| at\b| to\b)`)

	ordinalDays  = Map("ordinals")
	goesOn       = Words("goes-on")
	appointLeads = Words("memory-lead", "appointment-leads")
	appointParts = Texts("appointment-parts")
)

// appointment is one reminder or alarm that is asked for.
type appointment struct {
	day, at, what string
	usual         string // the hour where none is said
}

// When is the day and the time of day that a text says, in the usual words: "every weekday at 9:55", "on friday at 8 pm"; empty where it says no day.
func When(text string) string {
	a := appointment{}
	if a.readDay(withDays(text)); a.day == "" {
		return ""
	}
	return a.when()
}

// withDays is a text in small letters with its times in figures.
func withDays(text string) string {
	return dayInWords.ReplaceAllStringFunc(WithTimes(marksApart.ReplaceAllString(strings.ToLower(text), "$1 $2")), func(said string) string {
		m := dayInWords.FindStringSubmatch(said)
		if digits := ordinalDays[m[2]]; digits != "" {
			return m[1] + digits + m[3]
		}
		return said
	})
}

// Appointments are the reminders and alarms that a sentence asks for, each in the usual words, where it says them of a day or in a way that
// needs to be put in order; none where it asks for none.
func Appointments(u *Utterance) []string {
	if u.TooLong || len(u.Text) > MaxRequest || u.Address.To >= len(u.Tokens) {
		return nil
	}
	text := withDays(u.Text[u.Tokens[u.Address.To].Start:])
	asks, verb := asksReminder, "remind me"
	at := asks.FindStringIndex(text)
	if at == nil {
		asks, verb = asksAlarm, "set an alarm"
		at = asks.FindStringIndex(text)
	}
	if at == nil {
		return nil
	}
	a, w := appointment{}, wished{u: u}
	start := clauseStart(text[:at[0]])
	before := appointment{}
	if lead := text[start:at[0]]; led(before.readDay(text[:at[0]])) && before.day != "" { // "every Monday and Friday, wake me"
		a, start = before, 0
	} else if !led(lead) {
		return nil
	}
	head, rest := strings.TrimRight(text[:start], " ,.;:!"), text[at[1]:]
	short := verb == "remind me" && text[at[0]:at[1]] != "remind me" && text[at[0]:at[1]] != "remind us"
	if verb != "remind me" {
		if a.readDay(rest); a.day == "" {
			return nil
		}
		return []string{verb + " " + a.when()}
	}
	if short && inSpan.MatchString(rest) {
		return []string{"remind me in" + inSpan.ReplaceAllString(rest, " $1")}
	}
	rest = a.readDay(rest)
	if a.what = whatOf(rest); a.what != "" {
		if a.day == "" && !short {
			return nil
		}
		if saysThem.MatchString(a.what) && head != "" && strings.LastIndexAny(head, ",.;:!?") < 0 { // "I keep forgetting my pills. Remind me to take them"
			a.what = head + ": " + a.what
		}
		return []string{a.reminder(&w)}
	}
	return told(head, &a, &w, short)
}

// Another is one more alarm or reminder that a sentence asks for which goes on from the exchange before it, in the usual words: "and the eye drops
// at nine in the evening, every day as well". Empty where it asks for none.
func Another(u *Utterance, said Said) string {
	if u.TooLong || u.Question || len(u.Text) > MaxRequest || len(said.Texts) == 0 || u.Address.To >= len(u.Tokens) || !goesOn[u.Tokens.Word(u.Address.To)] {
		return ""
	}
	e := errandOf(u, nil)
	for _, act := range []string{errandOff, errandLess, errandLeft, errandChange, errandAbout, errandList} {
		if e.is(act) {
			return ""
		}
	}
	if len(e.spans) > 0 || slices.Contains(e.kinds, KeptTimer) {
		return ""
	}
	a := appointment{}
	text := withDays(u.Text[u.Tokens[u.Address.To].Start:])
	rest := strings.TrimSpace(a.readDay(goesOnLead.ReplaceAllString(text, "")))
	before := SplitWords(strings.ToLower(said.Texts[0]))
	has := func(kind string) bool {
		return slices.ContainsFunc(before, func(w string) bool { return errandKinds[w] == kind })
	}
	switch {
	case a.at == "":
	case (has(KeptAlarm) || slices.Contains(before, "wake")) && !has(KeptReminder) && onlyOne.MatchString(rest):
		if a.day == "" {
			return "set an alarm for " + a.at
		}
		return "set an alarm " + a.when()
	case has(KeptReminder) && (a.day != "" || !ofMotion.MatchString(rest)):
		w := wished{u: u}
		if a.what = whatOf(" " + rest); a.what != "" {
			return a.reminder(&w)
		}
	}
	return ""
}

// Reminds reports whether a text begins with the request to be reminded.
func Reminds(u *Utterance) bool {
	at := u.Address.To
	return at+1 < len(u.Tokens) && u.Tokens.Word(at) == "remind" && (u.Tokens.Word(at+1) == "me" || u.Tokens.Word(at+1) == "us")
}

// led reports whether what stands before a request in its clause is polite, or nothing.
func led(before string) bool {
	for _, word := range SplitWords(before) {
		if !appointLeads[word] {
			return false
		}
	}
	return true
}

// clauseStart is where the last clause of a text begins.
func clauseStart(text string) int { return strings.LastIndexAny(text, ",.;:!?") + 1 }

// told are the reminders of what stands before the request for them: "Doris needs her tablets at one and her drops at four, remind me of both".
func told(head string, a *appointment, w *wished, short bool) (all []string) {
	times := hourSaid.FindAllStringIndex(head, -1)
	switch {
	case head == "" && short && a.when() != "": // "set a reminder for six"
		return []string{"remind me " + a.when()}
	case head == "" && short:
		return []string{"remind me"}
	case head == "" || a.at == "" && len(times) == 0 && a.day == "":
		return nil
	case len(times) > 1:
		parts := nextPart.FindStringIndex(head)
		if len(times) > 2 || parts == nil || parts[0] < times[0][1] {
			return nil
		}
		for _, part := range []string{head[:parts[0]], head[parts[0]+len(" and "):]} {
			of := appointment{}
			rest := of.readDay(part)
			if of.what = whatOf(" " + rest); of.what == "" || of.at == "" {
				return nil
			}
			if of.day == "" {
				of.day = a.day
			}
			all = append(all, of.reminder(w))
		}
		return all
	}
	of := appointment{}
	rest := of.readDay(head)
	if a.day != "" {
		of.day = a.day
	}
	of.at, of.usual = cmp.Or(a.at, of.at), cmp.Or(of.usual, a.usual)
	if of.what = whatOf(" " + rest[clauseStart(rest):]); of.what == "" || of.at == "" && of.day == "" {
		return nil
	}
	return []string{of.reminder(w)}
}

// whatOf is what one is to be reminded of, without the words that join it to the request; empty where nothing is.
func whatOf(text string) string {
	if onlyPoints.MatchString(strings.TrimSpace(text)) {
		return ""
	}
	if m := ofWhat.FindStringIndex(text); m != nil {
		text = text[m[1]:]
	}
	return strings.TrimLeft(appointEnds.ReplaceAllString(text, ""), " ,:;.")
}

// readDay takes the day and the time of day out of a text.
func (a *appointment) readDay(text string) (rest string) {
	text, part := a.dayIn(text)
	if m := hourSaid.FindStringSubmatchIndex(text); a.at == "" && m != nil && !isAmount(text[m[1]:]) {
		a.at = strings.ReplaceAll(firstGroup(text, m, 1, 2), ".", "")
		text = without(text, m)
	}
	if a.day == "" {
		return text
	}
	switch half := appointParts[strings.TrimSuffix(part, "s")]; {
	case a.at == "" && !hourLeft.MatchString(text): // not where an hour is said in words that are not known here
		a.usual = cmp.Or(half, a.usual, appointParts["any"])
	case a.at != "" && half != "" && !strings.HasSuffix(a.at, "m") && !strings.HasSuffix(a.at, "n"):
		a.at += half[strings.LastIndex(half, " "):]
	}
	return text
}

// dayIn takes the day out of a text; part is the part of it that is named.
func (a *appointment) dayIn(text string) (rest, part string) {
	if a.day != "" {
		return text, ""
	}
	if m := everyDay.FindStringSubmatchIndex(text); m != nil {
		named := firstGroup(text, m, 1, 4)
		if part = groupOf(text, m, 5); appointParts[strings.TrimSuffix(named, "s")] != "" { // "every morning"
			named, part = "day", named
		}
		a.day = "every " + named
		return without(text, m), part
	}
	m := oneDay.FindStringSubmatchIndex(text)
	if m == nil || !dayStands(text, m) {
		return text, ""
	}
	named := firstGroup(text, m, 1, 5)
	part = groupOf(text, m, 6)
	words := strings.Fields(named)
	switch last := words[len(words)-1]; {
	case named == "tonight":
		named, part = "today", "night"
	case len(words) > 1 && appointParts[last] != "": // "this evening", "in the morning"
		part = last
		if named = "today"; words[0] == "in" && last == "morning" {
			named = "tomorrow"
		}
	}
	a.day = "on " + named
	return without(text, m), part
}

// without is a text without a part of it.
func without(text string, at []int) string {
	return strings.TrimRight(text[:at[0]], " ,") + " " + strings.TrimLeft(text[at[1]:], " ,")
}

// dayStands reports whether a day is the one of the request: "the Sunday paper" and "book it for Friday" are not.
func dayStands(text string, m []int) bool {
	if m[2] < 0 || text[m[0]:m[1]] != text[m[2]:m[1]] { // it is no bare weekday
		return true
	}
	before, after := strings.TrimSpace(text[:m[0]]), strings.TrimLeft(text[m[1]:], " ,")
	return before == "" || after == "" || strings.HasPrefix(after, "at ") || strings.HasPrefix(after, "to ") || strings.HasSuffix(before, ",")
}

// isAmount reports whether a number was so many of something.
func isAmount(rest string) bool {
	next, _, _ := strings.Cut(strings.TrimLeft(rest, " "), " ")
	return UnitOf(strings.Trim(next, sentenceMarks)).Dim != NoUnit || next == "%" || strings.HasPrefix(rest, ".") && len(rest) > 1 && isDigit(rest[1])
}

// when is the day and the time in the usual words.
func (a *appointment) when() string {
	day := strings.NewReplacer("on tomorrow", "tomorrow", "on today", "today", "on the day after", "the day after").Replace(a.day)
	at := cmp.Or(a.at, a.usual)
	if at == "" {
		return day
	}
	return strings.TrimSpace(day + " at " + at)
}

// reminder is a reminder in the usual words.
func (a *appointment) reminder(w *wished) string {
	text := strings.TrimSpace("remind me " + a.when())
	if a.what == "" {
		return text
	}
	return text + " to " + w.original(a.what)
}

func groupOf(text string, m []int, n int) string {
	if m[2*n] < 0 {
		return ""
	}
	return text[m[2*n]:m[2*n+1]]
}

func firstGroup(text string, m []int, from, to int) string {
	for n := from; n <= to; n++ {
		if g := groupOf(text, m, n); g != "" {
			return g
		}
	}
	return ""
}
