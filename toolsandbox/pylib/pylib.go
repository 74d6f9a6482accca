// Package pylib is what self-made tools can import beyond the standard library: reachy_mini, cv2, PIL, requests and a
// subset of numpy, in Python, with the heavy work done by package host.
//
// Why not always the real numpy: its interpreter has 32 MB of code (44 MB to fetch, 157 MB of native code, 13 s of
// processor time and 0.8 GB to prepare once, some 100 MB resident while it is used) where the lean one takes 20 MB at
// rest. Three coordinates and a few hundred pixels do not need it. Where it is installed, tools that import numpy, PIL
// or pandas run in it, with the same reachy_mini, cv2 and requests.
package pylib

import (
	"embed"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
)

//go:embed python/*.py numpy/*.py
var files embed.FS

//go:embed install.py
var install string

// ModuleName is the one module of the image that brings all others.
const ModuleName = "reachyd_pylib"

// Modules is what to put into guest.ImageConfig.Modules: one module that, while the image is made, compiles all of
// python/ and puts it in place under the names that tools import.
func Modules() (map[string]string, error) { return modules("python") }

// NumpyModules is the same for an image with the real numpy and Pillow, guest.Config.NumpyModules.
func NumpyModules() (map[string]string, error) { return modules("python", "numpy") }

// ownNumpy are the modules that an image with the real ones does without.
var ownNumpy = []string{"numpy.py", "PIL.py", "PIL.Image.py", "PIL.ImageDraw.py"}

// modules are those of the folders; what is in a later one is taken from there.
func modules(folders ...string) (map[string]string, error) {
	var b strings.Builder
	b.WriteString("SOURCES = {}\n")
	for _, folder := range folders {
		entries, err := files.ReadDir(folder)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if len(folders) > 1 && slices.Contains(ownNumpy, e.Name()) {
				continue
			}
			text, err := files.ReadFile(path.Join(folder, e.Name()))
			if err != nil {
				return nil, err
			}
			// Go's escapes in ASCII are Python's.
			fmt.Fprintf(&b, "SOURCES[%q] = %s\n", strings.TrimSuffix(e.Name(), ".py"), strconv.QuoteToASCII(string(text)))
		}
	}
	b.WriteString(install)
	return map[string]string{ModuleName: b.String()}, nil
}

// Imports are the names that tools may import because of this package, for python.Language, sorted.
func Imports() []string {
	names := []string{"numpy.linalg", "numpy.random", "numpy.typing", "requests.exceptions"}
	entries, err := files.ReadDir("python")
	if err != nil {
		return names // cannot happen: the folder is part of the program
	}
	for _, e := range entries {
		if name := strings.TrimSuffix(e.Name(), ".py"); !strings.HasPrefix(name, "_") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
