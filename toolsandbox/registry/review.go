package registry

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"
)

// Review says whether a version may be called.
type Review string

// What a review came to. A version that nobody had to review is approved.
const (
	ReviewPending  Review = "pending"
	ReviewApproved Review = "approved"
	ReviewRejected Review = "rejected"
)

// Verdict is what somebody who reviewed a version decided.
type Verdict struct {
	Review Review    `json:"review"`
	Reason string    `json:"reason,omitempty"`
	By     string    `json:"by,omitempty"`
	At     time.Time `json:"at"`
}

// ReviewOf says what the review of a version came to.
func (h *Head) ReviewOf(number int) Review {
	switch {
	case slices.Contains(h.Pending, number):
		return ReviewPending
	case h.Verdicts[number].Review == ReviewRejected:
		return ReviewRejected
	}
	return ReviewApproved
}

// barred says why a version cannot become active or be called by others.
func (h *Head) barred(number int) error {
	switch h.ReviewOf(number) {
	case ReviewPending:
		return ErrNotApproved
	case ReviewRejected:
		return fmt.Errorf("%w: %s", ErrRejected, h.Verdicts[number].Reason)
	}
	return nil
}

// Approve ends the review of a version and activates it. A rejected version can be approved later; one that was never
// tested is ErrUntested, see Complete.
func (r *Registry) Approve(ctx context.Context, name string, number int, by string) error {
	return r.change(ctx, "approve", name, number, func(h *Head) error {
		if h.ReviewOf(number) == ReviewApproved {
			return fmt.Errorf("version %d waits for no review, allowed are %v", number, h.open())
		}
		if v, err := r.stored(h, number); err != nil || v.Report == nil {
			return cmp.Or(err, ErrUntested)
		}
		now := r.set.Clock.Now()
		h.decide(number, Verdict{Review: ReviewApproved, By: by, At: now.UTC()})
		h.activate(number, now, by)
		return nil
	})
}

// Reject ends the review of a version, which then cannot be called. A reason must be given: the author reads it.
func (r *Registry) Reject(ctx context.Context, name string, number int, reason, by string) error {
	if reason == "" || len(reason) > MaxText {
		return fmt.Errorf("reject tool %.80q: reason: %d bytes, allowed 1 to %d", name, len(reason), MaxText)
	}
	return r.change(ctx, "reject", name, number, func(h *Head) error {
		if h.ReviewOf(number) != ReviewPending {
			return fmt.Errorf("version %d waits for no review, allowed are %v", number, h.Pending)
		}
		h.decide(number, Verdict{Review: ReviewRejected, Reason: reason, By: by, At: r.set.Clock.Now().UTC()})
		return nil
	})
}

func (h *Head) decide(number int, v Verdict) {
	h.Pending = slices.DeleteFunc(h.Pending, func(n int) bool { return n == number })
	h.Verdicts = maps.Clone(h.Verdicts)
	if h.Verdicts == nil {
		h.Verdicts = map[int]Verdict{}
	}
	h.Verdicts[number] = v
}

// open are the versions that can be approved.
func (h *Head) open() []int {
	open := slices.Clone(h.Pending)
	for n, v := range h.Verdicts {
		if v.Review == ReviewRejected {
			open = append(open, n)
		}
	}
	slices.Sort(open)
	return open
}
