package guest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// jsFingerprint says what the names of an interpreter look like from inside.
const jsFingerprint = `export function f() {
  const seen = [];
  for (const o of [globalThis, Math, JSON, Object, Object.prototype, Array.prototype, Promise.prototype, Function.prototype])
    for (const k of Reflect.ownKeys(o)) {
      let v; try { v = o[k]; } catch {} seen.push(String(k) + ":" + (typeof v === "function" ? Function.prototype.toString.call(v) : typeof v));
    }
  return seen.join("\n");
}`

func TestHostileJavaScript(t *testing.T) {
	s := openLanguage(t, ImageConfig{Language: JavaScript})
	t.Setenv("REACHYD_TEST_SECRET", "swordfish-4711")
	args, err := json.Marshal(map[string]any{"canary": map[string]any{"port": 1}})
	if err != nil {
		t.Fatal(err)
	}
	pristine := func() string {
		r, err := s.Call(t.Context(), &Request{Source: jsFingerprint, Function: "f", Clock: Clock{Virtual: true}})
		if err != nil || r.Reason != ReasonOK {
			t.Fatalf("the next call: %+v %+v %v", r, r.Error, err)
		}
		return string(r.Value)
	}
	before := pristine()
	tools := readHostile(t, "testdata/hostilejs/tools.js")
	for _, h := range tools {
		a := args
		if !strings.Contains(h.source, "attack(canary)") {
			a = nil
		}
		r, err := s.Call(t.Context(), &Request{
			Source: h.source, Function: "attack", Args: a, Limits: h.limits, Clock: h.clock, Grants: []string{"speak"}, Host: answerNull,
		})
		if err != nil {
			t.Errorf("%s: %v", h.name, err)
			continue
		}
		if !slices.Contains(h.want, r.Reason) {
			t.Errorf("%s: ended with %q, want one of %q: %s %+v %.300s", h.name, r.Reason, h.want, r.Value, r.Error, r.Log)
		}
		if text := string(
			r.Value,
		) + r.Log + fmt.Sprint(
			r.Error,
		); strings.Contains(string(r.Value), "ESCAPED") || strings.Contains(text, "swordfish") ||
			strings.Contains(string(r.Value), "spoofed") {
			t.Errorf("%s: ESCAPED: %.300s", h.name, text)
		}
		if after := pristine(); after != before {
			t.Errorf("%s: the next call is not as before", h.name)
		}
	}
	if len(tools) < 50 {
		t.Errorf("%d hostile tools, want 50", len(tools))
	}
}
