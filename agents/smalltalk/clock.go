package smalltalk

import (
	"fmt"
	"strings"
	"time"

	"github.com/reachyd/reachyd/agents/verbalize"
	"github.com/reachyd/reachyd/agents/wallclock"
	"github.com/reachyd/reachyd/perception/language"
	"github.com/reachyd/reachyd/perception/language/template"
)

var _ = register(map[string]maker{
	"time":      {plainCase, []string{"time"}, func(q *turn) (string, values) { return "", values{"time": sayClock(q.now)} }, nil},
	"date":      {plainCase, []string{"date"}, func(q *turn) (string, values) { return "", values{"date": q.now.Format("Monday, 2 January 2006")} }, nil},
	"weekday":   {plainCase, []string{"day", "which"}, weekdayNow, nil},
	"month":     {plainCase, []string{"month"}, func(q *turn) (string, values) { return "", values{"month": q.now.Format("January 2006")} }, nil},
	"year":      {plainCase, []string{"year"}, func(q *turn) (string, values) { return "", values{"year": q.now.Format("2006")} }, nil},
	"week":      {plainCase, []string{"week"}, weekNow, nil},
	"zone":      {plainCase, []string{"zone"}, func(q *turn) (string, values) { return "", values{"zone": zone(q.now)} }, nil},
	"day-part":  {[]string{"yes", "no", "which"}, []string{"time", "asked", "part"}, isPart, nil},
	"weekend":   {[]string{"yes", "no", "until"}, []string{"day", "days"}, isWeekend, nil},
	"season":    {plainCase, []string{"season"}, seasonNow, nil},
	"hello":     {[]string{"morning", "afternoon", "evening", "night"}, nil, func(q *turn) (string, values) { return dayPart(q.now), values{} }, nil},
	"greet-day": {[]string{"same", "other"}, []string{"said", "part"}, greetDay, nil},
	"age":       {[]string{"", "new"}, []string{"age"}, age, nil},
	"uptime":    {[]string{"", "unknown"}, []string{"up"}, uptime, nil},
	"until":     {[]string{"", "today", "unknown"}, []string{"what", "days", "date"}, daysUntil, nil},
	"clock-in":  {plainCase, []string{"time", "span"}, clockIn, nil},
	"born":      {[]string{"", "unknown"}, []string{"year", "age", "before"}, bornIn, nil},
})

// sayClock says a time: "14:05".
func sayClock(t time.Time) string { return t.Format("15:04") }

// dayPart is the part of the day in which people greet each other.
func dayPart(t time.Time) string {
	switch h := t.Hour(); {
	case h < 5 || h >= 22:
		return "night"
	case h < 12:
		return "morning"
	case h < 18:
		return "afternoon"
	}
	return "evening"
}

func weekdayNow(q *turn) (string, values) {
	days, word := 0, "today"
	switch text := q.slot("day"); {
	case strings.Contains(text, "after tomorrow"):
		days, word = 2, "the day after tomorrow"
	case strings.Contains(text, "before yesterday"):
		days, word = -2, "the day before yesterday"
	case text == "tomorrow":
		days, word = 1, "tomorrow"
	case text == "yesterday":
		days, word = -1, "yesterday"
	}
	verb := " is "
	if days < 0 {
		verb = " was "
	}
	return "", values{"day": q.now.AddDate(0, 0, days).Format("Monday, 2 January"), "which": upper(word) + verb}
}

func weekNow(q *turn) (string, values) {
	_, week := q.now.ISOWeek()
	return "", values{"week": fmt.Sprint(week)}
}

// zone names the time zone of the host.
func zone(t time.Time) string {
	name, offset := t.Zone()
	if offset == 0 {
		return name + ", which is the same as UTC now"
	}
	sign, way := "ahead of", offset
	if offset < 0 {
		sign, way = "behind", -offset
	}
	return fmt.Sprintf("%s, %s %s UTC", name, saySpan(time.Duration(way)*time.Second), sign)
}

// begins is the hour from which on it is past a time of the day; that of midnight is the day's own.
var begins = map[string]int{"noon": 12, "midday": 12, "lunchtime": 13}

// isPart answers "is it morning?".
func isPart(q *turn) (string, values) {
	asked, h := q.slot("part"), q.now.Hour()
	var is bool
	switch asked {
	case "morning":
		is = h >= 5 && h < 12
	case "noon", "midday", "lunchtime":
		is = h == 12
	case "afternoon":
		is = h >= 12 && h < 18
	case "evening":
		is = h >= 18 && h < 22
	case "midnight":
		is = h == 0
	default:
		is = h < 5 || h >= 22
	}
	switch at := begins[asked]; q.slot("side") { // "is it past noon", "is it before midday"
	case "past", "after", "gone":
		is = h >= at
	case "before":
		is = h < at
	}
	which := "no"
	switch {
	case strings.Contains(" "+q.matched()+" ", " or "):
		which = "which"
	case is:
		which = "yes"
	}
	return which, values{"time": sayClock(q.now), "asked": asked, "part": dayPart(q.now)}
}

func isWeekend(q *turn) (string, values) {
	left := (int(time.Saturday) - int(q.now.Weekday()) + 7) % 7
	v := values{"day": q.now.Format("Monday"), "days": count(left, "day", "days")}
	switch {
	case q.now.Weekday() == time.Saturday || q.now.Weekday() == time.Sunday:
		return "yes", v
	case q.slot("until") != "":
		return "until", v
	}
	return "no", v
}

// seasonNow is the season in the northern half of the world, as it is counted by whole months.
func seasonNow(q *turn) (string, values) {
	return "", values{"season": [...]string{"winter", "spring", "summer", "autumn"}[int(q.now.Month())%12/3]}
}

// greetDay answers "good morning", also in the evening.
func greetDay(q *turn) (string, values) {
	said, part := q.slot("part"), dayPart(q.now)
	if said == "day" || said == part || part == "night" && said == "evening" {
		return "same", values{"said": said, "part": part}
	}
	return "other", values{"said": said, "part": part}
}

// keyBorn is where the day is kept on which the robot was first started.
const keyBorn = "born"

// Begin notes that the robot lives, so that it knows its age later.
func (t *Talk) Begin() error {
	if t.o.Keep == nil {
		return nil
	}
	text, err := t.o.Keep.LoadText(keyBorn)
	born, err2 := time.Parse(time.RFC3339, text)
	if err != nil || err2 == nil && wallclock.IsSet(born) || !wallclock.IsSet(t.o.Now()) {
		return err
	}
	return t.o.Keep.SaveText(keyBorn, t.o.Now().UTC().Format(time.RFC3339))
}

func age(q *turn) (string, values) {
	if q.o.Keep == nil {
		return "new", values{}
	}
	_ = q.Begin() // the clock may have been set since the start; without it the robot is new
	text, err := q.o.Keep.LoadText(keyBorn)
	born, err2 := time.Parse(time.RFC3339, text)
	if err != nil || err2 != nil || q.now.Sub(born) < time.Minute {
		return "new", values{}
	}
	return "", values{"age": saySpan(q.now.Sub(born))}
}

func uptime(q *turn) (string, values) {
	if f := q.o.Feelings(); f.Up >= time.Second {
		return "", values{"up": saySpan(f.Up)}
	}
	return "unknown", values{}
}

// feasts are days that people count to: their month and day; 0 for those that move.
var feasts = map[string]struct {
	month time.Month
	day   int
	name  string
}{
	"christmas": {12, 25, "Christmas"}, "christmas eve": {12, 24, "Christmas Eve"}, "xmas": {12, 25, "Christmas"}, "new year": {1, 1, "New Year"},
	"new years": {1, 1, "New Year"}, "new years eve": {12, 31, "New Year's Eve"}, "halloween": {10, 31, "Halloween"},
	"valentines day": {2, 14, "Valentine's Day"}, "valentine's day": {2, 14, "Valentine's Day"}, "new year's eve": {12, 31, "New Year's Eve"},
	"new year's day": {1, 1, "New Year's Day"}, "new year's": {1, 1, "New Year"}, "st patrick's day": {3, 17, "St Patrick's Day"},
}

var dateWords = template.Entry{Name: "date", At: "clock.go", Text: "[the] {word:day} [of] (<month>):month | (<month>):month [the] {word:day}"}

// ordinals are the days of a month in words.
var ordinals = language.Map("ordinals")

var dateSet = mustCompile(dateWords, template.Entry{
	Name: "<month>", At: "clock.go",
	Text: "january|february|march|april|may|june|july|august|september|october|november|december",
})

func mustCompile(entries ...template.Entry) *template.Set {
	set, err := template.Compile(entries, true)
	if err != nil {
		panic("smalltalk: " + err.Error())
	}
	return set
}

// easter is Easter Sunday of the western churches (the rule of Meeus, Jones and Butcher).
func easter(year int, zone *time.Location) time.Time {
	a, b, c := year%19, year/100, year%100
	h := (19*a + b - b/4 - (b-(b+8)/25+1)/3 + 15) % 30
	l := (32 + 2*(b%4) + 2*(c/4) - h - c%4) % 7
	n := h + l - 7*((a+11*h+22*l)/451) + 114
	return time.Date(year, time.Month(n/31), n%31+1, 12, 0, 0, 0, zone)
}

// day is the next day that a text names, from today on.
func day(text string, now time.Time) (name string, at time.Time, ok bool) {
	today := time.Date(now.Year(), now.Month(), now.Day(), 12, 0, 0, 0, now.Location())
	text = strings.TrimPrefix(strings.TrimPrefix(text, "the "), "next ")
	next := func(m time.Month, d int) time.Time {
		t := time.Date(today.Year(), m, d, 12, 0, 0, 0, now.Location())
		if t.Before(today) {
			t = time.Date(today.Year()+1, m, d, 12, 0, 0, 0, now.Location())
		}
		return t
	}
	if _, on, found := strings.Cut(text, " on "); found { // "my birthday on the third of March"
		text = strings.TrimPrefix(on, "the ")
	}
	if text == "easter" || text == "easter sunday" {
		t := easter(today.Year(), now.Location())
		if t.Before(today) {
			t = easter(today.Year()+1, now.Location())
		}
		return "Easter", t, true
	}
	if f, found := feasts[text]; found {
		return f.name, next(f.month, f.day), true
	}
	for i := range 7 {
		if t := today.AddDate(0, 0, i); strings.EqualFold(t.Weekday().String(), text) {
			return t.Weekday().String(), t, true
		}
	}
	m := dateSet.Find(template.Split(text))
	if m == nil {
		return "", time.Time{}, false
	}
	month, err := time.Parse("January", upper(m.Slot("month")))
	d := 0
	word := m.Slot("day")
	if n, ok := ordinals[word]; ok {
		word = n
	}
	_, err2 := fmt.Sscanf(word, "%d", &d)
	if err != nil || err2 != nil || d < 1 || d > 31 {
		return "", time.Time{}, false
	}
	t := next(month.Month(), d)
	return t.Format("2 January"), t, t.Day() == d
}

func daysUntil(q *turn) (string, values) {
	name, at, ok := day(q.slot("day"), q.now)
	if !ok {
		return "unknown", values{"what": q.slot("day")}
	}
	today := time.Date(q.now.Year(), q.now.Month(), q.now.Day(), 12, 0, 0, 0, q.now.Location())
	days := int(at.Sub(today).Hours()/24 + 0.5)
	v := values{"what": name, "days": count(days, "day", "days"), "date": at.Format("Monday, 2 January 2006")}
	if days == 0 {
		return "today", v
	}
	return "", v
}

// clockIn answers "what time is it in ten minutes".
func clockIn(q *turn) (string, values) {
	n, ok := parseNumber(q.slot("number"))
	d, known := spans[strings.TrimSuffix(q.slot("unit"), "s")]
	if !ok || !known || n < 0 || n > 1e5 {
		n, d = 0, time.Hour
	}
	span := time.Duration(n * float64(d))
	return "", values{"time": sayClock(q.now.Add(span)), "span": saySpan(span)}
}

var spans = map[string]time.Duration{"second": time.Second, "minute": time.Minute, "hour": time.Hour, "day": 24 * time.Hour}

func bornIn(q *turn) (string, values) {
	year, ok := q.whole("year", 0, 1850, q.now.Year())
	if !ok {
		return "unknown", values{}
	}
	n := q.now.Year() - year
	return "", values{"year": fmt.Sprint(year), "age": fmt.Sprint(n), "before": fmt.Sprint(max(n-1, 0))}
}

// saySpan says a time that something takes, in its two largest units: "2 hours and 5 minutes".
func saySpan(d time.Duration) string {
	var parts []string
	for _, u := range []struct {
		size      time.Duration
		one, many string
	}{
		{365 * 24 * time.Hour, "year", "years"},
		{24 * time.Hour, "day", "days"},
		{time.Hour, "hour", "hours"},
		{time.Minute, "minute", "minutes"},
		{time.Second, "second", "seconds"},
	} {
		if n := int(d / u.size); n > 0 && len(parts) < 2 {
			parts = append(parts, count(n, u.one, u.many))
			d %= u.size
		} else if len(parts) > 0 {
			break
		}
	}
	if len(parts) == 0 {
		return "no time"
	}
	return verbalize.List(parts)
}

// count says a number of things: "1 day", "3 days".
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return verbalize.Number(float64(n)) + " " + many
}

// upper begins a text with a capital.
func upper(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
