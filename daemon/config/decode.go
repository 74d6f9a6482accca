package config

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/reachyd/reachyd/perception/language/truncate"
)

// maxFile is the most that is read of a configuration file, bytes.
const maxFile = 1 << 20

var (
	durationType = reflect.TypeFor[time.Duration]()
	secretType   = reflect.TypeFor[Secret]()
)

// origin says where a value came from.
type origin struct {
	where string // file:line:column, variable or option
	text  string // as it was written there
	fixed bool   // by the environment or the command line
}

// decoder turns YAML into a Config, key by key, and collects all problems rather than the first. It walks the syntax
// tree itself because a struct decoder knows neither the column of a value nor what would have been allowed.
type decoder struct {
	file     string // or whatever else the text came from
	oneValue bool   // the text is a single value: its line and column say nothing
	problems *Problems
	origin   map[string]origin
}

// decode reads text over what is in c.
func (d *decoder) decode(text []byte, c *Config) {
	if len(text) > maxFile {
		d.problem(Problem{Where: d.file, Wrong: fmt.Sprintf("has %d bytes", len(text)), Allowed: fmt.Sprintf("at most %d", maxFile)})
		return
	}
	file, err := parser.ParseBytes(text, 0)
	if err != nil {
		d.problem(d.syntax(err))
		return
	}
	var root ast.Node
	for _, doc := range file.Docs {
		if doc.Body == nil {
			continue
		}
		if root != nil {
			d.problem(Problem{Where: d.at(doc.Body), Wrong: "is a second document", Allowed: "one YAML document in a file"})
			return
		}
		root = doc.Body
	}
	if root == nil || root.Type() == ast.NullType {
		return
	}
	d.group(root, "", reflect.ValueOf(c).Elem())
}

func (d *decoder) problem(p Problem) { *d.problems = append(*d.problems, p) }

// syntax tells the parser's error in one line.
func (d *decoder) syntax(err error) Problem {
	p := Problem{Where: d.file, Wrong: "is not YAML: " + err.Error()}
	var y yaml.Error
	if errors.As(err, &y) {
		p.Wrong = "is not YAML: " + y.GetMessage()
		if t := y.GetToken(); t != nil && t.Position != nil {
			p.Where = fmt.Sprintf("%s:%d:%d", d.file, t.Position.Line, t.Position.Column)
		}
	}
	return p
}

func (d *decoder) at(n ast.Node) string {
	t := n.GetToken()
	if d.oneValue || t == nil || t.Position == nil {
		return d.file
	}
	return fmt.Sprintf("%s:%d:%d", d.file, t.Position.Line, t.Position.Column)
}

// pairs returns the entries of a mapping; ok is false when n is something else.
func pairs(n ast.Node) (values []*ast.MappingValueNode, ok bool) {
	switch m := n.(type) {
	case *ast.MappingNode:
		return m.Values, true
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{m}, true
	}
	return nil, false
}

// group reads a mapping into the struct v; prefix is the path of its keys, ending in a dot unless it is empty.
func (d *decoder) group(n ast.Node, prefix string, v reflect.Value) {
	values, ok := pairs(n)
	if !ok {
		d.problem(Problem{
			Where: d.at(n), Key: strings.TrimSuffix(prefix, "."), Value: truncate.Runes(text(n), maxQuoted), Wrong: "is " + kind(n),
			Allowed: "a group of keys: " + strings.Join(names(v.Type()), ", "),
		})
		return
	}
	seen := map[string]bool{}
	for _, pair := range values {
		d.pair(pair, prefix, v, seen)
	}
}

func (d *decoder) pair(pair *ast.MappingValueNode, prefix string, v reflect.Value, seen map[string]bool) {
	name := text(pair.Key)
	path := prefix + name
	field := fieldByName(v, name)
	if !field.IsValid() {
		known := names(v.Type())
		p := Problem{Where: d.at(pair.Key), Key: truncate.Runes(path, maxQuoted), Wrong: "is no key of reachyd", Allowed: strings.Join(known, ", ")}
		if near := nearest(name, known); near != "" {
			p.Wrong += fmt.Sprintf(" (did you mean %s?)", near)
		}
		d.problem(p)
		return
	}
	if seen[name] {
		d.problem(Problem{Where: d.at(pair.Key), Key: path, Wrong: "is there twice", Allowed: "each key once"})
		return
	}
	seen[name] = true
	if field.Kind() == reflect.Struct {
		if pair.Value == nil || pair.Value.Type() == ast.NullType { // all of its keys are commented out
			return
		}
		d.group(pair.Value, path+".", field)
		return
	}
	if pair.Value == nil || pair.Value.Type() == ast.NullType {
		d.problem(Problem{
			Where: d.at(pair.Key), Key: path, Wrong: "has no value",
			Allowed: typeName(field.Type()) + `; "" for an empty text; leave the key out for its default`,
		})
		return
	}
	if d.value(pair.Value, path, field) && d.origin != nil {
		d.origin[path] = origin{where: d.at(pair.Value), text: text(pair.Value)}
	}
}

// value reads one node into v and reports whether it could.
func (d *decoder) value(n ast.Node, path string, v reflect.Value) bool {
	wrong := func(what string) bool {
		p := Problem{Where: d.at(n), Key: path, Value: truncate.Runes(text(n), maxQuoted), Wrong: what, Allowed: typeName(v.Type())}
		if v.Type() == secretType || v.Kind() == reflect.Slice { // a list may be of users with their passwords
			p.Value = ""
		}
		d.problem(p)
		return false
	}
	switch {
	case v.Type() == durationType:
		s, ok := n.(*ast.StringNode)
		if !ok {
			return wrong("is " + kind(n))
		}
		t, err := time.ParseDuration(s.Value)
		if err != nil {
			return wrong("is no duration")
		}
		v.SetInt(int64(t))
	case v.Kind() == reflect.String:
		switch s := n.(type) {
		case *ast.StringNode:
			v.SetString(s.Value)
		case *ast.LiteralNode:
			v.SetString(s.Value.Value)
		case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
			return wrong("is " + kind(n) + " (put it in quotes)")
		default:
			return wrong("is " + kind(n))
		}
		if strings.ContainsRune(v.String(), 0) {
			return wrong("has a zero byte")
		}
	case v.Kind() == reflect.Bool:
		b, ok := n.(*ast.BoolNode)
		if !ok {
			return wrong("is " + kind(n))
		}
		v.SetBool(b.Value)
	case v.Kind() == reflect.Int:
		i, ok := integer(n)
		if !ok {
			return wrong("is " + kind(n))
		}
		v.SetInt(i)
	case v.Kind() == reflect.Float64:
		f, ok := number(n)
		if !ok {
			return wrong("is " + kind(n))
		}
		v.SetFloat(f)
	case v.Kind() == reflect.Slice:
		seq, ok := n.(*ast.SequenceNode)
		if !ok {
			return wrong("is " + kind(n))
		}
		return d.list(seq, path, v)
	default:
		panic("config: no rule for a field of type " + v.Type().String()) // a mistake in Config, found by any test
	}
	return true
}

// list replaces v by the elements of seq.
func (d *decoder) list(seq *ast.SequenceNode, path string, v reflect.Value) bool {
	list := reflect.MakeSlice(v.Type(), len(seq.Values), len(seq.Values))
	before := len(*d.problems)
	for i, n := range seq.Values {
		at := fmt.Sprintf("%s[%d]", path, i)
		if n == nil {
			d.problem(Problem{Where: d.at(seq), Key: at, Wrong: "has no value", Allowed: typeName(v.Type().Elem())})
			continue
		}
		if v.Type().Elem().Kind() == reflect.Struct {
			nested := *d
			nested.origin = nil // the list as a whole has an origin
			nested.group(n, at+".", list.Index(i))
			continue
		}
		d.value(n, at, list.Index(i))
	}
	v.Set(list)
	return len(*d.problems) == before
}

func integer(n ast.Node) (int64, bool) {
	i, ok := n.(*ast.IntegerNode)
	if !ok {
		return 0, false
	}
	switch x := i.Value.(type) {
	case int64:
		return x, true
	case uint64:
		return int64(min(x, math.MaxInt64)), true
	}
	return 0, false
}

func number(n ast.Node) (float64, bool) {
	if f, ok := n.(*ast.FloatNode); ok {
		return f.Value, !math.IsInf(f.Value, 0) && !math.IsNaN(f.Value)
	}
	i, ok := integer(n)
	return float64(i), ok
}

// text is how a node was written, on one line.
func text(n ast.Node) string {
	switch s := n.(type) {
	case nil:
		return ""
	case *ast.StringNode:
		return s.Value
	case *ast.LiteralNode:
		return s.Value.Value
	case *ast.MappingNode, *ast.MappingValueNode, *ast.SequenceNode:
		return ""
	}
	if t := n.GetToken(); t != nil {
		return t.Value
	}
	return ""
}

// kind says in words what a node is.
func kind(n ast.Node) string {
	switch n.(type) {
	case *ast.StringNode, *ast.LiteralNode:
		return "a text"
	case *ast.IntegerNode:
		return "a whole number"
	case *ast.FloatNode:
		return "a number with a fraction"
	case *ast.InfinityNode, *ast.NanNode:
		return "no finite number"
	case *ast.BoolNode:
		return "true or false"
	case *ast.SequenceNode:
		return "a list"
	case *ast.MappingNode, *ast.MappingValueNode:
		return "a group of keys"
	case *ast.NullNode:
		return "empty"
	}
	return "something that reachyd.yaml has no use for (a tag, an anchor or an alias)"
}

func names(t reflect.Type) []string {
	var all []string
	for i := range t.NumField() {
		if name := t.Field(i).Tag.Get("yaml"); name != "" {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return all
}

func fieldByName(v reflect.Value, name string) reflect.Value {
	for i := range v.NumField() {
		if tag := v.Type().Field(i).Tag.Get("yaml"); tag != "" && tag == name {
			return v.Field(i)
		}
	}
	return reflect.Value{}
}
