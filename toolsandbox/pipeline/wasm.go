package pipeline

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/reachyd/reachyd/toolsandbox/guest"
	"github.com/reachyd/reachyd/toolsandbox/modules"
	"github.com/reachyd/reachyd/toolsandbox/tester"
	"github.com/reachyd/reachyd/toolsandbox/validate"
)

// WasmLanguage is the language of tools whose source is a Manifest.
const WasmLanguage = "wasm"

// Modules are the WebAssembly modules that were kept. *modules.Store is one.
type Modules interface {
	// Get returns a module by its modules.Sum. The error wraps modules.ErrMissing or modules.ErrBad.
	Get(sum string) ([]byte, error)
}

// Wasm makes tools of WASI modules that speak the guest's lines of JSON. The source of such a tool is a Manifest. Test
// cases are those of Python without predicates; lines are not counted.
type Wasm struct {
	Box     Sandbox
	Modules Modules
}

var (
	_ Language = Wasm{}
	_ Modules  = (*modules.Store)(nil)
)

// Call implements Sandbox.
func (w Wasm) Call(ctx context.Context, r *guest.Request) (guest.Result, error) {
	if r.Module == tester.ModuleName {
		return oneByOne(ctx, r, w.Call)
	}
	m, wrong := parseManifest(r.Source)
	if len(wrong) > 0 {
		return guest.Result{}, inputf("%s", wrong[0])
	}
	module, err := w.module(ctx, m.sum())
	if err != nil {
		return guest.Result{}, err
	}
	one := *r
	one.Source, one.Language, one.Wasm = "", guest.WASI, module
	return w.Box.Call(ctx, &one)
}

// Check implements Language. It runs nothing: what a module does shows when it is tested.
func (w Wasm) Check(ctx context.Context, name, source string, o validate.Options) (*Facts, error) {
	began := time.Now()
	r := &Facts{Findings: []validate.Finding{}, Imports: []string{}, Calls: []string{}, Metrics: validate.Metrics{
		Characters: len(source), Lines: lines(source), Functions: 1, Complexity: 1,
	}}
	defer func() { r.Took = time.Since(began) }()
	add := func(code, fix, format string, args ...any) {
		r.Findings = append(r.Findings, validate.Finding{Code: code, Severity: validate.Error, Line: 1, Column: 1, Message: fmt.Sprintf(format, args...), Fix: fix})
	}
	m, wrong := parseManifest(source)
	r.Function = m.Name
	for _, text := range wrong {
		add("M001", "Mend the manifest.", "%s.", text)
	}
	if len(wrong) > 0 {
		return r, nil
	}
	if name != "" && name != m.Name {
		add("F001", "Call both the same.", "name: %.80q, allowed is %q, as the tool is to be called.", m.Name, name)
	}
	_, err := w.module(ctx, m.sum())
	switch {
	case errors.Is(err, modules.ErrMissing), errors.Is(err, modules.ErrBad):
		add("M002", "Bring its file: reachyctl tool add NAME.wasm, or reachyctl tool import FILE NAME.wasm.", "%v.", err)
	case err != nil:
		return nil, err
	}
	r.Calls = slices.Compact(slices.Sorted(slices.Values(m.Calls)))
	for _, c := range r.Calls {
		if !slices.Contains(o.Calls, c) {
			add("H001", "Name a tool that there is.", "calls: %.80q, which the robot has not.", c)
		}
	}
	r.Schema, r.Returns, r.Summary = m.parameters(), marshal(m.Returns), m.Description
	r.Metrics.Documented = m.documented()
	r.OK = len(r.Findings) == 0
	return r, nil
}

// module returns a module that came with ctx or was kept.
func (w Wasm) module(ctx context.Context, sum string) ([]byte, error) {
	came, _ := ctx.Value(modulesKey{}).(map[string][]byte)
	if data := came[sum]; data != nil {
		return data, nil
	}
	data, err := w.Modules.Get(sum)
	if errors.Is(err, modules.ErrMissing) {
		for other := range came {
			return nil, fmt.Errorf("%w; what came has sha256:%s", err, other)
		}
	}
	return data, err
}

type modulesKey struct{}

// WithModules lets the tools that are checked, tested and run with ctx be modules that are not kept yet, by their
// modules.Sum.
func WithModules(ctx context.Context, came map[string][]byte) context.Context {
	return context.WithValue(ctx, modulesKey{}, came)
}
