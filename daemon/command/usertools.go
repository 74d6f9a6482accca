package command

import (
	"context"
	"encoding/json"
	"errors"
	"math"

	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/toolsandbox/pipeline"
)

// UserTools keeps the tools that people wrote for the robot. *toolmanager.Manager is one.
type UserTools interface {
	// Do carries out cmd/tools/<action>. An error that is not an *Error is told as our fault.
	Do(ctx context.Context, action string, args json.RawMessage) (any, error)
}

// Limits of what comes with the commands for self-made tools.
const (
	maxSource = 64 << 10  // characters
	maxCases  = 500       // of a test
	maxBundle = 768 << 10 // characters of a file of tools in a command; beside it more
	maxGiven  = 768 << 10 // characters of a file in base64 in a command; beside it more
	maxGrants = 128
)

var (
	sourceSchema     = tool.Text("of the tool: Python, JavaScript, or the manifest of a WebAssembly module", maxSource)
	nameSchema       = tool.Text("of the tool", maxName)
	casesSchema      = tool.Schema{Type: tool.TypeArray, MaxItems: maxCases, Description: "test cases; when left out they are made from the parameters"}
	givenCasesSchema = tool.Schema{Type: tool.TypeArray, MaxItems: maxCases, Description: "test cases that the tool must pass"}
	grantsSchema     = tool.Schema{
		Type: tool.TypeArray, Items: &tool.Schema{Type: tool.TypeString, MaxLength: maxName}, MaxItems: maxGrants,
		Description: "the robot's tools that it may call",
	}
	versionSchema  = tool.Integer("number of the version; 0 for the newest, or for the one before in rollback", 0, 1000).WithDefault(0)
	languageSchema = tool.Text("that it is written in; python when left out", 32)
	filesSchema    = tool.Schema{
		Type: tool.TypeArray, MaxItems: pipeline.MaxFiles, Description: "files that the tool gets",
		Items: &tool.Schema{Type: tool.TypeObject, Required: []string{"name", "data"}, Properties: map[string]tool.Schema{
			"name": tool.Text("of the file, with its ending", 255), "data": tool.Text("its content, base64", maxGiven),
		}},
	}
	modulesSchema = tool.Schema{
		Type: tool.TypeArray, MaxItems: pipeline.MaxFiles, Description: "WebAssembly modules that manifests name", Items: filesSchema.Items,
	}
	authorSchema = tool.Text("who asks for it", 200)
)

// selfMade are the commands that UserTools carries out. Those that only read are repeatable.
func selfMade() map[string]verb {
	do := func(action string, repeatable bool, properties map[string]tool.Schema, required ...string) verb {
		run := func(ctx context.Context, d *Dispatcher, args json.RawMessage) (any, error) {
			if d.UserTools == nil {
				return nil, &Error{Code: CodeNotAvailable, Message: "the self-made tools could not be read when reachyd started; its log says why"}
			}
			return d.UserTools.Do(ctx, action, args)
		}
		return verb{args: tool.Object(properties, required...), repeatable: repeatable, run: run}
	}
	return map[string]verb{
		"tools/new": do("new", true, map[string]tool.Schema{"name": nameSchema}, "name"),
		"tools/check": do("check", true, map[string]tool.Schema{
			"name": nameSchema, "language": languageSchema, "source": sourceSchema, "files": modulesSchema,
			"mode": tool.OneOf("lenient only warns of missing documentation and of complexity", "strict", "lenient").WithDefault("strict"),
		}, "source"),
		"tools/test": do("test", true, map[string]tool.Schema{
			"name": nameSchema, "language": languageSchema, "source": sourceSchema, "cases": casesSchema, "files": modulesSchema,
		}, "source"),
		"tools/add": do("add", false, map[string]tool.Schema{
			"name": nameSchema, "language": languageSchema, "source": sourceSchema, "cases": casesSchema, "grants": grantsSchema,
			"author": authorSchema, "files": modulesSchema,
			"licence":         tool.Text("that it is under, an SPDX expression such as MIT", 200),
			"allow_duplicate": tool.Boolean("register it though it is nearly the same as another").WithDefault(false),
			"allow_untested":  tool.Boolean("keep it though there is no sandbox that could test it; it waits for review, and is tested then").WithDefault(false),
			"inactive":        tool.Boolean("leave the active version as it is").WithDefault(false),
		}, "source"),
		"tools/run": do("run", false, map[string]tool.Schema{
			"name": nameSchema, "language": languageSchema, "source": sourceSchema, "grants": grantsSchema, "files": filesSchema,
			"args":        {Type: tool.TypeObject, Open: true, Description: "its arguments", Default: map[string]any{}},
			"skip_checks": tool.Boolean("run it in the sandbox without looking at it first").WithDefault(false),
		}, "source"),
		"tools/files": do("files", true, map[string]tool.Schema{"files": filesSchema}),
		"tools/review": do("review", false, map[string]tool.Schema{
			"action": tool.OneOf("list shows what waits for review, note adds a remark to a version", "list", "approve", "reject", "note").WithDefault("list"),
			"name":   nameSchema, "author": authorSchema, "reason": tool.Text("why it is rejected, or the remark; its author reads it", 2000),
			"kind":    tool.OneOf("what a note is about", "review", "vulnerability", "licence").WithDefault("review"),
			"version": tool.Integer("number of the version; 0 for the newest that waits", 0, 1000).WithDefault(0),
		}),
		"tools/diff": do("diff", true, map[string]tool.Schema{
			"name": nameSchema, "from": tool.Integer("number of a version", 1, 1000), "to": tool.Integer("number of another", 1, 1000),
		}, "name", "from", "to"),
		"tools/ps": do("ps", true, nil),
		"tools/kill": do("kill", true, map[string]tool.Schema{
			"run": tool.Integer("number of the call, as ps has it", 1, math.MaxInt32), "name": nameSchema,
		}),
		"tools/activate":   do("activate", false, map[string]tool.Schema{"name": nameSchema, "version": versionSchema, "author": authorSchema}, "name"),
		"tools/deactivate": do("deactivate", false, map[string]tool.Schema{"name": nameSchema, "author": authorSchema}, "name"),
		"tools/rollback":   do("rollback", false, map[string]tool.Schema{"name": nameSchema, "version": versionSchema, "author": authorSchema}, "name"),
		"tools/export": do("export", true, map[string]tool.Schema{
			"names": {Type: tool.TypeArray, Items: &nameSchema, MaxItems: 500, Description: "of the tools; all when left out"},
			"large": tool.Boolean("whoever asks takes more than an MQTT message").WithDefault(false),
		}),
		"tools/import": do("import", false, map[string]tool.Schema{
			"file": tool.Text("what export wrote", maxBundle), "grants": grantsSchema, "author": authorSchema, "files": modulesSchema,
			"allow_duplicate": tool.Boolean("import tools that are nearly the same as others").WithDefault(false),
			"inactive":        tool.Boolean("leave the active versions as they are").WithDefault(false),
		}),
	}
}

// showSelfMade shows a self-made tool; ok is false when there is none of that name.
func (d *Dispatcher) showSelfMade(ctx context.Context, args json.RawMessage) (result any, ok bool, err error) {
	if d.UserTools == nil {
		return nil, false, nil
	}
	result, err = d.UserTools.Do(ctx, "show", args)
	var e *Error
	if errors.As(err, &e) && e.Code == CodeUnknownTool {
		return nil, false, nil
	}
	return result, true, err
}
