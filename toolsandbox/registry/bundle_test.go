package registry_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/toolsandbox/registry"
)

// family registers a tool with two versions, of which one calls another tool.
func family(f *fixture) {
	f.t.Helper()
	helper := draft("helper_tool", "helper")
	helper.Grants = []string{"look_at"}
	f.register(helper)
	f.register(draft("helper_tool", "newer"))
	caller := draft("caller_tool", "first")
	caller.Model, caller.Prompt, caller.Licence = "a model", "call it", "MIT"
	f.register(caller)
	caller = draft("caller_tool", "second")
	caller.Grants, caller.Uses = []string{"look_at", "take_photo"}, []registry.Use{{Name: "helper_tool", Version: 1}}
	f.register(caller)
	f.register(draft("caller_tool", "third"))
	if err := f.Activate(ctx, "caller_tool", 2, ""); err != nil {
		f.t.Fatal(err)
	}
	if err := f.Annotate(ctx, "caller_tool", 2, registry.Note{Kind: registry.NoteVulnerability, Text: "beware"}); err != nil {
		f.t.Fatal(err)
	}
}

func exported(f *fixture, names ...string) []byte {
	f.t.Helper()
	file, err := f.Export(names...)
	if err != nil {
		f.t.Fatal(err)
	}
	return file
}

func TestExportImport(t *testing.T) {
	f := open(t)
	family(f)
	file := exported(f, "caller_tool")
	g := open(t)
	helper := draft("helper_tool", "already here")
	g.register(helper)
	added, err := g.Import(ctx, file, registry.ImportOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, v := range added {
		got = append(got, fmt.Sprintf("%s v%d", v.Name, v.Number))
	}
	// helper_tool v1 comes along because it is called, and is v2 here.
	if want := "[caller_tool v1 helper_tool v2 caller_tool v2 caller_tool v3]"; fmt.Sprint(got) != want {
		t.Errorf("added %v, want %v", got, want)
	}
	if len(g.checks.tested) != 5 || len(g.checks.validated) != 5 {
		t.Errorf("%d tested, %d validated, want all 4 and the one before", len(g.checks.tested), len(g.checks.validated))
	}
	g.reopen()
	v, err := g.Active("caller_tool")
	if err != nil || v.Number != 2 || v.Uses[0].Version != 2 || v.Notes[0].Text != "beware" {
		t.Errorf("%+v, %v", v, err)
	}
	if v, _ = g.Version("caller_tool", 1); v.Provenance.Model != "a model" || v.Licence != "MIT" || v.Provenance.Imported.Version != 1 ||
		v.Provenance.Imported.File != sum(file) {
		t.Errorf("%+v", v)
	}
	if v, _ = g.Active("helper_tool"); v.Number != 1 {
		t.Errorf("v%d of the callee became active, which the file does not say", v.Number)
	}
	if added, err := g.Import(ctx, file, registry.ImportOptions{}); err != nil || len(added) != 0 {
		t.Errorf("imported twice: %v, %v", added, err)
	}
	// What was imported can be exported again.
	if _, err := open(t).Import(ctx, exported(g), registry.ImportOptions{AllowDuplicates: true}); err != nil {
		t.Error(err)
	}
	if _, err := f.Export("nobody"); !errors.Is(err, registry.ErrNotFound) {
		t.Errorf("exported a tool that is not there: %v", err)
	}
}

func sum(b []byte) string { s := sha256.Sum256(b); return hex.EncodeToString(s[:]) }

// forge changes the text of a file and mends its first line, as somebody would who knows the format.
func forge(file []byte, fn func(string) string) []byte {
	_, text, _ := bytes.Cut(file, []byte("\n"))
	forged := fn(string(text))
	return fmt.Appendf(nil, "reachyd-tools 1 %s %d\n%s", sum([]byte(forged)), len(forged), forged)
}

func TestTamperedFilesAreRefusedWhole(t *testing.T) {
	f := open(t)
	family(f)
	file := exported(f)
	type document = map[string]any
	edit := func(fn func(document)) []byte {
		return forge(file, func(text string) string {
			var d document
			json.Unmarshal([]byte(text), &d)
			fn(d)
			out, _ := json.Marshal(d)
			return string(out)
		})
	}
	version := func(d document, i int) document { return d["versions"].([]any)[i].(document) }
	files := map[string][]byte{
		"empty":            nil,
		"other format":     []byte("PK\x03\x04"),
		"first line only":  file[:bytes.IndexByte(file, '\n')+1],
		"cut off":          file[:len(file)-1],
		"longer":           append(bytes.Clone(file), ' '),
		"two documents":    forge(file, func(s string) string { return s + "{}" }),
		"not JSON":         forge(file, func(s string) string { return s[1:] }),
		"too large":        append(bytes.Clone(file), make([]byte, registry.MaxBundle)...),
		"no versions":      edit(func(d document) { d["versions"] = nil }),
		"null version":     edit(func(d document) { d["versions"].([]any)[0] = nil }),
		"unknown field":    edit(func(d document) { d["surprise"] = 1 }),
		"version twice":    edit(func(d document) { d["versions"] = append(d["versions"].([]any), version(d, 0)) }),
		"too many":         edit(func(d document) { d["versions"] = make([]any, registry.MaxBundleVersions+1) }),
		"number 0":         edit(func(d document) { version(d, 0)["number"] = 0 }),
		"active not there": edit(func(d document) { d["active"].(document)["caller_tool"] = 77 }),
		"source":           edit(func(d document) { version(d, 0)["source"] = "def x(): pass" }),
		"name":             edit(func(d document) { version(d, 0)["name"] = "../../etc/passwd" }),
		"more grants":      edit(func(d document) { version(d, 0)["grants"] = []string{"everything"} }),
		"cases":            edit(func(d document) { version(d, 0)["cases"] = []any{} }),
		"callee left out": edit(func(d document) {
			d["versions"] = slices.DeleteFunc(d["versions"].([]any), func(v any) bool { return v.(document)["name"] == "helper_tool" })
			delete(d["active"].(document), "helper_tool")
		}),
	}
	for i := 0; i < len(file); i += 1 + len(file)/97 { // any one bit
		flipped := bytes.Clone(file)
		flipped[i] ^= 1 << (i % 8)
		files[fmt.Sprintf("bit of byte %d", i)] = flipped
	}
	for what, file := range files {
		g := open(t)
		added, err := g.Import(ctx, file, registry.ImportOptions{})
		if err == nil {
			t.Errorf("%s: imported %d versions", what, len(added))
		}
		if what != "callee left out" && !errors.Is(err, registry.ErrBadBundle) {
			t.Errorf("%s: %v, want ErrBadBundle", what, err)
		}
		if n := len(g.List()); n != 0 {
			t.Errorf("%s: %d tools were added", what, n)
		}
		if n := g.store.applied; n != 0 {
			t.Errorf("%s: the store was written %d times", what, n)
		}
		g.Close()
	}
}

// With its checksums right, a file still cannot bring what would not have been registered.
func TestImportBelievesNothing(t *testing.T) {
	var r *registry.Refusal
	f := open(t)
	family(f)
	file := exported(f)
	code := func(err error, want string) {
		t.Helper()
		if !errors.As(err, &r) || r.Findings[0].Code != want {
			t.Errorf("%v; want a refusal for %s", err, want)
		}
	}
	g := open(t, func(s *registry.Settings) { s.Reserved = []string{"caller_tool"} })
	_, err := g.Import(ctx, file, registry.ImportOptions{})
	code(err, registry.CodeName)
	g = open(t)
	_, err = g.Import(ctx, file, registry.ImportOptions{Grants: []string{"look_at"}})
	code(err, registry.CodeCapability)
	g.checks.testErr = registry.ErrUnavailable
	if _, err = g.Import(ctx, file, registry.ImportOptions{}); !errors.Is(err, registry.ErrUnavailable) {
		t.Errorf("imported untested: %v", err)
	}
	// The derived parts of the file are not believed, and what fails here is refused though it passed elsewhere.
	lie := forge(file, func(s string) string { return strings.ReplaceAll(s, `"type":"number"`, `"type":"lie"`) })
	g = open(t)
	added, err := g.Import(ctx, lie, registry.ImportOptions{})
	if err != nil || strings.Contains(string(added[0].Schema), "lie") {
		t.Errorf("%s, %v", added[0].Schema, err)
	}
	strict := open(t)
	strict.checks.strict = true
	_, err = strict.Import(ctx, file, registry.ImportOptions{})
	code(err, "strict")
	if len(strict.List()) != 0 {
		t.Error("a part was imported")
	}
}

// An import that ends in the middle leaves nothing behind, whether by an error or by a crash.
func TestImportIsAllOrNothing(t *testing.T) {
	f := open(t)
	family(f)
	file := exported(f)
	cut := errors.New("power cut")
	for n := 1; ; n++ {
		for _, crash := range []bool{false, true} {
			g := open(t)
			left := n
			g.store.stop = func(ops []registry.Op) error {
				if left--; left == 0 || (left < 0 && crash) {
					return cut
				}
				return nil
			}
			_, err := g.Import(ctx, file, registry.ImportOptions{})
			if err == nil {
				if n < 7 { // stage, 5 versions, heads
					t.Errorf("imported in %d steps", n-1)
				}
				return
			}
			if !errors.Is(err, cut) {
				t.Fatal(err)
			}
			if crash {
				// It cannot clean up. Until it is opened again it must not give a staged number to somebody else.
				g.store.set(func() { g.store.stop = nil })
				if n > 1 {
					if _, err := g.Register(ctx, draft("caller_tool", "new")); err == nil {
						t.Fatal("registered over an unfinished import")
					}
				}
			}
			g.reopen()
			rest := 0
			g.store.Scan("tool/", func(string, []byte) bool { rest++; return true })
			if rest != 0 || len(g.List()) != 0 {
				t.Errorf("cut off at step %d: %d values and %d tools are left", n, rest, len(g.List()))
			}
			g.register(draft("caller_tool", "new"))
		}
	}
}

func TestExportLimits(t *testing.T) {
	f := open(t)
	d := draft("count_apples", "apples")
	for i := range registry.MaxBundleVersions + 1 {
		d.Source += fmt.Sprintf("# %d\n", i)
		f.register(d)
	}
	if _, err := f.Export(); err == nil || !strings.Contains(err.Error(), "257 versions, allowed 256") {
		t.Error(err)
	}
	f = open(t)
	for i := range 33 {
		d.Name = fmt.Sprintf("tool_%d", i)
		d.Source = fmt.Sprintf("def %s():\n    return 1\n", d.Name)
		d.Cases, _ = json.Marshal([]any{map[string]string{"name": "x", "comment": strings.Repeat("x", registry.MaxCases-100)}})
		d.AllowDuplicate = true
		f.register(d)
	}
	if _, err := f.Export(); err == nil || !strings.Contains(err.Error(), "bytes, allowed") {
		t.Error(err)
	}
}

func FuzzImport(f *testing.F) {
	t := &testing.T{}
	source := &fixture{t: t, workshop: workshop{checks: &checks{}}, clock: newClock(), store: &faulty{Store: registry.NewMemory()}}
	source.set = registry.Settings{Store: source.store, Clock: source.clock}
	r, err := registry.Open(source.set)
	if err != nil {
		f.Fatal(err)
	}
	source.Registry = r
	f.Cleanup(func() { r.Close() })
	family(source)
	file := exported(source)
	_, text, _ := bytes.Cut(file, []byte("\n"))
	f.Add(file, false)
	f.Add(text, true)
	f.Add([]byte("{}"), true)
	f.Add([]byte(`{"active":{"a":1},"versions":[{"name":"a","number":1}]}`), true)
	f.Fuzz(func(t *testing.T, data []byte, sign bool) {
		if sign { // so that the fuzzer gets past the checksum
			data = fmt.Appendf(nil, "reachyd-tools 1 %s %d\n%s", sum(data), len(data), data)
		}
		g := open(t)
		added, err := g.Import(ctx, data, registry.ImportOptions{})
		if (err != nil || len(added) == 0) && len(g.List()) != 0 {
			t.Errorf("refused (%v), but there are tools", err)
		}
		g.reopen() // what was stored can be read
		for _, v := range added {
			if err := registry.CheckName(v.Name); err != nil {
				t.Error(err)
			}
			if again, err := g.Version(v.Name, v.Number); err != nil || again.Digest != v.Digest {
				t.Errorf("%+v, %v", again, err)
			}
		}
		g.Close()
	})
}
