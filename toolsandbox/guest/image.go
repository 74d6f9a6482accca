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
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"golang.org/x/sys/unix"
)

//go:embed python/*.py
var pythonFiles embed.FS

// imageFormat is raised when what LoadImage writes changes without its inputs changing.
const imageFormat = "3"

// ImageConfig says what an image is made of and where it is kept.
type ImageConfig struct {
	// Python is the folder that cross/python-wasm.sh made; empty means DefaultPython.
	Python string `json:"python"`
	// Cache is where images and native code are kept, and must belong to this user alone: who can write there can run
	// code in the worker. Empty means the parent of Python.
	Cache string `json:"cache"`
	// Modules are Python modules, name to source, that every call finds imported.
	Modules map[string]string `json:"modules,omitempty"`
}

// pythonDir is what cross/python-wasm.sh calls its result.
const pythonDir = "python-3.13.5-r1"

// DefaultPython is where cross/python-wasm.sh puts the interpreter.
func DefaultPython() string {
	cache := os.Getenv("REACHYD_CACHE")
	if cache == "" {
		if base, err := os.UserCacheDir(); err == nil {
			cache = filepath.Join(base, "reachyd")
		}
	}
	return filepath.Join(cache, pythonDir)
}

func (c ImageConfig) withDefaults() ImageConfig {
	if c.Python == "" {
		c.Python = DefaultPython()
	}
	if c.Cache == "" {
		c.Cache = filepath.Dir(c.Python)
	}
	return c
}

// dir is where the image of this configuration lies. Its name follows from everything that goes into the image.
func (c ImageConfig) dir() (string, error) {
	h := sha256.New()
	_, _ = fmt.Fprintln(h, imageFormat, wazeroBuild()) // a hash does not fail
	sums, err := os.ReadFile(filepath.Join(c.Python, "SHA256SUMS"))
	if err != nil {
		return "", fmt.Errorf("%w: no Python for WebAssembly in %s; run cross/python-wasm.sh: %w", ErrUnavailable, c.Python, err)
	}
	h.Write(sums)
	sources, err := c.sources()
	if err != nil {
		return "", err
	}
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		_, _ = fmt.Fprintf(h, "%s %d\n%s", name, len(sources[name]), sources[name])
	}
	return filepath.Join(c.Cache, "guest-"+hex.EncodeToString(h.Sum(nil)[:8])), nil
}

// sources are all Python modules of the image, ours and Config.Modules, by name.
func (c ImageConfig) sources() (map[string]string, error) {
	all := map[string]string{}
	names, err := fs.Glob(pythonFiles, "python/*.py")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		text, err := pythonFiles.ReadFile(name)
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

// Image is a started interpreter, kept as native code and as the memory it had when it was ready.
type Image struct {
	rt       wazero.Runtime
	module   wazero.CompiledModule
	memories *memories
	wasm     []byte // mapped; wazero keeps pieces of it
}

// Prepared says whether OpenImage would find everything ready.
func (c ImageConfig) Prepared() (bool, error) {
	dir, err := c.withDefaults().dir()
	if err != nil {
		return false, err
	}
	if _, err = os.Stat(filepath.Join(dir, readyName)); err == nil {
		_, err = os.Stat(codeDir(dir))
	}
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// Prepare makes what OpenImage needs, unless it is there: seconds of work, once per version.
func (c ImageConfig) Prepare(ctx context.Context) error {
	c = c.withDefaults()
	dir, err := c.dir()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("making the image folder: %w", err)
	}
	lock, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("locking the image folder: %w", err)
	}
	defer lock.Close() //nolint:errcheck // nothing is written to it
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX); err != nil {
		return fmt.Errorf("locking the image folder: %w", err)
	}
	if ready, err := c.Prepared(); ready || err != nil {
		return err
	}
	if err := c.build(ctx, dir); err != nil {
		return fmt.Errorf("preparing Python in %s: %w", dir, err)
	}
	return os.WriteFile(filepath.Join(dir, readyName), nil, 0o600)
}

func (c ImageConfig) build(ctx context.Context, dir string) error {
	wasm, err := os.ReadFile(filepath.Join(c.Python, "python.wasm"))
	if err != nil {
		return err
	}
	lean, memory, err := lower(wasm)
	if err != nil {
		return fmt.Errorf("python.wasm: %w", err)
	}
	if err := os.WriteFile(filepath.Join(dir, wasmName), lean, 0o600); err != nil {
		return err
	}
	start := filepath.Join(dir, "start.img")
	if err := writeSparse(start, memory); err != nil {
		return err
	}
	defer os.Remove(start) //nolint:errcheck // a left-over does no harm
	img, err := openImage(ctx, dir, "start.img")
	if err != nil {
		return err
	}
	defer img.Close(ctx) //nolint:errcheck // read-only
	sources, err := c.sources()
	if err != nil {
		return err
	}
	if memory, err = img.startPython(ctx, filepath.Join(c.Python, "lib"), sources); err != nil {
		return err
	}
	if err := writeSparse(filepath.Join(dir, imageName), memory); err != nil {
		return err
	}
	return saveNative(filepath.Join(dir, nativeName()))
}

// The files of a prepared image. Native code depends on the version of wazero and on the processor; wazero keeps it in
// folders named after those.
const (
	wasmName  = "python.wasm"
	imageName = "python.img"
	readyName = "ready-" + wazeroVersion + "-" + runtime.GOARCH
)

// nativeName is the file with the native code as it lies in memory, for sharing.
func nativeName() string { return "native-" + wazeroBuild() + "-" + runtime.GOARCH }

// codeDir is where the native code of all images is, which have the same module.
func codeDir(dir string) string { return filepath.Join(filepath.Dir(dir), "guest-code") }

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
	if err != nil {
		return nil, errors.Join(fmt.Errorf("loading Python: %w", err), img.Close(ctx))
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

// startPython runs an interpreter until it is ready for its first call and returns its memory.
func (i *Image) startPython(ctx context.Context, lib string, sources map[string]string) ([]byte, error) {
	log := &limitedLog{limit: 1 << 20}
	call := &call{clock: newGuestClock(Clock{Virtual: true}, time.Time{}), log: log}
	inst, err := i.instantiate(ctx, wazero.NewFSConfig().WithReadOnlyDirMount(lib, libMount).WithFSMount(noFiles{}, filesMount))
	if err != nil {
		return nil, err
	}
	defer inst.close()
	inst.call = call
	ctx = context.WithValue(ctx, instanceKey{}, inst)
	for _, f := range []string{"_initialize", "guest_init"} {
		if r, err := inst.module.ExportedFunction(f).Call(ctx); err != nil || len(r) > 0 && int32(r[0]) != 0 {
			return nil, fmt.Errorf("%s: %v %w: %s", f, r, err, log.text)
		}
	}
	const main = "harness"
	if err := inst.exec(ctx, "_sources = {}"); err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		if name == main {
			continue
		}
		if err := inst.exec(ctx, fmt.Sprintf("_sources[%s] = %s", pythonString(name), pythonString(sources[name]))); err != nil {
			return nil, fmt.Errorf("module %s: %w: %s", name, err, log.text)
		}
	}
	if err := inst.exec(ctx, sources[main]); err != nil {
		return nil, fmt.Errorf("%s: %w: %s", main, err, log.text)
	}
	memory, ok := inst.module.Memory().Read(0, inst.module.Memory().Size())
	if !ok {
		return nil, errors.New("guest memory cannot be read")
	}
	return slices.Clone(memory), nil
}

// exec runs source text in the guest's __main__.
func (in *instance) exec(ctx context.Context, source string) error {
	r, err := in.module.ExportedFunction("guest_buffer").Call(ctx, uint64(len(source)))
	if err != nil {
		return err
	}
	if r[0] == 0 || !in.module.Memory().WriteString(uint32(r[0]), source) {
		return errors.New("no memory for the source text")
	}
	if r, err = in.module.ExportedFunction("guest_exec").Call(ctx, r[0]); err != nil {
		return err
	}
	if int32(r[0]) != 0 {
		return errors.New("an exception in Python")
	}
	return nil
}

// pythonString is text as a Python literal.
func pythonString(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r < 0x20 || r > 0x7e:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// Where the guest sees folders. They are opened while the image is made and stay open at the same numbers afterwards,
// the library empty.
const (
	libMount   = "/python/lib"
	filesMount = "/files"
)

// instance is a pristine interpreter that has not run yet. call is set before it runs.
type instance struct {
	module api.Module
	memory *guestMemory
	call   *call
}

// instantiate makes an interpreter as it was when the image was taken.
func (i *Image) instantiate(ctx context.Context, folders wazero.FSConfig) (*instance, error) {
	mem, err := i.memories.get()
	if err != nil {
		return nil, err
	}
	in := &instance{memory: mem}
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
