package toolmanager

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/agents/verbalize"
	"github.com/reachyd/reachyd/toolsandbox/files"
	"github.com/reachyd/reachyd/toolsandbox/guest"
	"github.com/reachyd/reachyd/toolsandbox/host"
	"github.com/reachyd/reachyd/toolsandbox/lang"
	"github.com/reachyd/reachyd/toolsandbox/pipeline"
	"github.com/reachyd/reachyd/toolsandbox/registry"
)

// userTool is one version of a self-made tool as a tool of the robot.
type userTool struct {
	manager *Manager
	version *registry.Version
	spec    tool.Spec
}

// make makes a tool of a version.
func (t *Manager) make(v *registry.Version) (*userTool, error) {
	parameters, err := toSchema(v.Schema)
	if err != nil {
		return nil, err
	}
	m := &userTool{manager: t, version: v, spec: tool.Spec{Name: v.Name, Description: v.Doc.Summary, Parameters: parameters}}
	m.spec.Moves = t.moves(v.Grants)
	return m, nil
}

// moves says whether one of the host calls may move the robot. Who may, waits for its turn as every other does.
func (t *Manager) moves(grants []string) bool {
	for _, g := range grants {
		if s, ok := t.o.Tools.Get(g); g == host.CapMove || ok && s.Moves {
			return true
		}
	}
	return false
}

// Spec implements tool.Tool.
func (m *userTool) Spec() tool.Spec { return m.spec }

// Call implements tool.Tool. Files come with ctx; see pipeline.WithFiles.
func (m *userTool) Call(ctx context.Context, args json.RawMessage) tool.Result {
	ctx, end := m.manager.running.begin(ctx, m.version.Name, m.version.Number)
	defer end()
	if tool.IsUnattended(ctx) {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, unattendedTime)
		defer cancel()
	}
	if m.manager.o.FirstSlow {
		if kept := m.manager.library.Opened(); kept != nil && kept.Usage(m.version.Name, m.version.Number).Successes == 0 {
			ctx = slowly(ctx)
		}
	}
	res, err := m.manager.pipeline.Run(ctx, m.version, pipeline.Run{Args: args, Files: pipeline.FilesOf(ctx), Host: m.manager.answers()})
	return m.result(ctx, res, err)
}

// result says how a call went.
func (m *userTool) result(ctx context.Context, res guest.Result, err error) tool.Result {
	name := m.version.Name
	var bad *files.Error
	switch {
	case ctx.Err() != nil:
		return tool.Interrupted(ctx)
	case errors.Is(err, guest.ErrBusy):
		return tool.Errorf(tool.CodeUnavailable, "%s", m.manager.running.busy())
	case errors.Is(err, guest.ErrUnavailable):
		return tool.Errorf(tool.CodeUnavailable, "%s", missingPython(err))
	case errors.As(err, &bad), errors.Is(err, pipeline.ErrInput):
		return tool.Errorf(tool.CodeInvalid, "%s: %v", name, err)
	case err != nil:
		return tool.Errorf(tool.CodeFailed, "%s: %v", name, err)
	case res.Reason != guest.ReasonOK:
		r := tool.Errorf(codeOf(res.Reason), "%s", lang.Failure(name, res))
		r.Data = logged(res.Log)
		return r
	}
	return tool.Success(verbalize.Result(res.Value), res.Value)
}

// logged is what a tool printed, as the data of a result that failed.
func logged(log string) any {
	if log == "" {
		return nil
	}
	return map[string]any{"log": log}
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

var _ tool.Tool = (*userTool)(nil)
