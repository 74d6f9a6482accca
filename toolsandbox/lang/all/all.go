// Package all lists the languages that tools can be written in. A new one is a folder in lang and a line in Languages.
package all

import (
	"maps"

	"github.com/reachyd/reachyd/toolsandbox/lang"
	"github.com/reachyd/reachyd/toolsandbox/lang/javascript"
	"github.com/reachyd/reachyd/toolsandbox/lang/python"
	"github.com/reachyd/reachyd/toolsandbox/lang/wasi"
	"github.com/reachyd/reachyd/toolsandbox/pylib"
)

// Languages are all of them by name, run by a sandbox. Modules are those of tools that are WebAssembly; nil: there are none.
func Languages(box lang.Sandbox, modules wasi.Modules) map[string]lang.Language {
	return map[string]lang.Language{
		python.Name:     python.Language{Box: box, Imports: pylib.Imports()},
		javascript.Name: javascript.Language{Box: box},
		wasi.Name:       wasi.Language{Box: box, Modules: modules},
	}
}

// Modules are what the images of the sandbox are made with, the lean one and that with the real numpy: see guest.Config.
// The functions are the robot's own tools.
func Modules(functions ...python.Function) (lean, numpy map[string]string, err error) {
	if lean, err = pylib.Modules(); err != nil {
		return nil, nil, err
	}
	if numpy, err = pylib.NumpyModules(); err != nil {
		return nil, nil, err
	}
	maps.Copy(lean, python.Modules(functions...))
	maps.Copy(numpy, python.Modules(functions...))
	return lean, numpy, nil
}
