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
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"golang.org/x/sys/unix"

	"github.com/reachyd/reachyd/toolsandbox/guest/place"
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

// interpreters that are fetched or built; a WASI module brings itself.
var interpreters = map[Language]place.Interpreter{Python: place.Python, Numpy: place.Numpy, JavaScript: place.JavaScript}

// DefaultPython is where cross/python-wasm.sh puts the interpreter.
func DefaultPython() string { return place.Python.In(place.Cache()) }

// Installed says whether the interpreter of a language is where its script puts it.
func Installed(l Language) bool {
	return l == WASI || place.Installed(ImageConfig{Language: l}.withDefaults().Python)
}

func (c ImageConfig) withDefaults() ImageConfig {
	if c.Language == "" {
		c.Language = Python
	}
	if c.Python == "" {
		c.Python = interpreters[c.Language].In(place.Cache())
	}
	if c.Cache == "" {
		if c.Cache = filepath.Dir(c.Python); c.Language == WASI {
			c.Cache = place.Cache()
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
	return interpreters[l].Script
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
	sums, err := os.ReadFile(filepath.Join(c.Python, place.Sums))
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
		// Opening it without walls also compiles what is missing, such as the code for another processor.
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
	tidy(c.Cache, time.Now())
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

// Image is a started interpreter, kept as native code and as the memory it had when it was ready.
type Image struct {
	rt       wazero.Runtime
	module   wazero.CompiledModule
	language interpreter
	memories *memories
	wasm     []byte // mapped; wazero keeps pieces of it
}

// wazeroVersion is compared with go.mod by a test.
const wazeroVersion = "v1.12.0"

// wazeroBuild is what wazero takes for its version and names its folder of native code after: a test binary does not know
// its modules, so what it prepared is of no use to a program, and the other way round.
func wazeroBuild() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, d := range info.Deps {
			if d.Path == "github.com/tetratelabs/wazero" {
				return d.Version
			}
		}
	}
	return "dev"
}

// OpenImage loads a prepared image. Images may be used by several processes; their memory is shared until written to.
func OpenImage(ctx context.Context, c ImageConfig) (*Image, error) {
	dir, err := c.withDefaults().dir()
	if err != nil {
		return nil, err
	}
	return openImage(ctx, dir, imageName)
}

func openImage(ctx context.Context, dir, image string) (*Image, error) {
	wasm, err := mapFile(filepath.Join(dir, wasmName))
	if err != nil {
		return nil, fmt.Errorf("%w: Python is not prepared: %w", ErrUnavailable, err)
	}
	file, err := os.Open(filepath.Join(dir, image))
	if err != nil {
		return nil, fmt.Errorf("%w: Python is not prepared: %w", ErrUnavailable, err)
	}
	info, err := file.Stat()
	if err != nil || info.Size()%pageSize != 0 || info.Size() == 0 {
		return nil, errors.Join(fmt.Errorf("%w: %s is damaged", ErrUnavailable, file.Name()), err, file.Close())
	}
	mem := openMemories(file, uintptr(info.Size()))
	cache, err := wazero.NewCompilationCacheWithDir(codeDir(dir))
	if err != nil {
		return nil, errors.Join(err, mem.close())
	}
	rt := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigCompiler().WithCompilationCache(cache).
		WithMemoryLimitPages(MaxMemory/pageSize).WithDebugInfoEnabled(false))
	img := &Image{rt: rt, memories: mem, wasm: wasm}
	if err = instantiateWASI(ctx, rt); err == nil {
		img.module, err = rt.CompileModule(ctx, wasm)
	}
	if err == nil {
		err = instantiateHost(ctx, rt, img.module)
	}
	if err == nil {
		img.language, err = interpreterOf(img.module)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("loading the interpreter: %w", err), img.Close(ctx))
	}
	return img, nil
}

// Close frees the image. No call may be running.
func (i *Image) Close(ctx context.Context) error {
	return errors.Join(i.rt.Close(ctx), i.memories.close(), unix.Munmap(i.wasm))
}

// mapFile is a file's content as a private mapping.
func mapFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // read-only
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return unix.Mmap(int(f.Fd()), 0, int(info.Size()), unix.PROT_READ, unix.MAP_PRIVATE)
}

// start runs an interpreter until it is ready for its first call and returns its memory.
func (i *Image) start(ctx context.Context, lib string, sources map[string]string) ([]byte, error) {
	log := &limitedLog{limit: 1 << 20}
	folders := wazero.NewFSConfig()
	if _, err := os.Stat(lib); err == nil {
		folders = folders.WithReadOnlyDirMount(lib, i.language.library())
	} else {
		folders = folders.WithFSMount(noFiles{}, i.language.library())
	}
	in, err := i.instantiate(ctx, folders.WithFSMount(noFiles{}, filesMount))
	if err != nil {
		return nil, err
	}
	defer in.close()
	in.call = &call{clock: newGuestClock(Clock{Virtual: true}, time.Time{}), log: log, limits: DefaultLimits}
	if err := i.language.start(context.WithValue(ctx, instanceKey{}, in), in, sources); err != nil {
		return nil, fmt.Errorf("%w: %s%s", err, log.text, in.call.out)
	}
	memory, ok := in.module.Memory().Read(0, in.module.Memory().Size())
	if !ok {
		return nil, errors.New("guest memory cannot be read")
	}
	return slices.Clone(memory), nil
}

// filesMount is where the guest sees the files of a call. This folder and the interpreter's library are opened while the
// image is made and stay open at the same numbers afterwards, the library empty.
const filesMount = "/files"

// instance is a pristine interpreter that has not run yet. call is set before it runs.
type instance struct {
	language interpreter
	module   api.Module
	memory   *guestMemory
	call     *call
}

// instantiate makes an interpreter as it was when the image was taken.
func (i *Image) instantiate(ctx context.Context, folders wazero.FSConfig) (*instance, error) {
	mem, err := i.memories.get()
	if err != nil {
		return nil, err
	}
	in := &instance{language: i.language, memory: mem}
	config := wazero.NewModuleConfig().WithName("").WithStartFunctions().WithFSConfig(folders).
		WithStdin(readerFunc(func(p []byte) (int, error) { return in.call.read(p) })).
		WithStdout(writerFunc(func(p []byte) (int, error) { return in.call.write(p) })).
		WithStderr(writerFunc(func(p []byte) (int, error) { return in.call.log.Write(p) })).
		WithWalltime(func() (int64, int32) { return in.call.clock.walltime() }, 1).
		WithNanotime(func() int64 { return in.call.clock.nanotime() }, 1).
		WithRandSource(readerFunc(func(p []byte) (int, error) { return in.call.clock.random.Read(p) }))
	module, err := i.rt.InstantiateModule(experimental.WithMemoryAllocator(ctx, mem), i.module, config)
	if err != nil {
		mem.Free()
		return nil, fmt.Errorf("starting an interpreter: %w", err)
	}
	in.module = module
	if missing := uint32(i.memories.size/pageSize) - module.Memory().Size()/pageSize; missing > 0 {
		if _, ok := module.Memory().Grow(missing); !ok {
			in.close()
			return nil, errors.New("starting an interpreter: its memory does not grow")
		}
	}
	return in, nil
}

func (in *instance) close() {
	_ = in.module.Close(context.Background()) // it owns nothing that could fail
	in.memory.Free()
}

type (
	readerFunc func([]byte) (int, error)
	writerFunc func([]byte) (int, error)
)

func (f readerFunc) Read(p []byte) (int, error)  { return f(p) }
func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// writeSparse writes memory to a file, leaving holes for pages of zeros, and puts it in place whole.
func writeSparse(path string, memory []byte) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, f.Close())
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	if err := f.Truncate(int64(len(memory))); err != nil {
		return err
	}
	const block = 4096
	zero := make([]byte, block)
	for at := 0; at < len(memory); at += block {
		b := memory[at:min(at+block, len(memory))]
		if string(b) == string(zero[:len(b)]) {
			continue
		}
		if _, err := f.WriteAt(b, int64(at)); err != nil {
			return err
		}
	}
	if err := f.Sync(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
