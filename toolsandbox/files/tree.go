package files

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// readJSON checks a JSON text, and returns it as it is: numbers keep all their digits.
func (f *File) readJSON(ctx context.Context) (any, error) {
	text := f.wholeText()
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	depth, values := 0, 0
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) && depth == 0 && values > 0 {
			break
		}
		if err != nil {
			return nil, f.damaged(fmt.Errorf("at byte %d: %w", dec.InputOffset(), err))
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if n, ok := token.(json.Number); ok {
			if x, err := n.Float64(); err != nil || math.IsInf(x, 0) {
				return nil, f.damaged(fmt.Errorf("number %.40s is too large", n))
			}
		}
		if depth > MaxDepth {
			return nil, f.limit("levels of nesting", int64(depth), MaxDepth)
		}
		if values++; values > MaxValues {
			return nil, f.limit("values or more", int64(values), MaxValues)
		}
		if values%checkEvery == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
	}
	if !json.Valid(text) { // tokens alone do not show two values after one another
		return nil, f.damaged(errors.New("there is more than one value"))
	}
	return json.RawMessage(text), nil
}

// readXML builds a tree. Entities that a document defines itself are refused, so that none can grow.
func (f *File) readXML(ctx context.Context) (any, error) {
	dec := xml.NewDecoder(bytes.NewReader(f.wholeText()))
	dec.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil } // it is UTF-8 by now
	var root *Element
	var open []*Element
	var texts [][]byte // of the open elements
	for n := 0; ; n++ {
		token, err := dec.RawToken()
		if errors.Is(err, io.EOF) && root != nil && len(open) == 0 {
			return root, nil
		}
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return nil, f.damaged(err)
		}
		if n > MaxValues {
			return nil, f.limit("nodes or more", int64(n), MaxValues)
		}
		if n%checkEvery == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		switch token := token.(type) {
		case xml.Directive:
			if bytes.Contains(bytes.ToUpper(token), []byte("ENTITY")) {
				return nil, f.errorf(CodeLimit, "it defines entities of its own, allowed are none: they can stand for anything and grow without bounds")
			}
		case xml.StartElement:
			e := &Element{Name: token.Name.Local}
			n += len(token.Attr)
			for _, a := range token.Attr {
				if e.Attributes == nil {
					e.Attributes = map[string]string{}
				}
				e.Attributes[a.Name.Local] = a.Value
			}
			switch {
			case len(open) > 0:
				parent := open[len(open)-1]
				parent.Children = append(parent.Children, e)
			case root != nil:
				return nil, f.damaged(errors.New("there is more than one root element"))
			default:
				root = e
			}
			if open, texts = append(open, e), append(texts, nil); len(open) > MaxDepth {
				return nil, f.limit("levels of nesting", int64(len(open)), MaxDepth)
			}
		case xml.EndElement:
			last := len(open) - 1
			if last < 0 || open[last].Name != token.Name.Local {
				line, _ := dec.InputPos()
				return nil, f.damaged(fmt.Errorf("line %d: </%.40s> closes what is not open", line, token.Name.Local))
			}
			open[last].Text = string(bytes.TrimSpace(texts[last]))
			open, texts = open[:last], texts[:last]
		case xml.CharData:
			if last := len(texts) - 1; last >= 0 {
				texts[last] = append(texts[last], token...)
			}
		}
	}
}

// readYAML parses one document into plain data.
func (f *File) readYAML() (any, error) {
	text := f.wholeText()
	if len(text) > MaxYAML {
		return nil, f.limit("bytes of YAML", int64(len(text)), MaxYAML)
	}
	if depth := yamlDepth(text); depth > MaxDepth {
		return nil, f.limit("levels of nesting", int64(depth), MaxDepth)
	}
	tree, err := parser.ParseBytes(text, 0)
	if err != nil {
		return nil, f.damaged(errors.New(firstLine(err)))
	}
	if len(tree.Docs) != 1 {
		return nil, f.damaged(fmt.Errorf("%d documents, allowed is one", len(tree.Docs)))
	}
	if tree.Docs[0].Body == nil { // comments only
		return nil, nil
	}
	x := expansion{anchors: map[string]int{}}
	if n := x.size(tree.Docs[0].Body); n > MaxValues {
		return nil, f.limit("values or more, with those that aliases stand for", int64(n), MaxValues)
	}
	if x.unknown != "" {
		return nil, f.damaged(fmt.Errorf("alias *%.40s stands for nothing before it", x.unknown))
	}
	var v any
	if err := yaml.NodeToValue(tree.Docs[0].Body, &v); err != nil {
		return nil, f.damaged(errors.New(firstLine(err)))
	}
	return plain(v)
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

// yamlDepth is at least as deep as text is nested: the parser calls itself for every level, and a stack that is full
// ends the whole process.
func yamlDepth(text []byte) int {
	deepest, flow := 0, 0
	var indents []int
	for line := range bytes.Lines(text) {
		at := 0
		inBlock := true
		for i, c := range line {
			switch {
			case c == ' ' || c == '\t' || c == '\r' || c == '\n':
				continue
			case inBlock && (c == '-' || c == '?' || c == ':') && (i+1 == len(line) || line[i+1] == ' ' || line[i+1] == '\n' || line[i+1] == '\t' || line[i+1] == '\r'):
				indents = append(below(indents, i), i)
				at++
			case inBlock:
				indents = append(below(indents, i), i)
				inBlock = false
			}
			switch c {
			case '[', '{':
				flow++
			case ']', '}':
				flow = max(0, flow-1)
			}
			deepest = max(deepest, len(indents)+flow)
		}
		deepest = max(deepest, at)
	}
	return deepest
}

// below drops the indents that end where another begins at column i.
func below(indents []int, i int) []int {
	for len(indents) > 0 && indents[len(indents)-1] >= i {
		indents = indents[:len(indents)-1]
	}
	return indents
}

// expansion counts the values of a YAML tree, long ones more than once, with every alias replaced by what it stands
// for. An alias inside of what it stands for would go on for ever.
type expansion struct {
	anchors map[string]int
	unknown string // an alias that nothing before it defines
}

func (x *expansion) size(n ast.Node) int {
	total := 1
	add := func(n ast.Node) {
		if n != nil && total <= MaxValues {
			total += x.size(n)
		}
	}
	switch n := n.(type) {
	case nil:
		return 0
	case *ast.MappingNode:
		for _, v := range n.Values {
			add(v)
		}
	case *ast.MappingValueNode:
		add(n.Key)
		add(n.Value)
	case *ast.MappingKeyNode:
		add(n.Value)
	case *ast.SequenceNode:
		for _, v := range n.Values {
			add(v)
		}
	case *ast.TagNode:
		add(n.Value)
	case *ast.AnchorNode:
		add(n.Value)
		x.anchors[n.Name.String()] = total
	case *ast.AliasNode:
		size, ok := x.anchors[n.Value.String()]
		if !ok {
			x.unknown = n.Value.String()
		}
		total += size
	case *ast.LiteralNode:
		total += len(n.Value.Value) / (MaxOutput / MaxValues)
	default:
		if t := n.GetToken(); t != nil {
			total += len(t.Value) / (MaxOutput / MaxValues)
		}
	}
	return min(total, MaxValues+1)
}

// plain makes what JSON can carry of what YAML can: keys become strings, and there are no infinities.
func plain(v any) (any, error) {
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			y, err := plain(x)
			if err != nil {
				return nil, err
			}
			v[k] = y
		}
	case map[any]any:
		m := make(map[string]any, len(v))
		for k, x := range v {
			y, err := plain(x)
			if err != nil {
				return nil, err
			}
			m[fmt.Sprint(k)] = y
		}
		return m, nil
	case []any:
		for i, x := range v {
			y, err := plain(x)
			if err != nil {
				return nil, err
			}
			v[i] = y
		}
	case float64:
		if math.IsInf(v, 0) || math.IsNaN(v) {
			return nil, nil
		}
	}
	return v, nil
}
