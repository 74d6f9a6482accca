package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/reachyd/reachyd/agents/llm/ollamatest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A parrot of a real server that knows two of the requests passes these two.
func TestRequestsOfARealServer(t *testing.T) {
	s := ollamatest.Start(t,
		ollamatest.Rule{On: "Look to the left.", Say: ollamatest.UseTool("move_head", `{"yaw": 30}`)},
		ollamatest.Rule{On: "\nuser: Nod.", Say: ollamatest.UseTool("gesture", `{"name": "nod"}`)},
	)
	var out, told bytes.Buffer
	// A parrot writes calls as its template has them, and knows no schema.
	if code := run(t.Context(), []string{"-url", s.URL, "-model", "parrot", "-only", "requests", "-calls", "raw"}, &out, &told); code != 0 {
		t.Fatalf("exit %d: %s", code, told.String())
	}
	table := strings.Split(out.String(), "\n")
	if table[0] != "parrot" || !strings.Contains(table[2], "2 (4 %)") || !strings.Contains(table[3], "(100 %)") {
		t.Errorf("%s", out.String())
	}
	if !strings.Contains(told.String(), "+ request Nod.") || !strings.Contains(told.String(), "- request Look up") {
		t.Errorf("%s", told.String())
	}

	out.Reset()
	if code := run(t.Context(), []string{"-url", s.URL, "-model", "parrot", "-only", "requests", "-calls", "raw", "-json"}, &out, &told); code != 0 ||
		!strings.HasPrefix(out.String(), `{"kind":"request","name":"Look to the left.","passed":true`) {
		t.Errorf("exit %d: %.300s", code, out.String())
	}
	told.Reset()
	if code := run(t.Context(), []string{"-url", s.URL, "-model", "qwen3:4b", "-only", "requests"}, &out, &told); code != 1 ||
		!strings.Contains(told.String(), "qwen3:4b is not there") {
		t.Errorf("a model that is not there: exit %d: %s", code, told.String())
	}
	s.Kill()
	told.Reset()
	if code := run(t.Context(), []string{"-url", s.URL, "-model", "parrot"}, &out, &told); code != 1 || !strings.Contains(told.String(), "does not answer") {
		t.Errorf("no server: exit %d: %s", code, told.String())
	}
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{{}, {"-model", "x", "y"}, {"-what"}} {
		var out, told bytes.Buffer
		if code := run(t.Context(), args, &out, &told); code != 2 || told.Len() == 0 {
			t.Errorf("%v: exit %d: %s", args, code, told.String())
		}
	}
	var out, told bytes.Buffer
	if code := run(t.Context(), []string{"-model", "x", "-calls", "loud"}, &out, &told); code != 1 ||
		!strings.Contains(told.String(), `calls "loud" are unknown`) {
		t.Errorf("exit %d: %s", code, told.String())
	}
	told.Reset()
	if code := run(t.Context(), []string{"-model", "x", "-only", "requests", "-sentences", os.DevNull}, &out, &told); code != 1 ||
		!strings.Contains(told.String(), `holds no line with " ="`) {
		t.Errorf("exit %d: %s", code, told.String())
	}
	told.Reset()
	if code := run(t.Context(), []string{"-model", "x", "-only", "dance"}, &out, &told); code != 1 ||
		!strings.Contains(told.String(), `"dance" cannot be measured`) {
		t.Errorf("exit %d: %s", code, told.String())
	}
}
