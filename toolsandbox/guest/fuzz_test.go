package guest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/tetratelabs/wazero"
)

func FuzzGuestLine(f *testing.F) {
	for _, s := range []string{
		`{"call":"speak","args":{"text":"x"}}`, `{"value":null}`, `{"value":[1,{"a":"b"}]}`, `{"error":{"type":"E","message":"m","line":3},"reason":"error"}`,
		`{"call":"a","call":"b","args":{}}`, `{"value":1e999}`, `{"value":"\u0000"}`, `null`, `{}`, "{\"value\":\"\xff\"}", `{"value":1}{"value":2}`,
		`{"call":"../x","args":{}}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		l, err := parseGuestLine(line)
		if err != nil {
			return
		}
		if (l.Call != nil) == (l.Value != nil || l.Error != nil) {
			t.Fatalf("%q is a call and a result", line)
		}
		if l.Call != nil && checkCallName(*l.Call) != nil {
			t.Fatalf("name %q", *l.Call)
		}
		for _, part := range [][]byte{l.Args, l.Value} {
			if len(part) > 0 && checkPlain(part) != nil {
				t.Fatalf("%q has the part %q that is not plain", line, part)
			}
		}
	})
}

func FuzzCheckPlain(f *testing.F) {
	for _, s := range []string{
		`{"a":1,"b":{"a":2},"\u0061":3}`, `[{"a":1},{"a":1}]`, `{"a":[1,-2.5e3,"x\"y",true,null]}`, `[[[[]]]]`, `1e400`, `"\\"`, `""`,
		`-0`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if checkPlain(text) != nil {
			return
		}
		var v any
		if err := json.Unmarshal(text, &v); err != nil {
			t.Fatalf("%q passed: %v", text, err)
		}
		if twice, err := hasKeyTwice(json.NewDecoder(bytes.NewReader(text))); err != nil || twice {
			t.Fatalf("%q passed with a key twice: %v", text, err)
		}
		if _, err := json.Marshal(v); err != nil {
			t.Fatalf("%q cannot be written again: %v", text, err)
		}
	})
}

// hasKeyTwice reads the next value, the slow and simple way.
func hasKeyTwice(d *json.Decoder) (bool, error) {
	t, err := d.Token()
	if err != nil {
		return false, err
	}
	open, ok := t.(json.Delim)
	if !ok {
		return false, nil
	}
	keys := map[string]bool{}
	for d.More() {
		if open == '{' {
			k, err := d.Token()
			if err != nil || keys[k.(string)] {
				return true, err
			}
			keys[k.(string)] = true
		}
		if twice, err := hasKeyTwice(d); err != nil || twice {
			return twice, err
		}
	}
	_, err = d.Token()
	return false, err
}

func TestKeysThatAreThereTwice(t *testing.T) {
	many := `{"k0":0`
	for i := 1; i < 40; i++ {
		many += fmt.Sprintf(`,"k%d":0`, i)
	}
	for text, fine := range map[string]bool{
		`{"a":1,"a":1}`: false, `{"a":1,"\u0061":1}`: false, `[1,{"x":{"b":1,"c":[{"b":2}],"b":3}}]`: false, many + `,"k7":1}`: false,
		`{"a":1,"b":1}`: true, `{"a":{"a":1},"b":["a","a"]}`: true, `[{"a":1},{"a":1}]`: true, many + `}`: true,
		`{"a":"a","b":{},"c":[]}`: true,
	} {
		if err := checkPlain([]byte(text)); (err == nil) != fine {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// FuzzWorkerLine gives the parent what a broken worker might say.
func FuzzWorkerLine(f *testing.F) {
	for _, s := range []string{
		`{"log":"aGk="}`, `{"call":"speak","args":{},"at":5}`, `{"done":{"reason":"ok","value":5,"usage":{}}}`, `{"done":{"reason":"ok"}}`,
		`{"done":{"reason":"error","error":{"type":"E"}}}`, `{"fail":"x"}`, `{}`, `{"call":"speak","at":-9223372036854775808}`,
	} {
		f.Add([]byte(s))
	}
	limits, err := Limits{Log: 10}.withDefaults()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		asked := ""
		req := &Request{Grants: []string{"speak"}, Host: func(_ context.Context, c HostCall) (json.RawMessage, error) {
			asked = c.Name
			return nil, nil
		}}
		c := &conversation{ctx: t.Context(), req: req, limits: limits, meter: newMeter(limits)}
		var answers bytes.Buffer
		err := c.line(line, &answers)
		if asked != "" && asked != "speak" {
			t.Fatalf("%q was asked for", asked)
		}
		if len(c.log) > limits.Log {
			t.Fatalf("%d bytes of log", len(c.log))
		}
		if err == nil && c.res != nil && c.res.Reason == ReasonOK && !json.Valid(c.res.Value) {
			t.Fatalf("result %q", c.res.Value)
		}
	})
}

// remainder is a module with a function that uses a remainder, a memory and a data segment.
var remainder = []byte("\x00asm\x01\x00\x00\x00" + "\x01\x07\x01\x60\x02\x7f\x7f\x01\x7f" + "\x03\x02\x01\x00" + "\x05\x03\x01\x00\x01" +
	"\x07\x09\x02\x01r\x00\x00\x01m\x02\x00" + "\x0a\x09\x01\x07\x00\x20\x00\x20\x01\x70\x0b" + "\x0b\x08\x01\x00\x41\x05\x0b\x02hi")

func TestLower(t *testing.T) {
	lean, memory, err := lower(remainder)
	if err != nil {
		t.Fatal(err)
	}
	if len(memory) != pageSize || string(memory[5:7]) != "hi" {
		t.Errorf("memory: %d bytes, %q", len(memory), memory[:8])
	}
	if bytes.Contains(lean, []byte("\x20\x00\x20\x01\x70\x0b\x0b\x08")) || bytes.Contains(lean, []byte("hi")) {
		t.Errorf("not lowered: %x", lean)
	}
	ctx := t.Context()
	rt := wazero.NewRuntime(ctx)
	defer rt.Close(ctx)
	m, err := rt.Instantiate(ctx, lean)
	if err != nil {
		t.Fatal(err)
	}
	if r, err := m.ExportedFunction("r").Call(ctx, 17, 5); err != nil || r[0] != 2 {
		t.Errorf("17 %% 5 = %v, %v", r, err)
	}
	for i := range bytes.LastIndex(remainder, []byte("\x0b\x08")) { // up to the data section, which may be missing
		if _, _, err := lower(remainder[:i]); err == nil {
			t.Errorf("the first %d bytes pass for a module", i)
		}
	}
}

func FuzzLower(f *testing.F) {
	f.Add(remainder)
	f.Fuzz(func(t *testing.T, module []byte) {
		lean, _, err := lower(module)
		if err != nil || len(module) > 1<<16 {
			return
		}
		// What was a module stays one.
		rt := wazero.NewRuntimeWithConfig(t.Context(), wazero.NewRuntimeConfigInterpreter())
		defer rt.Close(t.Context())
		if _, err := rt.CompileModule(t.Context(), module); err != nil {
			return
		}
		if _, err := rt.CompileModule(t.Context(), lean); err != nil {
			t.Fatalf("%x became %x: %v", module, lean, err)
		}
	})
}

func TestWazeroVersion(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(text, []byte("github.com/tetratelabs/wazero "+wazeroVersion)) {
		t.Errorf("go.mod does not ask for wazero %s: change wazeroVersion with it", wazeroVersion)
	}
}
