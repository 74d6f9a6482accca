package pipeline

import (
	"context"
	"encoding/json"

	"github.com/reachyd/reachyd/toolsandbox/guest"
)

// oneByOne does what the tester's Python module does for a language that has no such module: it calls a tool with the
// inputs of a test one after the other.
func oneByOne(ctx context.Context, r *guest.Request, call func(context.Context, *guest.Request) (guest.Result, error)) (guest.Result, error) {
	var task struct {
		Source, Function, Predicate string
		Inputs                      []json.RawMessage
		Grants                      []string
	}
	if err := json.Unmarshal(r.Args, &task); err != nil {
		return guest.Result{}, err
	}
	if task.Predicate != "" {
		return guest.Result{}, inputf("predicate: it is Python; the cases of a tool in another language have expected, error or no_crash")
	}
	type outcome struct {
		Value json.RawMessage `json:"value,omitempty"`
		Error *guest.Error    `json:"error,omitempty"`
	}
	var all guest.Result
	outcomes := []outcome{}
	for _, input := range task.Inputs {
		one := *r
		one.Module, one.For, one.Source, one.Function, one.Args, one.Grants = "", "", task.Source, task.Function, input, task.Grants
		res, err := call(ctx, &one)
		if err != nil {
			return res, err
		}
		all.Log += res.Log
		all.Usage.Wall, all.Usage.CPU, all.Usage.Clock = all.Usage.Wall+res.Usage.Wall, all.Usage.CPU+res.Usage.CPU, all.Usage.Clock+res.Usage.Clock
		all.Usage.Memory, all.Usage.Calls = max(all.Usage.Memory, res.Usage.Memory), all.Usage.Calls+res.Usage.Calls
		switch res.Reason {
		case guest.ReasonOK, guest.ReasonError:
			outcomes = append(outcomes, outcome{res.Value, res.Error})
		default:
			all.Reason, all.Error = res.Reason, res.Error
			return all, nil
		}
	}
	all.Reason, all.Value = guest.ReasonOK, marshal(map[string]any{"outcomes": outcomes})
	return all, nil
}
