package registry

import (
	"context"
	"fmt"
	"slices"
	"time"
)

func (h *Head) activate(number int, at time.Time, by string) {
	h.Active = number
	h.History = append(h.History, Activation{Version: number, At: at.UTC(), By: by})
	h.History = h.History[max(0, len(h.History)-MaxHistory):]
}

// Activate makes a version the one that callers get. The error wraps ErrNotApproved when it waits for
// review, ErrRejected when it was rejected.
func (r *Registry) Activate(ctx context.Context, name string, number int, by string) error {
	return r.change(ctx, "activate", name, number, func(h *Head) error {
		if err := h.barred(number); err != nil {
			return err
		}
		if h.Active != number {
			h.activate(number, r.set.Clock.Now(), by)
		}
		return nil
	})
}

// Deactivate leaves a tool without an active version. Its versions stay, and tools that call them go on doing so.
func (r *Registry) Deactivate(ctx context.Context, name, by string) error {
	return r.change(ctx, "deactivate", name, 0, func(h *Head) error {
		if h.Active != 0 {
			h.activate(0, r.set.Clock.Now(), by)
		}
		return nil
	})
}

// RollBack goes back to an earlier version, or with number 0 to the one that was active before the one that is. It
// returns the number of the version that is active then.
func (r *Registry) RollBack(ctx context.Context, name string, number int, by string) (int, error) {
	err := r.change(ctx, "roll back", name, number, func(h *Head) error {
		if number == 0 {
			// Going back twice goes back further, not forth: what lies behind an older version is older.
			for _, a := range slices.Backward(h.History) {
				if a.Version != 0 && a.Version < h.currentNumber() {
					number = a.Version
					break
				}
			}
			if number == 0 {
				return fmt.Errorf("v%d: a version before it that was active: %w", h.currentNumber(), ErrNotFound)
			}
		}
		if err := h.barred(number); err != nil {
			return err
		}
		if number >= h.currentNumber() {
			return fmt.Errorf("version %d, allowed are those before v%d", number, h.currentNumber())
		}
		h.activate(number, r.set.Clock.Now(), by)
		return nil
	})
	if err != nil {
		return 0, err
	}
	return number, nil
}

// Annotate adds a note to a version, such as a vulnerability that was found since.
func (r *Registry) Annotate(ctx context.Context, name string, number int, n Note) error {
	if err := n.Check(); err != nil {
		return fmt.Errorf("annotate tool %.80q: %w", name, err)
	}
	if n.At.IsZero() {
		n.At = r.set.Clock.Now().UTC()
	}
	return r.change(ctx, "annotate", name, number, func(h *Head) error {
		if number == 0 {
			number = h.currentNumber()
		}
		if len(h.Notes[number]) >= MaxNotes {
			return fmt.Errorf("it has %d notes, allowed %d", len(h.Notes[number]), MaxNotes)
		}
		h.Notes[number] = append(h.Notes[number], n)
		return nil
	})
}

// change does something to a head, stores it and makes it visible.
func (r *Registry) change(ctx context.Context, doing, name string, number int, fn func(*Head) error) error {
	release, err := r.hold(ctx, name)
	if err != nil {
		return fmt.Errorf("%s tool %.80q: %w", doing, name, err)
	}
	defer release()
	r.commit.Lock()
	defer r.commit.Unlock()
	old, err := r.entry(name)
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	if number < 0 || number > old.head.Latest {
		return fmt.Errorf("%s: tool %s v%d: %w: it has v1 to v%d", doing, name, number, ErrNotFound, old.head.Latest)
	}
	e := &entry{head: old.head.clone(), current: old.current, sketch: old.sketch}
	if err := fn(&e.head); err != nil {
		return fmt.Errorf("%s tool %s: %w", doing, name, err)
	}
	if n := e.head.currentNumber(); n != e.current.Number {
		if e.current, err = r.stored(&e.head, n); err != nil {
			return fmt.Errorf("%s: %w", doing, err)
		}
		e.sketch = sketchOf(e.current.Source, e.current.Schema)
	}
	op, err := e.headOp()
	if err == nil {
		err = r.apply([]string{name}, op)
	}
	if err != nil {
		return fmt.Errorf("%s tool %s: %w", doing, name, err)
	}
	r.publish(e)
	return nil
}
