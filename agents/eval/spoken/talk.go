package main

import (
	"context"
	"time"
)

const (
	look    = 20 * time.Millisecond
	unheard = 12 * time.Second        // nothing became of what was said, also on a busy machine
	pause   = 1500 * time.Millisecond // of silence before somebody speaks again
	overrun = 15 * time.Second        // by which a promise may be late
)

// said is a line that was said, and when.
type said struct {
	*line
	start, end time.Time // of the speech itself
	next       time.Time // when the next line began
	unanswered bool      // patience ended first
	nothing    bool      // it was to interrupt, and there was nothing to interrupt
}

// talk has all lines said, one after the other.
func (r *robot) talk(ctx context.Context, lines []line, speech [][]int16, patience time.Duration, tell func(*said)) (all []said, err error) {
	for i := range lines {
		s := said{line: &lines[i]}
		if i > 0 {
			before := &all[i-1]
			if s.interrupts > 0 {
				s.nothing, err = r.awaitBeginning(ctx, before.end, s.interrupts, patience)
			} else {
				before.unanswered, err = r.awaitEnd(ctx, before.end, patience)
			}
			if err != nil {
				return all, err
			}
			tell(before)
		}
		s.start, s.end = r.mic.say(speech[i])
		if i > 0 {
			all[i-1].next = s.start
		}
		all = append(all, s)
	}
	if len(all) == 0 {
		return nil, nil
	}
	last := &all[len(all)-1]
	last.unanswered, err = r.awaitEnd(ctx, last.end, patience)
	tell(last)
	for i := range all { // promises that are due later
		if due := all[i].end.Add(all[i].keeps + overrun); err == nil && all[i].keeps > 0 {
			err = sleep(ctx, time.Until(due))
		}
	}
	last.next = time.Now()
	return all, err
}

// awaitBeginning waits until the robot answers, aloud or by moving, and then for a while. nothing: it does not, or has ended already.
func (r *robot) awaitBeginning(ctx context.Context, after time.Time, wait, patience time.Duration) (nothing bool, err error) {
	for {
		_, moving := r.quiet()
		if moving || !r.speaker.first(after, time.Now()).IsZero() {
			return false, sleep(ctx, wait)
		}
		if over, _ := r.over(after, patience); over {
			return true, nil
		}
		if err := sleep(ctx, look); err != nil {
			return true, err
		}
	}
}

// awaitEnd waits until what was said has been answered and all is quiet. unanswered: patience ended before.
func (r *robot) awaitEnd(ctx context.Context, after time.Time, patience time.Duration) (unanswered bool, err error) {
	for {
		if over, unanswered := r.over(after, patience); over {
			return unanswered, nil
		}
		if err := sleep(ctx, look); err != nil {
			return true, err
		}
	}
}

// over reports whether what was said until a moment is done with: answered and quiet, heard by nobody, or out of patience.
func (r *robot) over(after time.Time, patience time.Duration) (over, unanswered bool) {
	now := time.Now()
	last, moving := r.quiet()
	answered := r.answered(after)
	if now.Sub(r.speaker.silentSince()) > pause && now.Sub(last) > pause && !moving && (answered || now.Sub(after) > unheard && r.idle()) {
		return true, !answered
	}
	return now.Sub(after) > patience, true
}

// idle reports whether no turn is under way.
func (n *notes) idle() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, t := range n.turns {
		if t.ends.IsZero() {
			return false
		}
	}
	return !n.talks
}

// sleep waits for a time, or for ctx.
func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
