package arbiter

import (
	"context"
	"errors"
	"strconv"
	"testing"
	"time"
)

func cause(c *Claim) error { return context.Cause(c.Context()) }

func TestTheNewestClaimWinsAndWaitsForTheEnd(t *testing.T) {
	a := New(nil)
	first := a.Claim(t.Context())
	if !first.Begin() {
		t.Fatal("a free robot cannot be had")
	}
	second := a.Claim(t.Context())
	if !errors.Is(cause(first), ErrNewer) {
		t.Errorf("the first: %v", cause(first))
	}
	began := make(chan bool)
	go func() { began <- second.Begin() }()
	select {
	case <-began:
		t.Fatal("two act at once")
	default:
	}
	third := a.Claim(t.Context()) // the second has not begun, and never will
	first.End()
	if <-began {
		t.Error("a claim that was lost began")
	}
	second.End()
	second.End()
	if !third.Begin() {
		t.Error("the newest did not begin")
	}
	third.End()
	if len(a.claims) != 0 || len(a.line) != 0 {
		t.Error("something is left")
	}
}

func TestThoughtsOfOtherSessionsGoOnUntilTheyAct(t *testing.T) {
	a := New(nil)
	one, two := a.Think(t.Context(), "one"), a.Think(t.Context(), "two")
	defer two.End()
	acting := a.Claim(t.Context())
	if cause(one) != nil || cause(two) != nil {
		t.Error("who thinks was interrupted by who acts")
	}
	again := a.Think(t.Context(), "one")
	defer again.End()
	if !errors.Is(cause(one), ErrNewer) || one.Act() {
		t.Errorf("the thought that the session has replaced: %v", cause(one))
	}
	one.End()
	acting.End()
	if first, again := two.Act(), two.Act(); !first || !again {
		t.Error("a thought cannot act on a free robot")
	}
	a.Claim(t.Context()).End()
	if !errors.Is(cause(two), ErrNewer) || two.Act() {
		t.Errorf("a thought that acts is interrupted as everybody is: %v", cause(two))
	}
	a.InterruptSession("one", ErrClosing)
	if !errors.Is(cause(again), ErrClosing) {
		t.Errorf("%v", cause(again))
	}
}

func TestStopEndsAll(t *testing.T) {
	a := New(nil)
	claims := []*Claim{a.Claim(t.Context()), a.Think(t.Context(), "x")}
	a.Interrupt(ErrStopped)
	for _, c := range claims {
		if !errors.Is(cause(c), ErrStopped) {
			t.Errorf("%v", cause(c))
		}
		c.End()
	}
}

// Tools of a claim wait for each other, those that they call do not wait for them, and who has no claim waits for all.
func TestTools(t *testing.T) {
	a := New(nil)
	c := a.Claim(t.Context())
	if !c.Begin() {
		t.Fatal()
	}
	outer, leave, ok := a.Enter(c.Context())
	if !ok {
		t.Fatal("a tool waits for its own claim")
	}
	_, leaveInner, ok := a.Enter(outer)
	if !ok {
		t.Fatal("a tool waits for the one that calls it")
	}
	hasty, cancel := context.WithCancel(c.Context())
	cancel()
	if _, _, ok := a.Enter(hasty); ok {
		t.Error("two tools of a claim at once")
	}
	stranger, cancelStranger := context.WithCancel(t.Context())
	cancelStranger()
	if _, _, ok := a.Enter(stranger); ok {
		t.Error("who has no claim moved the robot")
	}
	leaveInner()
	leave()
	c.End()
	if _, leave, ok := a.Enter(t.Context()); ok {
		leave()
	} else {
		t.Error("the robot is free and cannot be had")
	}
	other := New(nil)
	if ctx, leave, ok := a.Enter(t.Context()); ok {
		defer leave()
		if _, leaveOther, ok := other.Enter(ctx); ok {
			leaveOther()
		}
	}
}

// What goes straight to the body takes the robot over: a movement always, a target when it begins a stream.
func TestWhatTheBodyAcceptedPastAll(t *testing.T) {
	now := time.Unix(0, 0)
	a := New(func() time.Time { return now })
	acting := func() *Claim { c := a.Claim(t.Context()); t.Cleanup(c.End); return c }

	c, thought := acting(), a.Think(t.Context(), "x")
	defer thought.End()
	if a.TookOver(); !errors.Is(cause(c), ErrNewer) || cause(thought) != nil {
		t.Errorf("a movement: %v; who thinks: %v", cause(c), cause(thought))
	}
	if c = acting(); cause(c) != nil {
		t.Fatal(cause(c))
	}
	if a.Streams("puppet"); !errors.Is(cause(c), ErrNewer) {
		t.Error("a new stream does not take over")
	}
	c = acting()
	now = now.Add(streamPause)
	if a.Streams("puppet"); cause(c) != nil {
		t.Error("the most frequent wins, not the newest")
	}
	now = now.Add(streamPause + 1)
	if a.Streams("puppet"); !errors.Is(cause(c), ErrNewer) {
		t.Error("a stream that begins again does not take over")
	}
	for i := range 3 * maxSources {
		a.Streams(strconv.Itoa(i))
	}
	if len(a.streams) > maxSources {
		t.Errorf("%d sources are remembered", len(a.streams))
	}
	now = now.Add(time.Hour)
	if a.Streams("late"); len(a.streams) != 1 {
		t.Errorf("%d sources after an hour", len(a.streams))
	}
}

// What practises waits for people, and does not interrupt them.
func TestModestInterruptsNobody(t *testing.T) {
	a := New(nil)
	person := a.Claim(t.Context())
	if c, ok := a.Modest(t.Context()); ok || c != nil {
		t.Error("two claims act")
	}
	if person.Context().Err() != nil {
		t.Error("the person was interrupted")
	}
	person.End()
	c, ok := a.Modest(t.Context())
	if !ok || !c.Begin() {
		t.Fatal("nobody acts, and it may not")
	}
	next := a.Claim(t.Context())
	if !errors.Is(context.Cause(c.Context()), ErrNewer) {
		t.Error("it was not interrupted by a newer command")
	}
	c.End()
	if !next.Begin() {
		t.Error("the newer command may not")
	}
	next.End()
	thinks := a.Think(t.Context(), "s")
	if c, ok := a.Modest(t.Context()); !ok {
		t.Error("somebody thinks, and it may not act")
	} else {
		c.End()
	}
	thinks.End()
}
