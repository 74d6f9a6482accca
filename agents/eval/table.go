package eval

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// Print writes what was measured: a line for each kind, then what failed.
func Print(w io.Writer, model string, items []Item) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", model)
	fmt.Fprintf(&b, "  %-34s %6s %14s %16s %9s %9s %6s\n", "", "items", "passed", "partly right", "p50", "p95", "fixes")
	for _, k := range []struct{ kind, name string }{
		{KindRequest, "requests for a tool"},
		{KindNothing, "requests that no tool fits"},
		{KindScenario, "benchmark tasks"},
		{KindTask, "tools written, hidden tests"},
	} {
		if t := total(items, k.kind); t.items > 0 {
			fmt.Fprintf(&b, "  %-34s %6d %14s %16s %9s %9s %6d\n", k.name, t.items, share(t.passed, t.items), share(t.partly, t.items), seconds(t.p50), seconds(t.p95),
				t.fixes)
		}
	}
	for _, i := range items {
		switch {
		case i.Skipped != "":
			fmt.Fprintf(&b, "  not measured: %s (%s)\n", i.Name, i.Skipped)
		case !i.Passed:
			fmt.Fprintf(&b, "  failed: %s %q: %s\n", i.Kind, i.Name, i.Got)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

type totals struct {
	items, passed, partly, fixes int
	p50, p95                     time.Duration
}

func total(items []Item, kind string) totals {
	var t totals
	var took []time.Duration
	for _, i := range items {
		if i.Kind != kind || i.Skipped != "" {
			continue
		}
		t.items++
		t.fixes += i.Fixes
		if i.Passed {
			t.passed++
		} else if i.Partly {
			t.partly++
		}
		took = append(took, i.Took)
	}
	if len(took) > 0 {
		slices.Sort(took)
		t.p50, t.p95 = took[(len(took)-1)/2], took[(len(took)-1)*95/100]
	}
	return t
}

func share(n, of int) string { return fmt.Sprintf("%d (%.0f %%)", n, 100*float64(n)/float64(of)) }

func seconds(d time.Duration) string { return fmt.Sprintf("%.2f s", d.Seconds()) }
