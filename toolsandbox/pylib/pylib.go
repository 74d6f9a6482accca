// Package pylib is what self-made tools can import beyond the standard library: reachy_mini, cv2, PIL, requests and a
// subset of numpy, in Python, with the heavy work done by package host.
//
// Why not the real numpy: it takes an interpreter of 32 MB of code (24 MB to fetch, 157 MB of native code, 13 s and
// 0.8 GB to compile, 100 to 140 MB resident) where the lean one takes 32 MB resident in all, and its Pillow reads no
// JPEG. Three coordinates and a few hundred pixels do not need it. It can come as an image of its own later; sources
// that run here run there.
package pylib

import (
	"embed"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
)

//go:embed python/*.py
var files embed.FS

//go:embed install.py
var install string

// ModuleName is the one module of the image that brings all others.
const ModuleName = "reachyd_pylib"

// Modules is what to put into guest.ImageConfig.Modules: one module that, while the image is made, compiles all of
// python/ and puts it in place under the names that tools import.
func Modules() (map[string]string, error) {
	entries, err := files.ReadDir("python")
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	b.WriteString("SOURCES = {}\n")
	for _, e := range entries {
		text, err := files.ReadFile(path.Join("python", e.Name()))
		if err != nil {
			return nil, err
		}
		// Go's escapes in ASCII are Python's.
		fmt.Fprintf(&b, "SOURCES[%q] = %s\n", strings.TrimSuffix(e.Name(), ".py"), strconv.QuoteToASCII(string(text)))
	}
	b.WriteString(install)
	return map[string]string{ModuleName: b.String()}, nil
}

// Imports are the names that tools may import because of this package, for validate.Options.Imports, sorted.
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
