package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/agents/verbalize"
	"github.com/reachyd/reachyd/hal/catalog"
)

func wait(after func(time.Duration) <-chan time.Time) tool.Tool {
	type args struct{ Seconds float64 }
	return tool.Func(Spec("wait"), func(ctx context.Context, a args) tool.Result {
		began := time.Now()
		if !pause(ctx, after, a.Seconds) {
			r := tool.Interrupted(ctx)
			r.Message += fmt.Sprintf(" By then I had waited %.0f of %s seconds.", time.Since(began).Seconds(), tool.FormatNumber(tenth(a.Seconds)))
			return r
		}
		unit := " seconds"
		if a.Seconds == 1 {
			unit = " second"
		}
		return tool.Success("I waited "+tool.FormatNumber(tenth(a.Seconds))+unit+".", nil)
	})
}

// pause waits and reports whether ctx let it.
func pause(ctx context.Context, after func(time.Duration) <-chan time.Time, seconds float64) bool {
	if seconds <= 0 {
		return ctx.Err() == nil
	}
	select {
	case <-after(time.Duration(seconds * float64(time.Second))):
		return true
	case <-ctx.Done():
		return false
	}
}

type repeatArgs struct {
	Steps []struct {
		Tool string
		Args json.RawMessage
	}
	Times    int
	Interval float64
}

func repeat(r *tool.Registry, after func(time.Duration) <-chan time.Time, limit time.Duration) tool.Tool {
	return tool.Func(Spec("repeat"), func(ctx context.Context, a repeatArgs) tool.Result {
		if len(a.Steps) == 0 {
			return tool.Errorf(tool.CodeInvalid, "repeat: steps is empty; give at least one.")
		}
		depth, _ := ctx.Value(nesting{}).(int)
		if depth >= catalog.MaxNesting {
			return tool.Errorf(tool.CodeLimit, "repeat: repeats are nested deeper than %d.", catalog.MaxNesting)
		}
		ctx, cancel := context.WithTimeout(context.WithValue(ctx, nesting{}, depth+1), limit)
		defer cancel()
		var did []string
		for round := range a.Times {
			if round > 0 && !pause(ctx, after, a.Interval) {
				return partly(tool.Interrupted(ctx), round, a.Times)
			}
			for i, s := range a.Steps {
				res := r.Call(ctx, s.Tool, s.Args)
				if !res.OK() {
					if res.Code == tool.CodeCancelled || res.Code == tool.CodeStopped || res.Code == tool.CodeTimeout {
						return partly(res, round, a.Times) // not the step's fault
					}
					res.Message = fmt.Sprintf("Step %d (%s) of round %d failed: %s", i+1, s.Tool, round+1, res.Message)
					return partly(res, round, a.Times)
				}
				if round == 0 {
					did = append(did, strings.TrimSuffix(strings.TrimPrefix(res.Message, "I "), "."))
				}
			}
		}
		return tool.Success("I "+verbalize.List(did)+times(a.Times)+".", map[string]any{"rounds": a.Times})
	})
}

// nesting is the key of how many repeats a context is within.
type nesting struct{}

func partly(r tool.Result, done, of int) tool.Result {
	r.Data = map[string]any{"rounds": done, "of": of, "cause": r.Data}
	if of > 1 && (r.Code == tool.CodeCancelled || r.Code == tool.CodeStopped) {
		r.Message += fmt.Sprintf(" By then I had done %d of %d rounds.", done, of)
	}
	return r
}

func times(n int) string {
	switch n {
	case 1:
		return ""
	case 2:
		return ", twice"
	}
	return fmt.Sprintf(", %d times", n)
}
