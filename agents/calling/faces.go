package calling

import (
	_ "embed" // the faces
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"

	"github.com/reachyd/reachyd/agents/llm"
	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/hal/catalog"
)

//go:embed faces.yaml
var facesYAML []byte

// face is a tool as a model is shown it.
type face struct {
	Name      string                                   `yaml:"name"`
	Tool      string                                   `yaml:"tool"`
	Does      string                                   `yaml:"does"`
	Asks      bool                                     `yaml:"asks"` // a question may call it
	Arguments []argument                               `yaml:"arguments"`
	Means     map[string]map[string]map[string]float64 `yaml:"means"`    // argument: word: argument of the tool: value
	Amount    string                                   `yaml:"amount"`   // the argument that replaces the size of these values
	Thing     string                                   `yaml:"thing"`    // the argument that names a thing of which the sentence speaks
	Only      string                                   `yaml:"only"`     // the argument that says which of them is meant
	Constant  map[string]any                           `yaml:"constant"` // arguments of the tool that are always so
	Also      []string                                 `yaml:"also"`     // what models call it as well

	known  bool      // it stands in the file
	spec   tool.Spec // as the model is shown it
	target tool.Spec // as the robot takes it
}

// argument is an argument of a face.
type argument struct {
	Name     string   `yaml:"name"`
	Tool     string   `yaml:"tool"` // what the tool calls it, where it only has another name
	Enum     []string `yaml:"enum"`
	Integer  []int    `yaml:"integer"`
	Required bool     `yaml:"required"`
}

// table is faces.yaml.
type table struct {
	Front  string `yaml:"front"`
	Native string `yaml:"native"`
	Talk   string `yaml:"talk"`
	// Said are the words that mean one choice of a face: face: choice: words.
	Said map[string]map[string][]string `yaml:"said"`
	// Idle are phrases in which such a word says no direction: "right now".
	Idle []string `yaml:"idle"`
	// Instead says which argument of a face is none of its own when it is a choice of another face.
	Instead []struct{ Face, Argument, To, As string } `yaml:"instead"`
	Faces   []face                                    `yaml:"faces"`
}

// faces reads the file once; a mistake in it is found by a test.
var faces = sync.OnceValue(func() table {
	var t table
	if err := yaml.UnmarshalWithOptions(facesYAML, &t, yaml.DisallowUnknownField()); err != nil {
		panic("faces.yaml: " + yaml.FormatError(err, false, true))
	}
	return t
})

// shown are the faces of tools, in the order of the file, and behind them those that the catalogue does not know, as they are.
// What the catalogue has and the file does not is too much for a small model.
func shown(tools []tool.Spec) []face {
	var out []face
	has := map[string]bool{}
	for _, f := range faces().Faces {
		i := slices.IndexFunc(tools, func(s tool.Spec) bool { return s.Name == f.Tool })
		if i < 0 {
			continue
		}
		has[f.Tool] = true
		f.target, f.known = tools[i], true
		f.spec = tool.Spec{Name: f.Name, Description: f.Does, Parameters: f.parameters(), Also: f.Also}
		out = append(out, f)
	}
	for _, s := range tools {
		if !has[s.Name] && catalog.ToolNamed(s.Name) == nil {
			out = append(out, plain(s))
		}
	}
	return out
}

// plain is a tool that is shown as it is.
func plain(s tool.Spec) face {
	f := face{Name: s.Name, Tool: s.Name, Does: s.Description, Asks: true, spec: s, target: s}
	for _, name := range ordered(&s.Parameters) {
		f.Arguments = append(f.Arguments, argument{Name: name})
	}
	return f
}

// ordered are the names of an object's properties, those that are required first.
func ordered(s *tool.Schema) []string {
	names := slices.Clone(s.Required)
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// parameters is the schema of what a model writes. An argument without choices of its own has those of the tool.
func (f *face) parameters() tool.Schema {
	s := tool.Object(map[string]tool.Schema{})
	for _, a := range f.Arguments {
		p, known := f.target.Parameters.Properties[a.Name]
		switch {
		case len(a.Enum) > 0:
			p = tool.OneOf("", a.Enum...)
		case len(a.Integer) == 2:
			p = tool.Integer("", float64(a.Integer[0]), float64(a.Integer[1]))
		case !known:
			continue
		}
		p.Default = nil
		s.Properties[a.Name] = p
		if a.Required || slices.Contains(f.target.Parameters.Required, a.Name) {
			s.Required = append(s.Required, a.Name)
		}
	}
	return s
}

// line is the face in one line: look(direction: left|right|up|down|ahead, degrees?): turn the head.
func (f *face) line() string {
	var b strings.Builder
	b.WriteString(f.Name + "(")
	sep := ""
	for _, a := range f.Arguments {
		p, known := f.spec.Parameters.Properties[a.Name]
		if !known {
			continue
		}
		b.WriteString(sep + a.Name)
		sep = ", "
		if !slices.Contains(f.spec.Parameters.Required, a.Name) {
			b.WriteByte('?')
		}
		if len(p.Enum) > 0 {
			b.WriteString(": " + strings.Join(p.Enum, "|"))
		}
	}
	b.WriteString("): " + f.Does)
	return b.String()
}

// grammar is the JSON schema of a call of the face, its properties in the order in which the model is to write them.
func (f *face) grammar() string {
	var b strings.Builder
	fmt.Fprintf(&b, `{"type":"object","properties":{"tool":{"const":%q}`, f.Name)
	required := []string{"tool"}
	for _, a := range f.Arguments {
		p, known := f.spec.Parameters.Properties[a.Name]
		if !known {
			continue
		}
		if slices.Contains(f.spec.Parameters.Required, a.Name) {
			required = append(required, a.Name)
		}
		fmt.Fprintf(&b, `,%q:%s`, a.Name, kind(&p))
	}
	names, _ := json.Marshal(required) // strings
	fmt.Fprintf(&b, `},"required":%s,"additionalProperties":false}`, names)
	return b.String()
}

// kind is the part of a schema that grammars of servers can take. They hold whole numbers to a range, others not.
func kind(p *tool.Schema) string {
	switch {
	case len(p.Enum) > 0:
		names, _ := json.Marshal(p.Enum) // strings
		return `{"type":"string","enum":` + string(names) + `}`
	case p.Type == tool.TypeInteger && p.Minimum != nil && p.Maximum != nil:
		return fmt.Sprintf(`{"type":"integer","minimum":%.0f,"maximum":%.0f}`, *p.Minimum, *p.Maximum)
	case p.Type == tool.TypeArray:
		return `{"type":"array"}`
	case p.Type == "":
		return `{"type":"object"}`
	}
	return fmt.Sprintf(`{"type":%q}`, p.Type)
}

// translate makes a checked call of a face a call of the tool. It adds to the fixes what had to be changed for that.
func (f *face) translate(c llm.Call) llm.Call {
	c.Wrote = &llm.Written{Name: c.Name, Args: c.Args}
	if c.Err != nil || f.spec.Name == f.target.Name && f.Means == nil && len(f.Constant) == 0 && !f.renames() {
		return c
	}
	var given map[string]any
	if err := json.Unmarshal(c.Args, &given); err != nil {
		c.Err = err
		return c
	}
	args := maps.Clone(f.Constant)
	if args == nil {
		args = map[string]any{}
	}
	for _, a := range f.Arguments {
		v, said := given[a.Name]
		if !said || a.Name == f.Amount || a.Name == f.Only {
			continue
		}
		if words, ok := f.Means[a.Name]; ok {
			word, _ := v.(string)
			f.meaning(args, words[word], given)
			continue
		}
		name := a.Tool
		if name == "" {
			name = a.Name
		}
		args[name] = v
	}
	raw, err := json.Marshal(args)
	if err != nil {
		c.Err = err
		return c
	}
	checked := llm.CheckCall([]tool.Spec{f.target}, f.target.Name, raw)
	checked.ID, checked.Wrote, checked.Fixes = c.ID, c.Wrote, append(c.Fixes, checked.Fixes...)
	return checked
}

func (f *face) renames() bool {
	return slices.ContainsFunc(f.Arguments, func(a argument) bool { return a.Tool != "" && a.Tool != a.Name })
}

// meaning sets what a word means, in the size and for the part that is said.
func (f *face) meaning(args map[string]any, means map[string]float64, given map[string]any) {
	size, sized := given[f.Amount].(float64)
	only, _ := given[f.Only].(string)
	for name, v := range means {
		if _, one := means[only]; one && name != only {
			continue
		}
		if sized && v != 0 {
			v = math.Copysign(size, v)
		}
		args[name] = v
	}
}

func specsOf(f *face) []tool.Spec { return []tool.Spec{f.spec} }
