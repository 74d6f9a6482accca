package persist

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/reachyd/reachyd/toolsandbox/registry"
)

// put keeps a version of a tool as if it had been checked and tested.
func put(ctx context.Context, r *registry.Registry, name, source string) (*registry.Version, error) {
	g, err := r.Begin(ctx, name)
	if err != nil {
		return nil, err
	}
	defer g.Close()
	return g.Put(registry.Candidate{
		Draft:  registry.Draft{Name: name, Source: source, Author: "tester", AllowDuplicate: true},
		Found:  registry.Validation{Schema: json.RawMessage("{}")},
		Report: &registry.Report{Total: 1, Passed: 1},
	})
}

// BenchmarkPut is what a registration costs besides checks and tests: mostly the disk.
func BenchmarkPut(b *testing.B) {
	s, _ := openTools(b, b.TempDir())
	r, err := registry.Open(registry.Settings{Store: s})
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	for i := 0; b.Loop(); i++ {
		if _, err := put(b.Context(), r, fmt.Sprintf("tool_%d", i/registry.MaxVersions), fmt.Sprintf("def f():\n    return %d\n", i)); err != nil {
			b.Fatal(err)
		}
	}
}
