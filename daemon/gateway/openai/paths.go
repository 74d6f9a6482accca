package openai

import "net/http"

// schema is a part of an OpenAPI document.
type schema = map[string]any

func of(kinds ...string) schema { return schema{"type": kinds} }

func object(properties schema, required ...string) schema {
	s := schema{"type": "object", "properties": properties}
	if len(required) > 0 {
		s["required"] = required
	}
	return s
}

// list is an array that may be left out, of objects. What is null is as if it were not there, as clients send it.
func list(properties schema) schema {
	return schema{"type": []string{"array", "null"}, "items": schema{"type": []string{"object", "null"}, "properties": properties}}
}

var (
	text = of("string", "null")
	flag = of("boolean", "null")
)

// operation is one that takes and answers JSON; streams says that it also answers with server-sent events.
func operation(id, about, scope string, in, out schema, streams bool) schema {
	wrong := object(schema{"error": object(schema{"message": of("string"), "type": of("string"), "param": text, "code": text}, "message", "type")}, "error")
	content := schema{"application/json": schema{"schema": out}}
	if streams {
		content["text/event-stream"] = schema{"schema": schema{}}
	}
	op := schema{
		"tags": []string{"OpenAI"}, "operationId": id, "summary": about, "description": "Needs the scope " + scope + ".",
		"responses": schema{
			"200": schema{"description": "Done.", "content": content},
			"default": schema{"description": "It was refused, and why.", "content": schema{
				"application/json":         schema{"schema": wrong},
				"application/problem+json": schema{"schema": schema{"$ref": "#/components/schemas/Problem"}},
			}},
		},
	}
	if in != nil {
		op["requestBody"] = schema{"required": true, "content": schema{"application/json": schema{"schema": in}}}
	}
	return op
}

// methods are those of each path.
var methods = map[string]string{
	"/v1/models": http.MethodGet, "/v1/chat/completions": http.MethodPost, "/v1/responses": http.MethodPost,
	"/v1/audio/transcriptions": http.MethodPost, "/v1/audio/speech": http.MethodPost,
}

// Paths are these routes in an OpenAPI document, as far as the robot reads what clients send; the rest changes nothing. What takes a
// recording is described at /api/v1/voice/stt.
func Paths() map[string]any {
	entry := object(schema{"id": of("string"), "object": of("string"), "created": of("integer"), "owned_by": of("string")}, "id", "object")
	model := operation("model", "The robot as a model.", "read", nil, entry, false)
	model["parameters"] = []any{schema{"name": "model", "in": "path", "required": true, "schema": of("string")}}
	tools := list(schema{"type": text, "function": schema{"type": []string{"object", "null"}, "properties": schema{"name": text, "description": text}}})
	message := list(schema{"role": text, "tool_call_id": text, "tool_calls": list(nil)})
	message["type"], message["minItems"], message["maxItems"] = "array", 1, maxMessages
	speech := operation("speech", "A text as sound; nothing is heard at the robot.", "talk", object(schema{
		"input": schema{"type": "string", "minLength": 1}, "voice": text,
		"response_format": schema{"enum": []any{"wav", "pcm", "mp3", "", nil}, "description": "mp3 is answered as WAV"},
	}, "input"), nil, false)
	speech["responses"].(schema)["200"] = schema{"description": "Done.", "content": schema{"audio/wav": schema{}, "audio/pcm": schema{}}}
	return map[string]any{
		"/v1/models": schema{"get": operation("models", "The robot as the only model.", "read", nil,
			object(schema{"object": of("string"), "data": schema{"type": "array", "items": entry}}, "object", "data"), false)},
		"/v1/models/{model}": schema{"get": model},
		"/v1/chat/completions": schema{"post": operation("chatCompletion",
			"Says something to the robot, as OpenAI's clients do: the last message, in the conversation that the user, else the first message names.", "talk",
			object(schema{
				"model": text, "messages": message, "stream": flag, "user": text, "tools": tools,
				"stream_options": schema{"type": []string{"object", "null"}, "properties": schema{"include_usage": flag}},
			}, "messages"),
			object(schema{
				"id": of("string"), "object": of("string"), "created": of("integer"), "model": of("string"), "usage": of("object"),
				"choices": schema{"type": "array", "items": object(schema{"index": of("integer"), "message": of("object"), "finish_reason": of("string")}, "message")},
			}, "id", "object", "choices", "usage"), true)},
		"/v1/responses": schema{"post": operation("response",
			"Says something to the robot, as OpenAI's newer clients do: the last item of the input, in the conversation of the user, of the previous "+
				"response, or else the one that began with the same sentence.", "talk",
			object(schema{
				"instructions": text, "previous_response_id": text, "stream": flag, "user": text,
				"input": schema{"anyOf": []any{of("string"), schema{"type": "array", "minItems": 1, "maxItems": maxMessages, "items": object(schema{
					"type": text, "role": text, "call_id": text, "name": text, "arguments": text,
				})}}},
				"tools": list(schema{"type": text, "name": text, "description": text}),
			}, "input"),
			object(schema{
				"id": of("string"), "object": of("string"), "created_at": of("integer"), "status": of("string"), "model": of("string"), "usage": of("object"),
				"output": schema{"type": "array", "items": object(schema{"type": of("string"), "id": of("string"), "status": of("string")}, "type", "id", "status")},
			}, "id", "object", "created_at", "status", "model", "output", "usage"), true)},
		"/v1/audio/speech": schema{"post": speech},
	}
}
