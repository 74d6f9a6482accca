// Package guest runs programs that nobody has reviewed: for every call a pristine interpreter of Python or JavaScript, or
// a module of one's own, in WebAssembly, inside a worker process without rights, with limits that end it and with no way
// out but the host calls that were granted.
package guest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Request is one call of one function.
type Request struct {
	// Source is the text of a Python or JavaScript module, Function the name of what is called in it. A WASI module is
	// itself what runs: for it Source is empty.
	Source   string `json:"source,omitempty"`
	Function string `json:"function"`
	// Language is what Source is written in. Empty means the sandbox's own language, which is Python unless it says
	// otherwise.
	Language Language `json:"language,omitempty"`
	// Wasm is the tool itself when Language is WASI.
	Wasm []byte `json:"-"`
	// Module calls Function in a module that was built into the image (Config.Modules) instead of in Source.
	Module string `json:"module,omitempty"`
	// For is the source that Module works on, by which an interpreter is chosen that has what it imports.
	For string `json:"-"`
	// Args are the keyword arguments, a JSON object; empty means none.
	Args json.RawMessage `json:"args,omitempty"`
	// Grants names the host calls that the guest may make. None by default.
	Grants []string `json:"grants,omitempty"`
	// Limits end the call; a zero field means the one of DefaultLimits.
	Limits Limits `json:"limits"`
	// Clock is the guest's clock and randomness; the zero value is the real ones.
	Clock Clock `json:"clock"`
	// Files are shown to the guest, read-only, as /files/<name>.
	Files map[string][]byte `json:"files,omitempty"`
	// Host answers host calls. Without it all of them are refused.
	Host HostFunc `json:"-"`
}

// HostFunc answers one host call of a guest, which waits for it. It must return soon after ctx ends. The error's text
// is shown to the tool; a *HostError also gives it a code.
type HostFunc func(ctx context.Context, c HostCall) (json.RawMessage, error)

// HostCall is what a guest asks of its host. Everything in it is written by the guest, except At.
type HostCall struct {
	Name string          // one of Request.Grants
	Args json.RawMessage // a JSON object
	At   time.Duration   // time on the guest's clock since the call began

	passed *time.Duration
}

// Pass lets time pass on the guest's clock, if that is virtual, before the guest gets its answer: a stand-in for a
// host call that takes a while. A real clock needs no telling.
func (c HostCall) Pass(d time.Duration) {
	if c.passed != nil && d > 0 {
		*c.passed += d
	}
}

// HostError is an error with a code that a tool can act on, such as "limit_exceeded".
type HostError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Error returns the message.
func (e *HostError) Error() string { return e.Message }

// Clock says what time it is for a guest and where its random numbers come from.
type Clock struct {
	// Virtual makes time stand still except when the guest sleeps (at once, whatever the duration) or looks at the
	// clock (microseconds), and makes random numbers follow from Seed.
	Virtual bool      `json:"virtual,omitempty"`
	Start   time.Time `json:"start,omitzero"` // zero: 2026-01-01T00:00:00Z
	Seed    uint64    `json:"seed,omitempty"`
	// Max ends the call with ReasonTimeout when the virtual clock has advanced so far. Zero: 24 h.
	Max time.Duration `json:"max,omitempty"`
}

// Limits are what one call may use.
type Limits struct {
	Wall           time.Duration `json:"wall,omitempty"`             // real time from start to end
	CPU            time.Duration `json:"cpu,omitempty"`              // processor time
	Memory         int64         `json:"memory,omitempty"`           // bytes of the guest's memory, interpreter included
	Output         int           `json:"output,omitempty"`           // bytes of one line from the guest: a host call or the result
	Log            int           `json:"log,omitempty"`              // bytes printed
	Calls          int           `json:"calls,omitempty"`            // host calls in total
	CallsPerSecond int           `json:"calls_per_second,omitempty"` // host calls per second of the guest's clock; bursts of one second
	Recursion      int           `json:"recursion,omitempty"`        // Python frames; for JavaScript about as many of its own, at most 1300
	Source         int           `json:"source,omitempty"`           // bytes of source text
	Args           int           `json:"args,omitempty"`             // bytes of arguments
}

// DefaultLimits are for a tool that nobody has said anything about.
var DefaultLimits = Limits{
	Wall: 30 * time.Second, CPU: 5 * time.Second, Memory: 64 << 20, Output: 1 << 20, Log: 64 << 10,
	Calls: 1000, CallsPerSecond: 100, Recursion: 500, Source: 64 << 10, Args: 1 << 20,
}

// MaxMemory is the most that Limits.Memory may ask for, in bytes.
const MaxMemory = 256 << 20

// Reason says how a call ended.
type Reason string

// The reasons.
const (
	ReasonOK        Reason = "ok"
	ReasonError     Reason = "error"     // the tool raised: Result.Error
	ReasonTimeout   Reason = "timeout"   // Limits.Wall, or Clock.Max
	ReasonCPU       Reason = "cpu"       // Limits.CPU
	ReasonMemory    Reason = "memory"    // Limits.Memory
	ReasonOutput    Reason = "output"    // Limits.Output
	ReasonLog       Reason = "log"       // Limits.Log
	ReasonCalls     Reason = "calls"     // Limits.Calls
	ReasonRate      Reason = "rate"      // Limits.CallsPerSecond
	ReasonRecursion Reason = "recursion" // Limits.Recursion
	ReasonSource    Reason = "source"    // Limits.Source
	ReasonArgs      Reason = "args"      // Limits.Args, or not a JSON object
	ReasonDenied    Reason = "denied"    // a host call that was not granted, not caught by the tool
	ReasonResult    Reason = "result"    // what it returned is not plain JSON
	ReasonProtocol  Reason = "protocol"  // it interfered with the lines between host and guest
	ReasonExit      Reason = "exit"      // it left the interpreter
	ReasonCrash     Reason = "crash"     // the interpreter trapped
)

// Result is how a call ended and what it used.
type Result struct {
	Reason Reason          `json:"reason"`
	Value  json.RawMessage `json:"value,omitempty"` // what the function returned, when Reason is ReasonOK
	Error  *Error          `json:"error,omitempty"` // what went wrong otherwise
	Log    string          `json:"log,omitempty"`   // what it printed
	Usage  Usage           `json:"usage"`
}

// Error describes what went wrong in a guest.
type Error struct {
	Type      string `json:"type"` // class of the Python exception, or empty
	Message   string `json:"message"`
	Line      int    `json:"line,omitempty"` // line of the tool's source, 0 when unknown
	Traceback string `json:"traceback,omitempty"`
}

// Usage is what a call used.
type Usage struct {
	Wall   time.Duration `json:"wall"`
	CPU    time.Duration `json:"cpu"`
	Clock  time.Duration `json:"clock"`  // time on the guest's clock
	Memory int64         `json:"memory"` // bytes of guest memory at the end
	Calls  int           `json:"calls"`
}

// ErrUnavailable says that there is no sandbox here: no interpreter, or no worker process can be started.
var ErrUnavailable = errors.New("the Python sandbox is not available")

// ErrClosed says that the Sandbox was closed.
var ErrClosed = errors.New("the Python sandbox is closed")

// ErrBusy says that a call has stood in line for longer than Config.Refuse: all workers run calls that do not end.
var ErrBusy = errors.New("all workers of the sandbox are busy")

// withDefaults fills in the zero fields and checks the rest.
func (l Limits) withDefaults() (Limits, error) {
	d := DefaultLimits
	fill(&l.Wall, d.Wall)
	fill(&l.CPU, d.CPU)
	fill(&l.Memory, d.Memory)
	fill(&l.Output, d.Output)
	fill(&l.Log, d.Log)
	fill(&l.Calls, d.Calls)
	fill(&l.CallsPerSecond, d.CallsPerSecond)
	fill(&l.Recursion, d.Recursion)
	fill(&l.Source, d.Source)
	fill(&l.Args, d.Args)
	for _, f := range []struct {
		name     string
		n        int64
		min, max int64
	}{
		{"wall", int64(l.Wall), int64(time.Millisecond), int64(time.Hour)},
		{"cpu", int64(l.CPU), int64(time.Millisecond), int64(time.Hour)},
		{"memory", l.Memory, 1 << 20, MaxMemory},
		{"output", int64(l.Output), 64, 16 << 20},
		{"log", int64(l.Log), 0, 16 << 20},
		{"calls", int64(l.Calls), 1, 1 << 20},
		{"calls_per_second", int64(l.CallsPerSecond), 1, 1 << 20},
		{"recursion", int64(l.Recursion), 50, 10000},
		{"source", int64(l.Source), 1, 1 << 20},
		{"args", int64(l.Args), 2, 64 << 20},
	} {
		if f.n < f.min || f.n > f.max {
			return l, fmt.Errorf("limit %s: %d, allowed %d to %d", f.name, f.n, f.min, f.max)
		}
	}
	return l, nil
}

func fill[T int | int64 | time.Duration](v *T, d T) {
	if *v == 0 {
		*v = d
	}
}

func (r *Request) granted(name string) bool { return slices.Contains(r.Grants, name) }
