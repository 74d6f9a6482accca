package badgerstore_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/reachyd/reachyd/toolsandbox/registry"
	"github.com/reachyd/reachyd/toolsandbox/registry/badgerstore"
)

// BenchmarkPut is what a registration costs besides checks and tests: mostly the disk.
func BenchmarkPut(b *testing.B) {
	s, err := badgerstore.Open(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	r, err := registry.Open(registry.Settings{Store: s})
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	for i := 0; b.Loop(); i++ {
		d := registry.Draft{Name: fmt.Sprintf("tool_%d", i/registry.MaxVersions), Source: fmt.Sprintf("def f():\n    return %d\n", i), AllowDuplicate: true}
		c := registry.Candidate{Draft: d, Found: registry.Validation{Schema: json.RawMessage("{}")}, Report: &registry.Report{Total: 1, Passed: 1}}
		if err := put(b.Context(), r, c); err != nil {
			b.Fatal(err)
		}
	}
}

func put(ctx context.Context, r *registry.Registry, c registry.Candidate) error {
	g, err := r.Begin(ctx, c.Name)
	if err != nil {
		return err
	}
	defer g.Close()
	_, err = g.Put(c)
	return err
}
