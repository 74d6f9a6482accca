package toolmanager

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/toolsandbox/registry"
)

// Actions of cmd/tools/review.
const (
	reviewList    = "list"
	reviewApprove = "approve"
	reviewReject  = "reject"
	reviewNote    = "note"
)

// waiting is a version that waits for review, or was rejected and can be approved yet, with what a reviewer must see.
type waiting struct {
	Name        string             `json:"name"`
	Version     int                `json:"version"`
	Description string             `json:"description"`
	Author      string             `json:"author,omitempty"`
	Model       string             `json:"model,omitempty"`
	Prompt      string             `json:"prompt,omitempty"`
	Grants      []string           `json:"grants"`
	Score       float64            `json:"score"`
	Untested    bool               `json:"untested,omitempty"` // there was no sandbox: nothing of it ran
	Licence     string             `json:"licence,omitempty"`
	Findings    []registry.Finding `json:"findings,omitempty"`
	Notes       []registry.Note    `json:"notes,omitempty"`
	Source      string             `json:"source"`
	Reason      string             `json:"reason,omitempty"` // why it was rejected
}

// doReview lists what waits for review, or ends the review of a version: the newest that waits when none is named.
func (t *Manager) doReview(ctx context.Context, a arguments) (any, error) {
	if a.Action == reviewList {
		return t.waiting(a.Name)
	}
	if a.Name == "" {
		return nil, &inputError{errors.New("name: must be given to approve or reject a tool")}
	}
	h, err := t.library.Head(a.Name)
	if err != nil {
		return nil, err
	}
	if a.Action == reviewNote {
		return t.note(ctx, a)
	}
	number := a.Version
	if number == 0 {
		if len(h.Pending) == 0 {
			return nil, &inputError{fmt.Errorf("name: no version of %s waits for review", a.Name)}
		}
		number = h.Pending[len(h.Pending)-1]
	}
	if a.Action == reviewApprove {
		unseen, err := t.pipeline.Complete(ctx, a.Name, number)
		if err == nil && len(unseen) > 0 {
			err = fmt.Errorf(
				"%s v%d passed its tests now, and wants to call %s: approve it again to let it: %w",
				a.Name,
				number,
				strings.Join(unseen, ", "),
				registry.ErrNotApproved,
			)
		}
		if err != nil {
			return findings(err), err
		}
	}
	verdict := registry.ReviewApproved
	state, err := t.switched(a.Name, func(r *registry.Registry) error {
		if a.Action == reviewApprove {
			return r.Approve(ctx, a.Name, number, a.Author)
		}
		verdict = registry.ReviewRejected
		if a.Reason == "" {
			return &inputError{errors.New("reason: must be given to reject a tool: its author reads it")}
		}
		return r.Reject(ctx, a.Name, number, a.Reason, a.Author)
	})
	if err != nil {
		return nil, err
	}
	t.o.Publish(tool.Trace(ctx), api.ToolReviewed{Name: a.Name, Version: number, Review: string(verdict), Reason: a.Reason, Author: a.Author})
	result := state.(map[string]any)
	result["version"], result["review"] = number, verdict
	return result, nil
}

// note adds a remark to a version, such as a vulnerability that was found since: show and export tell it.
func (t *Manager) note(ctx context.Context, a arguments) (any, error) {
	n := registry.Note{Kind: a.Kind, Text: a.Reason, By: a.Author}
	if err := n.Check(); err != nil {
		return nil, &inputError{fmt.Errorf("reason, kind: %w", err)}
	}
	return t.switched(a.Name, func(r *registry.Registry) error { return r.Annotate(ctx, a.Name, a.Version, n) })
}

// waiting lists the versions that wait for review, of one tool or of all, and the newest of those tools where that was rejected.
func (t *Manager) waiting(name string) (any, error) {
	pending, rejected := []waiting{}, []waiting{}
	if r := t.library.Opened(); r != nil {
		for _, h := range r.List() {
			if name != "" && h.Name != name {
				continue
			}
			for _, n := range h.Pending {
				v, err := r.Version(h.Name, n)
				if err != nil {
					return nil, err
				}
				pending = append(pending, reviewed(&h, v))
			}
			if h.ReviewOf(h.Latest) == registry.ReviewRejected {
				v, err := r.Version(h.Name, h.Latest)
				if err != nil {
					return nil, err
				}
				rejected = append(rejected, reviewed(&h, v))
			}
		}
	}
	list := map[string]any{"pending": pending}
	if len(rejected) > 0 {
		list["rejected"] = rejected
	}
	return list, nil
}

// reviewed is what a reviewer sees of a version.
func reviewed(h *registry.Head, v *registry.Version) waiting {
	v = h.Annotated(v)
	return waiting{
		Name:        v.Name,
		Version:     v.Number,
		Description: v.Doc.Summary,
		Author:      v.Provenance.Author,
		Model:       v.Provenance.Model,
		Prompt:      v.Provenance.Prompt,
		Grants:      append([]string{}, v.Grants...),
		Score:       v.Score.Total,
		Untested:    v.Report == nil,
		Licence:     v.Licence,
		Findings:    v.Findings,
		Notes:       v.Notes,
		Source:      v.Source,
		Reason:      h.Verdicts[v.Number].Reason,
	}
}
