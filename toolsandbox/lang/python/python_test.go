package python

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/toolsandbox/guest"
	"github.com/reachyd/reachyd/toolsandbox/guest/guesttest"
	"github.com/reachyd/reachyd/toolsandbox/lang"
)

var shared = guesttest.With(func() map[string]string { return Modules() })

func TestMain(m *testing.M) { guesttest.Main(m, shared) }

// good has nothing to complain about; the cases below change a piece of it.
const good = `"""Measures distances."""
import math


def distance(x: float, y: float, unit: str = "m") -> float:
    """Says how far a point is from the robot.

    Args:
        x: metres forward.
        y: metres to the left.
        unit: m or cm.

    Returns:
        The distance in the unit.
    """
    if not (abs(x) < 100 and abs(y) < 100):
        raise ValueError(f"x {x}, y {y}: allowed are less than 100 m")
    factor = {"m": 1, "cm": 100}[unit]
    return math.hypot(x, y) * factor
`

func TestGoodTool(t *testing.T) {
	s := shared.Open(t)
	r, err := check(t, s, "distance", good, lang.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !r.OK || len(r.Findings) > 0 {
		t.Errorf("findings: %v", r.Findings)
	}
	const schema = `{"type":"object","properties":{"x":{"type":"number","description":"metres forward."},"y":{"type":"number","description":"metres to the ` +
		`left."},` +
		`"unit":{"type":"string","description":"m or cm.","default":"m"}},"required":["x","y"],"additionalProperties":false}`
	if string(r.Schema) != schema || string(r.Returns) != `{"type":"number"}` {
		t.Errorf("schema %s, returns %s", r.Schema, r.Returns)
	}
	if r.Function != "distance" || r.Summary != "Says how far a point is from the robot." || !slices.Equal(r.Imports, []string{"math"}) ||
		r.Metrics.Complexity != 3 ||
		r.Metrics.Documented != 1 {
		t.Errorf("%+v", r)
	}
}

func TestFindings(t *testing.T) {
	s := shared.Open(t)
	const body = "    factor = {"
	for _, tc := range []struct {
		name, old, new string
		code           string
		line           int
		lenient        bool // still an error in lenient mode
	}{
		{"syntax", "return math", "return return math", "S001", 19, true},
		{"no function", "def distance", "def length", "N001", 1, true},
		{"second function", "import math\n", "import math\ndef other() -> int:\n    \"\"\"Does something else.\n\n    Returns:\n        1.\n    \"\"\"\n    return " +
			"1\n", "N002", 3, false},
		{"name", "def distance", "def Distance", "N003", 5, true},
		{"no hint", "x: float, y", "x, y", "T001", 5, true},
		{"no result hint", " -> float", "", "T002", 5, false},
		{"foreign hint", "x: float, y", "x: bytes, y", "T003", 5, true},
		{"any", "x: float, y", "x: any, y", "T003", 5, true},
		{"stars", "unit: str = \"m\"", "*unit: str", "T004", 5, true},
		{"by position", "y: float, unit", "y: float, /, unit", "T006", 5, true},
		{"unfinished text", `"""Says how far a point is from the robot.`, "# ", "S001", 15, true},
		{"no docstring", `    """Says how far`, "    x = x + 0\n" + `    """Says how far`, "D001", 5, false},
		{"short docstring", "Says how far a point is from the robot.", "Tool.", "D002", 6, false},
		{"undescribed", "        y: metres to the left.\n", "", "D003", 6, false},
		{"no returns", "    Returns:\n        The distance in the unit.\n", "", "D004", 6, false},
		{"import", "import math", "import math, os", "I001", 2, true},
		{"import from", "import math", "import math\nfrom socket import socket", "I001", 3, true},
		{"import beside", "import math", "import math\nfrom . import x", "I002", 3, true},
		{"import all", "import math", "from math import *\nimport math", "I003", 2, false},
		{"private import", "import math", "import math\nfrom random import _os", "F002", 3, true},
		{"eval", body, "    eval('1')\n" + body, "F001", 18, true},
		{"open builtins", body, "    __builtins__\n" + body, "F001", 18, true},
		{"getattr", body, "    getattr(math, unit)\n" + body, "F001", 18, true},
		{"alias of exec", body, "    e = exec\n" + body, "F001", 18, true},
		{"class chain", body, "    ().__class__.__base__.__subclasses__()\n" + body, "F002", 18, true},
		{"globals", body, "    math.hypot.__globals__\n" + body, "F002", 18, true},
		{"frames", body, "    x.gi_frame.f_back\n" + body, "F002", 18, true},
		{"hidden in text", body, "    '{0.__class__}'.format(x)\n" + body, "F003", 18, true},
		{"work", "import math\n", "import math\nprint('loaded')\n", "X001", 3, true},
		{"work in a value", "import math\n", "import math\nnow = math.pow(2, 3)\n", "X001", 3, true},
		{"work in a loop", "import math\n", "import math\nwhile True:\n    pass\n", "X001", 3, true},
		{"decorator", "def distance", "@print\ndef distance", "X002", 5, true},
		{"complex", body, strings.Repeat("    x = x if x else y\n", 10) + body, "C001", 5, false},
		{"long", body, "    # " + strings.Repeat("x", 10_000) + "\n" + body, "C002", 1, true},
		{"bare except", body, "    try:\n        x = x + 1\n    except:\n        raise\n" + body, "W002", 20, false},
		{"no way out", body, "    while True:\n        x = x + 1\n" + body, "W005", 18, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			source := strings.Replace(good, tc.old, tc.new, 1)
			if source == good {
				t.Fatal("the case changes nothing")
			}
			for _, mode := range []lang.Mode{lang.Strict, lang.Lenient} {
				r, err := check(t, s, "distance", source, lang.Options{Mode: mode})
				if err != nil {
					t.Fatal(err)
				}
				i := slices.IndexFunc(r.Findings, func(f lang.Finding) bool { return f.Code == tc.code })
				if i < 0 {
					t.Fatalf("%s: no %s in %v", mode, tc.code, r.Findings)
				}
				f := r.Findings[i]
				if f.Line != tc.line || f.Column < 1 || f.Message == "" || f.Fix == "" {
					t.Errorf("%s: %+v, want line %d", mode, f, tc.line)
				}
				if isError := f.Severity == lang.Error; isError != (mode == lang.Strict || tc.lenient) || isError && r.OK {
					t.Errorf("%s: severity %s, OK %v", mode, f.Severity, r.OK)
				}
			}
		})
	}
}

func TestWarnings(t *testing.T) {
	s := shared.Open(t)
	source := `import json
import reachy


def wave(times: int, names: list = []) -> dict:
    """Waves with the antennas.

    Args:
        times: how often.
        names: whom to greet.

    Returns:
        What was done.
    """
    for _ in range(times):
        reachy.set_antennas(left=20, right=-20, duration=0.2)
    try:
        speak(str(names))
    except ValueError:
        pass
    return {"times": times}
`
	r, err := check(t, s, "wave", source, lang.Options{Calls: []string{"set_antennas", "speak"}})
	if err != nil {
		t.Fatal(err)
	}
	if !r.OK || !slices.Equal(r.Calls, []string{"set_antennas", "speak"}) {
		t.Errorf("%+v", r)
	}
	for _, code := range []string{"T007", "W001", "W003", "W006", "W007"} {
		if !slices.ContainsFunc(r.Findings, func(f lang.Finding) bool { return f.Code == code && f.Severity != lang.Error }) {
			t.Errorf("no %s in %v", code, r.Findings)
		}
	}
}

func TestSchemas(t *testing.T) {
	s := shared.Open(t)
	for hint, want := range map[string]string{
		"int":                          `{"type":"integer"}`,
		"list[float]":                  `{"type":"array","items":{"type":"number"}}`,
		"List[List[int]]":              `{"type":"array","items":{"type":"array","items":{"type":"integer"}}}`,
		"dict[str, int]":               `{"type":"object","additionalProperties":{"type":"integer"}}`,
		"dict[str, Any]":               `{"type":"object","additionalProperties":true}`,
		"tuple[float, float]":          `{"type":"array","prefixItems":[{"type":"number"},{"type":"number"}],"minItems":2,"maxItems":2}`,
		"tuple[int, ...]":              `{"type":"array","items":{"type":"integer"}}`,
		"Optional[str]":                `{"type":["string","null"]}`,
		"int | None":                   `{"type":["integer","null"]}`,
		"Union[int, list[int]]":        `{"anyOf":[{"type":"integer"},{"type":"array","items":{"type":"integer"}}]}`,
		"Literal['left', 'right']":     `{"enum":["left","right"]}`,
		"typing.Optional[typing.List]": `{"type":["array","null"]}`,
		"'int'":                        `{"type":"integer"}`,
		"Annotated[int, 'degrees']":    `{"type":"integer","description":"degrees"}`,
		"Colour":                       `{"enum":["red","blue"]}`,
		"Point": `{"type":"object","properties":{"x":{"type":"number"},"name":{"type":"string"}},"required":["x"],` +
			`"additionalProperties":false}`,
		"dict[int, str]":       "",
		"set[int]":             "",
		"bytes":                "",
		"Callable[[int], int]": "",
		"np.ndarray":           "",
		"Node":                 "",
		"list[" + strings.Repeat("list[", 20) + "int" + strings.Repeat("]", 21): "",
	} {
		source := "class Colour(enum.Enum):\n    RED = 'red'\n    BLUE = 'blue'\n@dataclass\nclass Point:\n    x: float\n    name: str = ''\n@dataclass\nclass " +
			"Node:\n    next: 'Node'\n" +
			"def f(p: " + hint + ") -> None:\n    \"\"\"Takes a parameter.\n\n    Args:\n        p:\n    \"\"\"\n"
		r, err := check(t, s, "f", source, lang.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var got struct{ Properties struct{ P json.RawMessage } }
		if err := json.Unmarshal(r.Schema, &got); err != nil {
			t.Fatalf("%s: %v %+v", hint, err, r)
		}
		bad := slices.ContainsFunc(r.Findings, func(f lang.Finding) bool { return f.Code == "T003" })
		if want == "" && !bad || want != "" && (bad || string(got.Properties.P) != want) {
			t.Errorf("%s: %s %v, want %s", hint, got.Properties.P, r.Findings, want)
		}
	}
}

// What is meant to break the sandbox does not break the validator, and is told so where it can be seen.
func TestHostileSources(t *testing.T) {
	s := shared.Open(t)
	paths, err := filepath.Glob("../../guest/testdata/hostile/*.py")
	if err != nil || len(paths) == 0 {
		t.Fatal("no hostile tools", err)
	}
	seen, refused := 0, 0
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for i, block := range strings.Split("\n"+string(text), "\n### ")[1:] {
			if i%4 != 0 { // a hundred of them say enough; the sandbox is attacked with all
				continue
			}
			head, source, _ := strings.Cut(block, "\n")
			r, err := check(t, s, "attack", source, lang.Options{Mode: lang.Lenient})
			if err != nil {
				t.Fatalf("%s: %v", head, err)
			}
			seen++
			if !r.OK {
				refused++
			}
		}
	}
	if refused*10 < seen*9 {
		t.Errorf("%d of %d hostile sources are refused", refused, seen)
	}
	t.Logf("%d of %d hostile sources are refused", refused, seen)
}

func BenchmarkCheck(b *testing.B) {
	s := shared.Open(b)
	for b.Loop() {
		if r, err := check(b, s, "distance", good, lang.Options{}); err != nil || !r.OK {
			b.Fatal(r, err)
		}
	}
}

func check(tb testing.TB, s lang.Sandbox, name, source string, o lang.Options) (*lang.Report, error) {
	return Language{Box: s}.Check(tb.Context(), name, source, o)
}

// The robot's own tools are functions of the module reachy, and at hand without an import where they are granted.
func TestFunctions(t *testing.T) {
	turn := Function{Name: "turn", Parameters: []string{"yaw", "duration"}}
	s, err := guest.Open(t.Context(), guest.Config{Workers: 1, Image: guest.ImageConfig{Modules: Modules(turn, Function{Name: "stop"})}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	for source, want := range map[string]string{
		"import reachy\ndef f():\n    return reachy.turn(30, 2)\n":        `{"duration":2,"yaw":30}`,
		"from reachy import turn\ndef f():\n    return turn(30)\n":        `{"yaw":30}`,
		"def f():\n    return turn(30, duration=1)\n":                     `{"duration":1,"yaw":30}`,
		"import reachy\ndef f():\n    return reachy.stop()\n":             `{}`,
		"import reachy\ndef f():\n    return reachy.stop(1)\n":            "takes 0 positional arguments but 1 were given",
		"import reachy\ndef f():\n    return reachy.turn(30, yaw=1)\n":    "multiple values for argument 'yaw'",
		"import reachy\ndef f():\n    return reachy.unheard_of(x=1)\n":    "not granted",
		"import reachy\ndef f():\n    return reachy.read_file.__name__\n": `"read_file"`,
	} {
		r, err := s.Call(t.Context(), &guest.Request{
			Source: source, Function: "f", Grants: []string{"turn", "stop"},
			Host: func(_ context.Context, c guest.HostCall) (json.RawMessage, error) { return c.Args, nil },
		})
		if err != nil {
			t.Fatal(err)
		}
		got := string(r.Value)
		var args map[string]any
		if json.Unmarshal(r.Value, &args) == nil { // in the order of the names
			sorted, err := json.Marshal(args)
			if err != nil {
				t.Fatal(err)
			}
			got = string(sorted)
		}
		if r.Error != nil {
			got = r.Error.Message
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", source, got, want)
		}
	}
}
