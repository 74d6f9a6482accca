// Package rest is the robot's programming interface over HTTP and WebSockets: /api/v1. What it offers is one table of routes;
// nearly all of them are commands of package command, so that HTTP can do what MQTT can. openapi.json is made from the same table.
package rest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/daemon/access"
	"github.com/reachyd/reachyd/daemon/command"
	"github.com/reachyd/reachyd/daemon/event"
	"github.com/reachyd/reachyd/perception/client"
)

// Prefix is where the interface is.
const Prefix = "/api/v1"

// Limits of requests.
const (
	maxJSON    = 1 << 20
	maxPicture = 16 << 20
	maxSound   = 32 << 20
)

// Commander carries out a command; it is daemon/command's Dispatcher.
type Commander interface {
	Do(ctx context.Context, verb string, payload []byte) (id string, reply []byte)
}

// carrier is a Commander that returns the result as it is, so that it is not written as JSON to be read again.
type carrier interface {
	Carry(ctx context.Context, verb string, payload []byte) command.Reply
}

// Hearing hears what is being spoken elsewhere. *client.Client does it.
type Hearing interface {
	Converse(ctx context.Context, wav io.Reader, fn func(client.Event)) (client.Hearings, error)
}

// API answers requests. Fill in the exported fields, then Mount it; Close ends what streams.
type API struct {
	Commander Commander
	Events    *event.Bus
	// Tools are those that can be called: the same slice until one is added, replaced or removed.
	Tools   func() []tool.Spec
	Senses  command.Senses // nil: there are none
	Hearing Hearing        // nil: there is none
	// State and Telemetry are as on MQTT; Changed is closed when there is a newer state. Of a robot that rests there are more of them
	// after Follow, until done is called.
	State     func() []byte
	Telemetry func() []byte
	Changed   func() <-chan struct{}
	Follow    func() (done func())
	Health    func() api.Health
	// Frame is what the camera sees now, JPEG; nil without a camera.
	Frame func(ctx context.Context) ([]byte, error)
	// Streams is told that a connection has become a stream, which is no request that waits any more; done ends it. It refuses
	// when there are too many. nil: everything is allowed.
	Streams func(r *http.Request) (done func(), ok bool)
	Version string
	// Beside are paths of others in the document, with their operations.
	Beside map[string]any

	document func() []byte // openapi.json
	listed   atomic.Pointer[catalogue]
	closing  context.Context
	cancel   context.CancelFunc
	streams  sync.WaitGroup
}

// Mount adds the routes to a mux.
func (a *API) Mount(mux *http.ServeMux) {
	a.closing, a.cancel = context.WithCancel(context.Background())
	a.document = sync.OnceValue(a.openapi)
	for _, rt := range routes() {
		mux.HandleFunc(rt.method+" "+rt.pattern(), a.serve(rt))
		if rt.also != "" {
			mux.HandleFunc(rt.method+" "+rt.also, a.serve(rt))
		}
	}
	mux.HandleFunc("GET /openapi.json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(a.document())
	})
	mux.HandleFunc(Prefix+"/", func(w http.ResponseWriter, r *http.Request) { a.lost(w, r) })
}

// Close ends all streams and waits for them.
func (a *API) Close() {
	if a.cancel != nil {
		a.cancel()
		a.streams.Wait()
	}
}

// lost answers requests for which there is no route: another method may have one.
func (a *API) lost(w http.ResponseWriter, r *http.Request) {
	if methods := methodsOf(r.URL.Path); methods != "" {
		w.Header().Set("Allow", methods)
		Refuse(w, r, codeMethod, fmt.Sprintf("%s %.200s: allowed are %s", r.Method, r.URL.Path, methods))
		return
	}
	Refuse(w, r, api.CodeUnknownName, fmt.Sprintf("there is nothing at %.200q; %s lists what there is", r.URL.Path, "/openapi.json"))
}

// serve is the handler of a route: who may ask, then the route's own.
func (a *API) serve(rt *route) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if g := access.Of(r.Context()); !g.Allows(rt.scope) {
			Forbidden(w, r, fmt.Sprintf("%s %s needs the scope %s; the token of %s has %v", r.Method, rt.path, rt.scope, g.By, g.Scopes))
			return
		}
		if rt.scope == api.ScopeRead && rt.verb != api.VerbTool {
			access.Harmless(r.Context())
		}
		w.Header().Set("Cache-Control", "no-store")
		rt.handle(a, rt, w, r)
	}
}

// call carries out a command and returns its result, or answers with the problem.
func (a *API) call(w http.ResponseWriter, r *http.Request, verb api.Verb, args map[string]any) (json.RawMessage, bool) {
	result, e := a.do(r.Context(), verb, args, r.Header.Get("Idempotency-Key"))
	if e != nil {
		Fail(w, r, e, result)
		return nil, false
	}
	return result, true
}

// Do carries out a command; with an id it acts once.
func (a *API) Do(ctx context.Context, verb api.Verb, args map[string]any, id string) (json.RawMessage, *api.Error) {
	return a.do(ctx, verb, args, id)
}

// do carries out a command.
func (a *API) do(ctx context.Context, verb api.Verb, args map[string]any, id string) (json.RawMessage, *api.Error) {
	result, e := a.carry(ctx, verb, args, id)
	if text, ok := result.(encoded); ok || result == nil {
		return json.RawMessage(text), e
	}
	text, err := json.Marshal(result)
	if err != nil {
		return nil, &api.Error{Code: api.CodeInternal, Message: err.Error()}
	}
	return text, e
}

// encoded is a result that is JSON already.
type encoded json.RawMessage

// carry is do with a result as the command returns it, or encoded. It is not to be changed.
func (a *API) carry(ctx context.Context, verb api.Verb, args map[string]any, id string) (any, *api.Error) {
	if id != "" {
		args = withID(args, id)
	}
	payload, err := json.Marshal(args)
	if err != nil {
		return nil, &api.Error{Code: api.CodeInvalid, Message: err.Error()}
	}
	if c, ok := a.Commander.(carrier); ok && id == "" {
		r := c.Carry(ctx, string(verb), payload)
		return r.Result, r.Error
	}
	_, reply := a.Commander.Do(ctx, string(verb), payload)
	var answer struct {
		OK     bool            `json:"ok"`
		Result json.RawMessage `json:"result"`
		Error  *api.Error      `json:"error"`
	}
	if err := json.Unmarshal(reply, &answer); err != nil {
		return nil, &api.Error{Code: api.CodeInternal, Message: err.Error()}
	}
	return encoded(answer.Result), answer.Error
}

func withID(args map[string]any, id string) map[string]any {
	all := map[string]any{"id": id}
	for k, v := range args {
		all[k] = v
	}
	return all
}

// reply answers with JSON.
func reply(w http.ResponseWriter, r *http.Request, v any) {
	data, err := json.Marshal(v)
	if err != nil {
		Refuse(w, r, api.CodeInternal, err.Error())
		return
	}
	replyJSON(w, data)
}

// replyJSON answers with what is JSON already. It does not change data, which others may be reading.
func replyJSON(w http.ResponseWriter, data []byte) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(append(data[:len(data):len(data)], '\n')) // a client that is gone has no use for the error
}

// arguments reads the body, the path and the query of a request as arguments of a command.
func (rt *route) arguments(w http.ResponseWriter, r *http.Request) (map[string]any, *api.Error) {
	args := map[string]any{}
	if rt.method != http.MethodGet && rt.method != http.MethodDelete {
		var e *api.Error
		if args, e = object(w, r, rt.optional); e != nil {
			return nil, e
		}
		if e = rt.translate(args); e != nil {
			return nil, e
		}
	}
	if _, given := args["id"]; given {
		return nil, invalid("id", "is not an argument; the header Idempotency-Key makes a request act once")
	}
	for _, p := range rt.params {
		if p.in == "path" {
			if _, given := args[p.name]; given {
				return nil, invalid(p.name, "stands in the path already")
			}
			args[p.name] = r.PathValue(p.name)
		}
	}
	if e := rt.query(r, args); e != nil {
		return nil, e
	}
	for name, v := range rt.fixed {
		args[name] = v
	}
	return args, nil
}

// translate makes arguments of the verb of what the body has.
func (rt *route) translate(args map[string]any) *api.Error {
	for here, name := range rt.named {
		if _, given := args[name]; given {
			return invalid(name, "is called "+here+" here")
		}
		if v, given := args[here]; given {
			args[name] = v
			delete(args, here)
		}
	}
	for name := range args {
		if rt.fixed != nil && !rt.has(name) {
			return invalid(name, fmt.Sprintf("is not an argument; allowed are %v", rt.takes))
		}
	}
	return nil
}

// query adds the parameters of the URL to args.
func (rt *route) query(r *http.Request, args map[string]any) *api.Error {
	values := r.URL.Query()
	for _, p := range rt.params {
		given := values[p.name]
		if p.in != "query" || len(given) == 0 {
			continue
		}
		if len(given) > 1 && p.schema.Type != tool.TypeArray {
			return invalid(p.name, "is given more than once")
		}
		v, err := p.value(given)
		if err != nil {
			e := invalid(p.name, fmt.Sprintf("%.80q %v", given[0], err))
			e.Fields[0].Value, e.Fields[0].Allowed = command.Shorten([]byte(given[0])), err.Error()
			return e
		}
		args[p.name] = v
	}
	return nil
}

// value is a parameter as its schema has it.
func (p *param) value(given []string) (any, error) {
	switch p.schema.Type {
	case tool.TypeInteger:
		if _, err := strconv.ParseInt(given[0], 10, 64); err != nil {
			return nil, errors.New("is not a whole number")
		}
		return json.Number(given[0]), nil
	case tool.TypeBoolean:
		if given[0] != "true" && given[0] != "false" {
			return nil, errors.New("is not true or false")
		}
		return given[0] == "true", nil
	case tool.TypeArray:
		return given, nil
	}
	return given[0], nil
}

func invalid(field, wrong string) *api.Error {
	return &api.Error{Code: api.CodeInvalid, Message: field + ": " + wrong, Fields: []api.FieldError{{Field: field, Allowed: wrong}}}
}

// object reads the body as a JSON object, with the numbers as they were written.
func object(w http.ResponseWriter, r *http.Request, optional bool) (map[string]any, *api.Error) {
	data, e := body(w, r, maxJSON, "application/json")
	if e != nil {
		if optional && r.ContentLength == 0 {
			return map[string]any{}, nil
		}
		return nil, e
	}
	if len(bytes.TrimSpace(data)) == 0 && (!optional || len(data) > 0) { // blanks are no body that was left out
		return nil, &api.Error{Code: api.CodeBadJSON, Message: "the body is empty; allowed is a JSON object"}
	}
	args, err := tool.Decode(data)
	if err != nil {
		var each tool.ArgumentErrors
		if errors.As(err, &each) && json.Valid(data) {
			return nil, &api.Error{Code: api.CodeInvalid, Message: err.Error()}
		}
		return nil, &api.Error{Code: api.CodeBadJSON, Message: "the body is not a JSON object: " + command.Shorten(data)}
	}
	return args, nil
}

// body reads the body of a request, at most most bytes, if it is of one of the types.
func body(w http.ResponseWriter, r *http.Request, most int64, types ...string) ([]byte, *api.Error) {
	given, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if ok := matches(given, types); err != nil || !ok {
		return nil, &api.Error{Code: codeMedia, Message: fmt.Sprintf("Content-Type: %.80q; allowed are %v", r.Header.Get("Content-Type"), types)}
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(time.Minute)) // what is large takes longer than a header
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, most))
	if err != nil {
		if errors.As(err, new(*http.MaxBytesError)) {
			return nil, &api.Error{Code: codeTooLarge, Message: fmt.Sprintf("the body is longer than %d bytes", most)}
		}
		return nil, &api.Error{Code: api.CodeBadJSON, Message: "the body broke off"}
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{}) // the answer may take its time
	return data, nil
}

// matches says whether a type of media is one of those, of which one may end with "/*".
func matches(given string, types []string) bool {
	for _, t := range types {
		if t == given || len(t) > 2 && t[len(t)-1] == '*' && len(given) >= len(t) && given[:len(t)-1] == t[:len(t)-1] {
			return true
		}
	}
	return false
}
