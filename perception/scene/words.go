package scene

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/reachyd/reachyd/perception/language"
	"github.com/reachyd/reachyd/perception/language/template"
)

// aside is the yaw from which on a thing is to the side and not in front, degrees.
const aside = 10

// Side says where a direction is, for a listener who looks the robot's way.
func Side(yaw float64) string {
	switch a := math.Abs(yaw); {
	case a <= aside:
		return "in front of me"
	case a > 130:
		return "behind me"
	case yaw > 60:
		return "far to the left"
	case yaw < -60:
		return "far to the right"
	case yaw > 0:
		return "on the left"
	default:
		return "on the right"
	}
}

// Named returns the detections of that name; the plural and a leading article are understood. A name for which there is
// no detection may be another word for one: "people" are persons, or else faces.
func (v *View) Named(name string) []Detection {
	for _, n := range [...]string{literal(name), Person, Thing(name)} {
		if n == Person && Thing(name) != Face {
			continue
		}
		var found []Detection
		for _, d := range v.Detections {
			if d.Name == n {
				found = append(found, d)
			}
		}
		if len(found) > 0 || n == Face && literal(name) == Face {
			return found
		}
	}
	return nil
}

// synonyms are words of people for things that are found under another name.
var synonyms = language.Map("view-names")

// Thing returns the name under which a thing is found without a learned model: "the apples" is apple, "a person" is
// face. A name that is not known comes back in lower case in the singular.
func Thing(name string) string {
	name = literal(name)
	if s, ok := synonyms[name]; ok {
		return s
	}
	return name
}

// literal is a name in lower case, in the singular, without an article.
func literal(name string) string {
	name = strings.Trim(strings.ToLower(strings.TrimSpace(name)), ".,!?")
	for _, article := range []string{"the ", "a ", "an ", "any ", "my ", "your ", "some "} {
		if rest, ok := strings.CutPrefix(name, article); ok {
			name = strings.TrimSpace(rest)
			break
		}
	}
	if _, ok := synonyms[name]; ok {
		return name
	}
	ends := func(suffixes ...string) bool {
		return slices.ContainsFunc(suffixes, func(s string) bool { return strings.HasSuffix(name, s) })
	}
	switch {
	case len(name) > 4 && ends("ies"):
		return name[:len(name)-3] + "y"
	case len(name) > 4 && ends("ches", "shes", "xes", "sses"):
		return name[:len(name)-2]
	case len(name) > 3 && ends("s") && !ends("ss", "us"):
		return name[:len(name)-1]
	}
	return name
}

// Describe says in a sentence or two what is in view: "I see an apple on the left and a duck in front of me."
func (v *View) Describe() string {
	if v.Dark {
		return "It is too dark for me to see anything."
	}
	var parts []string
	for _, g := range v.groups() {
		parts = append(parts, g.words())
	}
	if len(parts) == 0 {
		text := "I do not see anything that I know."
		if len(v.Colours) > 0 {
			text += " It is mostly " + List(v.Colours) + "."
		}
		return text
	}
	text := "I see " + List(parts) + "."
	for _, d := range v.Named(QRCode) {
		if d.Text != "" {
			text += fmt.Sprintf(" The code says %q.", d.Text)
		}
	}
	return text
}

// group are things of one name on one side.
type group struct {
	name, side string
	n          int
	yaw        float64
}

func (g group) words() string {
	if g.name == Motion {
		return "something moving " + g.side
	}
	return Count(g.n, g.name) + " " + g.side
}

// groups are the detections by name and side, from left to right.
func (v *View) groups() []group {
	var all []group
	for _, d := range v.Detections {
		side := Side(d.Yaw)
		i := slices.IndexFunc(all, func(g group) bool { return g.name == d.Name && g.side == side })
		if i < 0 {
			all = append(all, group{d.Name, side, 1, d.Yaw})
			continue
		}
		all[i].n++
	}
	slices.SortStableFunc(all, func(a, b group) int {
		switch {
		case a.yaw > b.yaw:
			return -1
		case a.yaw < b.yaw:
			return 1
		}
		return 0
	})
	return all
}

// questions are those about a view; the first that is found counts.
var questions = language.Patterns("view-questions")

// Answer answers a question about the view as far as detections can, and describes the view when it is another question.
func (v *View) Answer(question string) string {
	if v.Dark {
		return v.Describe()
	}
	for _, m := range questions.All(template.Split(strings.Map(plain, strings.ToLower(question)))) {
		thing := Thing(m.Slot("thing"))
		switch m.Rule.Name {
		case "how-many":
			return v.countOf(thing)
		case "what-colour":
			return v.colourOf(thing)
		case "where":
			return v.placeOf(thing)
		case "code":
			return v.codes()
		case "there":
			if thing != "thing" {
				return v.presenceOf(thing)
			}
		case "colours":
			if len(v.Colours) > 0 {
				return "Mostly " + List(v.Colours) + "."
			}
		case "moves":
			return v.presenceOf(Motion)
		}
	}
	return v.Describe()
}

// plain keeps letters, digits, blanks and apostrophes.
func plain(r rune) rune {
	switch {
	case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '\'', r == ' ':
		return r
	case r == '’':
		return '\''
	}
	return ' '
}

func (v *View) countOf(name string) string {
	n := len(v.Named(name))
	if name == "thing" || name == "object" {
		n = len(v.Detections)
	}
	if n == 1 {
		return "I see one " + name + "."
	}
	return "I see " + Count(n, name) + "."
}

func (v *View) placeOf(name string) string {
	found := v.Named(name)
	if len(found) == 0 {
		return "I do not see " + Article(name) + " here."
	}
	if len(found) > 1 {
		var sides []string
		for _, d := range found {
			if s := Side(d.Yaw); !slices.Contains(sides, s) {
				sides = append(sides, s)
			}
		}
		return fmt.Sprintf("I see %s: %s.", Count(len(found), name), List(sides))
	}
	d := found[0]
	text := fmt.Sprintf("The %s is %s", name, Side(d.Yaw))
	if d.Place != nil {
		text += fmt.Sprintf(", %.0f centimetres away", 100*math.Hypot(d.Place[0], d.Place[1]))
	}
	return text + "."
}

func (v *View) presenceOf(name string) string {
	found := v.Named(name)
	if len(found) == 0 {
		if name == Motion {
			return "No, nothing moves."
		}
		return "No, I do not see " + Article(name) + "."
	}
	var parts []string
	for _, g := range (&View{Detections: found}).groups() {
		parts = append(parts, g.words())
	}
	return "Yes, I see " + List(parts) + "."
}

func (v *View) colourOf(name string) string {
	found := v.Named(name)
	switch {
	case len(found) == 0:
		return "I do not see " + Article(name) + "."
	case found[0].Colour == "":
		return "I cannot tell what colour the " + name + " has."
	}
	return fmt.Sprintf("The %s is %s.", name, found[0].Colour)
}

func (v *View) codes() string {
	found := v.Named(QRCode)
	texts := make([]string, 0, len(found))
	for _, d := range found {
		texts = append(texts, fmt.Sprintf("%q", d.Text))
	}
	if len(texts) == 0 {
		return "I do not see a code."
	}
	return "The code says " + List(texts) + "."
}

// Article puts a or an before a name.
func Article(name string) string {
	if name != "" && strings.ContainsRune("aeiou", rune(name[0])) {
		return "an " + name
	}
	return "a " + name
}

var numerals = [...]string{"no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"}

// Count puts a number before a name: "no apples", "an apple", "three faces".
func Count(n int, name string) string {
	switch {
	case n == 1:
		return Article(name)
	case n >= 0 && n < len(numerals):
		return numerals[n] + " " + plural(name)
	}
	return fmt.Sprintf("%d %s", n, plural(name))
}

func plural(name string) string {
	switch {
	case name == "person":
		return "people"
	case strings.HasSuffix(name, "s"), strings.HasSuffix(name, "x"), strings.HasSuffix(name, "ch"), strings.HasSuffix(name, "sh"):
		return name + "es"
	case len(name) > 1 && strings.HasSuffix(name, "y") && !strings.ContainsRune("aeiou", rune(name[len(name)-2])):
		return name[:len(name)-1] + "ies"
	}
	return name + "s"
}

// List joins words as one says them: "a, b and c".
func List(words []string) string {
	switch n := len(words); n {
	case 0:
		return ""
	case 1:
		return words[0]
	default:
		return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
}
