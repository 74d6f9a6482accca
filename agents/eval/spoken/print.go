package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/reachyd/reachyd/agents/dialogue"
)

// transcript writes down what was said, heard, answered and done.
func transcript(w io.Writer, all []*found, other []string) error {
	var b strings.Builder
	for _, f := range all {
		fmt.Fprintf(&b, "%s %s: %s\n", f.start.Format(clock), f.who, f.text)
		if f.interrupts > 0 {
			fmt.Fprintf(&b, "  it interrupts: %s\n", interrupted(f))
		}
		for _, h := range f.heard {
			switch {
			case h.stop:
				fmt.Fprintf(&b, "  %s heard the stop word %q\n", h.at.Format(clock), h.text)
			case h.why != "":
				fmt.Fprintf(&b, "  %s not taken up (%s): %s\n", h.at.Format(clock), h.why, h.text)
			default:
				fmt.Fprintf(&b, "  %s heard %q (%.2f)\n", h.at.Format(clock), h.text, h.confidence)
			}
		}
		for _, t := range f.turns {
			writeTurn(&b, t)
		}
		for _, m := range f.moves {
			fmt.Fprintf(&b, "  %s moved: %s, %s", m.at.Format(clock), m.name, m.end)
			if m.from != nil && m.to != nil {
				fmt.Fprintf(&b, ", from %s to %s", pose(dialogue.PoseOf(m.from.Head, m.from.BodyYaw, m.from.Antennas)),
					pose(dialogue.PoseOf(m.to.Head, m.to.BodyYaw, m.to.Antennas)))
			}
			b.WriteString("\n")
		}
		for _, t := range f.told {
			if t.notified {
				fmt.Fprintf(&b, "  %s by itself: %s\n", t.at.Format(clock), t.text)
			} else {
				fmt.Fprintf(&b, "  %s says (%s): %s\n", t.at.Format(clock), t.end, t.text)
			}
		}
		if f.first > 0 {
			fmt.Fprintf(&b, "  first sound %d ms after the end of speech\n", f.first.Milliseconds())
		}
		for _, v := range verdicts(f) {
			fmt.Fprintf(&b, "  ! %s\n", v)
		}
	}
	for _, o := range other {
		fmt.Fprintf(&b, "%s\n", o)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func writeTurn(b *strings.Builder, t *turn) {
	for _, c := range t.calls {
		mark := "fails"
		switch {
		case !c.done:
			mark = "no end"
		case c.ok:
			mark = "does"
		}
		fmt.Fprintf(b, "  %s%s %s %s %s\n", strings.Repeat("  ", c.depth), mark, c.tool, c.args, c.message)
	}
	fmt.Fprintf(b, "  %s replies (%s): %s\n", t.ends.Format(clock), t.outcome, t.reply)
}

func pose(p dialogue.Pose) string {
	return fmt.Sprintf("(yaw %.1f° pitch %.1f° roll %.1f° body %.1f° antennas %.1f° %.1f°)", p.Head.Yaw, p.Head.Pitch, p.Head.Roll, p.BodyYaw, p.Antennas.Left,
		p.Antennas.Right)
}

func interrupted(f *found) string {
	if f.nothing {
		return "nothing, for it neither spoke nor moved"
	}
	var parts []string
	if f.silence >= 0 {
		parts = append(parts, fmt.Sprintf("silent after %d ms", f.silence.Milliseconds()))
	}
	if f.still >= 0 {
		parts = append(parts, fmt.Sprintf("still after %d ms", f.still.Milliseconds()))
	}
	return strings.Join(parts, ", ")
}

// verdicts are what was not as it should be, and what is left to who reads.
func verdicts(f *found) (all []string) {
	add := func(is bool, format string, args ...any) {
		if is {
			all = append(all, fmt.Sprintf(format, args...))
		}
	}
	add(!f.understood, "heard as %q", f.heardAs)
	add(f.unanswered && !f.quiet, "no answer")
	add(f.wants && !f.wanted, "not what was wanted: does %v, says %v, keeps %v %v", f.does, f.says, f.keeps, f.line.kept)
	add(f.late, "it spoke on for %v", f.silence)
	for _, l := range f.lies {
		add(true, "NOT SO: %s", l)
	}
	for _, r := range f.read {
		add(true, "to be read, no tool did it: %s", strings.TrimSpace(r))
	}
	return all
}

// table prints the figures.
func table(w io.Writer, all []*found, how string) error {
	var t struct{ same, understood, errors, words, wants, wanted, answered, claims, lies, read, cut, honoured, late, promises, kept, memory, known int }
	var first, silence, still []time.Duration
	one := func(is bool, n *int) {
		if is {
			*n++
		}
	}
	for _, f := range all {
		one(f.same, &t.same)
		one(f.understood, &t.understood)
		t.errors, t.words = t.errors+f.errors, t.words+len(words(f.text))
		one(f.wants, &t.wants)
		one(f.wants && f.wanted, &t.wanted)
		one(!f.unanswered, &t.answered)
		t.claims, t.lies, t.read = t.claims+f.claims, t.lies+len(f.lies), t.read+len(f.read)
		one(f.keeps > 0, &t.promises)
		one(f.keeps > 0 && !f.kept.IsZero(), &t.kept)
		one(f.memory, &t.memory)
		one(f.memory && f.wanted, &t.known)
		if f.interrupts > 0 && !f.nothing {
			t.cut++
			one(!f.late, &t.honoured)
			if f.silence >= 0 {
				silence = append(silence, f.silence)
			}
			if f.still >= 0 {
				still = append(still, f.still)
			}
		}
		if f.first > 0 && f.interrupts == 0 {
			first = append(first, f.first)
		}
	}
	var b strings.Builder
	row := func(what, format string, args ...any) {
		fmt.Fprintf(&b, "  %-34s %s\n", what, fmt.Sprintf(format, args...))
	}
	fmt.Fprintf(&b, "%s; %d lines in %s\n", how, len(all), all[len(all)-1].next.Sub(all[0].start).Round(time.Second))
	row("heard word for word", "%d of %d, word error rate %.1f %%", t.same, len(all), 100*float64(t.errors)/float64(max(1, t.words)))
	row("understood as what was said", "%d of %d", t.understood, len(all))
	row("answered", "%d of %d", t.answered, len(all))
	row("did or said what was wanted", "%d of %d", t.wanted, t.wants)
	row("claims compared with the body", "%d, not so %d; to be read %d", t.claims, t.lies, t.read)
	row("interruptions honoured", "%d of %d; silent after %s; still after %s", t.honoured, t.cut, times(silence, 1), times(still, 1))
	row("promises kept", "%d of %d", t.kept, t.promises)
	row("memory questions answered", "%d of %d", t.known, t.memory)
	row("end of speech to first sound", "%s", times(first, 0.95))
	_, err := io.WriteString(w, b.String())
	return err
}

// times tells the middle of durations and a higher quantile.
func times(all []time.Duration, high float64) string {
	if len(all) == 0 {
		return "none"
	}
	return fmt.Sprintf("p50 %d ms, p%.0f %d ms (%d)", quantile(all, 0.5).Milliseconds(), 100*high, quantile(all, high).Milliseconds(), len(all))
}
