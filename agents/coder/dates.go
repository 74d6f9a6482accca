package coder

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/reachyd/reachyd/perception/language"
	"github.com/reachyd/reachyd/perception/language/template"
)

// isoDate is how tools are given dates.
const isoDate = "2006-01-02"

// day is the date of a moment, without its time of day.
func day(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
}

var feasts = map[string]func(year int) time.Time{
	"christmas": on(time.December, 25), "xmas": on(time.December, 25), "christmas day": on(time.December, 25), "christmas eve": on(time.December, 24),
	"new year": on(time.January, 1), "new years": on(time.January, 1), "new year's": on(time.January, 1), "new year's day": on(time.January, 1),
	"new year's eve": on(time.December, 31), "new years eve": on(time.December, 31), "halloween": on(time.October, 31), "valentine's day": on(time.February, 14),
	"valentines day": on(time.February, 14), "boxing day": on(time.December, 26), "april fools": on(time.April, 1), "easter": easter, "easter sunday": easter,
	"good friday": func(y int) time.Time { return easter(y).AddDate(0, 0, -2) }, "pi day": on(time.March, 14), "saint patrick's day": on(time.March, 17),
	"labour day": on(time.May, 1), "independence day": on(time.July, 4), "the end of the year": on(time.December, 31), "the year's end": on(time.December, 31),
}

func on(m time.Month, d int) func(int) time.Time {
	return func(year int) time.Time { return time.Date(year, m, d, 0, 0, 0, 0, time.UTC) }
}

// easter is the Sunday after the full moon that follows the equinox, in the Gregorian calendar.
func easter(year int) time.Time {
	century, golden := year/100, year%19
	moon := (century - century/4 - (8*century+13)/25 + 19*golden + 15) % 30
	moon -= moon / 28 * (1 - moon/28*(29/(moon+1))*((21-golden)/11))
	weekday := (year + year/4 + moon + 2 - century + century/4) % 7
	days := moon - weekday // after 28 March, in Sundays
	month := 3 + (days+40)/44
	return time.Date(year, time.Month(month), days+28-31*(month/4), 0, 0, 0, 0, time.UTC)
}

var (
	days       = language.Sentences("days") // "24 december 2026"
	ordinals   = language.Map("ordinals")
	isoPattern = regexp.MustCompile(`^(\d{4})-(\d{1,2})-(\d{1,2})$`)
	weekdays   = []string{"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"}
)

// dateOf reads a date that is meant on a day; without a year it is the next one, or the last one when past is set.
func dateOf(text string, today time.Time, past bool) (time.Time, bool) {
	text = strings.Join(strings.Fields(strings.ReplaceAll(text, " ,", "")), " ")
	words := strings.Fields(text)
	for i, w := range words {
		if n, ok := ordinals[w]; ok {
			words[i] = n
		}
	}
	text = strings.Join(words, " ")
	switch text {
	case "today":
		return today, true
	case "tomorrow":
		return today.AddDate(0, 0, 1), true
	case "yesterday":
		return today.AddDate(0, 0, -1), true
	case "the day after tomorrow":
		return today.AddDate(0, 0, 2), true
	}
	if m := isoPattern.FindStringSubmatch(text); m != nil {
		return valid(m[1], atoi(m[2]), m[3])
	}
	if m := days.Find(template.Split(text)); m != nil {
		return dated(bareDay(m.Slot("day")), m.Slot("month"), m.Slot("year"), today, past)
	}
	for i, name := range weekdays {
		if text == name || text == "next "+name || text == "this "+name {
			ahead := (i - int(today.Weekday()) + 7) % 7
			if ahead == 0 {
				ahead = 7
			}
			return today.AddDate(0, 0, ahead), true
		}
	}
	year := 0
	if n := len(words); n > 1 && len(words[n-1]) == 4 {
		if y, err := strconv.Atoi(words[n-1]); err == nil {
			year, text = y, strings.TrimSpace(strings.TrimSuffix(text, words[n-1]))
		}
	}
	for _, between := range []string{" in", " of", " fall", " be", " come", " is"} {
		if _, ok := feasts[text]; !ok {
			text = strings.TrimSuffix(text, between) // "easter in 2030"
		}
	}
	if feast, ok := feasts[text]; ok {
		if year > 0 {
			return feast(year), true
		}
		return near(feast, today, past), true
	}
	return time.Time{}, false
}

// near is the next day of a kind from today on, or the last one before.
func near(feast func(int) time.Time, today time.Time, past bool) time.Time {
	d := feast(today.Year())
	switch {
	case past && d.After(today):
		return feast(today.Year() - 1)
	case !past && d.Before(today):
		return feast(today.Year() + 1)
	}
	return d
}

// bareDay is the day of a month in digits: "24th" is "24".
func bareDay(day string) string {
	for _, ending := range []string{"st", "nd", "rd", "th"} {
		day = strings.TrimSuffix(day, ending)
	}
	return day
}

func dated(d, month, year string, today time.Time, past bool) (time.Time, bool) {
	at := 0
	for i := time.January; i <= time.December; i++ {
		if strings.HasPrefix(strings.ToLower(i.String()), month[:3]) {
			at = int(i)
		}
	}
	if year != "" {
		return valid(year, at, d)
	}
	if d == "29" && at == 2 { // the next one there is
		for y := today.Year(); y < today.Year()+9; y++ {
			if t, ok := valid(strconv.Itoa(y), at, d); ok && !t.Before(today) {
				return t, true
			}
		}
	}
	if _, ok := valid("2024", at, d); !ok {
		return time.Time{}, false
	}
	return near(on(time.Month(at), atoi(d)), today, past), true
}

// valid is a date that is in the calendar.
func valid(year string, month int, d string) (time.Time, bool) {
	t := time.Date(atoi(year), time.Month(month), atoi(d), 0, 0, 0, 0, time.UTC)
	return t, month > 0 && int(t.Month()) == month && t.Day() == atoi(d) && t.Year() > 0
}

func atoi(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0
	}
	return n
}

// sayDate says "Thursday, 24 December 2026".
func sayDate(t time.Time) string { return t.Format("Monday, 2 January 2006") }
