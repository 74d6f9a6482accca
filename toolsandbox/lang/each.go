package lang

import (
	"context"

	"github.com/reachyd/reachyd/toolsandbox/guest"
)

// Each implements Language.Try by way of Call, for languages that evaluate no predicates and count no lines.
func Each(ctx context.Context, l Language, r *guest.Request, t Trial) (out Outcomes, all guest.Result, err error) {
	if t.Predicate != "" {
		return out, all, ErrPredicate
	}
	all.Reason = guest.ReasonOK
	for _, input := range t.Inputs {
		one := *r
		one.Args = input
		res, err := l.Call(ctx, &one)
		if err != nil {
			return out, res, err
		}
		all.Log += res.Log
		all.Usage.Wall, all.Usage.CPU, all.Usage.Clock = all.Usage.Wall+res.Usage.Wall, all.Usage.CPU+res.Usage.CPU, all.Usage.Clock+res.Usage.Clock
		all.Usage.Memory, all.Usage.Calls = max(all.Usage.Memory, res.Usage.Memory), all.Usage.Calls+res.Usage.Calls
		if res.Reason != guest.ReasonOK && res.Reason != guest.ReasonError {
			all.Reason, all.Error = res.Reason, res.Error
			return out, all, nil
		}
		out.Outcomes = append(out.Outcomes, Outcome{Value: res.Value, Error: res.Error})
	}
	return out, all, nil
}
