package command

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/daemon/config"
)

// Settings are those in force. *config.Runtime is one.
type Settings interface {
	// Annotated returns them as YAML with comments, without secrets.
	Annotated() string
	// List returns those of a key or a group of keys; all for "".
	List(key string) ([]api.Setting, error)
	// Set changes all of them, or none. The error is a config.Problems where a value is not allowed.
	Set(values map[string]any) (api.ConfigChange, error)
}

// configVerbs are the commands for settings.
func configVerbs() map[string]verb {
	return map[string]verb{
		"config": {args: tool.Object(nil), repeatable: true, run: func(_ context.Context, d *Dispatcher, _ json.RawMessage) (any, error) {
			return map[string]any{"yaml": d.Settings.Annotated()}, nil
		}},
		"config/list": {args: tool.Object(map[string]tool.Schema{
			"key": tool.Text("a key such as idle, or a group such as sense; all when left out", maxName),
		}), repeatable: true, do: listSettings},
		"config/set": {args: tool.Object(map[string]tool.Schema{
			"values": {
				Type: tool.TypeObject, Open: true, Description: "keys of config/list, such as sense.volume, and their values; null takes a change back",
			},
		}, "values"), do: setSettings},
	}
}

func listSettings(_ context.Context, d *Dispatcher, args map[string]any) (any, error) {
	var a api.ConfigListArgs
	if err := tool.Bind(args, &a); err != nil {
		return nil, err
	}
	list, err := d.Settings.List(a.Key)
	if err != nil {
		return nil, &Error{Code: CodeUnknownName, Message: err.Error()}
	}
	return api.SettingList{Settings: list}, nil
}

func setSettings(_ context.Context, d *Dispatcher, args map[string]any) (any, error) {
	values, ok := args["values"].(map[string]any)
	if !ok {
		return nil, &Error{Code: CodeInvalid, Message: "values: is no object of keys and values"}
	}
	change, err := d.Settings.Set(values)
	var problems config.Problems
	switch {
	case errors.As(err, &problems):
		e := &Error{Code: CodeInvalid, Message: err.Error()}
		for _, p := range problems {
			e.Fields = append(e.Fields, api.FieldError{Field: "values." + p.Key, Value: p.Value, Allowed: p.Allowed})
		}
		return nil, e
	case err != nil:
		return nil, &Error{Code: "failed", Message: err.Error()}
	}
	return change, nil
}
