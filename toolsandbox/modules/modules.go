// Package modules keeps WebAssembly modules by what they are: each in a file that is named after its SHA-256.
package modules

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// Limits.
const (
	MaxSize  = 16 << 20  // bytes of a module
	MaxTotal = 512 << 20 // bytes of all modules that are kept
	maxHeld  = 4         // modules that are held in memory, as many as a sandbox keeps open
)

// Errors that callers branch on.
var (
	ErrMissing = errors.New("the module is not here")
	ErrBad     = errors.New("not a module that can be kept")
)

// Store keeps modules in a folder. Its methods may be called by many goroutines, of one process.
type Store struct {
	dir string

	mu   sync.Mutex
	held []held // the one that was used last is the last
}

type held struct {
	sum  string
	data []byte
}

// New returns a store in a folder, which is made by the first Put.
func New(dir string) *Store { return &Store{dir: dir} }

// Sum names a module: its SHA-256, hexadecimal.
func Sum(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// IsSum says whether a text can be what Sum returned.
func IsSum(text string) bool {
	return len(text) == 2*sha256.Size && strings.Trim(text, "0123456789abcdef") == ""
}

const magic = "\x00asm\x01\x00\x00\x00"

// IsModule says whether data begins as a WebAssembly module of version 1 does.
func IsModule(data []byte) bool { return bytes.HasPrefix(data, []byte(magic)) }

// Check says why data is no module, as far as its frame shows: begin, sections and size. The error wraps ErrBad.
func Check(data []byte) error {
	if len(data) > MaxSize {
		return fmt.Errorf("%w: module: %d bytes, allowed %d", ErrBad, len(data), MaxSize)
	}
	if !IsModule(data) {
		return fmt.Errorf(
			"%w: module: begins with %q, allowed is a WebAssembly module of version 1, which begins with %q",
			ErrBad,
			data[:min(len(data), len(magic))],
			magic,
		)
	}
	for at := len(magic); at < len(data); {
		size, n := binary.Uvarint(data[at+1:])
		begin := at + 1 + n
		if n <= 0 || n > 5 || size > uint64(len(data)-begin) {
			return fmt.Errorf("%w: module: section %d at byte %d is cut short, allowed is a whole file", ErrBad, data[at], at)
		}
		at = begin + int(size)
	}
	return nil
}

// Get returns a module by its sum, which callers must not change. The error wraps ErrMissing when it was never kept, and
// ErrBad when its file is damaged.
func (s *Store) Get(sum string) ([]byte, error) {
	if !IsSum(sum) {
		return nil, fmt.Errorf("%w: sum %.80q, allowed are 64 hexadecimal digits", ErrBad, sum)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.IndexFunc(s.held, func(h held) bool { return h.sum == sum }); i >= 0 {
		h := s.held[i]
		s.held = append(slices.Delete(s.held, i, i+1), h)
		return h.data, nil
	}
	data, err := s.read(sum)
	if err != nil {
		return nil, err
	}
	s.hold(sum, data)
	return data, nil
}

func (s *Store) path(sum string) string { return filepath.Join(s.dir, sum+".wasm") }

func (s *Store) read(sum string) ([]byte, error) {
	f, err := os.Open(s.path(sum))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("module sha256:%s: %w", sum, ErrMissing)
	}
	if err != nil {
		return nil, fmt.Errorf("module: %w", err)
	}
	defer f.Close() //nolint:errcheck // only read
	data, err := io.ReadAll(io.LimitReader(f, MaxSize+1))
	if err != nil {
		return nil, fmt.Errorf("module: %w", err)
	}
	if got := Sum(data); got != sum {
		return nil, fmt.Errorf("%w: the file of module sha256:%s is damaged: it has sha256:%s; bring it again", ErrBad, sum, got)
	}
	return data, nil
}

func (s *Store) hold(sum string, data []byte) {
	s.held = append(s.held, held{sum, data})
	s.held = slices.Delete(s.held, 0, max(0, len(s.held)-maxHeld))
}

// Put keeps a module. When it returns, the module is on the disk, and so may be what names it. fresh says that it was
// not there before. The error wraps ErrBad when it cannot be kept.
func (s *Store) Put(data []byte) (sum string, fresh bool, err error) {
	if err := Check(data); err != nil {
		return "", false, err
	}
	sum = Sum(data)
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := s.read(sum); err == nil {
		return sum, false, nil
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return "", false, fmt.Errorf("module: %w", err)
	}
	total, err := s.tidy()
	if err != nil {
		return "", false, fmt.Errorf("module: %w", err)
	}
	if total+int64(len(data)) > MaxTotal {
		return "", false, fmt.Errorf("%w: module: %d bytes beside %d that are kept, allowed %d together", ErrBad, len(data), total, MaxTotal)
	}
	if err := s.write(sum, data); err != nil {
		return "", false, fmt.Errorf("module: %w", err)
	}
	return sum, true, nil
}

const unfinished = ".part"

// tidy removes what a Put left that was killed, and counts the bytes of the rest. The caller holds mu.
func (s *Store) tidy() (total int64, err error) {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return 0, err
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), unfinished) {
			if err := os.Remove(filepath.Join(s.dir, e.Name())); err != nil {
				return 0, err
			}
			continue
		}
		info, err := e.Info()
		if err != nil {
			return 0, err
		}
		total += info.Size()
	}
	return total, nil
}

// write puts a file in place whole, so that a kill at any time leaves it whole or not there.
func (s *Store) write(sum string, data []byte) (err error) {
	f, err := os.CreateTemp(s.dir, "*"+unfinished)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), s.path(sum)); err != nil {
		return err
	}
	return errors.Join(syncDir(s.dir), syncDir(filepath.Dir(s.dir)))
}

// syncDir makes a new name in a folder durable.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = d.Sync()
	if errors.Is(err, fs.ErrInvalid) { // some file systems know no such thing
		err = nil
	}
	return errors.Join(err, d.Close())
}

// Remove forgets a module.
func (s *Store) Remove(sum string) error {
	if !IsSum(sum) {
		return fmt.Errorf("%w: sum %.80q, allowed are 64 hexadecimal digits", ErrBad, sum)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held = slices.DeleteFunc(s.held, func(h held) bool { return h.sum == sum })
	return os.Remove(s.path(sum))
}
