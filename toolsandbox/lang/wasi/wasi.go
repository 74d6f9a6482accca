// Package wasi makes tools of WASI modules that speak the guest's lines of JSON. The source of such a tool is a Manifest, by
// which its module is found. Test cases are those of Python without predicates; lines are not counted.
package wasi

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/reachyd/reachyd/toolsandbox/guest"
	"github.com/reachyd/reachyd/toolsandbox/lang"
	"github.com/reachyd/reachyd/toolsandbox/modules"
)

// Name is the language's.
const Name = "wasm"

// Modules are the WebAssembly modules that were kept. *modules.Store is one.
type Modules interface {
	// Get returns a module by its modules.Sum. The error wraps modules.ErrMissing or modules.ErrBad.
	Get(sum string) ([]byte, error)
}

// Language is WebAssembly.
type Language struct {
	Box     lang.Sandbox
	Modules Modules // nil: none was kept
}

var (
	_ lang.Language = Language{}
	_ Modules       = (*modules.Store)(nil)
)

// Call implements lang.Language. A request that brings its module needs no manifest.
func (l Language) Call(ctx context.Context, r *guest.Request) (guest.Result, error) {
	one := *r
	one.Source, one.Language = "", guest.WASI
	if len(r.Wasm) > 0 {
		return l.Box.Call(ctx, &one)
	}
	m, wrong := parseManifest(r.Source)
	if len(wrong) > 0 {
		return guest.Result{}, fmt.Errorf("%w: %s", lang.ErrSource, wrong[0])
	}
	var err error
	if one.Wasm, err = l.module(ctx, m.sum()); err != nil {
		return guest.Result{}, err
	}
	return l.Box.Call(ctx, &one)
}

// Try implements lang.Language.
func (l Language) Try(ctx context.Context, r *guest.Request, t lang.Trial) (lang.Outcomes, guest.Result, error) {
	return lang.Each(ctx, l, r, t)
}

// Check implements lang.Language. It runs nothing: what a module does shows when it is tested.
func (l Language) Check(ctx context.Context, name, source string, o lang.Options) (*lang.Report, error) {
	began := time.Now()
	r := lang.NewReport(source)
	r.Metrics.Characters, r.Metrics.Lines = len(source), lines(source)
	defer func() { r.Took = time.Since(began) }()
	add := func(code, fix, format string, args ...any) { r.Fault(code, 1, fix, format, args...) }
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
	_, err := l.module(ctx, m.sum())
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
	r.Judge()
	return r, nil
}

// module returns a module that came with ctx or was kept.
func (l Language) module(ctx context.Context, sum string) ([]byte, error) {
	came, _ := ctx.Value(modulesKey{}).(map[string][]byte)
	if data := came[sum]; data != nil {
		return data, nil
	}
	data, err := l.get(sum)
	if errors.Is(err, modules.ErrMissing) {
		for other := range came {
			return nil, fmt.Errorf("%w; what came has sha256:%s", err, other)
		}
	}
	return data, err
}

func (l Language) get(sum string) ([]byte, error) {
	if l.Modules == nil {
		return nil, fmt.Errorf("module sha256:%s: %w", sum, modules.ErrMissing)
	}
	return l.Modules.Get(sum)
}

type modulesKey struct{}

// WithModules lets the tools that are checked, tested and run with ctx be modules that are not kept yet, by their
// modules.Sum.
func WithModules(ctx context.Context, came map[string][]byte) context.Context {
	return context.WithValue(ctx, modulesKey{}, came)
}
