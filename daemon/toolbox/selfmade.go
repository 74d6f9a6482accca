package toolbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/toolsandbox/guest"
	"github.com/reachyd/reachyd/toolsandbox/host"
	"github.com/reachyd/reachyd/toolsandbox/registry"
)

// selfMade is one version of a self-made tool as a tool of the robot.
type selfMade struct {
	box     *Toolbox
	version *registry.Version
	spec    tool.Spec
	returns *tool.Schema // of an object with the result in it; nil when it cannot be said
}

// make makes a tool of a version.
func (t *Toolbox) make(v *registry.Version) (*selfMade, error) {
	parameters, err := toSchema(v.Schema)
	if err != nil {
		return nil, err
	}
	m := &selfMade{box: t, version: v, spec: tool.Spec{Name: v.Name, Description: v.Doc.Summary, Parameters: parameters}}
	// A tool that may move the robot waits for its turn as every other does that moves it.
	for _, g := range v.Grants {
		if s, ok := t.o.Tools.Get(g); g == host.CapMove || ok && s.Moves {
			m.spec.Moves = true
		}
	}
	if returns, err := toSchema(v.Returns); err == nil && returns.Type != "" {
		object := tool.Object(map[string]tool.Schema{"result": returns}, "result")
		if object.Verify() == nil {
			m.returns = &object
		}
	}
	return m, nil
}

// Spec implements tool.Tool.
func (m *selfMade) Spec() tool.Spec { return m.spec }

// Call implements tool.Tool.
func (m *selfMade) Call(ctx context.Context, args json.RawMessage) tool.Result {
	began := time.Now()
	res, err := m.run(ctx, args)
	r := m.result(ctx, res, err)
	if kept := m.box.kept(); kept != nil && ctx.Err() == nil {
		kept.Record(m.version.Name, m.version.Number, r.OK(), time.Since(began))
	}
	return r
}

func (m *selfMade) run(ctx context.Context, args json.RawMessage) (guest.Result, error) {
	v := m.version
	grants := slices.Clone(v.Grants)
	for _, u := range v.Uses {
		grants = append(grants, u.Name)
	}
	return m.box.sandbox.Call(ctx, python(v.Source, v.Name, args, grants, m.host()))
}

// host makes what answers the host calls of one call: pinned versions of the tools that it uses, else the robot. That
// they were granted is checked already, by the sandbox.
func (m *selfMade) host() guest.HostFunc {
	others := m.box.answers()
	return func(ctx context.Context, c guest.HostCall) (json.RawMessage, error) {
		used, err := m.box.used(m.version.Uses, c.Name)
		if err != nil {
			return nil, err
		}
		if used == nil {
			return others(ctx, c)
		}
		args, err := used.spec.Parameters.Check(c.Args)
		if err != nil {
			return nil, &guest.HostError{Code: tool.CodeInvalid, Message: c.Name + ": " + err.Error()}
		}
		return dataOf(used.Call(ctx, args))
	}
}

// result says how a call went.
func (m *selfMade) result(ctx context.Context, res guest.Result, err error) tool.Result {
	name := m.version.Name
	switch {
	case ctx.Err() != nil:
		return tool.Interrupted(ctx)
	case errors.Is(err, guest.ErrUnavailable):
		return tool.Errorf(tool.CodeUnavailable, "%s", missingPython(err))
	case err != nil:
		return tool.Errorf(tool.CodeFailed, "%s: %v", name, err)
	case res.Reason != guest.ReasonOK:
		r := tool.Errorf(codeOf(res.Reason), "%s", failure(name, res))
		r.Data = logged(res.Log)
		return r
	}
	if m.returns != nil {
		wrapped, err := json.Marshal(map[string]json.RawMessage{"result": res.Value})
		if err == nil {
			_, err = m.returns.Check(wrapped)
		}
		if err != nil {
			return tool.Errorf(tool.CodeFailed, "%s does not return what it says: %v", name, err)
		}
	}
	return tool.Success(fmt.Sprintf("%s returned %s.", name, shorten(string(res.Value), 200)), res.Value)
}

// logged is what a tool printed, as the data of a result that failed.
func logged(log string) any {
	if log == "" {
		return nil
	}
	return map[string]any{"log": log}
}

// failure says in a sentence how a call ended.
func failure(name string, res guest.Result) string {
	e := res.Error
	switch {
	case e == nil:
		return fmt.Sprintf("%s was ended: %s.", name, res.Reason)
	case res.Reason == guest.ReasonError && e.Line > 0:
		return fmt.Sprintf("%s failed in line %d: %s: %s", name, e.Line, e.Type, e.Message)
	case res.Reason == guest.ReasonError:
		return fmt.Sprintf("%s failed: %s: %s", name, e.Type, e.Message)
	}
	return fmt.Sprintf("%s was ended (%s): %s", name, res.Reason, e.Message)
}

// codeOf is the code of a result that ended for a reason.
func codeOf(r guest.Reason) string {
	switch r {
	case guest.ReasonTimeout:
		return tool.CodeTimeout
	case guest.ReasonArgs:
		return tool.CodeInvalid
	case guest.ReasonError, guest.ReasonDenied, guest.ReasonResult, guest.ReasonExit, guest.ReasonCrash, guest.ReasonProtocol:
		return tool.CodeFailed
	}
	return tool.CodeLimit
}

// missingPython says what to do when there is no sandbox.
func missingPython(err error) string {
	text := err.Error()
	if strings.Contains(text, "python-wasm.sh") {
		return "self-made tools need the Python interpreter, which is not here yet: run `make python` in the checkout of reachyd"
	}
	return "self-made tools cannot run: " + text
}

func shorten(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

var _ tool.Tool = (*selfMade)(nil)
