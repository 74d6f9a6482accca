package models

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ErrMissing is wrapped by the error for a model of the catalogue that is not on this machine.
var ErrMissing = errors.New("model is not here")

// ErrChecksum is wrapped by the error for a file that is not what its name says.
var ErrChecksum = errors.New("wrong checksum")

// Store finds models in directories. The zero value with Dirs set works; it may be used from any goroutine.
type Store struct {
	// Dirs are searched in this order.
	Dirs []string
	// Models is the catalogue; nil means the built-in one.
	Models []Model
	// Fetch says how files are fetched; the zero value is right for everyone.
	Fetch Fetch
}

// NewStore returns a store over Dirs.
func NewStore(dataDir string, getenv func(string) string) *Store {
	return &Store{Dirs: Dirs(dataDir, getenv)}
}

// Dirs returns where models are looked for: the directories in $REACHYD_MODELS (separated by colons), those of the
// data directory and of the user's cache, and, for those who work on reachyd, ../shared/data beside the checkout.
func Dirs(dataDir string, getenv func(string) string) []string {
	var dirs []string
	for _, d := range filepath.SplitList(getenv("REACHYD_MODELS")) {
		if d != "" {
			dirs = append(dirs, d)
		}
	}
	if dataDir != "" {
		dirs = append(dirs, filepath.Join(dataDir, "models"))
	}
	if cache := cacheDir(getenv); cache != "" {
		dirs = append(dirs, filepath.Join(cache, "models"))
	}
	if shared := sharedDir(); shared != "" {
		dirs = append(dirs, shared)
	}
	return dirs
}

func cacheDir(getenv func(string) string) string {
	if d := getenv("REACHYD_CACHE"); d != "" {
		return d
	}
	if d := getenv("XDG_CACHE_HOME"); d != "" {
		return filepath.Join(d, "reachyd")
	}
	if d := getenv("HOME"); d != "" {
		return filepath.Join(d, ".cache", "reachyd")
	}
	return ""
}

// sharedDir is ../shared/data of the checkout that the working directory lies in, if there is one.
func sharedDir() string {
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	for ; ; dir = filepath.Dir(dir) {
		mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && strings.HasPrefix(string(mod), "module github.com/reachyd/reachyd\n") {
			shared := filepath.Join(filepath.Dir(dir), "shared", "data")
			if info, err := os.Stat(shared); err == nil && info.IsDir() {
				return shared
			}
			return ""
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}

func (s *Store) models() []Model {
	if s.Models != nil {
		return s.Models
	}
	return catalogue
}

// Find returns where the first file of a model lies; its other files lie beside it. name may also be a path, which is
// taken as it is when a file is there, or the name of a file that the owner has put into one of the directories. The error
// wraps ErrMissing or ErrUnknown. Files are told by name and size; their checksums were compared when they were pulled.
func (s *Store) Find(name string) (string, error) {
	if strings.ContainsRune(name, os.PathSeparator) {
		info, err := os.Stat(name)
		switch {
		case err != nil:
			return "", fmt.Errorf("%w: %w", ErrMissing, err)
		case !info.Mode().IsRegular():
			return "", fmt.Errorf("%w: %s is not a file", ErrMissing, name)
		}
		return name, nil
	}
	m, err := byName(s.models(), name)
	if err != nil {
		if path := s.own(name); path != "" {
			return path, nil
		}
		return "", err
	}
	for _, dir := range s.Dirs {
		if path, ok := findIn(dir, m); ok {
			return path, nil
		}
	}
	if len(m.Files) == 1 {
		if path := s.own(m.Files[0].Name); path != "" {
			return path, nil
		}
	}
	return "", fmt.Errorf("%w: %s; 'reachyctl models pull %s' fetches it (%s)", ErrMissing, name, name, Bytes(m.Size()))
}

// ownSuffixes are those of model files.
var ownSuffixes = []string{".bin", ".gguf", ".onnx", ".safetensors"}

// own finds a file that the owner has put into one of the directories, by its name with or without what such names begin and
// end with.
func (s *Store) own(name string) string {
	for _, dir := range s.Dirs {
		for _, suffix := range append([]string{""}, ownSuffixes...) {
			for _, prefix := range []string{"", "ggml-"} {
				path := filepath.Join(dir, prefix+name+suffix)
				if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && slices.Contains(ownSuffixes, filepath.Ext(path)) {
					return path
				}
			}
		}
	}
	return ""
}

// First returns the first of the named models that is here, and where it lies. The error wraps ErrMissing, or ErrUnknown
// when one of the names is wrong.
func (s *Store) First(names ...string) (name, path string, err error) {
	for _, name := range names {
		path, err = s.Find(name)
		if err == nil {
			return name, path, nil
		}
		if !errors.Is(err, ErrMissing) {
			return "", "", err
		}
	}
	if len(names) != 1 { // the error of a single one says more
		err = fmt.Errorf("%w: none of %s; 'reachyctl models list' shows what can be had", ErrMissing, strings.Join(names, ", "))
	}
	return "", "", err
}

// findIn returns the path of a model's first file if all its files are complete in the directory.
func findIn(dir string, m *Model) (string, bool) {
	path := ""
	for i := range m.Files {
		f := &m.Files[i]
		p, ok := complete(filepath.Join(dir, f.Name), f.Size)
		if !ok && f.Alias != "" {
			p, ok = complete(filepath.Join(dir, f.Alias), f.Size)
		}
		if !ok {
			return "", false
		}
		if i == 0 {
			path = p
		}
	}
	return path, path != ""
}

func complete(path string, size int64) (string, bool) {
	info, err := os.Stat(path)
	return path, err == nil && info.Mode().IsRegular() && info.Size() == size
}

// Status is a model of the catalogue and what of it is here.
type Status struct {
	Model
	Path    string // of the first file; empty when the model is not here
	Partial int64  // bytes of a download that was broken off
	// Unlisted says that the file is the owner's: not in the catalogue, or another one than the catalogue's of that name.
	Unlisted bool
}

// List says for every model of the catalogue whether it is here, and then which files of the owner's are.
func (s *Store) List() []Status {
	all := s.models()
	list := make([]Status, len(all))
	for i := range all {
		list[i].Model = all[i]
		for _, dir := range s.Dirs {
			if path, ok := findIn(dir, &all[i]); ok {
				list[i].Path = path
				break
			}
		}
		for _, dir := range s.Dirs {
			for j := range all[i].Files {
				if info, err := os.Stat(filepath.Join(dir, all[i].Files[j].Name+partSuffix)); err == nil && list[i].Path == "" {
					list[i].Partial += info.Size()
				}
				if list[i].Path == "" {
					list[i].Partial += sizeOf(filepath.Join(dir, all[i].Files[j].Name+packagesSuffix))
				}
			}
		}
	}
	return slices.Concat(list, s.unlisted(list))
}

// unlisted are the model files in the directories that are none of the list.
func (s *Store) unlisted(list []Status) []Status {
	listed := map[string]bool{}
	for i := range list {
		if list[i].Path == "" {
			continue
		}
		dir := filepath.Dir(list[i].Path)
		listed[list[i].Path] = true
		for _, f := range list[i].Files {
			listed[filepath.Join(dir, f.Name)] = true
		}
	}
	var own []Status
	for _, dir := range s.Dirs {
		entries, _ := os.ReadDir(dir) // a directory that is not there holds nothing
		for _, e := range entries {
			path := filepath.Join(dir, e.Name())
			info, err := e.Info()
			if err != nil || !info.Mode().IsRegular() || listed[path] || !slices.Contains(ownSuffixes, filepath.Ext(path)) {
				continue
			}
			own = append(own, Status{
				Model: Model{Name: e.Name(), About: "yours: not in the catalogue", Files: []File{{Name: e.Name(), Size: info.Size()}}},
				Path:  path, Unlisted: true,
			})
		}
	}
	return own
}

// verify compares the checksum of a file. The error wraps ErrChecksum.
func verify(ctx context.Context, path string, f *File) error {
	r, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }()
	sum, err := checksum(ctx, r)
	if err != nil {
		return fmt.Errorf("reading %s: %w", path, err)
	}
	if sum != f.SHA256 && sum != f.Sum() {
		return fmt.Errorf("%w: %s has SHA-256 %s, %s has %s", ErrChecksum, path, sum, f.Name, f.SHA256)
	}
	return nil
}

func checksum(ctx context.Context, r io.Reader) (string, error) {
	h := sha256.New()
	buf := make([]byte, 1<<20)
	for {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		n, err := r.Read(buf)
		h.Write(buf[:n])
		if errors.Is(err, io.EOF) {
			return hex.EncodeToString(h.Sum(nil)), nil
		}
		if err != nil {
			return "", err
		}
	}
}

// Bytes writes a size as people say it.
func Bytes(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d bytes", n)
	case n < 1000*1000:
		return fmt.Sprintf("%.0f kB", float64(n)/1e3)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}

// syncDir makes a rename in dir durable.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer func() { _ = d.Close() }()
	if err := d.Sync(); err != nil && !errors.Is(err, fs.ErrInvalid) {
		return err
	}
	return nil
}
