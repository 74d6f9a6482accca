package store

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// intact looks for damage at which badger would end the whole process instead of returning an error.
func intact(dir string) error {
	files, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var tables, manifest bool
	for _, f := range files {
		switch name := f.Name(); {
		case name == "MANIFEST":
			manifest = true
		case strings.HasSuffix(name, ".sst"):
			tables = true
			if err := intactTable(filepath.Join(dir, name)); err != nil {
				return err
			}
		}
	}
	if tables && !manifest {
		return fmt.Errorf("MANIFEST is missing, though there are tables")
	}
	return nil
}

// intactTable checks that the footer of a table points into the table: index, its length, checksum, its length.
func intactTable(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // only read
	st, err := f.Stat()
	if err != nil {
		return err
	}
	left := st.Size()
	for _, part := range [...]string{"checksum", "index"} {
		var b [4]byte
		if left < 4 {
			return fmt.Errorf("table %s is cut off", filepath.Base(path))
		}
		if _, err := f.ReadAt(b[:], left-4); err != nil {
			return fmt.Errorf("table %s: %w", filepath.Base(path), err)
		}
		n := int64(binary.BigEndian.Uint32(b[:]))
		if left -= 4 + n; n == 0 || left < 0 {
			return fmt.Errorf("table %s has a bad %s length", filepath.Base(path), part)
		}
	}
	return nil
}
