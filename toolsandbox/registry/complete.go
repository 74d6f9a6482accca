package registry

import (
	"context"
	"fmt"
)

// Complete validates and tests a version that was kept when there was no sandbox, with the grants and uses of the draft,
// whose name, source and cases must be those of the version. It goes on waiting for review. When it is not good enough
// the error is a *Refusal, and it stays untested.
func (r *Registry) Complete(ctx context.Context, number int, d Draft) (*Version, error) {
	if err := r.checkDraft(&d); err != nil {
		return nil, err
	}
	release, err := r.hold(ctx, d.Name)
	if err != nil {
		return nil, fmt.Errorf("complete tool %s: %w", d.Name, err)
	}
	defer release()
	old, err := r.Version(d.Name, number)
	switch {
	case err != nil:
		return nil, fmt.Errorf("complete: %w", err)
	case old.Report != nil:
		return nil, fmt.Errorf("complete tool %s v%d: it was tested already", d.Name, number)
	case old.Source != d.Source || string(old.Cases) != string(d.Cases) || old.Language != d.Language:
		return nil, fmt.Errorf("complete tool %s v%d: the draft is another tool", d.Name, number)
	}
	d.AllowUntested = false
	w := r.newWork()
	w.completes = number
	v, err := w.examine(ctx, d)
	if err != nil {
		return nil, err
	}
	v.Number, v.Created, v.Provenance, v.Licence, v.Notes = old.Number, old.Created, old.Provenance, old.Licence, old.Notes
	r.commit.Lock()
	defer r.commit.Unlock()
	w.base = r.state.Load()
	if err := w.duplicate(&d, v); err != nil {
		return nil, err
	}
	had := w.entry(d.Name)
	e := &entry{head: had.head.clone(), current: had.current, sketch: had.sketch}
	e.head.Digests[number-1] = v.Digest
	if e.current.Number == number {
		e.current, e.sketch = v, sketchOf(v.Source, v.Schema)
	}
	ops, err := e.ops(v)
	if err == nil {
		err = r.apply([]string{d.Name}, ops...)
	}
	if err != nil {
		return nil, fmt.Errorf("complete tool %s v%d: %w", d.Name, number, err)
	}
	r.publish(e)
	return v, nil
}
