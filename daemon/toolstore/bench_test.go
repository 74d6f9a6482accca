package toolstore_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/reachyd/reachyd/toolsandbox/registry"
)

// agreeable finds nothing wrong with anything.
type agreeable struct{}

func (agreeable) Validate(context.Context, registry.Subject) (registry.Validation, error) {
	return registry.Validation{Schema: json.RawMessage("{}")}, nil
}

func (agreeable) Test(context.Context, registry.Subject) (registry.Report, error) {
	return registry.Report{Total: 1, Passed: 1}, nil
}

// BenchmarkRegister is what a registration costs besides validation and tests: mostly the disk.
func BenchmarkRegister(b *testing.B) {
	s, _ := open(b, b.TempDir())
	r, err := registry.Open(registry.Settings{Store: s, Validator: agreeable{}, Tester: agreeable{}})
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	for i := 0; b.Loop(); i++ {
		d := registry.Draft{Name: fmt.Sprintf("tool_%d", i/registry.MaxVersions), Source: fmt.Sprintf("def f():\n    return %d\n", i), AllowDuplicate: true}
		if _, err := r.Register(b.Context(), d); err != nil {
			b.Fatal(err)
		}
	}
}
