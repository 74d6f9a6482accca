package rest

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/daemon/command"
)

// openapi is the document of the interface, OpenAPI 3.1.
func (a *API) openapi() []byte {
	s := &schemas{components: schema{}}
	paths := schema{}
	for _, rt := range routes() {
		at := rt.pattern()
		if paths[at] == nil {
			paths[at] = schema{}
		}
		paths[at].(schema)[strings.ToLower(rt.method)] = s.operation(rt)
	}
	maps.Copy(paths, a.Beside)
	s.of(reflect.TypeFor[api.Problem]())
	doc := schema{
		"openapi": "3.1.0",
		"info": schema{
			"title": "reachyd", "version": a.Version,
			"description": "The programming interface of a Reachy Mini robot that reachyd runs. Units are degrees, metres and seconds; +pitch looks down, " +
				"+yaw looks left, +roll tilts to the robot's right. On the robot's own host no token is needed. The header X-Request-Id of every answer is " +
				"the trace of what was done. The header Idempotency-Key makes a command act once.",
		},
		"servers":  []any{schema{"url": "/"}},
		"security": []any{schema{}, schema{"token": []string{}}},
		"paths":    paths,
		"components": schema{
			"schemas":         s.components,
			"securitySchemes": schema{"token": schema{"type": "http", "scheme": "bearer"}},
			"responses": schema{"Problem": schema{
				"description": "It was refused, and why.",
				"content":     schema{"application/problem+json": schema{"schema": schema{"$ref": "#/components/schemas/Problem"}}},
			}},
		},
	}
	data, err := json.MarshalIndent(doc, "", " ")
	if err != nil {
		return []byte("{}") // a test says that it cannot happen
	}
	return data
}

func (s *schemas) operation(rt *route) schema {
	op := schema{
		"tags": []string{rt.tag}, "summary": rt.about, "operationId": rt.operation(),
		"description": "Needs the scope " + string(rt.scope) + ".",
		"responses":   schema{"200": s.success(rt), "default": schema{"$ref": "#/components/responses/Problem"}},
	}
	if rt.upgrade {
		op["responses"] = schema{"101": schema{"description": "A WebSocket."}, "default": schema{"$ref": "#/components/responses/Problem"}}
	}
	params := make([]any, 0, len(rt.params))
	for _, p := range rt.params {
		params = append(params, schema{"name": p.name, "in": p.in, "required": p.required, "schema": inQuery(p.schema), "description": p.schema.Description})
	}
	if len(params) > 0 {
		op["parameters"] = params
	}
	if rt.method == post || rt.method == patch {
		op["requestBody"] = schema{"required": !rt.optional, "content": s.request(rt)}
	}
	return op
}

// operation is the name of a route for makers of clients.
func (rt *route) operation() string {
	out := strings.ToLower(rt.method)
	up := true
	for _, c := range rt.path {
		switch {
		case c == '/' || c == '_' || c == '.' || c == '{' || c == '}':
			up = true
		case up && c >= 'a' && c <= 'z':
			out += string(c - 'a' + 'A')
			up = false
		default:
			out += string(c)
			up = false
		}
	}
	return out
}

// inQuery is the schema of a parameter.
func inQuery(s tool.Schema) any {
	if s.Type == "" {
		s.Type = tool.TypeString
	}
	return s
}

func (s *schemas) success(rt *route) schema {
	if rt.answers != "" {
		return schema{"description": "Done.", "content": schema{rt.answers: schema{"schema": schema{}}}}
	}
	of := schema{}
	if rt.answer != nil {
		of = s.of(reflect.TypeOf(rt.answer))
	}
	media := schema{"application/json": schema{"schema": of}}
	if rt.verb == api.VerbChat {
		media["text/event-stream"] = schema{"schema": schema{}}
	}
	return schema{"description": "Done.", "content": media}
}

// request is what the body may be.
func (s *schemas) request(rt *route) schema {
	if rt.media != nil {
		content := schema{}
		for _, m := range rt.media {
			content[m] = schema{"schema": schema{}}
		}
		return content
	}
	if rt.body != nil {
		return schema{"application/json": schema{"schema": bodySchema(rt.body)}}
	}
	args, _, _ := command.Describe(string(rt.verb))
	return schema{"application/json": schema{"schema": rt.restOf(args)}}
}

// bodySchema is the schema of a body that is not the arguments of a verb.
func bodySchema(v any) any {
	switch v.(type) {
	case api.ChatRequest:
		return chatSchema
	case api.ExecuteRequest:
		return executeSchema
	case api.AnalyzeArgs:
		args, _, _ := command.Describe(string(api.VerbAnalyze))
		image := args.Properties["image"]
		image.MaxLength = 0
		all := maps.Clone(args.Properties)
		all["image"] = image
		return tool.Object(all, "image")
	}
	return schema{}
}

// Verbs lists the commands that have a route of their own.
func Verbs() []api.Verb {
	var verbs []api.Verb
	for _, rt := range routes() {
		if rt.verb != "" && !slices.Contains(verbs, rt.verb) {
			verbs = append(verbs, rt.verb)
		}
	}
	return verbs
}
