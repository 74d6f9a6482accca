package guest

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// The cache has a folder for each image and one for the native code of each module, which images share:
//
//	guest-<hash of all inputs>/    python.wasm python.img ready-… lock in-use, and code, a link to the one below
//	guest-code/<hash of module>/   native-… wazero-…/ in-use
//
// Files are put in place whole and never written to again, since workers have them mapped.
const (
	wasmName  = "python.wasm"
	imageName = "python.img"
	readyName = "ready-" + wazeroVersion + "-" + runtime.GOARCH
	codeName  = "code"
	inUseName = "in-use"
	codeRoot  = "guest-code"
)

// nativeName is the file with the native code as it lies in memory, for shareNative. Native code depends on the version
// of wazero and on the processor.
func nativeName() string { return "native-" + wazeroBuild() + "-" + runtime.GOARCH }

// codeDir is where the native code of an image's module is.
func codeDir(dir string) string { return filepath.Join(dir, codeName) }

// wazeroDir is where wazero keeps what it compiled.
func wazeroDir(dir string) string {
	return filepath.Join(codeDir(dir), "wazero-"+wazeroBuild()+"-"+runtime.GOARCH+"-"+runtime.GOOS)
}

// linkCode makes codeDir for a module.
func linkCode(dir string, module []byte) error {
	sum := sha256.Sum256(module)
	target := filepath.Join("..", codeRoot, hex.EncodeToString(sum[:8]))
	if err := os.MkdirAll(filepath.Join(dir, target), 0o700); err != nil {
		return err
	}
	// All: who opened the image while it was tidied has made a folder of the link.
	if err := os.RemoveAll(codeDir(dir)); err != nil {
		return err
	}
	return os.Symlink(target, codeDir(dir))
}

// inventory is what the file ready says: which image it is, and how large its files are.
func inventory(dir string) (string, error) {
	text := filepath.Base(dir) + "\n"
	for _, name := range []string{wasmName, imageName} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			return "", err
		}
		text += fmt.Sprintf("%s %d\n", name, info.Size())
	}
	return text, nil
}

// complete is nil for an image folder that has everything that its build left there: less is there after a power cut, a
// full disk, or somebody's tidying.
func complete(dir string) error {
	want, err := os.ReadFile(filepath.Join(dir, readyName))
	if err != nil {
		return err
	}
	have, err := inventory(dir)
	if err != nil {
		return err
	}
	if have != string(want) {
		return fmt.Errorf("%s is damaged: %q, was %q", dir, have, want)
	}
	if code, err := os.ReadDir(wazeroDir(dir)); err != nil || len(code) == 0 {
		return errors.Join(fmt.Errorf("%s has no native code", dir), err)
	}
	return nil
}

// private is nil for a folder of the cache in which nobody else can write: who can, runs code in the workers.
func private(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return fmt.Errorf("%w: %s: its owner cannot be seen", ErrUnavailable, dir)
	}
	if uid := os.Geteuid(); int(st.Uid) != uid && st.Uid != 0 {
		return fmt.Errorf("%w: %s belongs to user %d, allowed %d (who runs this) and 0", ErrUnavailable, dir, st.Uid, uid)
	}
	// A group of one's own is as good as none.
	if mode := info.Mode().Perm(); mode&0o002 != 0 || mode&0o020 != 0 && int(st.Gid) != os.Getegid() {
		return fmt.Errorf("%w: %s has mode %#o: others can write in it, which chmod go-w forbids", ErrUnavailable, dir, mode)
	}
	return nil
}

// use keeps tidy of all processes away from a folder until the file that it returns is closed. It makes the folder if
// it is not there. The file is nil where nobody can write anyway.
func use(dir string) (*os.File, error) {
	for {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, fmt.Errorf("making the image folder: %w", err)
		}
		if err := private(dir); err != nil {
			return nil, err
		}
		f, err := os.OpenFile(filepath.Join(dir, inUseName), os.O_CREATE|os.O_RDWR, 0o600)
		switch {
		case errors.Is(err, fs.ErrNotExist): // tidied in between
			continue
		case errors.Is(err, unix.EROFS) || errors.Is(err, fs.ErrPermission):
			return nil, nil //nolint:nilnil // as the comment says
		case err != nil:
			return nil, err
		}
		if err := flock(f, unix.LOCK_SH); err != nil {
			return nil, errors.Join(err, f.Close())
		}
		mine, err := f.Stat()
		if err != nil {
			return nil, errors.Join(err, f.Close())
		}
		if now, err := os.Stat(f.Name()); err != nil || !os.SameFile(mine, now) { // it was tidied while we waited
			_ = f.Close()
			continue
		}
		_ = os.Chtimes(dir, time.Time{}, time.Now()) // otherwise it is only tidied earlier, and made anew
		return f, nil
	}
}

// flock waits for a lock, which the end of the file or of the process gives back.
func flock(f *os.File, how int) error {
	for {
		if err := unix.Flock(int(f.Fd()), how); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// What stays in the cache though no process has it open: images of former versions, of other tools.
const (
	keepUnused  = 30 * 24 * time.Hour
	keepBytes   = 1 << 30 // on the disk; an image of Python has 20 MB, one with numpy 80, their code 60
	keepEntries = 100     // images of small modules have no size to speak of
)

// Tidy removes what nobody has used for long from the cache, and of the rest what was used longest ago, where that is more
// than 1 GiB or 100 folders and files. What is in use stays, and so does what cannot be removed.
func (c ImageConfig) Tidy() { tidy(c.withDefaults().Cache, time.Now(), keepBytes) }

// cached is a folder or file of the cache.
type cached struct {
	path string
	used time.Time
	dir  bool
	size int64 // bytes on the disk
}

func tidy(cache string, now time.Time, most int64) {
	var all []cached
	for _, pattern := range []string{"guest-*", filepath.Join(codeRoot, "*"), "module-*.wasm"} {
		paths, _ := filepath.Glob(filepath.Join(cache, pattern)) // the pattern is good
		for _, path := range paths {
			if info, err := os.Lstat(path); err == nil && filepath.Base(path) != codeRoot {
				all = append(all, cached{path, info.ModTime(), info.IsDir(), onDisk(path)})
			}
		}
	}
	slices.SortFunc(all, func(a, b cached) int { return b.used.Compare(a.used) })
	for i, c := range all {
		most -= c.size
		switch {
		case now.Sub(c.used) < keepUnused && most >= 0 && i < keepEntries:
		case c.dir:
			removeUnused(c.path)
		default:
			_ = os.Remove(c.path)
		}
	}
}

// onDisk is how many bytes a file or folder takes on the disk: images are sparse.
func onDisk(path string) (sum int64) {
	_ = filepath.WalkDir(path, func(_ string, e fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // it is being removed
		}
		if info, err := e.Info(); err == nil {
			if st, ok := info.Sys().(*syscall.Stat_t); ok {
				sum += st.Blocks * 512
			}
		}
		return nil
	})
	return sum
}

// removeUnused removes a folder that no process uses. It is out of the way before it is taken apart.
func removeUnused(dir string) {
	f, err := os.OpenFile(filepath.Join(dir, inUseName), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return
	}
	defer f.Close() //nolint:errcheck // nothing is written to it
	if flock(f, unix.LOCK_EX|unix.LOCK_NB) != nil {
		return
	}
	away := strings.TrimSuffix(dir, ".old") + ".old"
	if away != dir && os.Rename(dir, away) != nil {
		return
	}
	_ = os.RemoveAll(away) // the rest goes next time
}
