package guest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"golang.org/x/sys/unix"
)

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
