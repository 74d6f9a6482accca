package smalltalk

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/reachyd/reachyd/agents/verbalize"
	"github.com/reachyd/reachyd/perception/language"
	"github.com/reachyd/reachyd/perception/language/template"
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
	sounds    map[string]string // thing → the first word of what it says
	countries map[string][]string
}

func newWorld(p *Persona) func() *world {
	return sync.OnceValue(func() *world {
		w := &world{
			counts: map[string]map[string]string{}, classes: map[string][]string{}, named: map[string]bool{}, colours: map[string]string{},
			sizes: map[string]map[string]float64{}, young: map[string]string{}, sounds: map[string]string{}, countries: map[string][]string{},
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
		for _, line := range p.tables["sounds"] {
			thing, sound, _ := strings.Cut(strings.ToLower(line), " = ")
			w.sounds[thing], _, _ = strings.Cut(sound, ",")
		}
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

// worldQuestions are what is asked of things. What stands before and behind one must be fillers.
var worldQuestions = language.Patterns("world-questions")

// readWorld reads a question about a thing of the tables; nil where one does not know it.
func readWorld(t *Talk, _ *language.Utterance, text string) any {
	p := t.o.Persona
	w, x := p.world(), p.matcher()
	answers := map[string]func(m *template.Match) string{
		"count": w.count, "counts": w.counted, "more": w.more, "is-more": w.isMore, "class": w.class, "colour": w.colour, "young": w.baby, "country": w.country,
		"sounder": w.sounder,
	}
	for _, m := range worldQuestions.All(template.Split(text)) {
		if x.weight(m.Before()) > 0 || x.weight(m.After()) > 0 {
			continue
		}
		if answer := answers[m.Rule.Name](m); answer != "" {
			return answer
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

// withArticle is "a spider", and "an ant".
func withArticle(thing string) string {
	if strings.ContainsRune("aeiou", rune(thing[0])) && !strings.HasPrefix(thing, "uni") && thing != "ukulele" {
		return "an " + thing
	}
	return "a " + thing
}

// called is a thing as it is said: "a spider", "the sun", "Mars".
func (w *world) called(thing string) string {
	if name, ok := uncounted[thing]; ok {
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

func (w *world) count(m *template.Match) string {
	part, thing := m.Slot("part"), one(w.counts, m.Slot("thing"))
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

// counted is how many parts several things have together: "two dogs and a chicken".
func (w *world) counted(m *template.Match) string {
	part, sum := m.Slot("part"), 0
	for group := range strings.SplitSeq(language.InDigits(strings.ReplaceAll(m.Slot("things"), ",", " and ")), " and ") {
		words := strings.Fields(group)
		if len(words) != 2 {
			return ""
		}
		n, err := strconv.Atoi(words[0])
		if err != nil && words[0] != "a" && words[0] != "an" && words[0] != "the" {
			return ""
		} else if err != nil {
			n = 1
		}
		each, err := strconv.Atoi(w.counts[one(w.counts, words[1])][part])
		if err != nil {
			return ""
		}
		sum += n * each
	}
	return fmt.Sprintf("%d %s.", sum, part)
}

func (w *world) class(m *template.Match) string {
	thing := one(w.classes, m.Slot("thing"))
	if thing == "" {
		return ""
	}
	asked := func(name string) string {
		if name = one(w.named, name); name == "" {
			return ""
		}
		return name
	}
	first, second := asked(m.Slot("class")), asked(m.Slot("other"))
	if first == "" || m.Slot("other") != "" && second == "" {
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

func (w *world) colour(m *template.Match) string {
	thing := one(w.colours, m.Slot("thing"))
	if thing == "" || m.Slot("article") == "the" && uncounted[thing] == "" { // "what colour is the frog" is for the eyes
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

// compared are two things that a question compares, the larger one first; empty where their sizes are not known, or are the same.
func (w *world) compared(m *template.Match) (larger, smaller string) {
	sizes := w.sizes[sizeWords[m.Slot("how")]]
	x, y := one(sizes, m.Slot("thing")), one(sizes, m.Slot("other"))
	if x == "" || y == "" || sizes[x] == sizes[y] {
		return "", ""
	}
	if sizes[x] < sizes[y] {
		x, y = y, x
	}
	return x, y
}

// more says which of two things is bigger, faster or heavier.
func (w *world) more(m *template.Match) string {
	x, y := w.compared(m)
	if x == "" {
		return ""
	}
	word := m.Slot("how")
	if lessWords[word] {
		x, y = y, x
	}
	if said := comparatives[word]; said != "" {
		word = said
	}
	return fmt.Sprintf("%s is %s than %s.", upper(w.called(x)), word, w.called(y))
}

func (w *world) isMore(m *template.Match) string {
	answer := w.more(m)
	if answer == "" {
		return ""
	}
	first := w.called(one(w.sizes[sizeWords[m.Slot("how")]], m.Slot("thing")))
	if strings.HasPrefix(answer, upper(first)+" ") {
		return "Yes: " + first + answer[len(first):]
	}
	return "No: " + strings.ToLower(answer[:1]) + answer[1:]
}

func (w *world) baby(m *template.Match) string {
	thing := one(w.young, m.Slot("thing"))
	if thing == "" {
		return ""
	}
	return upper(withArticle(w.young[thing])) + "."
}

// sounder names the animals that say something.
func (w *world) sounder(m *template.Match) string {
	said := strings.TrimSuffix(m.Slot("sound"), "s")
	var all []string
	for thing, sound := range w.sounds {
		if sound == said {
			all = append(all, withArticle(thing))
		}
	}
	if len(all) == 0 {
		return ""
	}
	slices.Sort(all)
	return upper(verbalize.And(all)) + "."
}

// What a line of the table of countries holds.
const (
	countryMoney = iota
	countryLanguage
	countryContinent
)

func (w *world) country(m *template.Match) string {
	of := w.countries[m.Slot("thing")]
	if len(of) <= countryContinent {
		return ""
	}
	switch name := upper(m.Slot("thing")); m.Slot("what") {
	case "language", "languages":
		return "Most people in " + name + " speak " + of[countryLanguage] + "."
	case "continent":
		return name + " lies in " + of[countryContinent] + "."
	default:
		return "In " + name + " people pay with the " + of[countryMoney] + "."
	}
}
