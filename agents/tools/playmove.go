package tools

import (
	"context"

	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/hal"
)

// Moves finds a recorded move by its name and says its proper name.
type Moves func(name string) (*hal.Recording, string, error)

func playMove(m mover, moves Moves) tool.Tool {
	type args struct{ Name string }
	return tool.Func(available("play_move", moves == nil, "no recorded moves"), func(ctx context.Context, a args) tool.Result {
		rec, name, err := moves(a.Name)
		if err != nil {
			return tool.Errorf(tool.CodeFailed, "I cannot play that move: %v.", err)
		}
		return m.do(ctx, hal.Request{Verb: hal.VerbPlay, Name: name, Recording: rec}, "I played the move "+name)
	})
}
