package wasi

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/toolsandbox/guest"
	"github.com/reachyd/reachyd/toolsandbox/lang"
	"github.com/reachyd/reachyd/toolsandbox/modules"
)

const addManifest = `{
  "module": "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
  "name": "add",
  "description": "Adds two numbers.",
  "parameters": {"type": "object", "properties": {
    "a": {"type": "integer", "description": "one"}, "b": {"type": ["integer", "null"], "default": null}, "c": {"type": "array", "items": {"type": "string"}}
  }, "required": ["a"], "additionalProperties": false},
  "returns": {"anyOf": [{"type": "integer"}, {"enum": ["none"]}]},
  "calls": ["speak"]
}`

func TestManifest(t *testing.T) {
	m, wrong := parseManifest(addManifest)
	if len(wrong) > 0 || m.Name != "add" || m.documented() != 0.5 || !strings.HasPrefix(m.sum(), "0123") {
		t.Fatalf("%q %+v", wrong, m)
	}
	want := `{"additionalProperties":false,"properties":{"a":{"type":"integer","description":"one"},"b":{"type":["integer","null"]},` +
		`"c":{"type":"array","items":{"type":"string"}}},"required":["a"],"type":"object"}`
	if got := string(m.parameters()); got != want {
		t.Errorf("parameters\n%s\n%s", got, want)
	}
	deep := `{"type":"array"}`
	for range maxSchemaDepth + 1 {
		deep = `{"type":"array","items":` + deep + `}`
	}
	for says, change := range map[string][2]string{
		"manifest: invalid character":          {`"name"`, `name`},
		"manifest: json: unknown field":        {`"name"`, `"title"`},
		"allowed is a JSON object of module":   {`{`, `[{`},
		"something follows the JSON object":    {`["speak"]` + "\n}", `["speak"]}}`},
		`module: "md5:0123`:                    {"sha256:", "md5:"},
		"allowed is sha256: and 64":            {"0123456789abcdef\"", "0\""},
		"name: empty":                          {`"add"`, `""`},
		`description: "" of 0 bytes`:           {"Adds two numbers.", ""},
		"allowed is one line of 1 to 500":      {"Adds two", `Adds\ntwo`},
		"of 517 bytes":                         {"Adds two numbers.", strings.Repeat("Adds two numbers ", 30) + "numbers"},
		"parameters: type array":               {`{"type": "object"`, `{"type": "array"`},
		"parameters: missing":                  {`"parameters": {`, `"parameters": null, "returns": {`},
		"additionalProperties true":            {`"additionalProperties": false`, `"additionalProperties": true`},
		`required "d", allowed are [a b c]`:    {`["a"]`, `["d"]`},
		`parameters.a: type "int", allowed`:    {`"integer", "desc`, `"int", "desc`},
		`parameters.b: type "7"`:               {`"null"]`, `7]`},
		"parameters.a: no type":                {`"type": "integer", "desc`, `"desc`},
		`unknown field "minimum"`:              {`"description": "one"`, `"minimum": 1`},
		"parameters.c: maxItems -1":            {`"items": {"type": "string"}`, `"maxItems": -1`},
		"returns[]":                            {`{"anyOf": [{"type": "integer"}, {"enum": ["none"]}]}`, deep},
		"nested deeper than 8":                 {`{"anyOf": [{"type": "integer"}, {"enum": ["none"]}]}`, deep},
		"returns: missing":                     {`{"anyOf": [{"type": "integer"}, {"enum": ["none"]}]}`, "null"},
		"calls: missing":                       {`["speak"]`, "null"},
		"calls: 129, allowed 128":              {`["speak"]`, `["x"` + strings.Repeat(`,"x"`, maxModuleCalls) + "]"},
		"manifest: 65537 bytes, allowed 65536": {"}", "}" + strings.Repeat(" ", maxManifest+1-len(addManifest))},
	} {
		source := strings.Replace(addManifest, change[0], change[1], 1)
		if _, wrong := parseManifest(source); !strings.Contains(strings.Join(wrong, "; "), says) {
			t.Errorf("%q, want %s", wrong, says)
		}
	}
}

func FuzzManifest(f *testing.F) {
	f.Add(addManifest)
	f.Add(`{"parameters":{"type":["object"]},"returns":{"anyOf":[{}]}}`)
	f.Add(`null`)
	f.Fuzz(func(t *testing.T, source string) {
		m, wrong := parseManifest(source)
		if len(wrong) > 0 {
			return
		}
		if m.Name == "" || !modules.IsSum(m.sum()) || !json.Valid(m.parameters()) || m.documented() <= 0 {
			t.Errorf("%+v was accepted", m)
		}
	})
}

// noModules has none, or none that it can read.
type noModules struct{ err error }

func (n noModules) Get(string) ([]byte, error) { return nil, n.err }

func TestWasmWithoutItsModule(t *testing.T) {
	broken := errors.New("the disk is broken")
	w := Language{Modules: noModules{broken}}
	if _, err := w.Check(t.Context(), "add", addManifest, lang.Options{}); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
	if _, err := w.Call(t.Context(), &guest.Request{Source: addManifest}); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
	if _, err := w.Call(t.Context(), &guest.Request{Source: "{}"}); !errors.Is(err, lang.ErrSource) {
		t.Errorf("%v", err)
	}
	w.Modules = noModules{modules.ErrMissing}
	other := WithModules(context.Background(), map[string][]byte{"abc": nil})
	r, err := w.Check(other, "plus", strings.Replace(addManifest, "speak", "fly", 1), lang.Options{Calls: []string{"speak"}})
	if err != nil || r.OK || len(r.Findings) != 3 {
		t.Fatalf("%+v %v", r, err)
	}
	for i, says := range []string{`name: "add", allowed is "plus"`, "the module is not here; what came has sha256:abc", `calls: "fly"`} {
		if !strings.Contains(r.Findings[i].Message, says) {
			t.Errorf("%s, want %s", r.Findings[i], says)
		}
	}
}
