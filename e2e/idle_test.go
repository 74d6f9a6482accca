package e2e

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// metric reads one value without labels of reachyd's metrics.
func (r *robot) metric(name string) float64 {
	r.t.Helper()
	page, err := os.ReadFile(filepath.Join(r.run(), "http"))
	if err != nil {
		r.t.Fatal(err)
	}
	resp, err := http.Get(strings.TrimSpace(string(page)) + "/metrics")
	if err != nil {
		r.t.Fatal(err)
	}
	defer resp.Body.Close()
	return readMetric(r.t, resp.Body, name)
}

func readMetric(t testing.TB, in io.Reader, name string) float64 {
	t.Helper()
	for lines := bufio.NewScanner(in); lines.Scan(); {
		var v float64
		if _, err := fmt.Sscanf(lines.Text(), name+" %g", &v); err == nil {
			return v
		}
	}
	t.Fatalf("no %s in the metrics", name)
	return 0
}

// A memory limit near the live heap once made reachyd collect garbage up to 60 times a second, for ever, at rest. Collections
// are counted, and not the processor's time, because other programs on this machine do not change their number.
func TestGarbageIsRarelyCollectedAtRest(t *testing.T) {
	r := newRobot(t)
	r.start()
	r.client().wait("the robot is awake", func(m message) bool { return m.topic == "state" && m.payload["mode"] == "enabled" })
	const cycles = "go_gc_cycles_total_gc_cycles_total"
	const watched = 20 * time.Second
	before := r.metric(cycles)
	<-time.After(watched)
	// One in ten seconds, and the one that the runtime makes every two minutes in any case.
	if n := r.metric(cycles) - before; n > watched.Seconds()/10+1 {
		t.Errorf("%g garbage collections in %v at rest", n, watched)
	} else {
		t.Logf("%g garbage collections in %v at rest, %.1f MB resident", n, watched, r.metric("process_resident_memory_bytes")/1e6)
	}
}
