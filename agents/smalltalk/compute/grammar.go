package compute

import (
	_ "embed" // the grammar
	"fmt"
	"strconv"
	"strings"
)

//go:embed en/grammar.txt
var enGrammar string

// symbol is a word, a mark, or what several of them may mean together.
type symbol int32

// rule says that a body of symbols means head, and what it means.
type rule struct {
	head symbol
	body []symbol
	act  action
	cost float64
}

// action works out the meaning of a rule from those of its parts that mean something; nil when they mean nothing together.
type action func(c *context, v []*value) *value

// grammar is what is known of the language.
type grammar struct {
	names  []string
	of     map[string]symbol
	begins map[symbol][]*rule // by the first symbol of their bodies
	soft   map[string]bool    // words that may be left over between others
	filler map[string]bool    // words that may be left over anywhere, and say nothing
	barred map[string]bool    // words that may not be left over
	hint   map[string]bool    // words of questions that have no number: without one, and without a number, a sentence is not read
	remark map[string]bool    // words that begin what is said behind a question
	asks   map[string]bool    // words that begin a question for a sum
	noword map[string]bool    // words that stand in a question about another word
	known  map[string]bool    // words of rules
}

// symbols that the lexer finds, which have a value.
const (
	symNumber  = "<number>"
	symClock   = "<digital>"
	symPlace   = "<ordinal>"
	symMany    = "<many>"
	symUnit    = "<unit>"
	symWord    = "<word>"
	symNew     = "<new>" // a word that no rule has
	symGap     = "<gap>" // words between that say nothing
	symMonth   = "<month>"
	symDay     = "<weekday>"
	symPart    = "<part>" // half, third
	symStart   = "^"
	symEnd     = "$"
	symAnswer  = "<answer>"
	symPrinted = "<quoted>"
	symRest    = "<rest>"
)

func (g *grammar) symbol(name string) symbol {
	s, ok := g.of[name]
	if !ok {
		s = symbol(len(g.names))
		g.names = append(g.names, name)
		g.of[name] = s
	}
	return s
}

// readGrammar reads rules, a line each: "<head> : body -> action", or "... -> action +2" for what is less likely. In a body (a|b)
// are words of which one stands there, and [a|b] such that may. A line that is indented is another body of the head above. The heads
// soft, filler, barred, hint, remark, asks and noword have words.
func readGrammar(text string) (*grammar, error) {
	g := &grammar{
		of: map[string]symbol{}, begins: map[symbol][]*rule{}, soft: map[string]bool{}, filler: map[string]bool{}, barred: map[string]bool{},
		known: map[string]bool{}, hint: map[string]bool{}, remark: map[string]bool{}, asks: map[string]bool{},
		noword: map[string]bool{},
	}
	words := map[string]map[string]bool{
		"soft": g.soft, "filler": g.filler, "barred": g.barred, "hint": g.hint, "remark": g.remark, "asks": g.asks, "noword": g.noword,
	}
	head, n := "", 0
	for line := range strings.Lines(text) {
		n++
		line, _, _ = strings.Cut(line, "#")
		if strings.TrimSpace(line) == "" {
			continue
		}
		if line[0] != ' ' {
			var found bool
			if head, line, found = strings.Cut(line, " : "); !found {
				return nil, fmt.Errorf("grammar: line %d: “ : ” is missing behind the head", n)
			}
		}
		if set := words[head]; set != nil {
			for w := range strings.FieldsSeq(line) {
				set[w] = true
			}
			continue
		}
		if err := g.add(head, line); err != nil {
			return nil, fmt.Errorf("grammar: line %d: %w", n, err)
		}
	}
	return g, g.whole()
}

// add adds what a line says.
func (g *grammar) add(head, line string) error {
	body, does, found := strings.Cut(line, " -> ")
	cost := 0.0
	var act action
	if found {
		name, extra, has := strings.Cut(strings.TrimSpace(does), " +")
		if has {
			var err error
			if cost, err = strconv.ParseFloat(extra, 64); err != nil {
				return fmt.Errorf("cost: %w", err)
			}
		}
		if act = actions[name]; act == nil {
			return fmt.Errorf("there is no action %q", name)
		}
	}
	bodies, err := g.expand(body)
	if err != nil {
		return err
	}
	for _, words := range bodies {
		r := &rule{head: g.symbol(head), act: act, cost: cost}
		for _, w := range words {
			r.body = append(r.body, g.symbol(w))
			if w[0] != '<' {
				g.known[w] = true
			}
		}
		if len(r.body) == 0 {
			return fmt.Errorf("%s has an empty body", head)
		}
		g.begins[r.body[0]] = append(g.begins[r.body[0]], r)
	}
	return nil
}

// choice is the symbol of one of several phrases without values.
func (g *grammar) choice(phrases []string) string {
	name := "<" + strings.ReplaceAll(strings.Join(phrases, "|"), " ", "_") + ">"
	if _, ok := g.of[name]; ok {
		return name
	}
	head := g.symbol(name)
	for _, p := range phrases {
		r := &rule{head: head}
		for w := range strings.FieldsSeq(p) {
			r.body = append(r.body, g.symbol(w))
			g.known[w] = true
		}
		g.begins[r.body[0]] = append(g.begins[r.body[0]], r)
	}
	return name
}

// expand writes choices out.
func (g *grammar) expand(body string) ([][]string, error) {
	all := [][]string{nil}
	for body = strings.TrimSpace(body); body != ""; body = strings.TrimSpace(body) {
		var choices []string
		switch end := strings.IndexAny(body, ")]"); body[0] {
		case '(', '[':
			if end < 0 {
				return nil, fmt.Errorf("a bracket is open in %q", body)
			}
			choices = strings.Split(body[1:end], "|")
			if len(choices) > 1 && !strings.Contains(body[1:end], "<") {
				choices = []string{g.choice(choices)}
			}
			if body[0] == '[' {
				choices = append(choices, "")
			}
			body = body[end+1:]
		default:
			word, rest, _ := strings.Cut(body, " ")
			choices, body = []string{word}, rest
		}
		next := make([][]string, 0, len(all)*len(choices))
		for _, a := range all {
			for _, c := range choices {
				next = append(next, append(a[:len(a):len(a)], strings.Fields(c)...))
			}
		}
		if all = next; len(all) > 2000 {
			return nil, fmt.Errorf("%d bodies", len(all))
		}
	}
	return all, nil
}

// whole says whether every symbol means something.
func (g *grammar) whole() error {
	heads := map[symbol]bool{}
	for _, of := range g.begins {
		for _, r := range of {
			heads[r.head] = true
		}
	}
	lexed := map[string]bool{
		symNumber: true, symClock: true, symPlace: true, symMany: true, symUnit: true, symWord: true, symNew: true, symGap: true, symMonth: true,
		symDay: true, symPart: true, symPrinted: true, symRest: true,
	}
	for _, of := range g.begins {
		for _, r := range of {
			for _, s := range r.body {
				if name := g.names[s]; name[0] == '<' && !heads[s] && !lexed[name] {
					return fmt.Errorf("grammar: nothing is a %s", name)
				}
			}
		}
	}
	return nil
}
