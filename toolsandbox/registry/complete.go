package registry

import "fmt"

// Complete adds to a version that was kept when there was no sandbox what its tests came to. The name, source and cases
// of the candidate must be those of the version; its grants and uses are what the source turned out to need. The version
// goes on waiting for review. When the candidate is not good enough the error is a *Refusal, and the version stays untested.
func (g *Registration) Complete(number int, c Candidate) (*Version, error) {
	r := g.r
	r.commit.Lock()
	defer r.commit.Unlock()
	if err := r.checkDraft(&c.Draft); err != nil {
		return nil, err
	}
	old, err := r.Version(c.Name, number)
	switch {
	case err != nil:
		return nil, fmt.Errorf("complete: %w", err)
	case old.Report != nil:
		return nil, fmt.Errorf("complete tool %s v%d: it was tested already", c.Name, number)
	case old.Source != c.Source || string(old.Cases) != string(c.Cases) || old.Language != c.Language:
		return nil, fmt.Errorf("complete tool %s v%d: the candidate is another tool", c.Name, number)
	}
	c.AllowUntested = false
	w := r.newChange()
	w.completes = number
	v, err := w.admit(&c)
	if err == nil {
		err = v.tested(&c)
	}
	if err != nil {
		return nil, err
	}
	v.Number, v.Created, v.Provenance, v.Licence, v.Notes = old.Number, old.Created, old.Provenance, old.Licence, old.Notes
	had := w.entry(c.Name)
	e := &entry{head: had.head.clone(), current: had.current, sketch: had.sketch}
	e.head.Digests[number-1] = v.Digest
	if e.current.Number == number {
		e.current, e.sketch = v, sketchOf(v.Source, v.Schema)
	}
	if err := r.store(e, v); err != nil {
		return nil, fmt.Errorf("complete tool %s v%d: %w", c.Name, number, err)
	}
	return v, nil
}
