package coder

import (
	"slices"
	"strings"

	"github.com/reachyd/reachyd/perception/language"
	"github.com/reachyd/reachyd/perception/language/template"
)

// toolPart is one rule of the table "tool-parts": something that a question for a tool has, wherever it stands.
type toolPart struct {
	rule     *template.Rule
	optional bool
}

// partsOfTool are all that a question for a tool has, in the order in which they are looked for.
type partsOfTool struct {
	tool  string
	parts []toolPart
}

// readToolParts reads the table of perception/language/en/toolparts.txt.
func readToolParts() (all []partsOfTool) {
	for _, r := range language.Patterns("tool-parts").Rules() {
		tool, part, _ := strings.Cut(r.Name, " ")
		if len(all) == 0 || all[len(all)-1].tool != tool {
			all = append(all, partsOfTool{tool: tool})
		}
		last := &all[len(all)-1]
		last.parts = append(last.parts, toolPart{r, strings.HasPrefix(part, "maybe")})
	}
	return all
}

// mostBeside is how many words of a question no part of a tool explains.
const mostBeside = 24

// found are the parts of a question that are slots.
type foundParts []*template.Match

// Slot is what stands in a slot of one of the parts.
func (f foundParts) Slot(name string) string {
	for _, m := range f {
		if text := m.Slot(name); text != "" {
			return text
		}
	}
	return ""
}

// fromParts finds the template whose parts all stand in a sentence, in any order, where no number is left over.
func (h *heard) fromParts(may func(name string) bool) *wanted {
	for _, t := range toolParts() {
		if !may(t.tool) {
			continue
		}
		parts := t.in(h.Digits)
		if parts == nil {
			continue
		}
		k, err := dataTemplate(t.tool)
		if err != nil {
			panic(err) // it is in this program
		}
		if a := h.arguments(k, parts); a != nil {
			return &wanted{toolTemplate: k, args: a, match: parts, lacks: h.lacks}
		}
	}
	return nil
}

// in are the parts that are found in a text; nil where one lacks, or a number is left over.
func (t *partsOfTool) in(text string) (found foundParts) {
	in := template.Split(text)
	for _, p := range t.parts {
		m := p.rule.Find(in)
		switch {
		case m == nil && !p.optional:
			return nil
		case m == nil || m.Text() == "":
			continue
		}
		found = append(found, m)
		if numerals(m.Text()) > 0 { // it is used up; what only says what it is about may stand beside a number, too
			in = template.Split(m.Before() + " , " + m.After())
		}
	}
	if numerals(in.Text) > 0 || len(strings.Fields(in.Text)) > mostBeside {
		return nil
	}
	return slices.Clip(found)
}
