package coder

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/reachyd/reachyd/agents/verbalize"
	"github.com/reachyd/reachyd/perception/language"
	"github.com/reachyd/reachyd/perception/language/template"
)

// The sentences are in perception/language/en/templates.txt.
var (
	percents     = language.Sentences("percents")
	aboutNumbers = language.Sentences("numbers")
	measures     = language.Map("measures")
	dates        = language.Sentences("dates")
)

func readPercent(s *language.Request, _ time.Time) args {
	return numbers(percents.Rule("percent-of").Find(s.Counted), "percent", "total")
}

func readShare(s *language.Request, _ time.Time) args {
	return numbers(percents.Rule("share").Find(s.Counted), "part", "total")
}

// numbers are the numbers in the slots of a match, as arguments; nil when one cannot be read.
func numbers(m *template.Match, slots ...string) args {
	if m == nil {
		return nil
	}
	a := args{}
	for _, slot := range slots {
		x, ok := number(m.Slot(slot))
		if !ok {
			return nil
		}
		a[slot] = x
	}
	return a
}

func readSummary(s *language.Request, _ time.Time) args {
	m := aboutNumbers.Rule("summary").Find(s.Counted)
	if m == nil {
		m = aboutNumbers.Rule("sum").Find(s.Counted)
	}
	if m == nil {
		return nil
	}
	measure := m.Slot("measure")
	if measure == "" {
		measure = "sum"
	}
	if usual, ok := measures[measure]; ok {
		measure = usual
	}
	var all []float64
	for _, f := range strings.FieldsFunc(m.Slot("numbers"), func(r rune) bool { return r == ' ' || r == ',' }) {
		if f == "and" {
			continue
		}
		x, ok := number(f)
		if !ok {
			return nil
		}
		all = append(all, x)
	}
	return args{"numbers": all, "measure": measure}
}

func summarise(a args) (any, error) {
	all, measure := slices.Clone(a["numbers"].([]float64)), a["measure"].(string)
	n := len(all)
	if n < 1 || n > 1000 {
		return nil, errValue
	}
	slices.Sort(all)
	sum, product := 0.0, 1.0
	for _, x := range all {
		sum += x
		product *= x
	}
	switch measure {
	case "average":
		return sum / float64(n), nil
	case "median":
		return (all[(n-1)/2] + all[n/2]) / 2, nil
	case "sum":
		return sum, nil
	case "product":
		return product, nil
	case "largest":
		return all[n-1], nil
	case "smallest":
		return all[0], nil
	case "range":
		return all[n-1] - all[0], nil
	}
	return nil, errValue
}

func readPrime(s *language.Request, _ time.Time) args { return whole(s, "prime", "number", 9) }
func readRoman(s *language.Request, _ time.Time) args { return whole(s, "roman", "number", 4) }
func readLeap(s *language.Request, _ time.Time) args  { return whole(s, "leap", "year", 4) }

// whole reads a whole number of at most so many digits.
func whole(s *language.Request, rule, slot string, most int) args {
	m := aboutNumbers.Rule(rule).Find(s.Counted)
	if m == nil || len(m.Slot(slot)) > most || strings.ContainsAny(m.Slot(slot), ".-") {
		return nil
	}
	return args{slot: atoi(m.Slot(slot))}
}

// roman writes a number digit by digit, which is another way than the tool's.
func roman(n int) (any, error) {
	if n < 1 || n > 3999 {
		return nil, errValue
	}
	digit := func(d int, one, five, ten string) string {
		switch d {
		case 4:
			return one + five
		case 9:
			return one + ten
		}
		return strings.Repeat(five, d/5) + strings.Repeat(one, d%5)
	}
	return strings.Repeat("M", n/1000) + digit(n/100%10, "C", "D", "M") + digit(n/10%10, "X", "L", "C") + digit(n%10, "I", "V", "X"), nil
}

func readDays(s *language.Request, now time.Time) args {
	today := day(now)
	from, to := today, today
	ok, ok2 := false, true
	if m := dates.Rule("until").Find(s.Counted); m != nil {
		to, ok = dateOf(m.Slot("to"), today, false)
	} else if m := dates.Rule("since").Find(s.Counted); m != nil {
		from, ok = dateOf(m.Slot("from"), today, true)
	} else if m := dates.Rule("between").Find(s.Counted); m != nil {
		from, ok2 = dateOf(m.Slot("from"), today, false)
		to, ok = dateOf(m.Slot("to"), from, false)
	}
	if !ok || !ok2 {
		return nil
	}
	return args{"first": from.Format(isoDate), "second": to.Format(isoDate)}
}

func sayDays(a args, v any) string {
	from, err := time.Parse(isoDate, a["first"].(string))
	to, err2 := time.Parse(isoDate, a["second"].(string))
	if err != nil || err2 != nil {
		return verbalize.Result(v)
	}
	n := asNumber(v)
	weeks := ""
	if n >= 14 {
		weeks = ", which is " + sayDuration(time.Duration(n)*dayLong)
	}
	return fmt.Sprintf("There %s from %s to %s%s.", count(n, "day", "days"), from.Format("2 January 2006"), to.Format("2 January 2006"), weeks)
}

func readLater(s *language.Request, now time.Time) args {
	m := dates.Rule("later").Find(s.Counted)
	if m == nil || strings.ContainsAny(m.Slot("count"), ".-") {
		return nil
	}
	n := 1
	if m.Slot("count") != "a" {
		n = atoi(m.Slot("count"))
	}
	if strings.HasPrefix(m.Slot("unit"), "week") {
		n *= 7
	}
	if m.Slot("ago") != "" {
		n = -n
	}
	if n > 100_000 || n < -100_000 {
		return nil
	}
	return args{"day": day(now).Format(isoDate), "days": n}
}

func readWeekday(s *language.Request, now time.Time) args {
	m := dates.Rule("weekday").Find(s.Counted)
	if m == nil {
		return nil
	}
	if d, ok := dateOf(m.Slot("day"), day(now), false); ok && !slices.Contains(weekdays, m.Slot("day")) {
		return args{"day": d.Format(isoDate)}
	}
	return nil
}
