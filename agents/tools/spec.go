package tools

import (
	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/hal/catalog"
)

// Spec returns the spec of the predefined tool of that name, as the catalogue describes it.
func Spec(name string) tool.Spec {
	t := catalog.ToolNamed(name)
	if t == nil {
		panic("tools: the catalogue has no tool " + name)
	}
	return tool.Spec{Name: t.Name, Description: t.Description, Parameters: object(t.Arguments), Moves: t.Moves}
}

// available returns the spec of a tool, which lacks what is missing.
func available(name string, missing bool, what string) tool.Spec {
	s := Spec(name)
	if missing {
		s.Unavailable = what
	}
	return s
}

// Number returns the schema of a number in a range of the catalogue.
func Number(description string, r catalog.Range) tool.Schema {
	return tool.Number(description, r.Unit, r.Min, r.Max)
}

func object(arguments []catalog.Argument) tool.Schema {
	if len(arguments) == 0 {
		return tool.Object(nil)
	}
	s := tool.Object(make(map[string]tool.Schema, len(arguments)))
	for i := range arguments {
		a := &arguments[i]
		s.Properties[a.Name] = schema(a)
		if a.Required {
			s.Required = append(s.Required, a.Name)
		}
	}
	return s
}

func schema(a *catalog.Argument) tool.Schema {
	s := tool.Schema{Type: tool.Type(a.Kind), Description: a.Description, Default: a.Default}
	switch a.Kind {
	case catalog.Number, catalog.Integer:
		low, high := a.Range.Min, a.Range.Max
		s.Minimum, s.Maximum, s.Unit = &low, &high, a.Range.Unit
	case catalog.Text:
		s.MaxLength, s.Enum = a.MaxLength, a.Enum
	case catalog.Array:
		items := object(a.Items)
		s.Items, s.MaxItems = &items, a.MaxItems
	case catalog.Object:
		s.Open = true
	case catalog.Boolean:
	}
	return s
}
