package command

import (
	"context"
	"encoding/json"
	"time"

	"github.com/reachyd/reachyd/agents/tool"
)

// Session is a conversation in a list.
type Session struct {
	ID        string    `json:"id"`
	Last      time.Time `json:"last"` // when something was said last
	Exchanges int       `json:"exchanges"`
	Facts     int       `json:"facts"` // that the robot was asked to remember
	Text      string    `json:"text"`  // what was said last
}

// Sessions are the conversations that the robot keeps.
type Sessions interface {
	// List returns all, the latest first.
	List() ([]Session, error)
	// Show returns what was said and what is remembered; of the latest when id is empty.
	Show(id string) (any, error)
	// Forget removes a conversation and all that is kept of it, and says how much that was.
	Forget(id string) (any, error)
}

var sessionSchema = tool.Text("its id, as replies carry it", maxName)

// sessionVerbs are the commands for conversations.
func sessionVerbs() map[string]verb {
	do := func(f func(s Sessions, id string) (any, error)) func(context.Context, *Dispatcher, json.RawMessage) (any, error) {
		return func(_ context.Context, d *Dispatcher, args json.RawMessage) (any, error) {
			var a struct{ Session string }
			if err := json.Unmarshal(args, &a); err != nil {
				return nil, err
			}
			return f(d.Sessions, a.Session)
		}
	}
	one := map[string]tool.Schema{"session": sessionSchema}
	return map[string]verb{
		"sessions/list": {args: tool.Object(nil), repeatable: true, run: do(func(s Sessions, _ string) (any, error) {
			list, err := s.List()
			return map[string]any{"sessions": list}, err
		})},
		"sessions/show":   {args: tool.Object(one), repeatable: true, run: do(Sessions.Show)},
		"sessions/forget": {args: tool.Object(one, "session"), run: do(Sessions.Forget)},
	}
}
