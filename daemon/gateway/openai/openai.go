// Package openai lets programs that talk to OpenAI's servers talk to the robot: /v1/chat/completions, responses, models, audio. A sentence takes
// the way of every other sentence: the planner first, a language model where one is needed.
package openai

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/reachyd/reachyd/agents/coordinator"
	"github.com/reachyd/reachyd/agents/llm"
	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/daemon/access"
	"github.com/reachyd/reachyd/daemon/command"
	"github.com/reachyd/reachyd/daemon/event"
	"github.com/reachyd/reachyd/daemon/gateway/rest"
	"github.com/reachyd/reachyd/daemon/recent"
)

// Model is the name of the robot as a model.
const Model = "reachy-mini"

// Limits of requests.
const (
	maxChat     = 24 << 20 // with pictures
	maxMessages = 1000
	maxSound    = 32 << 20
)

// Commander carries out a command; *rest.API does.
type Commander interface {
	Do(ctx context.Context, verb api.Verb, args map[string]any, id string) (json.RawMessage, *api.Error)
}

// LanguageModel answers requests with tools of the caller, which the robot cannot call itself.
type LanguageModel interface {
	Ready(role llm.Role) error
	Chat(ctx context.Context, req llm.Request, onDelta func(llm.Delta)) (llm.Reply, error)
}

// Gateway answers. Fill in the exported fields, then Mount it.
type Gateway struct {
	Commander Commander
	Senses    command.Senses // nil: there are none
	Model     LanguageModel  // nil: there is none
	Events    *event.Bus
	Started   time.Time

	answered recent.Texts // the conversations of the latest responses
}

// Mount adds the routes.
func (g *Gateway) Mount(mux *http.ServeMux) {
	mux.HandleFunc("GET /v1/models", g.with(api.ScopeRead, g.models))
	mux.HandleFunc("GET /v1/models/{model}", g.with(api.ScopeRead, g.model))
	mux.HandleFunc("POST /v1/chat/completions", g.with(api.ScopeTalk, g.chat))
	mux.HandleFunc("POST /v1/responses", g.with(api.ScopeTalk, g.responses))
	mux.HandleFunc("POST /v1/audio/transcriptions", g.with(api.ScopeTalk, g.transcriptions))
	mux.HandleFunc("POST /v1/audio/speech", g.with(api.ScopeTalk, g.speech))
	mux.HandleFunc("/v1/", func(w http.ResponseWriter, r *http.Request) {
		allowed := methods[r.URL.Path]
		if name, below := strings.CutPrefix(r.URL.Path, "/v1/models/"); below && name != "" && !strings.Contains(name, "/") {
			allowed = http.MethodGet
		}
		if allowed != "" {
			w.Header().Set("Allow", allowed)
			refuse(w, http.StatusMethodNotAllowed, "", "method", fmt.Sprintf("%s %.200s: allowed is %s", r.Method, r.URL.Path, allowed))
			return
		}
		refuse(w, http.StatusNotFound, "", "not_found",
			fmt.Sprintf("%.200s: there are models, chat/completions, responses, audio/transcriptions and audio/speech", r.URL.Path))
	})
}

// Close has nothing to end: every answer ends with its request.
func (g *Gateway) Close() {}

func (g *Gateway) with(scope api.Scope, next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if scope == api.ScopeRead {
			access.Harmless(r.Context())
		}
		w.Header().Set("Cache-Control", "no-store")
		if grant := access.Of(r.Context()); !grant.Allows(scope) {
			refuse(w, http.StatusForbidden, "", "insufficient_permissions", fmt.Sprintf("this needs the scope %s", scope))
			return
		}
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(time.Minute)) // pictures and sound take longer than a header
		next(w, r)
	}
}

// refuse answers with an error as OpenAI writes it.
func refuse(w http.ResponseWriter, status int, param, code, message string) {
	kind := "invalid_request_error"
	if status >= http.StatusInternalServerError {
		kind = "server_error"
	}
	var field any
	if param != "" {
		field = param
	}
	if status == http.StatusTooManyRequests {
		w.Header().Set("Retry-After", "1")
	}
	send(w, status, map[string]any{"error": map[string]any{"message": message, "type": kind, "param": field, "code": code}})
}

// refuseError is refuse for an error of a command.
func refuseError(w http.ResponseWriter, e *api.Error) {
	param := ""
	if len(e.Fields) > 0 {
		param = e.Fields[0].Field
	}
	refuse(w, rest.Status(e.Code), param, e.Code, e.Message)
}

func send(w http.ResponseWriter, status int, v any) {
	data, err := json.Marshal(v)
	if err != nil {
		status, data = http.StatusInternalServerError, []byte(`{"error":{"message":"the answer cannot be written","type":"server_error"}}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(data, '\n')) // a client that is gone has no use for the error
}

// entry is the robot in the list of models.
func (g *Gateway) entry() map[string]any {
	return map[string]any{"id": Model, "object": "model", "created": g.Started.Unix(), "owned_by": "reachyd"}
}

func (g *Gateway) models(w http.ResponseWriter, _ *http.Request) {
	send(w, http.StatusOK, map[string]any{"object": "list", "data": []any{g.entry()}})
}

func (g *Gateway) model(w http.ResponseWriter, r *http.Request) {
	if name := r.PathValue("model"); name != Model {
		refuse(w, http.StatusNotFound, "model", "model_not_found", fmt.Sprintf("model: %.80q is not %s", name, Model))
		return
	}
	send(w, http.StatusOK, g.entry())
}

// chatRequest is what is read of a request; what else a client sends (temperature and the like) changes nothing here.
type chatRequest struct {
	Model         string    `json:"model"`
	Messages      []message `json:"messages"`
	Stream        bool      `json:"stream"`
	StreamOptions struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	Tools []callerTool `json:"tools"`
	User  string       `json:"user"`

	response *responseRequest // it came as one of /v1/responses
	goesOn   string           // the conversation that it goes on with
}

type message struct {
	Role       string          `json:"role"`
	Content    json.RawMessage `json:"content"`
	ToolCalls  []toolCall      `json:"tool_calls"`
	ToolCallID string          `json:"tool_call_id"`
}

type callerTool struct {
	Type     string `json:"type"`
	Function struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
	} `json:"function"`
}

type toolCall struct {
	Index    int    `json:"index"`
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

// part is a piece of the content of a message.
type part struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	ImageURL struct {
		URL string `json:"url"`
	} `json:"image_url"`
}

// read is what a message says, and its pictures.
func (m message) read() (text string, pictures [][]byte, err error) {
	if len(m.Content) == 0 || string(m.Content) == "null" {
		return "", nil, nil
	}
	if json.Unmarshal(m.Content, &text) == nil {
		return text, nil, nil
	}
	var parts []part
	if err := json.Unmarshal(m.Content, &parts); err != nil {
		return "", nil, errors.New("is neither a text nor a list of parts")
	}
	var texts []string
	for _, p := range parts {
		switch p.Type {
		case "text":
			texts = append(texts, p.Text)
		case "image_url":
			_, data, found := strings.Cut(p.ImageURL.URL, ";base64,")
			picture, err := base64.StdEncoding.DecodeString(data)
			if !found || !strings.HasPrefix(p.ImageURL.URL, "data:image/") || err != nil {
				return "", nil, errors.New("has a picture that is not a data: URL in base64, which is all that is read")
			}
			pictures = append(pictures, picture)
		default:
			return "", nil, fmt.Errorf("has a part of the type %.40q; allowed are text and image_url", p.Type)
		}
	}
	return strings.Join(texts, "\n"), pictures, nil
}

func (g *Gateway) chat(w http.ResponseWriter, r *http.Request) {
	var in chatRequest
	if readBody(w, r, &in) && usable(w, &in, "messages") {
		g.answer(w, r, in, "messages")
	}
}

// answer answers a request, whose messages are called field.
func (g *Gateway) answer(w http.ResponseWriter, r *http.Request, in chatRequest, field string) {
	last := in.Messages[len(in.Messages)-1]
	text, pictures, err := last.read()
	if err != nil {
		refuse(w, http.StatusBadRequest, field, "invalid", field+": the last "+err.Error())
		return
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{}) // the answer may take its time
	switch {
	case chore(text):
		g.chore(w, r, in)
	case last.Role == "tool" || len(in.Tools) > 0 && g.planless(r, text):
		g.withTools(w, r, in)
	case len(pictures) > 0:
		g.look(w, r, in, text, pictures)
	case strings.TrimSpace(text) == "":
		refuse(w, http.StatusBadRequest, field, "invalid", field+": the last one says nothing")
	default:
		g.turn(w, r, in, text)
	}
}

// readBody reads a request; it has answered when it returns false.
func readBody(w http.ResponseWriter, r *http.Request, in any) bool {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/json" {
		refuse(w, http.StatusUnsupportedMediaType, "", "media_type", "Content-Type: allowed is application/json")
		return false
	}
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxChat))
	if errors.As(err, new(*http.MaxBytesError)) {
		refuse(w, http.StatusRequestEntityTooLarge, "", "too_large", fmt.Sprintf("the body is longer than %d bytes", maxChat))
		return false
	}
	if err == nil {
		err = json.Unmarshal(data, in)
	}
	if err != nil {
		refuse(w, http.StatusBadRequest, "", "bad_json", "the body is not a request: "+err.Error())
	}
	return err == nil
}

// usable refuses messages that cannot be answered; they are called field.
func usable(w http.ResponseWriter, in *chatRequest, field string) bool {
	n := len(in.Messages)
	switch {
	case n == 0 || n > maxMessages:
		refuse(w, http.StatusBadRequest, field, "invalid", fmt.Sprintf("%s: there are %d; allowed are 1 to %d", field, n, maxMessages))
	case in.Messages[n-1].Role != "user" && in.Messages[n-1].Role != "tool":
		refuse(w, http.StatusBadRequest, field, "invalid", field+": the last one must be of the role user, or what a tool answered")
	default:
		return true
	}
	return false
}

// chore says that a text is no sentence of a person but something that a program, Open WebUI, has language models do beside a conversation:
// to find a title for it, or what might be asked next.
func chore(text string) bool {
	return strings.HasPrefix(text, "### Task:") || strings.HasPrefix(text, "Your task is to ")
}

// chore lets the language model do that; without one nobody says anything.
func (g *Gateway) chore(w http.ResponseWriter, r *http.Request, in chatRequest) {
	if g.Model == nil || g.Model.Ready(llm.RoleCall) != nil {
		g.begin(w, r, in).finish("", nil)
		return
	}
	g.withTools(w, r, in)
}

// planless says that the robot itself has no plan for a sentence, so that the caller's tools are asked first.
func (g *Gateway) planless(r *http.Request, text string) bool {
	if g.Model == nil || g.Model.Ready(llm.RoleCall) != nil {
		return false
	}
	result, e := g.Commander.Do(r.Context(), api.VerbPlan, map[string]any{"text": text}, "")
	var p struct{ Outcome string }
	return e == nil && json.Unmarshal(result, &p) == nil && p.Outcome == "none"
}

// session is the conversation that a request belongs to: that of its user, else the one that began with the same sentence. The robot
// remembers what was said itself; of the messages only the last is new.
func (in *chatRequest) session() string {
	if in.goesOn != "" {
		return in.goesOn
	}
	if in.User != "" && command.ValidID(in.User) && len(in.User) <= 48 {
		return "openai-" + strings.Map(func(r rune) rune {
			if r < 0x80 && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_.:@-", r)) {
				return r
			}
			return '-'
		}, in.User)
	}
	first := ""
	for _, m := range in.Messages {
		if m.Role == "user" {
			first = string(m.Content)
			break
		}
	}
	sum := sha256.Sum256([]byte(first))
	return "openai-" + hex.EncodeToString(sum[:8])
}

// turn lets the robot answer.
func (g *Gateway) turn(w http.ResponseWriter, r *http.Request, in chatRequest, text string) {
	session := in.session()
	out := g.begin(w, r, in)
	stop := out.follow(g.Events, session)
	result, e := g.Commander.Do(r.Context(), api.VerbChat, map[string]any{"text": text, "session": session}, "")
	stop()
	var t coordinator.Trace
	if e != nil && len(result) == 0 || json.Unmarshal(result, &t) != nil {
		if e == nil {
			e = &api.Error{Code: api.CodeInternal, Message: "the answer cannot be read"}
		}
		out.fail(e)
		return
	}
	out.finish(t.Reply, nil)
}

// look says what is in a picture.
func (g *Gateway) look(w http.ResponseWriter, r *http.Request, in chatRequest, prompt string, pictures [][]byte) {
	out := g.begin(w, r, in)
	if g.Senses == nil {
		out.fail(&api.Error{Code: api.CodeNotAvailable, Message: "the robot sees nothing: reachyctl doctor says why"})
		return
	}
	var said []string
	for _, p := range pictures {
		a, err := g.Senses.Analyze(r.Context(), p, prompt)
		if err != nil {
			out.fail(rest.SenseError(err))
			return
		}
		said = append(said, a.Description)
	}
	out.finish(strings.Join(said, "\n"), nil)
}

// withTools lets the language model choose among the caller's tools.
func (g *Gateway) withTools(w http.ResponseWriter, r *http.Request, in chatRequest) {
	out := g.begin(w, r, in)
	if g.Model == nil {
		out.fail(&api.Error{Code: api.CodeNotAvailable, Message: "tools of the caller need a language model, and there is none (llm.url)"})
		return
	}
	req, e := modelRequest(in)
	if e != nil {
		out.fail(e)
		return
	}
	answer, err := g.Model.Chat(r.Context(), req, nil)
	if err != nil {
		out.fail(&api.Error{Code: api.CodeUnavailable, Message: err.Error()})
		return
	}
	var calls []toolCall
	for i, c := range answer.Calls {
		call := toolCall{Index: i, ID: fmt.Sprintf("call_%s_%d", tool.Trace(r.Context()), i), Type: "function"}
		call.Function.Name, call.Function.Arguments = c.Name, string(c.Args)
		calls = append(calls, call)
	}
	out.finish(answer.Text, calls)
}
