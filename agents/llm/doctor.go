package llm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Report is what Doctor found.
type Report struct {
	URL    string
	Away   error // why the server cannot be asked; the rest is then empty
	Models []Info
	Roles  []RoleReport // in the order of Roles
}

// RoleReport says who does what.
type RoleReport struct {
	Role    Role
	Models  []string // in the order in which they are asked
	StandIn bool     // the first of them is not one that the Config names for the role
	Pull    string   // the model to get, when there is none or only a stand-in; empty when the Config names none
	Problem string   // empty when the role is filled
}

// Doctor looks at the server anew and says which models are there, what each can do, and what is missing for which role.
// The error is ctx's.
func (c *Client) Doctor(ctx context.Context) (Report, error) {
	r := Report{URL: c.cfg.URL}
	c.mu.Lock()
	looked := c.looked
	c.mu.Unlock()
	c.again()
	if err := c.await(ctx, looked); err != nil {
		return r, err
	}
	r.Models, _, r.Away = c.installed(ctx)
	r.Models = slices.Clone(r.Models)
	if r.Away != nil {
		return r, ctx.Err()
	}
	for _, role := range Roles {
		r.Roles = append(r.Roles, c.roleReport(role, r.Models))
	}
	return r, nil
}

func (c *Client) roleReport(role Role, models []Info) RoleReport {
	r := RoleReport{Role: role}
	wanted := c.cfg.Models[role]
	found, err := choose(c.cfg.Models, models, role, needs(role))
	if err != nil {
		r.Problem = err.Error()
		var missing *NoModelError
		if errors.As(err, &missing) {
			r.Pull = missing.Pull
		}
		return r
	}
	for _, m := range found {
		r.Models = append(r.Models, m.Name)
	}
	r.StandIn = !slices.ContainsFunc(wanted, func(w string) bool { return sameModel(w, found[0].Name) })
	if r.StandIn && len(wanted) > 0 {
		r.Pull = wanted[0]
	}
	return r
}

// String writes the report for people, a line for each fact.
func (r Report) String() string {
	var b strings.Builder
	if r.Away != nil {
		fmt.Fprintf(&b, "%s: %v\n", r.URL, r.Away)
		fmt.Fprintf(&b, "  to get one: install Ollama on this or another computer of the home, start it, and set its address\n")
		return b.String()
	}
	fmt.Fprintf(&b, "%s: %d models\n", r.URL, len(r.Models))
	for _, m := range r.Models {
		fmt.Fprintf(&b, "  %-28s %5.1f GB  %s", m.Name, float64(m.Size)/1e9, strings.Join(m.Can, ", "))
		if m.Elsewhere {
			b.WriteString(" (runs on somebody else's computer)")
		}
		if m.Problem != "" {
			b.WriteString(" " + m.Problem)
		}
		b.WriteByte('\n')
	}
	for _, role := range r.Roles {
		switch {
		case role.Problem != "":
			fmt.Fprintf(&b, "  %-5s %s\n", role.Role, role.Problem)
		case role.StandIn && role.Pull != "":
			fmt.Fprintf(&b, "  %-5s %s stands in; better: ollama pull %s\n", role.Role, role.Models[0], role.Pull)
		default:
			fmt.Fprintf(&b, "  %-5s %s\n", role.Role, strings.Join(role.Models, ", then "))
		}
	}
	return b.String()
}
