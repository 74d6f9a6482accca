package tools

import (
	"encoding/json"
	"path/filepath"
	"strings"

	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/cmd/reachyctl/internal/cli"
	"github.com/reachyd/reachyd/cmd/reachyctl/internal/connect"
	"github.com/reachyd/reachyd/toolsandbox/modules"
)

// MaxModule is how many bytes of a WebAssembly module are read.
const MaxModule = modules.MaxSize

// manifest is the source of the tool that is a WebAssembly module: what NAME.json beside NAME.wasm says, which module it
// is, and its name unless it says another.
func manifest(path string) (string, error) {
	module, err := cli.ReadFile(path, MaxModule)
	if err != nil {
		return "", err
	}
	base := strings.TrimSuffix(path, filepath.Ext(path))
	text, err := cli.ReadFile(base+".json", maxFile)
	if err != nil {
		return "", err
	}
	m := map[string]json.RawMessage{}
	if err := json.Unmarshal([]byte(text), &m); err != nil || m == nil {
		return "", cli.Usage("%s is no JSON object with name, description, parameters, returns and calls", base+".json")
	}
	fill := func(field, value string) string {
		if raw, err := json.Marshal(value); m[field] == nil && err == nil {
			m[field] = raw
		}
		var said string
		if json.Unmarshal(m[field], &said) != nil {
			return string(m[field])
		}
		return said
	}
	fill("name", filepath.Base(base))
	sum := "sha256:" + modules.Sum([]byte(module))
	if said := fill("module", sum); said != sum {
		return "", cli.Usage("module in %s: %.80q, but %s has %s: leave it out or mend it", base+".json", said, path, sum)
	}
	source, err := json.MarshalIndent(m, "", "  ")
	return string(source) + "\n", err
}

// module is the file that goes with a manifest; none for other languages.
func (o *options) module(path string) ([]api.File, error) {
	if o.languageOf(path) != wasm {
		return nil, nil
	}
	return connect.ReadAttachments([]string{path})
}
