package language

import (
	"regexp"
	"strconv"
	"strings"
)

// Times of day in the words in which people say them.
var (
	halfHour  = regexp.MustCompile(`\b(at|by|for|to|till|until|around|before) half ([a-z]+|1?\d)\b( [a-z']+)?`)
	toTheHour = regexp.MustCompile(`\b(at|by|for|on|it|that|till|until|before) (5|10|20|25) to (\d{1,2})\b`)
	spelled   = regexp.MustCompile(`\b(at|by|for|till|until|around|before) (1?\d|2[0-3]) ([1-5][05]|0?5)\b( [a-z]+)?`)
	morning   = regexp.MustCompile(`\b(\d{1,2}(?::\d\d)?)(?: o'clock)?,? (?:in(?: the)?|this) morning\b`)
	evening   = regexp.MustCompile(`\b(\d{1,2}(?::\d\d)?)(?: o'clock)?,? (?:(?:in(?: the)?|this) (?:afternoon|evening)|tonight|at night)\b`)
	timeOfDay = regexp.MustCompile(`(?:^|\b(?:at|by|for|around|about|say|till|until|make it|make that|be) )(?:about |around )?` +
		`(\d{1,2}(?::\d\d)?(?: ?(?:am|pm|a\.m|p\.m))?|noon|midnight|midday)(?: o'clock)?(?:[ ,.!?]|$)`)
)

// WithTimes is a text in small letters with its times of day in figures: "a quarter past five in the morning" is "5:15 am", "at ten to three"
// "at 2:50".
func WithTimes(text string) string {
	text = halfHour.ReplaceAllStringFunc(text, func(said string) string { // "half eleven"
		m := halfHour.FindStringSubmatch(said)
		hour, err := strconv.Atoi(InDigits(m[2]))
		if err != nil || hour < 1 || hour > 12 || UnitOf(strings.TrimSpace(m[3])).Dim != NoUnit {
			return said
		}
		return m[1] + " half past " + m[2] + m[3]
	})
	text = Amounts(text, func(word string) bool { return UnitOf(word).Dim != NoUnit })
	text = toTheHour.ReplaceAllStringFunc(text, func(said string) string {
		m := toTheHour.FindStringSubmatch(said)
		minutes, _ := strconv.Atoi(m[2])
		hour, _ := strconv.Atoi(m[3])
		if hour < 2 || hour > 24 {
			return said
		}
		return m[1] + " " + strconv.Itoa(hour-1) + ":" + strconv.Itoa(60-minutes)
	})
	text = spelled.ReplaceAllStringFunc(text, func(said string) string { // "seven thirty"
		m := spelled.FindStringSubmatch(said)
		if UnitOf(strings.TrimSpace(m[4])).Dim != NoUnit {
			return said
		}
		return m[1] + " " + m[2] + ":" + m[3] + m[4]
	})
	return evening.ReplaceAllString(morning.ReplaceAllString(text, "$1 am"), "$1 pm")
}

// TimeOfDay is the time of day that a text says: "5:15", "8 pm", "noon"; empty where it says none.
func TimeOfDay(text string) string {
	text = WithTimes(strings.ToLower(text))
	at := timeOfDay.FindStringSubmatchIndex(text)
	if at == nil {
		return ""
	}
	next, _, _ := strings.Cut(strings.TrimLeft(text[at[3]:], " "), " ")
	fraction := len(next) > 1 && next[0] == '.' && isDigit(next[1])
	if fraction || next == "to" || UnitOf(strings.Trim(next, sentenceMarks)).Dim != NoUnit { // "ten to three", "at five minutes"
		return ""
	}
	return text[at[2]:at[3]]
}
