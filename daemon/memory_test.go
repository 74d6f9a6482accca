package daemon

import (
	"os"
	"strings"
	"testing"
)

func fileRSS(t *testing.T) (kB int) {
	t.Helper()
	data, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, "RssFile:"); ok {
			for _, r := range strings.Fields(rest)[0] {
				kB = kB*10 + int(r-'0')
			}
		}
	}
	return kB
}

func TestUnusedMemoryIsReturned(t *testing.T) {
	before := fileRSS(t)
	if err := returnUnused(); err != nil {
		t.Fatal(err)
	}
	if after := fileRSS(t); after >= before {
		t.Errorf("%d kB of files before, %d kB after", before, after)
	}
	if got := newPlanner().Plan("look left"); len(got.Steps) != 1 {
		t.Errorf("afterwards it plans %+v", got)
	}
}
