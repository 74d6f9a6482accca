package moves

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/reachyd/reachyd/hal"
)

// dataset is a place with moves while it is open.
type dataset struct {
	files fileNames
	own   bool // with our own moves
	fsys  fs.FS
	open  io.Closer // nil when there is nothing to close
}

// fileNames are the files of moves by the names of the moves.
type fileNames map[string]string

func (d *dataset) close() {
	if d.open != nil {
		_ = d.open.Close() // only read
	}
}

// names of the moves, sorted.
func (d *dataset) names() []string {
	names := make([]string, 0, len(d.files))
	for name := range d.files {
		names = append(names, name)
	}
	if d.own {
		for _, m := range Own() {
			if _, ok := d.files[m.Name]; !ok {
				names = append(names, m.Name)
			}
		}
	}
	slices.Sort(names)
	return names
}

// open opens a dataset. The error wraps fs.ErrNotExist when it is not here.
func (l *Library) open(name string) (*dataset, error) {
	if isOwn(name) {
		return l.openOwn()
	}
	if !filepath.IsLocal(name) || strings.Contains(name, `\`) {
		return nil, fmt.Errorf("dataset is %.80q; allowed is ORGANISATION/NAME: %w", name, fs.ErrNotExist)
	}
	if l.Dir != "" {
		if root, err := os.OpenRoot(filepath.Join(l.Dir, name)); err == nil {
			return list(&dataset{fsys: root.FS(), open: root}, false, ".", "data")
		}
		if archive, err := zip.OpenReader(filepath.Join(l.Dir, name+".zip")); err == nil {
			return list(&dataset{fsys: archive, open: archive}, false, ".", "data", path.Base(name), path.Base(name)+"/data")
		} else if !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s.zip: %w", path.Base(name), err)
		}
	}
	if d := l.openCached(name); d != nil {
		return d, nil
	}
	return nil, fmt.Errorf("dataset %.80q is not here; put its files into %s: %w", name, filepath.Join(l.Dir, name), fs.ErrNotExist)
}

// openOwn opens our own moves and those in Dir itself.
func (l *Library) openOwn() (*dataset, error) {
	d := &dataset{own: true}
	if l.Dir == "" {
		return d, nil
	}
	root, err := os.OpenRoot(l.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return d, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list moves: %w", err)
	}
	d.fsys, d.open = root.FS(), root
	return list(d, false, ".")
}

// openCached opens what Hugging Face's programs have fetched, whose files are links to others of the same dataset; nil when
// they have not.
func (l *Library) openCached(name string) *dataset {
	if l.Cache == "" {
		return nil
	}
	root, err := os.OpenRoot(filepath.Join(l.Cache, "hub", "datasets--"+strings.ReplaceAll(name, "/", "--")))
	if err != nil {
		return nil
	}
	d := &dataset{fsys: root.FS(), open: root}
	ref, err := readFile(d.fsys, "refs/main")
	at := path.Join("snapshots", strings.TrimSpace(string(ref)))
	if err == nil && fs.ValidPath(at) {
		if info, err := fs.Stat(d.fsys, at); err == nil && info.IsDir() {
			if d, err = list(d, true, at, at+"/data"); err == nil {
				return d
			}
		}
	}
	d.close()
	return nil
}

// list finds the moves in directories of an open dataset, and closes it when it cannot. links may be files, too.
func list(d *dataset, links bool, dirs ...string) (*dataset, error) {
	d.files = fileNames{}
	for _, dir := range dirs {
		entries, err := fs.ReadDir(d.fsys, dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			d.close()
			return nil, fmt.Errorf("list moves: %w", err)
		}
		for _, e := range entries {
			isFile := e.Type().IsRegular() || links && e.Type() == fs.ModeSymlink
			if name, ok := strings.CutSuffix(e.Name(), ".json"); ok && isFile && len(d.files) < maxMoves {
				d.files[name] = path.Join(dir, e.Name())
			}
		}
	}
	return d, nil
}

// read reads a move and the sound that lies beside it.
func (d *dataset) read(name, file string) (*Move, error) {
	text, err := readFile(d.fsys, file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path.Base(file), err)
	}
	rec, err := Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path.Base(file), err)
	}
	m := &Move{Name: name, About: rec.Description, Recording: rec}
	sound := strings.TrimSuffix(file, ".json") + ".wav"
	wav, err := readFile(d.fsys, sound)
	switch {
	case err == nil:
		rec.Sound = &hal.Sound{WAV: wav, Length: length(rec)}
	case !errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: %w", path.Base(sound), err)
	}
	return m, nil
}

func readFile(fsys fs.FS, name string) ([]byte, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // only read
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.New("it is no regular file")
	}
	text, err := io.ReadAll(io.LimitReader(f, MaxFile+1))
	if err == nil && len(text) > MaxFile {
		err = fmt.Errorf("it is larger than %d MiB", MaxFile>>20)
	}
	return text, err
}
