package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
)

// docs are the comments of package api.
type docs struct {
	types  map[string]string // by name
	fields map[string]string // by type.field
	codes  []code
}

type code struct{ value, about string }

func readDocs(dir string) (docs, error) {
	d := docs{types: map[string]string{}, fields: map[string]string{}}
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return d, err
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			return d, err
		}
		for _, decl := range file.Decls {
			gen, ok := decl.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range gen.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					d.addType(s, gen.Doc)
				case *ast.ValueSpec:
					if err := d.addCode(s); err != nil {
						return d, err
					}
				}
			}
		}
	}
	if len(d.types) == 0 || len(d.codes) == 0 {
		return d, fmt.Errorf("%s is not the directory of package api", dir)
	}
	return d, nil
}

func (d *docs) addType(s *ast.TypeSpec, doc *ast.CommentGroup) {
	d.types[s.Name.Name] = oneLine(doc)
	object, ok := s.Type.(*ast.StructType)
	if !ok {
		return
	}
	for _, f := range object.Fields.List {
		for _, name := range f.Names {
			d.fields[s.Name.Name+"."+name.Name] = oneLine(f.Comment)
		}
	}
}

func (d *docs) addCode(s *ast.ValueSpec) error {
	if t, ok := s.Type.(*ast.Ident); !ok || t.Name != "Code" {
		return nil
	}
	value, err := strconv.Unquote(s.Values[0].(*ast.BasicLit).Value)
	if err != nil {
		return err
	}
	d.codes = append(d.codes, code{value, oneLine(s.Comment)})
	return nil
}

func oneLine(c *ast.CommentGroup) string {
	if c == nil {
		return ""
	}
	return strings.ReplaceAll(strings.Join(strings.Fields(c.Text()), " "), "|", "\\|")
}

// about returns the comment of a type without its name: "State is where …" becomes "Where …".
func (d docs) about(name string) string {
	text := d.types[name]
	for _, begin := range []string{name + " is ", name + " are "} {
		if rest, ok := strings.CutPrefix(text, begin); ok {
			return strings.ToUpper(rest[:1]) + rest[1:]
		}
	}
	return text
}

func (d docs) field(typ, name string) string { return d.fields[typ+"."+name] }
