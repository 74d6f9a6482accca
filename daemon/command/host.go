package command

import (
	"context"

	"github.com/rs/zerolog"

	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/api"
)

// Models are the model files of the senses. The errors are an *Error.
type Models interface {
	List() api.ModelList
	// Pull begins to fetch a model and returns at once; events tell how it goes on.
	Pull(name string) (api.ModelFetch, error)
	Cancel(name string) error
}

// Logs are the latest lines of the log. *logbook.Book is one.
type Logs interface {
	// Lines returns the newest limit lines of a level or graver, the oldest first; with after the first limit behind that line.
	Lines(after uint64, limit int, level zerolog.Level) api.LogList
}

// levels are those of the log that can be asked for.
var levels = []string{zerolog.LevelDebugValue, zerolog.LevelInfoValue, zerolog.LevelWarnValue, zerolog.LevelErrorValue}

// hostVerbs are the commands for what reachyd itself has and does.
func hostVerbs() map[string]verb {
	model := tool.Object(map[string]tool.Schema{"name": tool.Text("of a model of models/list", maxName)}, "name")
	return map[string]verb{
		string(api.VerbModelsList): {repeatable: true, args: tool.Object(nil), do: func(_ context.Context, d *Dispatcher, _ map[string]any) (any, error) {
			if d.Models == nil {
				return nil, errNoModels
			}
			return d.Models.List(), nil
		}},
		string(api.VerbModelsPull): {args: model, do: func(_ context.Context, d *Dispatcher, args map[string]any) (any, error) {
			if d.Models == nil {
				return nil, errNoModels
			}
			name, _ := args["name"].(string)
			return d.Models.Pull(name)
		}},
		string(api.VerbModelsCancel): {args: model, do: func(_ context.Context, d *Dispatcher, args map[string]any) (any, error) {
			if d.Models == nil {
				return nil, errNoModels
			}
			name, _ := args["name"].(string)
			return api.ModelArgs{Name: name}, d.Models.Cancel(name)
		}},
		string(api.VerbLogs): {repeatable: true, do: logs, args: tool.Object(map[string]tool.Schema{
			"after": tool.Integer("number of a line; the first ones behind it are told, without it the newest", 0, 1e15),
			"limit": tool.Integer("the most that are told", 1, mostListed).WithDefault(listed),
			"level": tool.OneOf("of the least grave lines", levels...).WithDefault(zerolog.LevelDebugValue),
		})},
		string(api.VerbMQTT): {repeatable: true, args: tool.Object(nil), do: func(_ context.Context, d *Dispatcher, _ map[string]any) (any, error) {
			if d.MQTT == nil {
				return nil, &Error{Code: CodeNotAvailable, Message: "there is no MQTT here"}
			}
			return d.MQTT()
		}},
	}
}

var errNoModels = &Error{Code: CodeNotAvailable, Message: "no models can be listed here"}

func logs(_ context.Context, d *Dispatcher, args map[string]any) (any, error) {
	var a api.LogsArgs
	if err := tool.Bind(args, &a); err != nil {
		return nil, err
	}
	if d.Logs == nil {
		return nil, &Error{Code: CodeNotAvailable, Message: "no log is kept here"}
	}
	level, err := zerolog.ParseLevel(a.Level)
	if err != nil {
		return nil, err
	}
	return d.Logs.Lines(uint64(a.After), a.Limit, level), nil //nolint:gosec // the schema allows no negative one
}
