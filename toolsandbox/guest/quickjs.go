package guest

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// quickJS is QuickJS as the package quickjs-wasi has it. Values are pointers to cells in its memory.
type quickJS struct{}

func (quickJS) library() string { return "/library" }

const quickJSMain = "harness.js"

// The functions of the host that the harness finds as global names, and takes away from there.
const (
	quickJSRead   = "__read"   // the next line for the guest
	quickJSWrite  = "__write"  // a line of the guest
	quickJSLog    = "__log"    // something printed
	quickJSSleep  = "__sleep"  // seconds
	quickJSRandom = "__random" // from 0 up to but not including 1
)

func (q quickJS) start(ctx context.Context, in *instance, sources map[string]string) error {
	for _, f := range []string{"_initialize", "qjs_init"} {
		if err := in.invoke(ctx, f); err != nil {
			return err
		}
	}
	if err := in.invoke(ctx, "qjs_set_max_stack_size", quickJSMaxStack); err != nil {
		return err
	}
	global, err := in.value(ctx, "qjs_get_global")
	if err != nil {
		return err
	}
	for _, name := range []string{quickJSRead, quickJSWrite, quickJSLog, quickJSSleep, quickJSRandom} {
		at, err := in.copyIn(ctx, "wasm_malloc", name, 1)
		if err != nil {
			return err
		}
		f, err := in.value(ctx, "qjs_new_host_function", at, uint64(len(name)), 0)
		if err != nil {
			return err
		}
		if _, err := in.module.ExportedFunction("qjs_set_prop_string").Call(ctx, global, at, f); err != nil {
			return err
		}
	}
	return q.eval(ctx, in, sources[quickJSMain])
}

// QuickJS counts bytes, not frames: a small function takes 240 to 300 of them, a call through the library or a proxy up to
// 600. quickJSMaxStack is what a tool can have of the module's stack of 1 MiB, whatever Limits.Recursion says.
const (
	quickJSFrame    = 400
	quickJSMaxStack = 512 << 10
)

func (q quickJS) step(ctx context.Context, in *instance) error {
	if err := in.invoke(ctx, "qjs_set_max_stack_size", uint64(min(in.call.limits.Recursion*quickJSFrame, quickJSMaxStack))); err != nil {
		return err
	}
	module, err := q.run(ctx, in, in.call.req.Source, "<tool>", quickJSModule)
	if err != nil {
		return err
	}
	name := "__module"
	if bad, err := in.value(ctx, "qjs_is_exception", module); err != nil {
		return err
	} else if bad != 0 {
		name = "__failed"
		if module, err = in.value(ctx, "qjs_get_exception"); err != nil {
			return err
		}
	}
	global, err := in.value(ctx, "qjs_get_global")
	if err != nil {
		return err
	}
	at, err := in.copyIn(ctx, "wasm_malloc", name, 1)
	if err != nil {
		return err
	}
	if _, err := in.value(ctx, "qjs_set_prop_string", global, at, module); err != nil {
		return err
	}
	if err := q.eval(ctx, in, "__step()"); err != nil {
		return err
	}
	// Promises that are ready go on. When none is, nothing can happen any more.
	for in.call.final == nil {
		pending, err := in.value(ctx, "qjs_is_job_pending")
		if err != nil {
			return err
		}
		if pending == 0 {
			return q.eval(ctx, in, "__stuck()")
		}
		if _, err := in.value(ctx, "qjs_execute_pending_job"); err != nil {
			return err
		}
	}
	return nil
}

// quickJSModule is the flag for a source text that is a module; without it, it is a script.
const quickJSModule = 1

// value calls a function and returns what it gives.
func (in *instance) value(ctx context.Context, name string, args ...uint64) (uint64, error) {
	f := in.module.ExportedFunction(name)
	if f == nil {
		return 0, errors.New("the module has no function " + name)
	}
	r, err := f.Call(ctx, args...)
	if err != nil || len(r) == 0 {
		return 0, err
	}
	return uint64(uint32(r[0])), nil
}

// run evaluates a source text and returns what it gives.
func (quickJS) run(ctx context.Context, in *instance, text, file string, flags uint64) (uint64, error) {
	at, err := in.copyIn(ctx, "wasm_malloc", text, 1)
	if err != nil {
		return 0, err
	}
	name, err := in.copyIn(ctx, "wasm_malloc", file, 1)
	if err != nil {
		return 0, err
	}
	return in.value(ctx, "qjs_eval", at, uint64(len(text)), name, flags)
}

// eval runs a script of ours.
func (q quickJS) eval(ctx context.Context, in *instance, text string) error {
	r, err := q.run(ctx, in, text, "<harness>", 0)
	if err != nil {
		return err
	}
	bad, err := in.value(ctx, "qjs_is_exception", r)
	if err == nil && bad != 0 {
		err = &stepError{"qjs_eval", 1}
	}
	return err
}

// instantiateQuickJSHost gives QuickJS the functions that it imports: only calls of the three functions do anything.
func instantiateQuickJSHost(ctx context.Context, rt wazero.Runtime) error {
	b := rt.NewHostModuleBuilder("env")
	none := func(_ context.Context, _ api.Module, stack []uint64) { stack[0] = 0 }
	i32 := func(n int) (types []api.ValueType) {
		for range n {
			types = append(types, api.ValueTypeI32)
		}
		return types
	}
	for _, f := range []struct {
		name            string
		params, results int
		do              api.GoModuleFunc
	}{
		{"host_get_timezone_offset", 2, 1, none},
		{"host_interrupt", 0, 1, none},
		{"host_promise_rejection", 3, 0, func(context.Context, api.Module, []uint64) {}},
		{"host_module_normalize", 2, 1, none},
		{"host_module_load", 2, 1, none}, // there are no modules to import
		{"host_call", 5, 1, quickJSCall},
	} {
		b.NewFunctionBuilder().WithGoModuleFunction(f.do, i32(f.params), i32(f.results)).Export(f.name)
	}
	_, err := b.Instantiate(ctx)
	return err
}

// quickJSCall answers __read(), __write(line) and __log(text). What goes wrong in it ends the call.
func quickJSCall(ctx context.Context, m api.Module, stack []uint64) {
	in, ok := ctx.Value(instanceKey{}).(*instance)
	if !ok {
		panic(errors.New("QuickJS without an instance"))
	}
	mem := m.Memory()
	name, ok := mem.Read(uint32(stack[0]), uint32(stack[1]))
	if !ok {
		panic(&stop{ReasonProtocol, "a host function whose name is not in memory"})
	}
	argc, argv := uint32(stack[3]), uint32(stack[4])
	must := func(v uint64, err error) uint64 {
		if err != nil {
			panic(err)
		}
		return v
	}
	switch string(name) {
	case quickJSRead:
		text := string(in.call.in)
		in.call.in = nil
		at := must(in.copyIn(ctx, "wasm_malloc", text, 1))
		stack[0] = must(in.value(ctx, "qjs_new_string", at, uint64(len(text))))
		must(in.value(ctx, "wasm_free", at))
		return
	case quickJSRandom:
		var b [8]byte
		if _, err := in.call.clock.random.Read(b[:]); err != nil {
			panic(err)
		}
		f := float64(binary.LittleEndian.Uint64(b[:])>>11) / (1 << 53)
		stack[0] = must(in.value(ctx, "qjs_new_number", api.EncodeF64(f)))
		return
	case quickJSSleep:
		arg, ok := mem.ReadUint32Le(argv)
		if argc < 1 || !ok {
			panic(&stop{ReasonProtocol, "a sleep of nothing"})
		}
		r, err := m.ExportedFunction("qjs_get_float64").Call(ctx, uint64(arg))
		if err != nil {
			panic(err)
		}
		if s := api.DecodeF64(r[0]); s > 0 { // not so for NaN
			in.call.clock.sleep(ctx, time.Duration(min(s, maxSleep.Seconds())*float64(time.Second)))
		}
	case quickJSWrite, quickJSLog:
		arg, ok := mem.ReadUint32Le(argv)
		if argc < 1 || !ok {
			panic(&stop{ReasonProtocol, "a line of nothing"})
		}
		at := uint32(must(in.value(ctx, "qjs_get_string", uint64(arg))))
		length := cString(mem, at)
		text, ok := mem.Read(at, length)
		if at == 0 || !ok {
			panic(&stop{ReasonProtocol, "a line that is not in memory"})
		}
		if string(name) == quickJSWrite {
			_, _ = in.call.write(text) // panics where it cannot
		} else {
			_, _ = in.call.log.Write(text)
		}
		must(in.value(ctx, "qjs_free_cstring", uint64(at)))
	default:
		panic(&stop{ReasonProtocol, "a host function that there is not"})
	}
	stack[0] = must(in.value(ctx, "qjs_get_undefined"))
}

// maxSleep is longer than any call lasts.
const maxSleep = 1000 * time.Hour

// cString is how many bytes lie before the next zero byte.
func cString(mem api.Memory, at uint32) uint32 {
	rest, _ := mem.Read(at, mem.Size()-at)
	return uint32(max(0, bytes.IndexByte(rest, 0)))
}
