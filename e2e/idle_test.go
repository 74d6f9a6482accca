package e2e

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
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

// stirs is how far the joint moves that moves the most, in rad, during a time of the simulation.
func (r *robot) stirs(during time.Duration) float64 {
	r.t.Helper()
	from := r.truth()
	low, high := slices.Clone(from.Joints), slices.Clone(from.Joints)
	r.until("the simulation to go on", func() bool {
		now := r.truth()
		for i, x := range now.Joints {
			low[i], high[i] = min(low[i], x), max(high[i], x)
		}
		return now.simulated(from) >= during
	})
	most := 0.0
	for i := range low {
		most = max(most, high[i]-low[i])
	}
	return most
}

// With nobody asking for anything it lives: it breathes and glances. A stop ends that in the servos, not only in words, and it does
// not begin again by itself.
func TestItLivesAndAWordEndsIt(t *testing.T) {
	t.Parallel() // it mostly waits
	r := newRobot(t)
	r.setenv("REACHYD_IDLE=lively")
	r.start()
	const moves, still = 0.01, 0.004 // rad, of the joint that moves the most
	r.until("it moves by itself", func() bool { return r.stirs(2*time.Second) > moves })
	if out, code := r.ctl("say", "stop"); code != 0 {
		t.Fatalf("stop: %d, %s", code, out)
	}
	r.until("the servos hold still", func() bool { return r.stirs(time.Second) < still })
	if turned := r.stirs(5 * time.Second); turned > still { // longer than it waits before it breathes
		t.Errorf("it turned by %.4f rad after a stop", turned)
	}
	if out, code := r.ctl("say", "you may move again"); code != 0 {
		t.Fatalf("release: %d, %s", code, out)
	}
	if turned := r.stirs(5 * time.Second); turned > still {
		t.Errorf("it turned by %.4f rad after a release, before anybody moved it", turned)
	}
	r.ctl("say", "nod")
	r.until("it moves by itself again", func() bool { return r.stirs(2*time.Second) > moves })
}
