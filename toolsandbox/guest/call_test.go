package guest

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == WorkerArg {
		os.Exit(WorkerMain(os.Args[1:], os.Stdin, os.Stderr))
	}
	if len(os.Args) > 1 && os.Args[1] == probeArg {
		os.Exit(probeConfinement())
	}
	goleak.VerifyTestMain(withShared{m})
}

// testConfig makes sure that there is an interpreter, building it when this machine has none.
func testConfig(tb testing.TB) ImageConfig {
	tb.Helper()
	if err := pythonForTests(); err != nil {
		tb.Fatalf("no Python for WebAssembly; run cross/python-wasm.sh in the repository: %v", err)
	}
	return ImageConfig{}
}

var pythonForTests = sync.OnceValue(func() error {
	if _, err := os.Stat(filepath.Join(DefaultPython(), "SHA256SUMS")); err == nil {
		return nil
	}
	out, err := exec.Command("../../cross/python-wasm.sh").CombinedOutput()
	if err != nil {
		os.Stderr.Write(out)
	}
	return err
})

func openTestImage(tb testing.TB) *Image {
	tb.Helper()
	c := testConfig(tb)
	if err := c.Prepare(tb.Context()); err != nil {
		tb.Fatal(err)
	}
	img, err := OpenImage(tb.Context(), c)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := img.Close(context.Background()); err != nil {
			tb.Error(err)
		}
	})
	return img
}

func source(lines ...string) string { return strings.Join(lines, "\n") + "\n" }

func TestImageCall(t *testing.T) {
	img := openTestImage(t)
	for range 2 {
		r, err := img.Call(
			t.Context(),
			&Request{
				Source:   source("def add(a: int, b: int) -> int:", "    print('adding')", "    return a + b"),
				Function: "add",
				Args:     json.RawMessage(`{"a":2,"b":3}`),
			},
		)
		t.Logf("%+v %v %s", r, err, r.Value)
		if err != nil || r.Reason != ReasonOK || string(r.Value) != "5" || r.Log != "adding\n" {
			t.Fatal("want 5")
		}
	}
}
