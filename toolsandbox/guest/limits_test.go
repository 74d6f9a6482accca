package guest

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// answerNull is a host that agrees to everything.
func answerNull(context.Context, HostCall) (json.RawMessage, error) { return nil, nil }

func TestEveryLimitTrips(t *testing.T) {
	s := sharedSandbox(t)
	for _, tc := range []struct {
		name   string
		limits Limits
		clock  Clock
		source string
		args   string
		want   Reason
	}{
		{"wall", Limits{Wall: 50 * time.Millisecond}, Clock{}, "import time\ndef f():\n    time.sleep(60)", "", ReasonTimeout},
		{"wall while spinning", Limits{Wall: 50 * time.Millisecond}, Clock{}, "def f():\n    while True: pass", "", ReasonTimeout},
		{"virtual time", Limits{}, Clock{Virtual: true, Max: time.Minute}, "import time\ndef f():\n    time.sleep(61)", "", ReasonTimeout},
		{"cpu", Limits{CPU: 50 * time.Millisecond}, Clock{}, "def f():\n    while True: pass", "", ReasonCPU},
		{"memory", Limits{Memory: 32 << 20}, Clock{}, "def f():\n    return len(bytearray(16 << 20))", "", ReasonMemory},
		{"output", Limits{Output: 1000}, Clock{}, "def f():\n    return 'x' * 1000", "", ReasonOutput},
		{"output of a host call", Limits{Output: 1000}, Clock{}, "import reachy\ndef f():\n    reachy.speak(text='x' * 1000)", "", ReasonOutput},
		{"log", Limits{Log: 1000}, Clock{}, "def f():\n    print('x' * 1000)", "", ReasonLog},
		{"calls", Limits{Calls: 5, CallsPerSecond: 1000}, Clock{}, "import reachy\ndef f():\n    for _ in range(6): reachy.speak(text='x')", "", ReasonCalls},
		{"rate", Limits{CallsPerSecond: 5}, Clock{Virtual: true}, "import reachy\ndef f():\n    for _ in range(6): reachy.speak(text='x')", "", ReasonRate},
		{"recursion", Limits{Recursion: 100}, Clock{}, "def f():\n    return f()", "", ReasonRecursion},
		{"source", Limits{Source: 100}, Clock{}, "#" + strings.Repeat("x", 100) + "\ndef f(): pass", "", ReasonSource},
		{"args", Limits{Args: 100}, Clock{}, "def f(x): pass", `{"x":"` + strings.Repeat("x", 100) + `"}`, ReasonArgs},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r, err := s.Call(
				t.Context(),
				&Request{Source: tc.source, Function: "f", Args: json.RawMessage(tc.args), Limits: tc.limits, Clock: tc.clock, Grants: []string{"speak"}, Host: answerNull},
			)
			if err != nil || r.Reason != tc.want {
				t.Errorf("%+v %+v %v, want %s", r, r.Error, err, tc.want)
			}
			if len(r.Log) > DefaultLimits.Log || tc.limits.Log > 0 && len(r.Log) != tc.limits.Log {
				t.Errorf("%d bytes of log", len(r.Log))
			}
		})
	}
}

// What stays within its limits is left alone: the same tools as above, with the limits at what they need.
func TestWithinLimits(t *testing.T) {
	s := sharedSandbox(t)
	for _, tc := range []struct {
		name   string
		limits Limits
		clock  Clock
		source string
	}{
		{"memory", Limits{Memory: 48 << 20}, Clock{}, "def f():\n    return len(bytearray(16 << 20))"},
		{"output", Limits{Output: 1100}, Clock{}, "def f():\n    return 'x' * 1000"},
		{"log", Limits{Log: 1001}, Clock{}, "def f():\n    print('x' * 1000)"},
		{"calls", Limits{Calls: 6, CallsPerSecond: 1000}, Clock{}, "import reachy\ndef f():\n    for _ in range(6): reachy.speak(text='x')"},
		{"rate", Limits{CallsPerSecond: 5}, Clock{Virtual: true}, "import reachy, time\ndef f():\n    for _ in range(60):\n        reachy.speak(text='x')\n        " +
			"time.sleep(0.2)"},
		{"virtual time", Limits{}, Clock{Virtual: true, Max: time.Minute}, "import time\ndef f():\n    time.sleep(59)"},
		{"recursion", Limits{Recursion: 100}, Clock{}, "def f(n=80):\n    return n and f(n - 1)"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r, err := s.Call(t.Context(), &Request{Source: tc.source, Function: "f", Limits: tc.limits, Clock: tc.clock, Grants: []string{"speak"}, Host: answerNull})
			if err != nil || r.Reason != ReasonOK {
				t.Errorf("%+v %+v %v", r, r.Error, err)
			}
		})
	}
}

func TestLimitsAreChecked(t *testing.T) {
	for _, l := range []Limits{{Wall: -1}, {CPU: 1}, {Memory: 1 << 40}, {Output: 1}, {Calls: -5}, {Recursion: 1}, {Recursion: 1 << 20}} {
		if _, err := l.withDefaults(); err == nil || !strings.Contains(err.Error(), "allowed") {
			t.Errorf("%+v: %v", l, err)
		}
	}
}

func TestVirtualClock(t *testing.T) {
	s := sharedSandbox(t)
	req := &Request{
		Source: source("import time, random, datetime, uuid, asyncio", "async def f():",
			"    began = time.monotonic()", "    await asyncio.gather(asyncio.sleep(3600), asyncio.sleep(1800))", "    time.sleep(0.5)",
			"    return [int(time.monotonic() - began), str(datetime.datetime.now())[:13], random.random(), str(uuid.uuid4())]"),
		Function: "f", Clock: Clock{Virtual: true, Seed: 7},
	}
	first, err := s.Call(t.Context(), req)
	if err != nil || first.Reason != ReasonOK || !strings.HasPrefix(string(first.Value), `[3600,"2026-01-01 01",`) {
		t.Fatalf("%+v %+v %s %v", first, first.Error, first.Value, err)
	}
	if again, err := s.Call(t.Context(), req); err != nil || string(again.Value) != string(first.Value) {
		t.Errorf("the same seed gave %s and %s, %v", first.Value, again.Value, err)
	}
	req.Clock.Seed = 8
	if other, err := s.Call(t.Context(), req); err != nil || string(other.Value) == string(first.Value) {
		t.Errorf("another seed gave the same %s, %v", other.Value, err)
	}
}

func TestRealClockAndRandomness(t *testing.T) {
	s := sharedSandbox(t)
	req := &Request{Source: source("import time, random", "def f():", "    time.sleep(0.02)", "    return [time.time(), random.random()]"), Function: "f"}
	var seen [2][2]float64
	for i := range seen {
		before := time.Now()
		r, err := s.Call(t.Context(), req)
		if err != nil || r.Reason != ReasonOK {
			t.Fatalf("%+v %+v %v", r, r.Error, err)
		}
		if err := json.Unmarshal(r.Value, &seen[i]); err != nil {
			t.Fatal(err)
		}
		if at := time.UnixMicro(int64(seen[i][0] * 1e6)); at.Before(before.Add(19*time.Millisecond)) || at.After(time.Now()) {
			t.Errorf("the tool saw %s, it was between %s and now", at, before)
		}
	}
	if seen[0][1] == seen[1][1] {
		t.Error("two calls drew the same random number")
	}
}
