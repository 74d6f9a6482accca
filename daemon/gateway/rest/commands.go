package rest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/daemon/access"
	"github.com/reachyd/reachyd/daemon/command"
	"github.com/reachyd/reachyd/hal/catalog"
)

// command is the handler of routes that are a command as it is.
func (a *API) command(rt *route, w http.ResponseWriter, r *http.Request) {
	result, ok := a.result(rt, w, r)
	if !ok {
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if rt.shape != nil {
		v, err := rt.shape(result)
		if err != nil {
			Refuse(w, r, api.CodeInternal, err.Error())
			return
		}
		reply(w, r, v)
		return
	}
	if len(result) == 0 {
		result = json.RawMessage("{}")
	}
	_, _ = w.Write(append(result, '\n')) // a client that is gone has no use for the error
}

// result carries out the command of a route; it has answered when ok is false.
func (a *API) result(rt *route, w http.ResponseWriter, r *http.Request) (result json.RawMessage, ok bool) {
	args, e := rt.arguments(w, r)
	if e != nil {
		Fail(w, r, e, nil)
		return nil, false
	}
	result, e = a.do(r.Context(), rt.verb, args, r.Header.Get("Idempotency-Key"))
	if e != nil {
		Rename(e, rt.named)
		if (e.Code == api.CodeInvalid || e.Code == api.CodeFailed) && rt.missing != "" {
			e = &api.Error{Code: api.CodeUnknownName, Message: e.Message}
		}
		Fail(w, r, e, result)
		return nil, false
	}
	return result, true
}

// Rename calls the fields of an error as they are called here, and those within them; named are the verb's names by those.
func Rename(e *api.Error, named map[string]string) {
	for i := range e.Fields {
		for here, field := range named {
			f := &e.Fields[i].Field
			rest, within := strings.CutPrefix(*f, field)
			if !within || rest != "" && rest[0] != '.' && rest[0] != '[' {
				continue
			}
			if wrong, leads := strings.CutPrefix(e.Message, *f+": "); leads {
				e.Message = here + rest + ": " + wrong
			}
			*f = here + rest
			break
		}
	}
}

// document is the handler of a route whose answer is there already.
func document(of func(a *API) []byte) func(a *API, rt *route, w http.ResponseWriter, r *http.Request) {
	return func(a *API, _ *route, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(append(of(a), '\n')) // a client that is gone has no use for the error
	}
}

func (a *API) health(_ *route, w http.ResponseWriter, r *http.Request) { reply(w, r, a.Health()) }

// catalogue is what was made of the tools when they were asked for last: they seldom change, and are asked for often.
type catalogue struct {
	specs  []tool.Spec
	answer []byte
}

// catalogue returns the tools that can be called; it has answered when ok is false.
func (a *API) catalogue(w http.ResponseWriter, r *http.Request) (c *catalogue, ok bool) {
	specs := a.Tools()
	if last := a.listed.Load(); last != nil && len(last.specs) == len(specs) && (len(specs) == 0 || &last.specs[0] == &specs[0]) {
		return last, true
	}
	answer, err := json.Marshal(infosOf(specs))
	if err != nil {
		Refuse(w, r, api.CodeInternal, err.Error())
		return nil, false
	}
	c = &catalogue{specs, answer}
	a.listed.Store(c)
	return c, true
}

func infosOf(specs []tool.Spec) api.ToolInfos {
	infos := api.ToolInfos{Tools: []api.ToolInfo{}}
	for _, s := range specs {
		source := "generated"
		if predefined(s.Name) {
			source = "predefined"
		}
		infos.Tools = append(infos.Tools, api.ToolInfo{
			Name: s.Name, Description: s.Description, Parameters: s.Parameters, Source: source, Moves: s.Moves, Unavailable: s.Unavailable,
		})
	}
	return infos
}

// predefined says whether a tool is one of the robot's own.
func predefined(name string) bool { return slices.Contains(catalog.ToolNames(), name) }

func (a *API) tools(_ *route, w http.ResponseWriter, r *http.Request) {
	if c, ok := a.catalogue(w, r); ok {
		replyJSON(w, c.answer)
	}
}

// ScopeOfTool is the scope that the call of a tool needs.
func ScopeOfTool(name string, specs []tool.Spec) api.Scope {
	at := slices.IndexFunc(specs, func(s tool.Spec) bool { return s.Name == name })
	switch {
	case at >= 0 && specs[at].Moves && predefined(name):
		return api.ScopeMove
	case predefined(name):
		return api.ScopeTalk
	}
	return api.ScopeTools
}

// generate writes a tool; who accepts server-sent events hears of each step.
func (a *API) generate(rt *route, w http.ResponseWriter, r *http.Request) {
	if !strings.Contains(r.Header.Get("Accept"), "text/event-stream") {
		a.command(rt, w, r)
		return
	}
	args, e := rt.arguments(w, r)
	if e != nil {
		Fail(w, r, e, nil)
		return
	}
	own := tool.Trace(r.Context())
	out := newStream(w)
	var made json.RawMessage
	a.meanwhile(out, func() { made, e = a.do(r.Context(), rt.verb, args, r.Header.Get("Idempotency-Key")) }, func(e api.Event) {
		if e.Trace == own {
			out.send(string(e.Type), 0, e)
		}
	}, api.TypeToolProgress, api.TypeToolRegistered, api.TypeToolRefused)
	if e != nil {
		out.send("error", 0, problemOf(r, e))
		return
	}
	out.send("done", 0, made)
}

// execute calls a tool.
func (a *API) execute(_ *route, w http.ResponseWriter, r *http.Request) {
	args, e := object(w, r, false)
	var in api.ExecuteRequest
	if e == nil {
		e = bind(args, executeSchema, &in)
	}
	if e != nil {
		Fail(w, r, e, nil)
		return
	}
	known, ok := a.catalogue(w, r)
	if !ok {
		return
	}
	if need, g := ScopeOfTool(in.ToolName, known.specs), access.Of(r.Context()); !g.Allows(need) {
		Forbidden(w, r, fmt.Sprintf("the tool %.64s needs the scope %s; the token of %s has %v", in.ToolName, need, g.By, g.Scopes))
		return
	}
	began := time.Now()
	params := in.Parameters
	if params == nil {
		params = json.RawMessage("{}")
	}
	result, e := a.do(r.Context(), api.VerbTool, map[string]any{"name": in.ToolName, "args": params}, r.Header.Get("Idempotency-Key"))
	var said tool.Result
	if err := json.Unmarshal(result, &said); err != nil || said.Status == "" {
		if e == nil {
			e = &api.Error{Code: api.CodeInternal, Message: fmt.Sprintf("the tool's result cannot be read: %v", err)}
		}
		Fail(w, r, e, nil)
		return
	}
	if e != nil {
		Rename(e, map[string]string{"tool_name": "name", "parameters": "args"})
	}
	if said.Code == api.CodeInvalid || said.Code == api.CodeUnknownTool { // nothing was done
		Fail(w, r, e, nil)
		return
	}
	reply(w, r, api.ExecuteAnswer{
		Status: said.Status, Result: said.Data, Message: said.Message, Code: said.Code, ExecutionTime: time.Since(began).Seconds(),
	})
}

var executeSchema = tool.Object(map[string]tool.Schema{
	"tool_name":  tool.Text("name of the tool", 64),
	"parameters": {Type: tool.TypeObject, Open: true, Description: "its arguments, as its schema has them"},
}, "tool_name")

// bind checks arguments and puts them into a struct.
func bind(args map[string]any, s tool.Schema, into any) *api.Error {
	checked, err := s.CheckValues(args)
	if err == nil {
		err = tool.Bind(checked, into)
	}
	if err != nil {
		return &api.Error{Code: api.CodeInvalid, Message: err.Error(), Fields: command.FieldErrors(err)}
	}
	return nil
}

// photo is a photo that is kept.
func (a *API) photo(rt *route, w http.ResponseWriter, r *http.Request) {
	result, ok := a.result(rt, w, r)
	if !ok {
		return
	}
	var p api.ShownPhoto
	if err := json.Unmarshal(result, &p); err != nil {
		Refuse(w, r, api.CodeInternal, err.Error())
		return
	}
	sendMedia(w, "image/jpeg", p.Image)
}

func sendMedia(w http.ResponseWriter, kind string, data []byte) {
	w.Header().Set("Content-Type", kind)
	_, _ = w.Write(data) // a client that is gone has no use for the error
}

func (a *API) camera(_ *route, w http.ResponseWriter, r *http.Request) {
	if a.Frame == nil {
		Refuse(w, r, api.CodeNotAvailable, "there is no camera")
		return
	}
	data, err := a.Frame(r.Context())
	if err != nil {
		Refuse(w, r, api.CodeUnavailable, "the camera gives no picture: "+err.Error())
		return
	}
	sendMedia(w, "image/jpeg", data)
}

// capture takes a photo.
func (a *API) capture(rt *route, w http.ResponseWriter, r *http.Request) {
	result, ok := a.result(rt, w, r)
	if !ok {
		return
	}
	var taken struct {
		Data struct {
			Name, Photo string
		}
	}
	if err := json.Unmarshal(result, &taken); err != nil {
		Refuse(w, r, api.CodeInternal, err.Error())
		return
	}
	name := taken.Data.Name + taken.Data.Photo
	kept, ok := a.call(w, r, api.VerbPhotosShow, map[string]any{"name": name})
	if !ok {
		return
	}
	var p api.ShownPhoto
	if err := json.Unmarshal(kept, &p); err != nil {
		Refuse(w, r, api.CodeInternal, err.Error())
		return
	}
	reply(w, r, api.CaptureAnswer{Image: p.Image, Timestamp: api.Time(time.Now()), Name: name})
}

// tts makes sound of a text.
func (a *API) tts(rt *route, w http.ResponseWriter, r *http.Request) {
	result, ok := a.result(rt, w, r)
	if !ok {
		return
	}
	var s api.Sound
	if err := json.Unmarshal(result, &s); err != nil {
		Refuse(w, r, api.CodeInternal, err.Error())
		return
	}
	sendMedia(w, "audio/wav", s.Audio)
}

// stt says what is said in a recording.
func (a *API) stt(rt *route, w http.ResponseWriter, r *http.Request) {
	data, e := body(w, r, maxSound, append(slices.Clone(rt.media), "multipart/form-data")...)
	if e == nil {
		data, e = recordingOf(r, data)
	}
	if e == nil && a.Senses == nil {
		e = &api.Error{Code: api.CodeNotAvailable, Message: "the robot hears nothing: reachyctl doctor says why"}
	}
	if e != nil {
		Fail(w, r, e, nil)
		return
	}
	t, err := a.Senses.Transcribe(r.Context(), data)
	if err != nil {
		Fail(w, r, about("audio", SenseError(err)), nil)
		return
	}
	reply(w, r, t)
}
