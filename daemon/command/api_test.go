package command

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/api"
)

// fieldsOf returns the names that the fields of a type of arguments have in JSON, and which of them may be left out.
func fieldsOf(t reflect.Type) (names, optional []string) {
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			n, o := fieldsOf(f.Type)
			names, optional = append(names, n...), append(optional, o...)
			continue
		}
		name, rest, _ := strings.Cut(f.Tag.Get("json"), ",")
		if names = append(names, name); rest == "omitempty" {
			optional = append(optional, name)
		}
	}
	slices.Sort(names)
	return names, optional
}

// fits says whether a Go type can carry what a schema allows.
func fits(s tool.Schema, t reflect.Type) bool {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t == reflect.TypeFor[json.RawMessage]():
		return true
	case t == reflect.TypeFor[[]byte]():
		return s.Type == tool.TypeString
	}
	switch s.Type {
	case tool.TypeString:
		return t.Kind() == reflect.String
	case tool.TypeBoolean:
		return t.Kind() == reflect.Bool
	case tool.TypeInteger:
		return t.Kind() == reflect.Int
	case tool.TypeNumber:
		return t.Kind() == reflect.Float64
	case tool.TypeArray:
		return t.Kind() == reflect.Slice && (s.Items == nil || fits(*s.Items, t.Elem()))
	case tool.TypeObject:
		return t.Kind() == reflect.Struct && len(mismatch(s, t)) == 0
	}
	return false
}

// mismatch lists the arguments in which a schema and a Go type differ.
func mismatch(s tool.Schema, t reflect.Type) []string {
	names, optional := fieldsOf(t)
	bad := []string{}
	if wanted := slices.Sorted(maps.Keys(s.Properties)); !slices.Equal(names, wanted) {
		return []string{"fields " + strings.Join(names, " ") + " instead of " + strings.Join(wanted, " ")}
	}
	for name, property := range s.Properties {
		f, ok := t.FieldByNameFunc(func(n string) bool {
			f, _ := t.FieldByName(n)
			tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			return tag == name
		})
		if !ok || !fits(property, f.Type) {
			bad = append(bad, name+": a "+string(property.Type)+" is no "+f.Type.String())
		}
		if slices.Contains(s.Required, name) == slices.Contains(optional, name) {
			bad = append(bad, name+": whether it may be left out")
		}
	}
	return bad
}

// What the dispatcher takes is what package api says.
func TestVerbsAreThoseOfTheAPI(t *testing.T) {
	documented := []string{}
	for _, c := range api.Commands() {
		documented = append(documented, string(c.Verb))
		v, known := verbs[string(c.Verb)]
		if !known {
			t.Errorf("package api has the verb %s, which is not carried out", c.Verb)
			continue
		}
		if _, open := c.Args.(json.RawMessage); open {
			if !v.args.Open {
				t.Errorf("%s takes certain arguments, which package api does not have", c.Verb)
			}
			continue
		}
		if bad := mismatch(v.args, reflect.TypeOf(c.Args)); len(bad) > 0 {
			t.Errorf("%s: %T differs: %s", c.Verb, c.Args, strings.Join(bad, "; "))
		}
	}
	if slices.Sort(documented); !slices.Equal(documented, Verbs()) {
		t.Errorf("verbs of package api: %v\nof the dispatcher: %v", documented, Verbs())
	}
}

// constants returns the values of the constants of a file whose names begin with a prefix.
func constants(t *testing.T, file, prefix string) (values []string) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(f, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		for i, name := range spec.Names {
			if !strings.HasPrefix(name.Name, prefix) || i >= len(spec.Values) {
				continue
			}
			if lit, ok := spec.Values[i].(*ast.BasicLit); ok {
				value, err := strconv.Unquote(lit.Value)
				if err != nil {
					t.Fatal(err)
				}
				values = append(values, value)
			}
		}
		return true
	})
	if len(values) == 0 {
		t.Fatalf("%s has no constants %s…", file, prefix)
	}
	return values
}

// The body's and the tools' codes go into replies as they are.
func TestCodesAreThoseOfTheAPI(t *testing.T) {
	known := constants(t, "../../api/response.go", "Code")
	for _, file := range []string{"../../hal/request.go", "../../agents/tool/tool.go"} {
		for _, code := range constants(t, file, "Code") {
			if !slices.Contains(known, code) {
				t.Errorf("%s: package api does not have the code %q", file, code)
			}
		}
	}
}
