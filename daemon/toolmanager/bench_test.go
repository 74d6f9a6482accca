package toolmanager

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/toolsandbox/registry"
)

// benchBox is a toolbox with one tool, distance, whose interpreter is warm.
func benchBox(b *testing.B) (*Manager, *tool.Registry) {
	b.Helper()
	tools := tool.NewRegistry(nil)
	box, err := Open(Options{Store: registry.NewMemory(), Dir: filepath.Join(b.TempDir(), "tools"), RunDir: os.TempDir(), Tools: tools, Idle: time.Hour})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := box.Close(); err != nil {
			b.Error(err)
		}
	})
	benchAdd(b, box, "1")
	return box, tools
}

func benchAdd(b *testing.B, box *Manager, factor string) {
	b.Helper()
	args, err := json.Marshal(map[string]any{"source": distance(factor), "cases": distanceCases, "allow_duplicate": true})
	if err == nil {
		_, err = box.Do(context.Background(), "add", args)
	}
	if err != nil {
		b.Fatal(err)
	}
}

// BenchmarkCall is a call of a trivial tool as a planner makes it: arguments checked, a pristine interpreter, the result
// checked, counted.
func BenchmarkCall(b *testing.B) {
	_, tools := benchBox(b)
	for b.Loop() {
		if r := tools.Call(context.Background(), "distance", json.RawMessage(`{"x":3,"y":4}`)); !r.OK() {
			b.Fatal(r.Message)
		}
	}
}

// BenchmarkRegister is a version on its way from its source to the disk: checked, tested with one case, stored.
func BenchmarkRegister(b *testing.B) {
	box, _ := benchBox(b)
	n := 1
	for b.Loop() {
		n++
		benchAdd(b, box, fmt.Sprint(n))
	}
}
