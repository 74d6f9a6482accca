// Package interpreters knows where the interpreters of self-made tools are kept, and what puts them there.
package interpreters

import (
	"os"
	"path/filepath"
)

// Interpreter is one that a script in cross/ fetches or builds.
type Interpreter struct {
	Folder string // in the cache; its name has the version
	Script string // that makes it, from the repository's root
}

// The interpreters.
var (
	Python     = Interpreter{"python-3.13.5-r1", "cross/python-wasm.sh"}
	Numpy      = Interpreter{"python-numpy-0.1.0a7-r1", "cross/numpy-pack.sh"}
	JavaScript = Interpreter{"quickjs-3.6.2-r1", "cross/quickjs-wasm.sh"}
)

// Sums is the file that a script writes last: which files there are, and their checksums.
const Sums = "SHA256SUMS"

// Cache is where they are kept: $REACHYD_CACHE, or reachyd in the user's cache, "" when there is no such place.
func Cache() string {
	cache := os.Getenv("REACHYD_CACHE")
	if cache == "" {
		if base, err := os.UserCacheDir(); err == nil {
			cache = filepath.Join(base, "reachyd")
		}
	}
	return cache
}

// system is where the package reachyd-python puts interpreters.
var system = "/usr/lib/reachyd/interpreters"

// In is the interpreter's folder: in a cache, or that of the system where the cache has none and the system does.
func (i Interpreter) In(cache string) string {
	own, its := filepath.Join(cache, i.Folder), filepath.Join(system, i.Folder)
	if !Installed(own) && Installed(its) {
		return its
	}
	return own
}

// Images is where what is made of the interpreter in a folder is kept: beside it, or in the cache for one of the system, where only
// root may write.
func Images(folder string) string {
	if dir := filepath.Dir(folder); dir != system {
		return dir
	}
	return Cache()
}

// Installed says whether an interpreter's script has done its work in a folder.
func Installed(folder string) bool {
	_, err := os.Stat(filepath.Join(folder, Sums))
	return err == nil
}
