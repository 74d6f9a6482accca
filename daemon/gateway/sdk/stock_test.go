package sdk

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// officialPython is the interpreter of an environment with the official SDK.
func officialPython(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("../../../cross/sdk-venv.sh", "--print").Output()
	python := strings.TrimSpace(string(out))
	if err != nil || python == "" {
		t.Skip("NOT TESTED with the official SDK: it is not here; cross/sdk-venv.sh fetches it from the Python registry")
	}
	return python
}

// The SDK of the official registry, unmodified, finds everything that it needs. PyGObject, which is for media only, is
// replaced by a stub, since it needs GStreamer's headers.
func TestStockSDK(t *testing.T) {
	python := officialPython(t)
	r := newRig(t)
	_, port, _ := strings.Cut(strings.TrimPrefix(r.web.URL, "http://"), ":")
	cmd := exec.CommandContext(t.Context(), python, "testdata/stock.py", port)
	cmd.Env = append(os.Environ(), "PYTHONPATH=../../../cmd/reachyctl/internal/apps/media", "HF_HUB_OFFLINE=1", "PYTHONDONTWRITEBYTECODE=1")
	text, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(text), "all passed") {
		t.Fatalf("%v\n%s", err, text)
	}
	t.Logf("%s", text)
}
