package toolmanager

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/toolsandbox/guest"
	"github.com/reachyd/reachyd/toolsandbox/guest/interpreters"
)

// A tool that imports numpy runs with the real one where that is installed, and with the subset elsewhere.
func TestNumpyWhereItIsInstalled(t *testing.T) {
	const source = `import numpy as np
import reachy_mini


def f() -> list:
    return [float(np.linalg.norm(np.array([1.0, 2.0, 2.0]))), hasattr(np, "fft")]
`
	args := map[string]any{"name": "f", "source": source, "skip_checks": true}
	if !guest.Installed(guest.Numpy) {
		if out, err := exec.Command("../../" + interpreters.Numpy.Script).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", interpreters.Numpy.Script, err, out)
		}
	}
	if got := newBench(t).done("run", args); !strings.Contains(got, `"value":[3.0,true]`) {
		t.Errorf("with the real numpy: %s", got)
	}

	// A cache with the lean Python alone; its native code is there already.
	from, cache := interpreters.Cache(), t.TempDir()
	for _, name := range []string{interpreters.Python.Folder, "guest-code"} {
		must(t, os.Symlink(filepath.Join(from, name), filepath.Join(cache, name)))
	}
	t.Setenv("REACHYD_CACHE", cache)
	if got := newBench(t, ownSandbox).done("run", args); !strings.Contains(got, `"value":[3.0,false]`) {
		t.Errorf("with the subset: %s", got)
	}
}
