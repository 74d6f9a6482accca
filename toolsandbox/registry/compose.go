package registry

import (
	"errors"
	"fmt"
	"slices"
)

// compose pins the tools that a draft calls and checks that the chain of calls ends. A pinned version was stored
// before and never changes, so that no chain can come back to the version that is registered now. That no tool calls
// an older version of itself by way of others is refused on top of it: people would not understand it.
func (w *change) compose(d *Draft, v *Version) ([]*Version, error) {
	v.Depth = 1
	var callees []*Version
	for _, u := range d.Uses {
		if u.Name == d.Name {
			return nil, refuse(d.Name, CodeCycle, "use a loop", "it calls itself")
		}
		if slices.ContainsFunc(callees, func(c *Version) bool { return c.Name == u.Name }) {
			return nil, refuse(d.Name, CodeUses, "name it once", "it uses tool %s twice", u.Name)
		}
		c, err := w.pin(d.Name, u)
		if err != nil {
			return nil, err
		}
		if slices.Contains(c.Calls, d.Name) {
			return nil, refuse(d.Name, CodeCycle, "call what it calls instead", "it calls %s v%d, which calls %s again", c.Name, c.Number, d.Name)
		}
		callees = append(callees, c)
		v.Uses = append(v.Uses, Use{c.Name, c.Number, c.Digest})
		v.Calls = append(append(v.Calls, c.Name), c.Calls...)
		v.Depth = max(v.Depth, 1+c.Depth)
	}
	if v.Depth > MaxDepth {
		return nil, refuse(d.Name, CodeDepth, "call the tools at the end of the chain", "its calls are %d tools deep, allowed %d", v.Depth, MaxDepth)
	}
	slices.Sort(v.Calls)
	v.Calls = slices.Compact(v.Calls)
	slices.SortFunc(v.Uses, func(a, b Use) int {
		if a.Name < b.Name {
			return -1
		}
		return 1
	})
	return callees, nil
}

// pin finds the version that a use means. Only an approved one may be called.
func (w *change) pin(caller string, u Use) (*Version, error) {
	e := w.entry(u.Name)
	if e == nil {
		return nil, refuse(caller, CodeUses, "register it first", "it calls tool %s, which does not exist", u.Name)
	}
	number := u.Version
	if u.Digest != "" { // says more than the number, which another robot may have given
		number = slices.Index(e.head.Digests, u.Digest) + 1
		if number == 0 || (u.Version != 0 && u.Version != number) {
			return nil, refuse(caller, CodeUses, "", "it calls tool %s v%d with digest %.12s…, which does not exist", u.Name, u.Version, u.Digest)
		}
	}
	if number == 0 {
		if number = e.head.Active; number == 0 {
			return nil, refuse(caller, CodeUses, "activate it first", "it calls tool %s, which has no active version", u.Name)
		}
	}
	switch e.head.ReviewOf(number) {
	case ReviewPending:
		return nil, refuse(caller, CodeUses, "approve it first", "it calls tool %s v%d, which waits for review", u.Name, number)
	case ReviewRejected:
		return nil, refuse(caller, CodeUses, "call another version", "it calls tool %s v%d, which was rejected", u.Name, number)
	}
	c, err := w.version(u.Name, number)
	if errors.Is(err, ErrNotFound) {
		return nil, refuse(caller, CodeUses, "", "it calls tool %s v%d; there are v1 to v%d", u.Name, number, e.head.Latest)
	}
	if err != nil {
		return nil, fmt.Errorf("register tool %s: %w", caller, err)
	}
	return c, nil
}

// granted checks that the owner allowed everything that the tool and those it calls may do: what a tool can do is the
// union of what all of them can do, and nobody gains a capability by calling somebody who has it.
func granted(v *Version, needs []string, callees []*Version) error {
	var findings []Finding
	missing := func(capability, why string) {
		if !slices.Contains(v.Grants, capability) {
			findings = append(findings, Finding{
				Code: CodeCapability, Severity: SeverityError, Fix: "grant it or leave the call out",
				Message: fmt.Sprintf("%q was not granted, but %s", capability, why),
			})
		}
	}
	for _, need := range needs {
		if !slices.ContainsFunc(v.Uses, func(u Use) bool { return u.Name == need }) {
			missing(need, "the source calls it")
		}
	}
	for _, c := range callees {
		for _, g := range c.Grants {
			missing(g, fmt.Sprintf("%s v%d, which it calls, has it", c.Name, c.Number))
		}
	}
	if len(findings) > 0 {
		return &Refusal{Name: v.Name, Findings: findings}
	}
	return nil
}
