package coder

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/reachyd/reachyd/agents/units"
	"github.com/reachyd/reachyd/perception/language"
	"github.com/reachyd/reachyd/perception/language/template"
)

// slots are what stands where a template leaves something open; empty where nothing does.
type slots interface{ Slot(name string) string }

// argument is one that is to be read.
type argument struct {
	*heard
	m    slots
	text string // of its slot
	last string // the last word of how it is described
}

// argumentReaders read an argument of a kind.
var argumentReaders = map[string]func(a *argument) (any, bool){
	"number": func(a *argument) (any, bool) { return readNumber(a.text) },
	"whole":  func(a *argument) (any, bool) { return readWhole(a.text) },
	"numbers": func(a *argument) (any, bool) {
		return readNumbers(cmp.Or(a.text, a.m.Slot("one")+" "+a.m.Slot("other")))
	},
	"radius":  readRadius,
	"metres":  readMetres,
	"base":    readBase,
	"unit":    func(a *argument) (any, bool) { return readUnit(a.text) },
	"amount":  func(a *argument) (any, bool) { return readAmount(a.text) },
	"days":    readDayCount,
	"counted": func(a *argument) (any, bool) { return cmp.Or(strings.ToLower(a.text), "letters"), true },
	"digits": func(a *argument) (any, bool) {
		return strings.ToUpper(strings.ReplaceAll(a.text, " ", "")), a.text != ""
	},
	"text": func(a *argument) (any, bool) { t := textIn(a.text); return t, t != "" && len(t) <= 300 },
	"letters": func(a *argument) (any, bool) { // and no Morse code
		t := textIn(a.text)
		return t, t != "" && len(t) <= 300 && !strings.Contains(t, "...") && !strings.Contains(t, "--")
	},
	"word":     func(a *argument) (any, bool) { return readWord(a.text) },
	"letter":   func(a *argument) (any, bool) { return readLetterName(a.text) },
	"place":    readPlace,
	"sequence": readSequence,
	"roman":    func(a *argument) (any, bool) { return readRomanNumeral(a.text) },
	"items":    func(a *argument) (any, bool) { return readItems(a.text) },
	"options":  func(a *argument) (any, bool) { return readOptions(a.text) },
	"choice":   readChoice,
	"leftout": func(a *argument) (any, bool) { // a kind of letters, or one letter
		if kind, ok := readChoice(a); ok {
			return kind, true
		}
		return readLetterName(a.text)
	},
	"chosen": func(a *argument) (any, bool) { v, ok := readChoice(a); return atoi(v.(string)), ok },
	"yes":    func(*argument) (any, bool) { return true, true },
	"is":     func(a *argument) (any, bool) { return a.last, true },
	"date":   func(a *argument) (any, bool) { return readDate(a, false) },
	"past":   func(a *argument) (any, bool) { return readDate(a, true) },
	"born":   readBorn,
	"today": func(a *argument) (any, bool) {
		if a.text != "" {
			return readDate(a, false)
		}
		return day(a.now).Format(isoDate), true
	},
	"month":   func(a *argument) (any, bool) { return readMonth(a.text) },
	"months":  readMonths,
	"year":    readYear,
	"clock":   readClock,
	"seconds": func(a *argument) (any, bool) { return readSeconds(a.text) },
	"lasting": func(a *argument) (any, bool) {
		if hours := a.m.Slot("hours"); hours != "" {
			a.text = hours + " " + a.m.Slot("hourunit")
		}
		return readSeconds(a.text)
	},
	"signed": readSigned,
	"utc":    func(a *argument) (any, bool) { return a.now.UTC().Format("2006-01-02T15:04"), true },
	"city":   func(a *argument) (any, bool) { _, ok := cities()[cityName(a.text)]; return placeName(a.text), ok },
	"offset": readOffset,
	"seed":   func(a *argument) (any, bool) { return int(a.random()), true },
}

func readNumber(t string) (any, bool) {
	x, ok := number(strings.ReplaceAll(t, " ", ""))
	if ok {
		return x, true
	}
	x, ok = number(language.Amounts(strings.ToLower(t), func(string) bool { return true }))
	return x, ok
}

func readWhole(t string) (any, bool) {
	x, ok := number(strings.TrimRight(language.InDigits(strings.ToLower(t)), "."))
	if !ok {
		return ordinal(t)
	}
	return int(x), x == math.Trunc(x)
}

// ordinal reads "10th", "tenth".
func ordinal(t string) (any, bool) {
	t = strings.ToLower(t)
	if n, ok := ordinals[t]; ok {
		t = n
	}
	n := atoi(bareDay(t))
	return n, n > 0
}

func readNumbers(t string) (any, bool) {
	var all []float64
	for _, f := range strings.FieldsFunc(t, func(r rune) bool { return r == ' ' || r == ',' || r == ';' || r == ':' }) {
		if f == "and" || f == "the" || f == "numbers" {
			continue
		}
		x, ok := number(f)
		if !ok {
			return nil, false
		}
		all = append(all, x)
	}
	return all, len(all) > 0
}

func readWord(t string) (any, bool) {
	t = textIn(t)
	bad := func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' && r != '-' }
	return t, t != "" && !strings.ContainsFunc(t, bad)
}

// readLetterName reads "r", "R's", "rs".
func readLetterName(t string) (any, bool) {
	t = strings.Trim(t, `"'`)
	if n := utf8.RuneCountInString(t); n == 3 && strings.HasSuffix(t, "'s") {
		t = t[:len(t)-2]
	} else if n == 2 && strings.HasSuffix(t, "s") {
		t = t[:len(t)-1]
	}
	r, n := utf8.DecodeRuneInString(t)
	return t, n == len(t) && unicode.IsLetter(r)
}

// orComma stands between the items of a list.
var orComma = regexp.MustCompile(`(?i)\s*(?:,\s*(?:and|or)\s+|,\s*|\s+(?:and|or)\s+|;\s*)\s*`)

// readItems reads a list: between commas and "and" or "or", else between blanks.
func readItems(t string) (any, bool) {
	if t == "" || notText(t) {
		return nil, false
	}
	items := orComma.Split(strings.Trim(t, " ."), -1)
	if len(items) == 1 {
		items = strings.Fields(t)
	}
	items = slices.DeleteFunc(items, func(i string) bool { return i == "" })
	for _, i := range items {
		if strings.Count(i, " ") > 3 {
			return nil, false
		}
	}
	return items, len(items) > 1 && len(items) <= 100
}

// readOptions reads a list whose items are told apart by more than blanks: "pick things up" names none.
func readOptions(t string) (any, bool) {
	if !orComma.MatchString(t) {
		return nil, false
	}
	return readItems(t)
}

// readBorn reads the day on which somebody was born: one with its year, which has passed.
func readBorn(a *argument) (any, bool) {
	d, ok := dateOf(strings.ToLower(a.text), day(a.now), true)
	return d.Format(isoDate), ok && strings.Contains(a.text, strconv.Itoa(d.Year())) && d.Before(day(a.now))
}

func readDate(a *argument, past bool) (any, bool) {
	text := strings.ReplaceAll(strings.ReplaceAll(strings.ToLower(a.text), " the year ", " "), " in ", " ") // "the 10th of october in the year 2026"
	d, ok := dateOf(text, day(a.now), past)
	return d.Format(isoDate), ok
}

func readMonth(t string) (any, bool) {
	for m := time.January; m <= time.December; m++ {
		if name := strings.ToLower(m.String()); len(t) > 2 && strings.HasPrefix(name, strings.ToLower(t)) {
			return int(m), true
		}
	}
	return nil, false
}

// readYear is a year, and this one when none is named.
func readYear(a *argument) (any, bool) {
	switch t := a.text; t {
	case "", "this year":
		return a.now.Year(), true
	case "next year":
		return a.now.Year() + 1, true
	case "last year":
		return a.now.Year() - 1, true
	}
	return atoi(a.text), len(a.text) == 4 && atoi(a.text) > 0
}

// readMonths is how many months a count of months or years is, and negative behind "ago".
func readMonths(a *argument) (any, bool) {
	n, ok := number(a.text)
	if a.text == "" || a.text == "a" || a.text == "one" {
		n, ok = 1, true
	}
	if strings.HasPrefix(a.m.Slot("unit"), "year") {
		n *= 12
	}
	if a.m.Slot("ago") != "" {
		n = -n
	}
	return int(n), ok && n == math.Trunc(n)
}

// readClock reads a time of day as 15:04; "now" is the present one.
func readClock(a *argument) (any, bool) {
	if a.text == "" || a.text == "now" {
		return a.now.Format("15:04"), true
	}
	m := find("time", "at "+a.text)
	if m == nil || m.After() != "" || m.Slot("name") == "" && atoi(strings.FieldsFunc(m.Slot("time"), notDigit)[0]) > 24 {
		return nil, false
	}
	hour, minute := clock(m)
	if first := a.m.Slot("first"); first != "" && a.text == a.m.Slot("second") && m.Slot("half")+m.Slot("name") == "" {
		if f := find("time", "at "+first); f != nil && f.Slot("half")+f.Slot("name")+f.After() == "" { // "from 9 to 5" is no night
			if from, _ := clock(f); from <= 12 && hour <= from && hour < 12 {
				hour += 12
			}
		}
	}
	return time.Date(2000, 1, 1, hour, minute, 0, 0, time.UTC).Format("15:04"), true
}

// readSigned is a length of time in seconds, and negative where the slot of that name says that it was before.
func readSigned(a *argument) (any, bool) {
	v, ok := readSeconds(a.text)
	if ok && a.m.Slot("ago") != "" {
		return -v.(float64), true
	}
	return v, ok
}

// readRadius is a radius, or half of what is a diameter.
func readRadius(a *argument) (any, bool) {
	x, ok := number(a.text)
	if language.Map("circle-sizes")[a.m.Slot("given")] == "diameter" {
		x /= 2
	}
	return x, ok
}

// measure splits "5 feet" into its number and its unit.
func measure(t string) (x float64, u *units.Unit) {
	t = strings.TrimSpace(t)
	first, rest, _ := strings.Cut(t, " ")
	x, ok := number(first)
	if !ok {
		x, rest = 1, t
	}
	return x, units.Of(rest)
}

// readMetres is a height: "180 cm", "1.80 m", "1.8", "180".
func readMetres(a *argument) (any, bool) {
	x, u := measure(a.text)
	switch {
	case u != nil && u.Quantity == "length":
		return x * u.Factor, true
	case u != nil:
		return nil, false
	}
	x, ok := number(a.text)
	if x > 3 {
		x /= 100
	}
	return x, ok
}

// readBase is an amount in the base unit of its quantity, which must be that of the slot "one".
func readBase(a *argument) (any, bool) {
	x, u := measure(a.text)
	_, other := measure(a.m.Slot("one"))
	if u == nil || other == nil || u.Quantity != other.Quantity {
		return nil, false
	}
	return x*u.Factor + u.Zero, true
}

// readAmount is how many of a unit: "2", "a", and one where nothing is said.
func readAmount(t string) (any, bool) {
	if t == "" || t == "a" || t == "an" || t == "one" {
		return 1.0, true
	}
	return readNumber(t)
}

// readDayCount is how many days a count of days or weeks is, and negative behind "before" or "ago".
func readDayCount(a *argument) (any, bool) {
	v, ok := readAmount(a.text)
	if !ok {
		return nil, false
	}
	n := v.(float64)
	if strings.HasPrefix(a.m.Slot("unit"), "week") {
		n *= 7
	}
	if a.m.Slot("ago") != "" {
		n = -n
	}
	return int(n), n == math.Trunc(n)
}

// morseWords are the signs of Morse code as they are spoken.
var morseWords = language.Reword("morse-words")

// morseSigns are signs of Morse code, which begin no word and end none.
var morseSigns = regexp.MustCompile(`(?:^|[\s"':])([.\-–][.\-–/|\s]*)`)

// readSequence reads Morse code, in signs or spoken.
func readSequence(a *argument) (any, bool) {
	t := a.text
	if spoken := morseWords.Apply(strings.ToLower(t)); spoken != strings.ToLower(t) {
		t = strings.NewReplacer(" ", "", ",", " ").Replace(spoken)
	}
	m := morseSigns.FindStringSubmatch(t) // a slot of text begins and ends with a word, no mark
	if m == nil {
		return nil, false
	}
	t = strings.TrimSpace(m[1])
	return t, strings.Trim(t, ".-– /|") == "" && t != ""
}

// readRomanNumeral reads a numeral as it is rightly written, or the first of three signs or more in a sentence.
func readRomanNumeral(t string) (any, bool) {
	for w := range strings.FieldsFuncSeq(t, func(r rune) bool { return !unicode.IsLetter(r) }) {
		if v, ok := romanNumeral(w); ok && len(w) > 2 {
			return v, true
		}
	}
	return romanNumeral(t)
}

func romanNumeral(t string) (any, bool) {
	values := map[rune]int{'I': 1, 'V': 5, 'X': 10, 'L': 50, 'C': 100, 'D': 500, 'M': 1000}
	sum, before := 0, 0
	for _, r := range strings.ToUpper(t) {
		v := values[r]
		if v == 0 {
			return nil, false
		}
		if sum += v; before < v {
			sum -= 2 * before
		}
		before = v
	}
	written, err := roman(sum)
	return strings.ToUpper(t), err == nil && written == strings.ToUpper(t)
}

// readPlace is the place of a letter in a word: "first", "3rd", "last".
func readPlace(a *argument) (any, bool) {
	if strings.EqualFold(a.text, "last") {
		return -1, true
	}
	return readWhole(a.text)
}

// readSeconds reads a length of time: "2 hours and 5 minutes".
func readSeconds(t string) (any, bool) {
	m := timers.Rule("length").Find(template.Split(t))
	if m == nil || m.Before() != "" || m.After() != "" {
		return nil, false
	}
	d, ok := span(m)
	return d.Seconds(), ok
}

func readUnit(t string) (any, bool) {
	u := units.Of(t)
	if u == nil {
		return nil, false
	}
	return u.Name, true
}

// readChoice reads a word that stands for one of several; the last word names a table of lists.
func readChoice(a *argument) (any, bool) {
	t := strings.ToLower(a.text)
	if usual, ok := language.Map(a.last)[t]; ok {
		return usual, true
	}
	return t, language.Lists(a.last)[t] != nil
}

// cities are time zones by the names of their cities and countries.
var cities = sync.OnceValue(func() map[string]string { return language.Map("cities") })

// cityName is a place as the table of cities knows it.
func cityName(t string) string {
	t = strings.ToLower(strings.Trim(t, " ,."))
	for _, before := range []string{"the city of ", "the "} {
		t = strings.TrimPrefix(t, before)
	}
	return t
}

// placeName is a place as it is said: "new york" is "New York".
func placeName(t string) string {
	words := strings.Fields(cityName(t))
	for i, w := range words {
		if words[i] = upper(w); len(w) == 3 && strings.Contains(" utc gmt usa uae ", " "+w+" ") || w == "uk" || w == "us" {
			words[i] = strings.ToUpper(w)
		}
	}
	return strings.Join(words, " ")
}

// readOffset is how many minutes the clocks of a place are ahead of UTC now, by the time zones of the host. Where the host has
// none that is said.
func readOffset(a *argument) (any, bool) {
	zone, ok := cities()[cityName(a.text)]
	if !ok {
		return nil, false
	}
	at, err := time.LoadLocation(zone)
	if err != nil {
		a.lacks = "I know in which time zone " + placeName(a.text) + " is, but this computer has no table of time zones (the package tzdata brings it)."
		return 0, true
	}
	_, seconds := a.now.In(at).Zone()
	return seconds / 60, true
}
