package command

import (
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"github.com/reachyd/reachyd/api"
)

// shelf has one model, and a log of one line.
type shelf struct{ asked string }

func (s *shelf) List() api.ModelList {
	return api.ModelList{Models: []api.ModelInfo{{Name: "tiny.en"}}}
}

func (s *shelf) Pull(name string) (api.ModelFetch, error) {
	s.asked += "pull " + name + " "
	return api.ModelFetch{Name: name, State: api.ModelFetching}, nil
}

func (s *shelf) Cancel(name string) error { s.asked += "cancel " + name + " "; return nil }

func (s *shelf) Lines(after uint64, limit int, level zerolog.Level) api.LogList {
	return api.LogList{Lines: []api.LogLine{{N: after + 1, Level: level.String()}}, Last: uint64(limit)}
}

func TestWhatTheHostHas(t *testing.T) {
	d, _ := newDispatcher()
	for verb, payload := range map[string]string{
		"models/list": `{}`, "models/pull": `{"name":"tiny.en"}`, "models/cancel": `{"name":"tiny.en"}`, "logs": `{}`, "mqtt": `{}`,
	} {
		if r := do(t, d, verb, payload); r.OK || r.Error.Code != CodeNotAvailable {
			t.Errorf("%s of a robot that has none: %+v", verb, r)
		}
	}
	s := &shelf{}
	d.Models, d.Logs, d.MQTT = s, s, func() (api.MQTTState, error) { return api.MQTTState{Broker: "mqtt://here", Clients: 2}, nil }
	for _, c := range []struct{ verb, payload, want string }{
		{"models/list", `{}`, `"name":"tiny.en"`},
		{"models/pull", `{"name":"tiny.en"}`, `"state":"fetching"`},
		{"models/cancel", `{"name":"tiny.en"}`, `"name":"tiny.en"`},
		{"logs", `{}`, `{"last":50,"lines":[{"level":"debug","message":"","n":1,`},
		{"logs", `{"after":7,"limit":3,"level":"warn"}`, `{"last":3,"lines":[{"level":"warn","message":"","n":8,`},
		{"mqtt", `{}`, `"clients":2`},
	} {
		if r := string(encode(do(t, d, c.verb, c.payload))); !strings.Contains(r, `"ok":true`) || !strings.Contains(r, c.want) {
			t.Errorf("%s %s: %s, want %s", c.verb, c.payload, r, c.want)
		}
	}
	if s.asked != "pull tiny.en cancel tiny.en " {
		t.Errorf("asked for %s", s.asked)
	}
	for _, c := range []struct{ verb, payload, field string }{
		{"logs", `{"limit":501}`, "limit"},
		{"logs", `{"limit":0}`, "limit"},
		{"logs", `{"after":-1}`, "after"},
		{"logs", `{"level":"loud"}`, "level"},
		{"models/pull", `{}`, "name"},
		{"models/pull", `{"name":"` + strings.Repeat("x", maxName+1) + `"}`, "name"},
	} {
		if r := do(t, d, c.verb, c.payload); r.OK || r.Error.Code != CodeInvalid || len(r.Error.Fields) != 1 || r.Error.Fields[0].Field != c.field {
			t.Errorf("%s %.60s: %+v", c.verb, c.payload, r)
		}
	}
}
