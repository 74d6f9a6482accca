package meaning_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/reachyd/reachyd/perception/meaning"
	"github.com/reachyd/reachyd/perception/models"
)

// open opens the real model, when it is on this machine.
func open(t testing.TB) *meaning.Model {
	t.Helper()
	path, err := models.NewStore("", os.Getenv).Find("minilm")
	if err != nil {
		t.Logf("NOT TESTED: the real weights are not here ('make models MODELS=minilm' fetches them): %v", err)
		return nil
	}
	m, err := meaning.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

// reference is what reference.py computed from the published weights, with the publisher's tokenizer.
func reference(t testing.TB) (all []struct {
	Text   string
	IDs    []int32
	Vector []float32
},
) {
	t.Helper()
	b, err := os.ReadFile("testdata/reference.json")
	if err == nil {
		err = json.Unmarshal(b, &all)
	}
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestReference(t *testing.T) {
	m := open(t)
	if m == nil {
		return
	}
	least, sum, all := 1.0, 0.0, reference(t)
	for _, r := range all {
		if ids := m.Tokens(r.Text); fmt.Sprint(ids) != fmt.Sprint(r.IDs) {
			t.Errorf("%.40q: tokens %v, want %v", r.Text, ids, r.IDs)
		}
		v, err := m.Vector(r.Text)
		if err != nil {
			t.Fatal(err)
		}
		cosine := meaning.Alike(v, r.Vector)
		least, sum = min(least, cosine), sum+cosine
		if cosine < 0.99 {
			t.Errorf("%.40q: cosine %.4f", r.Text, cosine)
		}
	}
	t.Logf("%d sentences: cosine at least %.4f, mean %.4f", len(all), least, sum/float64(len(all)))
}

func BenchmarkVector(b *testing.B) {
	m := open(b)
	if m == nil {
		return
	}
	for _, n := range []int{6, 12, 24, 128} {
		text := strings.TrimSpace(strings.Repeat("no ", n-2))
		b.Run(fmt.Sprintf("tokens=%d", n), func(b *testing.B) {
			before := processor(b)
			for b.Loop() {
				if _, err := m.Vector(text); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric((processor(b)-before).Seconds()*1000/float64(b.N), "cpu-ms/op")
		})
	}
}

// processor is the time that this process has computed: on a busy machine the clock says little.
func processor(b *testing.B) time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
