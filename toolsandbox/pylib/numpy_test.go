package pylib

import (
	"context"
	"fmt"
	"maps"
	"os/exec"
	"testing"

	"github.com/reachyd/reachyd/toolsandbox/guest"
	"github.com/reachyd/reachyd/toolsandbox/lang"
	"github.com/reachyd/reachyd/toolsandbox/lang/python"
	"github.com/reachyd/reachyd/toolsandbox/tester"
)

// numpyConfig is that of a sandbox as the daemon opens it where the real numpy is installed.
func numpyConfig() (guest.Config, error) {
	if !guest.Installed(guest.Numpy) {
		if out, err := exec.Command("../../cross/numpy-pack.sh").CombinedOutput(); err != nil {
			return guest.Config{}, fmt.Errorf("cross/numpy-pack.sh: %w: %s", err, out)
		}
	}
	c, err := leanConfig()
	if err != nil {
		return c, err
	}
	if c.NumpyModules, err = NumpyModules(); err == nil {
		maps.Copy(c.NumpyModules, python.Modules())
	}
	return c, err
}

// inNumpy runs everything in the interpreter with the real numpy.
type inNumpy struct{ s *guest.Sandbox }

// Call implements lang.Sandbox.
func (n inNumpy) Call(ctx context.Context, r *guest.Request) (guest.Result, error) {
	its := *r
	its.Language = guest.Numpy
	return n.s.Call(ctx, &its)
}

// onBoth runs a test with the lean Python and with the one that has the real numpy.
func onBoth(t *testing.T, test func(t *testing.T, s lang.Sandbox)) {
	t.Run("lean", func(t *testing.T) { test(t, lean.Open(t)) })
	t.Run("numpy", func(t *testing.T) { test(t, inNumpy{numpy.Open(t)}) })
}

// The tests of a tool run in the interpreter that the tool runs in.
func TestTestsWithRealNumpy(t *testing.T) {
	r, err := tester.Run(t.Context(), python.Language{Box: numpy.Open(t)},
		"import numpy as np\ndef f(n: int) -> int:\n    return int(np.linalg.matrix_rank(np.eye(n)))\n", "f",
		[]tester.Case{{Name: "rank", Input: []byte(`{"n":3}`), Expected: []byte("3")}}, tester.Options{})
	if err != nil || !r.OK || r.Coverage != 1 {
		t.Errorf("%+v %v", r, err)
	}
}

func TestRealNumpy(t *testing.T) {
	s := numpy.Open(t)
	for _, tc := range []struct{ source, want string }{
		{"import numpy as np\ndef f(): return [np.__version__, np.linalg.svd(np.eye(3))[1].sum()]", `["2.5.2",3.0]`},
		{"import numpy as np\ndef f(): return np.fft.fft(np.ones(4)).real.tolist()", `[4.0,0.0,0.0,0.0]`},
		{"import pandas as pd\ndef f(): return pd.DataFrame({'a': [1, 2, 3]}).describe()['a']['mean']", `2.0`},
		{"from PIL import Image, ImageDraw\ndef f():\n    im = Image.new('RGB', (8, 8))\n    ImageDraw.Draw(im).rectangle((0, 0, 3, 7), fill=(255, 0, 0))\n    " +
			"return im.resize((2, 1)).getpixel((0, 0))", ``},
		{"import numpy as np\nimport reachy_mini, cv2, requests\ndef f(): return type(np.zeros(1)).__module__", `"numpy"`},
		{"import math\ndef f(): return math.pi", `3.141592653589793`},
	} {
		r, err := s.Call(t.Context(), &guest.Request{Source: tc.source, Function: "f"})
		if err != nil || r.Reason != guest.ReasonOK || tc.want != "" && string(r.Value) != tc.want {
			t.Errorf("%s\n%s %+v %v, want %s", tc.source, r.Value, r.Error, err, tc.want)
		}
	}
	// Its randomness is the host's.
	random := &guest.Request{Source: "import numpy as np\ndef f(): return float(np.random.rand())", Function: "f", Clock: guest.Clock{Virtual: true, Seed: 1}}
	first, err := s.Call(t.Context(), random)
	again, err2 := s.Call(t.Context(), random)
	random.Clock.Seed = 2
	other, err3 := s.Call(t.Context(), random)
	if err != nil || err2 != nil || err3 != nil || first.Reason != guest.ReasonOK || string(first.Value) != string(again.Value) ||
		string(first.Value) == string(other.Value) {
		t.Errorf("%s %s %s", first.Value, again.Value, other.Value)
	}
	// Short of memory it says so.
	r, err := s.Call(t.Context(), &guest.Request{Source: "import numpy as np\ndef f(): return float(np.ones(100_000_000).sum())", Function: "f"})
	if err != nil || r.Reason != guest.ReasonMemory {
		t.Errorf("%+v %+v %v", r, r.Error, err)
	}
}
