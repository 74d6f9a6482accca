package store

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// Usage is what a store takes.
type Usage struct {
	Kinds []KindUsage `json:"kinds"` // the largest first
	// Tables is how many tables there are, each of which keeps a file open, and Disk the bytes of all files on the disk.
	Tables int   `json:"tables"`
	Disk   int64 `json:"disk_bytes"`
}

// KindUsage is what one kind of documents takes: keys and values without what badger needs besides, and before it merges.
type KindUsage struct {
	Kind  string `json:"kind"`
	Keys  int    `json:"keys"`
	Bytes int64  `json:"bytes"`
}

// Usage looks at every key, and at no value.
func (s *Store) Usage() (Usage, error) {
	var u Usage
	found := map[string]*KindUsage{}
	err := s.kv.sizes(func(key []byte, size int64) {
		k, known := found[string(kindOf(key))]
		if !known {
			name := string(kindOf(key))
			k = &KindUsage{Kind: named(name)}
			found[name] = k
		}
		k.Keys++
		k.Bytes += size
	})
	for _, k := range found {
		u.Kinds = append(u.Kinds, *k)
	}
	slices.SortFunc(u.Kinds, func(a, b KindUsage) int {
		if a.Bytes != b.Bytes {
			return int(b.Bytes - a.Bytes)
		}
		return strings.Compare(a.Kind, b.Kind)
	})
	u.Tables, u.Disk = s.kv.files()
	return u, err
}

// kindOf is the beginning of a key by which its kind is told: a letter, and the name of a bucket or space.
func kindOf(key []byte) []byte {
	if bytes.HasPrefix(key, []byte("b\x00")) || bytes.HasPrefix(key, []byte("s\x00")) {
		if end := bytes.IndexByte(key[2:], 0); end >= 0 {
			return key[:2+end]
		}
	}
	return key[:min(1, len(key))]
}

func named(kind string) string {
	if name, ok := strings.CutPrefix(kind, "s\x00"); ok {
		return name + " (space)" // there may be a bucket of the same name
	}
	if _, name, ok := strings.Cut(kind, "\x00"); ok {
		return name
	}
	switch kind {
	case "e":
		return "events"
	case "p":
		return "parts of large values"
	case "g":
		return "garbage"
	}
	return "own notes"
}

func (d *disk) files() (tables int, size int64) {
	_ = d.use(func() error {
		for _, l := range d.db.Levels() {
			tables += l.NumTables
		}
		return nil
	})
	return tables, diskUsed(d.dir)
}

// diskUsed is what the files of a directory take on the disk: logs are longer than that.
func diskUsed(dir string) (size int64) {
	files, _ := os.ReadDir(dir) // what is not there takes nothing
	for _, f := range files {
		var st syscall.Stat_t
		if syscall.Stat(filepath.Join(dir, f.Name()), &st) == nil {
			size += st.Blocks * 512
		}
	}
	return size
}

func (*memory) files() (tables int, size int64) { return 0, 0 }

func (m *memory) sizes(fn func(key []byte, size int64)) error {
	return m.scan(span{to: []byte{0xff}, values: true}, func(key, value []byte) bool {
		fn(key, int64(len(key)+len(value)))
		return true
	})
}
