package smalltalk

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/reachyd/reachyd/perception/language"
)

var _ = register(map[string]maker{
	"world": {plainCase, []string{"answer"}, func(q *turn) (string, values) { return "", values{"answer": q.f.read.(string)} }, readWorld},
})

// world is what the tables say of things.
type world struct {
	counts    map[string]map[string]string // thing → part → how many
	classes   map[string][]string          // thing → what it is
	named     map[string]bool              // classes
	colours   map[string]string
	sizes     map[string]map[string]float64 // bigger → thing → size
	young     map[string]string
	countries map[string][]string
}

func newWorld(p *Persona) func() *world {
	return sync.OnceValue(func() *world {
		w := &world{
			counts: map[string]map[string]string{}, classes: map[string][]string{}, named: map[string]bool{}, colours: map[string]string{},
			sizes: map[string]map[string]float64{}, young: map[string]string{}, countries: map[string][]string{},
		}
		each := func(table string, do func(what, thing string)) {
			for _, line := range p.tables[table] {
				what, things, _ := strings.Cut(line, "=")
				for thing := range strings.FieldsSeq(things) {
					do(strings.TrimSpace(what), strings.ReplaceAll(thing, "-", " "))
				}
			}
		}
		each("counts", func(what, thing string) {
			n, part, _ := strings.Cut(what, " ")
			if w.counts[thing] == nil {
				w.counts[thing] = map[string]string{}
			}
			w.counts[thing][part] = n
		})
		each("classes", func(what, thing string) {
			w.classes[thing], w.named[what] = append(w.classes[thing], what), true
		})
		each("colours", func(what, thing string) { w.colours[thing] = what })
		each("young", func(what, thing string) { w.young[thing] = what })
		for _, line := range p.tables["sizes"] {
			more, things, _ := strings.Cut(line, "=")
			all := map[string]float64{}
			for thing := range strings.SplitSeq(things, ",") {
				name, size, _ := strings.Cut(strings.TrimSpace(thing), " ")
				if x, ok := parseNumber(strings.TrimSpace(size)); ok {
					all[name] = x
				}
			}
			w.sizes[strings.TrimSpace(more)] = all
		}
		for _, line := range p.tables["countries"] {
			name, of, _ := strings.Cut(line, "=")
			for x := range strings.SplitSeq(of, ",") {
				w.countries[strings.TrimSpace(name)] = append(w.countries[strings.TrimSpace(name)], strings.TrimSpace(x))
			}
		}
		return w
	})
}

// A thing of the world with its article: "a spider", "the sun", "spiders".
const aThing = `(?:an? |the |one |your average |people in )?([a-z]+)`

// What is asked of things. What stands before and behind must be fillers.
var (
	askCount = regexp.MustCompile(`\bhow many (legs|feet|arms|wheels|wings|strings|keys|players|sides|corners|fingers|toes|cards|lives) ` +
		`(?:has|does|do|have|are there on|are on|are in|are there in|` +
		`on|in|is there on) ` + aThing + `(?: team)?(?: (?:have|has|got|play))?`)
	askClass  = regexp.MustCompile(`\b(?:is|are) ` + aThing + `(?: actually| really| a kind of| considered)? (?:an? )?([a-z]+)(?: or (?:an? )?([a-z]+))?`)
	askColour = regexp.MustCompile(`\b(?:what|which) colour (?:is|are|has|does|do) (an? |the )?([a-z]+(?: yolk)?)(?: have)?`)
	askMore   = regexp.MustCompile(`\b(?:what|which|who)(?: one)?(?: animal)? (?:is|are|runs|goes|weighs) (?:the )?` +
		`(bigger|larger|smaller|faster|quicker|slower|heavier|lighter|more|less|biggest|fastest|heaviest) ` + aThing + ` or ` + aThing)
	askMoreToo = regexp.MustCompile(`\b(?:is|are) ` + aThing + ` (bigger|larger|smaller|faster|quicker|slower|heavier|lighter) than ` + aThing)
	askYoung   = regexp.MustCompile(`\b(?:what|how) (?:is|are|do you call|would you call|do they call|is the name of|is the name for) ` +
		`(?:a |an |the )?(?:baby|young|young one of an?|baby of an?) ([a-z]+)(?: called)?`)
	askMoney = regexp.MustCompile(`\b(?:what|which) (money|currency|language|languages|continent) (?:is|are|do|does|have|has)?` +
		`(?: the| people| they| you)*(?: use| pay with| pay| speak| spoken| used| have)?(?: in| on| of)? ([a-z]+)(?: (?:in|on|use|have|speak|spoken))?`)
)

// opposites of what the table of sizes has.
var lessThan = map[string]string{"smaller": "bigger", "slower": "faster", "lighter": "heavier", "less": "heavier"}

var sameAs = map[string]string{
	"larger": "bigger", "quicker": "faster", "biggest": "bigger", "fastest": "faster", "heaviest": "heavier", "more": "heavier",
}

// readWorld reads a question about a thing of the tables; nil where one does not know it.
func readWorld(t *Talk, _ *language.Utterance, text string) any {
	p := t.o.Persona
	w, x := p.world(), p.matcher()
	asks := func(re *regexp.Regexp) []string {
		at := re.FindStringSubmatchIndex(text)
		if at == nil || x.weight(text[:at[0]]) > 0 || x.weight(text[at[1]:]) > 0 {
			return nil
		}
		return re.FindStringSubmatch(text)
	}
	for _, ask := range []struct {
		form   *regexp.Regexp
		answer func(m []string) string
	}{
		{askCount, w.count},
		{askMore, func(m []string) string { return w.more(m[1], m[2], m[3]) }},
		{askMoreToo, w.isMore},
		{askClass, w.class},
		{askColour, w.colour},
		{askYoung, w.baby},
		{askMoney, w.money},
	} {
		if m := asks(ask.form); m != nil {
			if answer := ask.answer(m); answer != "" {
				return answer
			}
		}
	}
	return nil
}

// one is a thing in the singular that a table knows; empty where none does.
func one[T any](of map[string]T, thing string) string {
	for _, name := range []string{
		thing, strings.TrimSuffix(thing, "s"), strings.TrimSuffix(thing, "es"), strings.TrimSuffix(thing, "ies") + "y", singular[thing],
	} {
		if _, ok := of[name]; ok {
			return name
		}
	}
	return ""
}

var singular = map[string]string{
	"mice": "mouse", "geese": "goose", "people": "human", "humans": "human", "men": "man",
	"women": "woman", "wolves": "wolf", "leaves": "leaf",
}

// withArticle is "a spider", and "an ant".
func withArticle(thing string) string {
	if strings.ContainsRune("aeiou", rune(thing[0])) && !strings.HasPrefix(thing, "uni") && thing != "ukulele" {
		return "an " + thing
	}
	return "a " + thing
}

// only are things of which there is one, and such as are not counted: they have no "a".
var only = map[string]string{
	"sun": "the sun", "moon": "the moon", "earth": "the earth", "sky": "the sky", "sea": "the sea", "grass": "grass", "snow": "snow", "milk": "milk",
	"blood": "blood",
	"salt":  "salt", "coal": "coal", "chocolate": "chocolate", "coffee": "coffee", "sound": "sound", "light": "light",
	"football": "a football team", "soccer": "a soccer team",
	"cricket": "a cricket team", "hockey": "a hockey team", "rugby": "a rugby team", "basketball": "a basketball team", "volleyball": "a volleyball team",
	"deck": "a deck of cards", "pack": "a pack of cards",
}

// called is a thing as it is said: "a spider", "the sun", "Mars".
func (w *world) called(thing string) string {
	if name, ok := only[thing]; ok {
		return name
	}
	if of := w.classes[thing]; slices.Contains(of, "planet") || slices.Contains(of, "country") || slices.Contains(of, "continent") {
		return upper(thing)
	}
	if slices.Contains(w.classes[thing], "metal") {
		return thing
	}
	return withArticle(thing)
}

func (w *world) count(m []string) string {
	part, thing := m[1], one(w.counts, m[2])
	if part == "feet" {
		part = "legs"
	}
	n, ok := w.counts[thing][part]
	if !ok {
		if part == "arms" && w.counts[thing]["legs"] != "" || part != "legs" {
			return ""
		}
		if n, ok = w.counts[thing]["arms"]; !ok { // those of an octopus
			return ""
		}
		part = "arms"
	}
	if n == "0" {
		return upper(w.called(thing)) + " has no " + part + "."
	}
	if n == "1" {
		part = strings.TrimSuffix(part, "s")
	}
	if part == "lives" {
		return "They say that " + w.called(thing) + " has " + n + " lives, but it has one, as everybody."
	}
	return upper(w.called(thing)) + " has " + n + " " + part + "."
}

func (w *world) class(m []string) string {
	thing := one(w.classes, m[1])
	if thing == "" {
		return ""
	}
	asked := func(name string) string {
		if name = one(w.named, name); name == "" {
			return ""
		}
		return name
	}
	first, second := asked(m[2]), asked(m[3])
	if first == "" || m[3] != "" && second == "" {
		return ""
	}
	of := w.classes[thing]
	is := upper(w.called(thing)) + " is " + withArticle(of[0]) + "."
	switch {
	case second != "" && (slices.Contains(of, first) || slices.Contains(of, second)):
		if !slices.Contains(of, first) {
			first = second
		}
		return upper(w.called(thing)) + " is " + withArticle(first) + "."
	case slices.Contains(of, first):
		return "Yes, " + w.called(thing) + " is " + withArticle(first) + "."
	}
	return "No. " + is
}

func (w *world) colour(m []string) string {
	thing := one(w.colours, m[2])
	if thing == "" || m[1] == "the " && only[thing] == "" { // "what colour is the frog" is for the eyes
		return ""
	}
	colour := w.colours[thing]
	switch thing {
	case "sky":
		return "The sky is blue by day, when there are no clouds."
	case "sun":
		return "The sun is white; through the air it looks yellow."
	}
	return upper(w.called(thing)) + " is " + colour + ", as a rule."
}

// more says which of two things is bigger, faster or heavier.
func (w *world) more(how, a, b string) string {
	least := lessThan[how] != ""
	word := how
	if least {
		how = lessThan[how]
	} else if sameAs[how] != "" {
		how = sameAs[how]
	}
	sizes := w.sizes[how]
	x, y := one(sizes, a), one(sizes, b)
	if x == "" || y == "" || x == y || sizes[x] == sizes[y] {
		return ""
	}
	if (sizes[x] < sizes[y]) != least {
		x, y = y, x
	}
	if _, other := sameAs[word]; other && !strings.HasSuffix(word, "er") {
		word = how
	}
	return fmt.Sprintf("%s is %s than %s.", upper(w.called(x)), word, w.called(y))
}

func (w *world) isMore(m []string) string {
	answer := w.more(m[2], m[1], m[3])
	how := m[2]
	if sameAs[how] != "" {
		how = sameAs[how]
	}
	if lessThan[how] != "" {
		how = lessThan[how]
	}
	first := one(w.sizes[how], m[1])
	switch {
	case answer == "":
		return ""
	case strings.HasPrefix(answer, upper(w.called(first))+" "):
		return "Yes: " + w.called(first) + answer[len(w.called(first)):]
	}
	return "No: " + strings.ToLower(answer[:1]) + answer[1:]
}

func (w *world) baby(m []string) string {
	thing := one(w.young, m[1])
	if thing == "" {
		return ""
	}
	return upper(withArticle(w.young[thing])) + "."
}

// What a line of the table of countries holds.
const (
	countryMoney = iota
	countryLanguage
	countryContinent
)

func (w *world) money(m []string) string {
	of := w.countries[m[2]]
	if len(of) <= countryContinent {
		return ""
	}
	switch name := upper(m[2]); m[1] {
	case "language", "languages":
		return "Most people in " + name + " speak " + of[countryLanguage] + "."
	case "continent":
		return name + " lies in " + of[countryContinent] + "."
	default:
		return "In " + name + " people pay with the " + of[countryMoney] + "."
	}
}
