package guest

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// install runs the script that fetches the interpreter of a language.
func install(tb testing.TB, l Language) {
	tb.Helper()
	if Installed(l) {
		return
	}
	if out, err := exec.Command("../../" + l.script()).CombinedOutput(); err != nil {
		tb.Fatalf("%s: %v: %s", l.script(), err, out)
	}
}

func openLanguage(tb testing.TB, c ImageConfig) *Sandbox {
	tb.Helper()
	if c.Language != WASI {
		install(tb, c.Language)
	}
	return openConfig(tb, Config{Workers: 1, Image: c})
}

// buildWASI makes a module of the Go program in a folder.
func buildWASI(tb testing.TB, folder string) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "tool.wasm")
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", path, "./"+folder)
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		tb.Fatalf("%v: %s", err, out)
	}
	return path
}

func TestWASICommand(t *testing.T) {
	// In the cache of all, since compiling it under the race detector takes long.
	s := openLanguage(t, ImageConfig{Language: WASI, Module: buildWASI(t, "testdata/wasitool")})
	for range 2 {
		r, err := s.Call(t.Context(), &Request{Function: "add", Args: json.RawMessage(`{"a":2,"b":3}`), Grants: []string{"speak"}, Host: answerNull})
		if err != nil || string(r.Value) != "5" || r.Log != "adding\n" || r.Usage.Calls != 1 {
			t.Fatalf("%+v %+v %v", r, r.Error, err)
		}
	}
	for _, tc := range []struct {
		function string
		limits   Limits
		want     Reason
		value    string
	}{
		{"add", Limits{}, ReasonDenied, ""},
		{"spin", Limits{Wall: 100 * time.Millisecond}, ReasonTimeout, ""},
		{"spin", Limits{CPU: 50 * time.Millisecond}, ReasonCPU, ""},
		{"grow", Limits{Memory: 16 << 20}, ReasonMemory, ""},
		{"flood", Limits{Output: 1000}, ReasonOutput, ""},
		{"exit", Limits{}, ReasonExit, ""},
		{"nothing", Limits{}, ReasonProtocol, ""},
		{"look", Limits{}, ReasonOK, "[true,true,0]"},
	} {
		r, err := s.Call(t.Context(), &Request{Function: tc.function, Args: json.RawMessage(`{"a":2,"b":3}`), Limits: tc.limits})
		if err != nil || r.Reason != tc.want || string(r.Value) != tc.value {
			t.Errorf("%s: %+v %+v %v, want %s %s", tc.function, r, r.Error, err, tc.want, tc.value)
		}
	}
}

// tinyReactor is written by hand: a library whose step writes the line {"value":7}.
var tinyReactor = []byte("\x00asm\x01\x00\x00\x00" +
	"\x01\x0c\x02\x60\x04\x7f\x7f\x7f\x7f\x01\x7f\x60\x00\x00" + // types: (i32 x4) -> i32, () -> ()
	"\x02\x23\x01\x16wasi_snapshot_preview1\x08fd_write\x00\x00" +
	"\x03\x02\x01\x01" + "\x05\x03\x01\x00\x01" +
	"\x07\x11\x02\x04step\x00\x01\x06memory\x02\x00" +
	"\x0a\x0f\x01\x0d\x00\x41\x01\x41\x08\x41\x01\x41\x00\x10\x00\x1a\x0b" + // drop(fd_write(1, 8, 1, 0))
	"\x0b\x1a\x01\x00\x41\x08\x0b\x14\x10\x00\x00\x00\x0c\x00\x00\x00{\"value\":7}\n")

// endlessReactor never comes out of _initialize.
var endlessReactor = []byte("\x00asm\x01\x00\x00\x00" + "\x01\x04\x01\x60\x00\x00" + "\x03\x03\x02\x00\x00" + "\x05\x03\x01\x00\x01" +
	"\x07\x16\x02\x0b_initialize\x00\x00\x04step\x00\x01" +
	"\x0a\x0c\x02\x07\x00\x03\x40\x0c\x00\x0b\x0b\x02\x00\x0b") // loop br 0 end

func TestWASIReactor(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "tiny.wasm")
	if err := os.WriteFile(path, tinyReactor, 0o600); err != nil {
		t.Fatal(err)
	}
	s := openLanguage(t, ImageConfig{Language: WASI, Module: path, Cache: dir})
	if r, err := s.Call(t.Context(), &Request{Function: "any"}); err != nil || string(r.Value) != "7" {
		t.Fatalf("%+v %+v %v", r, r.Error, err)
	}
	// What it does before its first call counts too.
	if err := os.WriteFile(path, endlessReactor, 0o600); err != nil {
		t.Fatal(err)
	}
	endless := openLanguage(t, ImageConfig{Language: WASI, Module: path, Cache: dir})
	if r, err := endless.Call(t.Context(), &Request{Function: "any", Limits: Limits{Wall: 50 * time.Millisecond}}); err != nil || r.Reason != ReasonTimeout {
		t.Errorf("%+v %+v %v", r, r.Error, err)
	}
	if err := os.WriteFile(path, []byte("no module"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(
		t.Context(),
		Config{Image: ImageConfig{Language: WASI, Module: path, Cache: dir}},
	); err == nil ||
		!strings.Contains(err.Error(), "not a WebAssembly module") {
		t.Errorf("%v", err)
	}
}

// Where the lean Python cannot be built, the one with numpy runs all tools.
func TestNumpyInPlaceOfTheLeanPython(t *testing.T) {
	install(t, Numpy)
	from := ImageConfig{Language: Numpy}.withDefaults()
	if err := from.Prepare(t.Context()); err != nil { // once, not for every run of this test
		t.Fatal(err)
	}
	dir, err := from.dir()
	if err != nil {
		t.Fatal(err)
	}
	cache := t.TempDir()
	for _, path := range []string{from.Python, dir} {
		if err := os.Symlink(path, filepath.Join(cache, filepath.Base(path))); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("REACHYD_CACHE", cache)
	s, err := Open(t.Context(), Config{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	for _, l := range []Language{"", Python, Numpy} {
		req := trivial
		req.Language = l
		if r, err := s.Call(t.Context(), &req); err != nil || string(r.Value) != "5" {
			t.Errorf("%q: %+v %+v %v", l, r, r.Error, err)
		}
	}
	if n := s.Stats().Started; n > 2 {
		t.Errorf("%d workers", n)
	}
}

// A sandbox opens others for the languages of its requests, and closes those that were not used for longest.
func TestOtherRuntimes(t *testing.T) {
	install(t, JavaScript)
	s := openTestSandbox(t, Config{Workers: 1, Idle: 50 * time.Millisecond})
	tiny := func(n byte) []byte {
		return bytes.Replace(tinyReactor, []byte("7}"), []byte{'0' + n, '}'}, 1)
	}
	for n := range byte(6) {
		r, err := s.Call(t.Context(), &Request{Language: WASI, Wasm: tiny(n), Function: "any"})
		if err != nil || string(r.Value) != string(rune('0'+n)) {
			t.Fatalf("%d: %+v %+v %v", n, r, r.Error, err)
		}
	}
	r, err := s.Call(t.Context(), &Request{Language: JavaScript, Source: "export function f() { return 1; }", Function: "f"})
	if err != nil || string(r.Value) != "1" {
		t.Fatalf("%+v %+v %v", r, r.Error, err)
	}
	s.mu.Lock()
	open := len(s.runtimes)
	js := s.runtimes[string(JavaScript)].box
	s.mu.Unlock()
	if open > maxRuntimes {
		t.Errorf("%d others are open, allowed %d", open, maxRuntimes)
	}
	js.mu.Lock()
	idle := append([]*process(nil), js.idle...)
	js.mu.Unlock()
	for _, p := range idle {
		<-p.exited // all of them are given back
	}
	if r, err := s.Call(
		t.Context(),
		&Request{Language: JavaScript, Source: "export function f() { return 2; }", Function: "f"},
	); err != nil ||
		string(r.Value) != "2" {
		t.Errorf("after the rest: %+v %v", r, err)
	}
	for _, r := range []Request{{Language: "perl", Function: "f"}, {Language: WASI, Function: "f"}, {Language: JavaScript, Function: "f"}} {
		if _, err := s.Call(t.Context(), &r); err == nil {
			t.Errorf("%+v was accepted", r)
		}
	}
	if _, err := s.Call(t.Context(), &Request{Language: WASI, Wasm: []byte("no module"), Function: "f"}); err == nil {
		t.Error("that is no module")
	}
}

func TestJavaScript(t *testing.T) {
	s := openLanguage(t, ImageConfig{Language: JavaScript})
	const deep = "export function f(n) { return n && 1 + f(n - 1); }"
	for _, tc := range []struct {
		name, source, args string
		limits             Limits
		want               Reason
		value              string // or part of the error
	}{
		{"sum", "export function f(a, b = 1) { return a + b; }", `{"a":2}`, Limits{}, ReasonOK, "3"},
		{"arrow", "export const f = async ({}) => 1", `{}`, Limits{}, ReasonError, "allowed are plain names"},
		{
			"async", "export const f = async (a) => { await null; reachy.sleep(0.001); return {a, t: reachy.now() > 0}; }", `{"a":[1]}`,
			Limits{},
			ReasonOK,
			`{"a":[1],"t":true}`,
		},
		{"host", "export function f() { console.log('hi', {a: 1}); return reachy.move_head({yaw: 30}); }", `{}`, Limits{}, ReasonOK, `{"yaw":30}`},
		{"denied", "export function f() { return reachy.speak({text: 'x'}); }", `{}`, Limits{}, ReasonDenied, "speak was not granted"},
		{"caught", "export function f() { try { reachy.speak() } catch (e) { return e.code } }", `{}`, Limits{}, ReasonOK, `"denied"`},
		{"nothing", "export function f() {}", `{}`, Limits{}, ReasonOK, "null"},
		{"throws", "\nexport function f() {\n  throw new RangeError('too far');\n}", `{}`, Limits{}, ReasonError, "too far"},
		{"syntax", "export function f( {", `{}`, Limits{}, ReasonError, ""},
		{"unknown parameter", "export function f(a) {}", `{"b":1}`, Limits{}, ReasonError, "has no parameter b"},
		{"no function", "export const g = 1", `{}`, Limits{}, ReasonError, "there is no exported function f"},
		{"not a number", "export function f() { return [0 / 0]; }", `{}`, Limits{}, ReasonResult, "NaN"},
		{"big integer", "export function f() { return 1n; }", `{}`, Limits{}, ReasonResult, "bigint"},
		{"function", "export function f() { return f; }", `{}`, Limits{}, ReasonResult, "function"},
		{"cycle", "export function f() { const a = []; a.push(a); return a; }", `{}`, Limits{}, ReasonResult, "cycle"},
		{"waits", "export async function f() { await new Promise(() => {}); }", `{}`, Limits{}, ReasonError, "nothing can bring about"},
		{"import", "import x from 'os'; export function f() {}", `{}`, Limits{}, ReasonError, ""},
		{"wall", "export function f() { for (;;); }", `{}`, Limits{Wall: 50 * time.Millisecond}, ReasonTimeout, ""},
		{"wall asleep", "export function f() { reachy.sleep(60); }", `{}`, Limits{Wall: 50 * time.Millisecond}, ReasonTimeout, ""},
		{"cpu", "export function f() { for (;;); }", `{}`, Limits{CPU: 50 * time.Millisecond}, ReasonCPU, ""},
		{"memory", "export function f() { return new Uint8Array(32 << 20).length; }", `{}`, Limits{Memory: 16 << 20}, ReasonMemory, ""},
		{"output", "export function f() { return 'x'.repeat(2000); }", `{}`, Limits{Output: 1000}, ReasonOutput, ""},
		{"log", "export function f() { console.log('x'.repeat(2000)); }", `{}`, Limits{Log: 1000}, ReasonLog, ""},
		{"calls", "export function f() { for (;;) reachy.move_head(); }", `{}`, Limits{Calls: 5, CallsPerSecond: 1000}, ReasonCalls, ""},
		{"rate", "export function f() { for (;;) reachy.move_head(); }", `{}`, Limits{CallsPerSecond: 5}, ReasonRate, ""},
		{"recursion", "export function f() { return (function g() { return 1 + g(); })(); }", `{}`, Limits{}, ReasonRecursion, ""},
		{"recursion of 100", deep, `{"n":200}`, Limits{Recursion: 100}, ReasonRecursion, ""},
		{"recursion within 100", deep, `{"n":50}`, Limits{Recursion: 100}, ReasonOK, "50"},
		{"recursion of 500", deep, `{"n":200}`, Limits{}, ReasonOK, "200"},
		{"recursion of 10000", deep, `{"n":9000}`, Limits{Recursion: 10000}, ReasonRecursion, ""},
		{"source", "//" + strings.Repeat("x", 200), `{}`, Limits{Source: 100}, ReasonSource, ""},
		{"args", "export function f(a) {}", `{"a":"` + strings.Repeat("x", 200) + `"}`, Limits{Args: 100}, ReasonArgs, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r, err := s.Call(t.Context(), &Request{
				Source: tc.source, Function: "f", Args: json.RawMessage(tc.args), Limits: tc.limits, Grants: []string{"move_head"},
				Host: func(_ context.Context, c HostCall) (json.RawMessage, error) { return c.Args, nil },
			})
			if err != nil || r.Reason != tc.want {
				t.Fatalf("%+v %+v %v, want %s", r, r.Error, err, tc.want)
			}
			if tc.want == ReasonOK && string(r.Value) != tc.value || tc.want != ReasonOK && !strings.Contains(r.Error.Message, tc.value) {
				t.Errorf("%s %+v, want %s", r.Value, r.Error, tc.value)
			}
			if tc.name == "throws" && (r.Error.Line != 3 || r.Error.Type != "RangeError") {
				t.Errorf("%+v, want line 3", r.Error)
			}
		})
	}
	// Randomness and the clock are the host's.
	random := &Request{Source: "export function f() { return [Math.random(), Date.now()]; }", Function: "f", Clock: Clock{Virtual: true, Seed: 3}}
	first, err := s.Call(t.Context(), random)
	again, err2 := s.Call(t.Context(), random)
	random.Clock.Seed = 4
	other, err3 := s.Call(t.Context(), random)
	if err != nil || err2 != nil || err3 != nil || first.Reason != ReasonOK || string(first.Value) != string(again.Value) ||
		string(first.Value) == string(other.Value) {
		t.Errorf("%s %s %s %+v", first.Value, again.Value, other.Value, first.Error)
	}
}
