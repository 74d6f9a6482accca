package guest

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/reachyd/reachyd/toolsandbox/guest/interpreters"
)

//go:embed python/*.py javascript/*.js
var guestFiles embed.FS

// imageFormat is raised when what LoadImage writes changes without its inputs changing.
const imageFormat = "4"

// ImageConfig says what an image is made of and where it is kept.
type ImageConfig struct {
	// Language is what the guest understands; empty means Python.
	Language Language `json:"language,omitempty"`
	// Python is the folder of the interpreter, as a script in cross/ made it: that of Python by cross/python-wasm.sh,
	// that of Numpy by cross/numpy-pack.sh, that of JavaScript by cross/quickjs-wasm.sh. Empty means where the script
	// puts it.
	Python string `json:"python"`
	// Module is the file of the tool itself, when Language is WASI.
	Module string `json:"module,omitempty"`
	// Cache is where images and native code are kept, in folders that this user alone can write to. Empty means the folder
	// of the scripts.
	Cache string `json:"cache"`
	// Modules are Python modules, name to source, that every call finds imported.
	Modules map[string]string `json:"modules,omitempty"`
}

// Language is what a guest understands.
type Language string

// The languages.
const (
	Python     Language = "python"
	Numpy      Language = "python-numpy" // Python with the real numpy, Pillow and pandas
	JavaScript Language = "javascript"
	// WASI is any WebAssembly module that talks in lines: Request.Source is then not wanted.
	WASI Language = "wasi"
)

// builtIn are the interpreters that are fetched or built; a WASI module brings itself.
var builtIn = map[Language]interpreters.Interpreter{Python: interpreters.Python, Numpy: interpreters.Numpy, JavaScript: interpreters.JavaScript}

// DefaultPython is where cross/python-wasm.sh puts the interpreter.
func DefaultPython() string { return interpreters.Python.In(interpreters.Cache()) }

// Installed says whether the interpreter of a language is where its script puts it.
func Installed(l Language) bool {
	return l == WASI || interpreters.Installed(ImageConfig{Language: l}.withDefaults().Python)
}

func (c ImageConfig) withDefaults() ImageConfig {
	if c.Language == "" {
		c.Language = Python
	}
	if c.Python == "" {
		c.Python = builtIn[c.Language].In(interpreters.Cache())
	}
	if c.Cache == "" {
		if c.Cache = interpreters.Images(c.Python); c.Language == WASI {
			c.Cache = interpreters.Cache()
		}
	}
	return c
}

// wasm is the file of the module.
func (c ImageConfig) wasm() string {
	switch c.Language {
	case WASI:
		return c.Module
	case JavaScript:
		return filepath.Join(c.Python, "quickjs.wasm")
	}
	return filepath.Join(c.Python, "python.wasm")
}

// script makes what an image of this language needs.
func (l Language) script() string {
	return builtIn[l].Script
}

// inputs is what says which interpreter it is: the list of its files, or the module itself.
func (c ImageConfig) inputs() ([]byte, error) {
	if c.Language == WASI {
		b, err := os.ReadFile(c.Module)
		if err != nil {
			return nil, fmt.Errorf("module of the tool: %w", err)
		}
		return b, nil
	}
	sums, err := os.ReadFile(filepath.Join(c.Python, interpreters.Sums))
	if err != nil {
		return nil, fmt.Errorf("%w: no %s for WebAssembly in %s; run %s: %w", ErrUnavailable, c.Language, c.Python, c.Language.script(), err)
	}
	return sums, nil
}

// dir is where the image of this configuration lies. Its name follows from everything that goes into the image.
func (c ImageConfig) dir() (string, error) {
	h := sha256.New()
	_, _ = fmt.Fprintln(h, imageFormat, wazeroBuild()) // a hash does not fail
	inputs, err := c.inputs()
	if err != nil {
		return "", err
	}
	_, _ = fmt.Fprintf(h, "%s %d\n%s", c.Language, len(inputs), inputs)
	sources, err := c.sources()
	if err != nil {
		return "", err
	}
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		_, _ = fmt.Fprintf(h, "%s %d\n%s", name, len(sources[name]), sources[name])
	}
	return filepath.Join(c.Cache, "guest-"+hex.EncodeToString(h.Sum(nil)[:8])), nil
}

// sources are what the image is made of beside the interpreter, ours and Config.Modules, by name.
func (c ImageConfig) sources() (map[string]string, error) {
	all := map[string]string{}
	pattern := "python/*.py"
	switch c.Language {
	case JavaScript:
		pattern = "javascript/*.js"
	case WASI:
		return all, nil
	}
	names, err := fs.Glob(guestFiles, pattern)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		text, err := guestFiles.ReadFile(name)
		if err != nil {
			return nil, err
		}
		all[strings.TrimSuffix(filepath.Base(name), ".py")] = string(text)
	}
	for name, text := range c.Modules {
		if _, taken := all[name]; taken {
			return nil, fmt.Errorf("module %q of the image: the name is taken", name)
		}
		all[name] = text
	}
	return all, nil
}

// Prepared says whether OpenImage would find everything ready.
func (c ImageConfig) Prepared() (bool, error) {
	dir, err := c.withDefaults().dir()
	if err != nil {
		return false, err
	}
	return complete(dir) == nil, nil
}

// Prepare makes what OpenImage needs, unless it is there: seconds of work, once per version. What it replaces in the cache
// is removed when it was not used for a month.
func (c ImageConfig) Prepare(ctx context.Context) error { return c.prepare(ctx, false) }

// prepare makes an image that is not there, or, when suspect, one that cannot be opened.
func (c ImageConfig) prepare(ctx context.Context, suspect bool) error {
	c = c.withDefaults()
	dir, err := c.dir()
	if err != nil {
		return err
	}
	inUse, err := use(dir)
	if err != nil {
		return err
	}
	if inUse != nil {
		defer inUse.Close() //nolint:errcheck // nothing is written to it
	}
	if ready := complete(dir) == nil; ready && !suspect {
		return nil
	}
	lock, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("locking the image folder: %w", err)
	}
	defer lock.Close() //nolint:errcheck // nothing is written to it
	if err := flock(lock, unix.LOCK_EX); err != nil {
		return fmt.Errorf("locking the image folder: %w", err)
	}
	if complete(dir) == nil {
		if !suspect {
			return nil
		}
		// Opening it without confinement also compiles what is missing, such as the code for another processor.
		if img, err := openImage(ctx, dir, imageName); err == nil {
			return img.Close(ctx)
		}
	}
	if err := c.build(ctx, dir); err != nil {
		return fmt.Errorf("preparing Python in %s: %w", dir, err)
	}
	text, err := inventory(dir)
	if err != nil {
		return err
	}
	if err := writeSparse(filepath.Join(dir, readyName), []byte(text)); err != nil {
		return err
	}
	c.Tidy()
	return nil
}

func (c ImageConfig) build(ctx context.Context, dir string) error {
	wasm, err := c.module()
	if err != nil {
		return err
	}
	lean, memory, err := lower(wasm)
	if err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(c.wasm()), err)
	}
	if err := linkCode(dir, lean); err != nil {
		return err
	}
	code, err := use(codeDir(dir))
	if err != nil {
		return err
	}
	if code != nil {
		defer code.Close() //nolint:errcheck // nothing is written to it
	}
	if err := writeSparse(filepath.Join(dir, wasmName), lean); err != nil {
		return err
	}
	const startName = "start.img"
	start := filepath.Join(dir, startName)
	if err := writeSparse(start, memory); err != nil {
		return err
	}
	defer os.Remove(start) //nolint:errcheck // a left-over does no harm
	img, err := openImage(ctx, dir, startName)
	if err != nil { // perhaps because of what wazero finds in its cache
		if err := os.RemoveAll(wazeroDir(dir)); err != nil {
			return err
		}
		if img, err = openImage(ctx, dir, startName); err != nil {
			return err
		}
	}
	defer img.Close(ctx) //nolint:errcheck // read-only
	sources, err := c.sources()
	if err != nil {
		return err
	}
	if memory, err = img.start(ctx, filepath.Join(c.Python, "lib"), sources); err != nil {
		return err
	}
	if err := writeSparse(filepath.Join(dir, imageName), memory); err != nil {
		return err
	}
	native := filepath.Join(codeDir(dir), nativeName())
	if err := saveNative(native); err != nil && !errors.Is(err, errNoNative) { // so little that it is not worth it
		return err
	}
	return nil
}

// module reads the module, and sees that all files of the interpreter are those that its script left there.
func (c ImageConfig) module() ([]byte, error) {
	if c.Language == WASI {
		return os.ReadFile(c.Module)
	}
	if err := private(c.Python); err != nil {
		return nil, err
	}
	sums, err := c.inputs()
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(sums)) {
		want, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		text, err := os.ReadFile(filepath.Join(c.Python, name))
		if err != nil {
			return nil, err
		}
		if got := sha256.Sum256(text); hex.EncodeToString(got[:]) != want {
			return nil, fmt.Errorf("%w: %s in %s is not what %s left there; run it again", ErrUnavailable, name, c.Python, c.Language.script())
		}
	}
	return os.ReadFile(c.wasm())
}
