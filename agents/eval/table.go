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
	fmt.Fprintf(&b, "  %-34s %6s %14s %16s %9s %9s %6s %7s %7s %9s\n",
		"", "items", "passed", "partly right", "p50", "p95", "fixes", "prompt", "cached", "first")
	for _, k := range []struct{ kind, name string }{
		{KindRequest, "requests for a tool"},
		{KindNothing, "requests that no tool fits"},
		{KindScenario, "benchmark tasks"},
		{KindRobot, "benchmark tasks, whole robot"},
		{KindOnce, "tools by one reply, hidden tests"},
		{KindTask, "tools written, hidden tests"},
	} {
		if t := total(items, k.kind); t.items > 0 {
			fmt.Fprintf(&b, "  %-34s %6d %14s %16s %9s %9s %6d %7d %7d %9s\n", k.name, t.items, share(t.passed, t.items), share(t.partly, t.items),
				seconds(t.p50), seconds(t.p95), t.fixes, t.prompt, t.cached, seconds(t.first))
		}
	}
	if t := total(items, KindTurn); t.items > 0 {
		fmt.Fprintf(&b, "  %d turns of a conversation with the model: first spoken word p50 %s, p95 %s; prompt p50 %d tokens, %d of them cached\n",
			t.items, seconds(t.p50), seconds(t.p95), t.prompt, t.cached)
	}
	for _, i := range items {
		switch {
		case i.Skipped != "":
			fmt.Fprintf(&b, "  not measured: %s (%s)\n", i.Name, i.Skipped)
		case !i.Passed:
			fmt.Fprintf(&b, "  failed: %s\n", i.Told())
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Told is an item in words: of one that is hidden only how it failed.
func (i *Item) Told() string {
	switch {
	case i.Hidden && i.Passed:
		return i.Kind
	case i.Hidden:
		return i.Kind + ": " + i.Failure
	case i.Passed:
		return i.Kind + " " + i.Name
	}
	return fmt.Sprintf("%s %s: %s", i.Kind, i.Name, i.Got)
}

type totals struct {
	items, passed, partly, fixes int
	p50, p95                     time.Duration

	prompt, cached int // tokens of the first request, p50
	first          time.Duration
}

func total(items []Item, kind string) totals {
	var t totals
	var took, first []time.Duration
	var prompt, cached []int
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
		took, first = append(took, i.Took), append(first, i.First)
		prompt, cached = append(prompt, i.Prompt), append(cached, i.Cached)
	}
	if len(took) > 0 {
		slices.Sort(took)
		t.prompt, t.cached, t.first = middle(prompt), middle(cached), middle(first)
		t.p50, t.p95 = took[(len(took)-1)/2], took[(len(took)-1)*95/100]
	}
	return t
}

// middle is the p50 of values, of which there is one.
func middle[T int | time.Duration](all []T) T {
	slices.Sort(all)
	return all[(len(all)-1)/2]
}

func share(n, of int) string { return fmt.Sprintf("%d (%.0f %%)", n, 100*float64(n)/float64(of)) }

func seconds(d time.Duration) string { return fmt.Sprintf("%.2f s", d.Seconds()) }
