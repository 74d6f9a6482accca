package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/fb"
	"github.com/dgraph-io/badger/v4/pb"
	"github.com/dgraph-io/badger/v4/table"
	"github.com/dgraph-io/badger/v4/y"
	"golang.org/x/sys/unix"
	"google.golang.org/protobuf/proto"
)

// intact reads all tables and compares their checksums. Badger itself would end the whole process at some damage, at
// other damage leave keys out without a word, and without a manifest delete all tables.
func intact(o badger.Options) error {
	tables, err := filepath.Glob(filepath.Join(o.Dir, "*.sst"))
	if err != nil {
		return err
	}
	f, err := os.Open(filepath.Join(o.Dir, badger.ManifestFilename))
	if errors.Is(err, fs.ErrNotExist) && len(tables) == 0 {
		return nil // a new store
	}
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // only read
	manifest, _, err := badger.ReplayManifestFile(f, 0, o)
	if err != nil {
		return fmt.Errorf("MANIFEST: %w", err)
	}
	// Tables that it does not mention are leftovers of a crash, whose data is still in a log.
	for id := range manifest.Tables {
		if err := intactTable(filepath.Join(o.Dir, table.IDToFilename(id))); err != nil {
			return fmt.Errorf("table %d: %w", id, err)
		}
	}
	return nil
}

// settle removes the logs that a process which was killed during its start left empty, since badger refuses them once, and
// writes those out that an earlier version with larger memtables did not.
func settle(o badger.Options) error {
	var largest int64
	for _, pattern := range []string{"*.mem", "*.vlog"} {
		logs, err := filepath.Glob(filepath.Join(o.Dir, pattern))
		if err != nil {
			return err
		}
		for _, path := range logs {
			st, err := os.Stat(path)
			switch {
			case err != nil:
				return err
			case st.Size() == 0:
				if err := os.Remove(path); err != nil {
					return err
				}
			case filepath.Ext(path) == ".mem":
				largest = max(largest, st.Size())
			}
		}
	}
	if largest <= o.MemTableSize || largest == 2*o.MemTableSize { // a log of ours has the latter size until it is cut off
		return nil
	}
	const enough = 16 << 20 // for entries that need more room in memory than in the log
	db, err := badger.Open(o.WithMemTableSize(max(4*largest, enough)))
	if err != nil {
		return err
	}
	return db.Close()
}

// intactTable checks one table. It ends with: index, its length, checksum of the index, its length. It is read, not
// mapped, so that it does not count as memory of the process.
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
	end := st.Size()
	sum, end, err := part(f, end)
	if err != nil {
		return fmt.Errorf("checksum of the index: %w", err)
	}
	index, end, err := part(f, end)
	if err != nil {
		return fmt.Errorf("index: %w", err)
	}
	if err := verify(index, sum); err != nil {
		return fmt.Errorf("index: %w", err)
	}
	blocks := fb.GetRootAsTableIndex(index, 0)
	var buf []byte
	for i := range blocks.OffsetsLength() {
		var at fb.BlockOffset
		if !blocks.Offsets(&at, i) || int64(at.Offset())+int64(at.Len()) > end {
			return fmt.Errorf("block %d lies outside", i)
		}
		if n := int(at.Len()); cap(buf) < n {
			buf = make([]byte, n)
		}
		block := buf[:at.Len()]
		if _, err := f.ReadAt(block, int64(at.Offset())); err != nil {
			return fmt.Errorf("block %d: %w", i, err)
		}
		if err := verifyBlock(block); err != nil {
			return fmt.Errorf("block %d: %w", i, err)
		}
	}
	return nil
}

// part reads what ends at end with its length, and returns where it begins.
func part(f io.ReaderAt, end int64) ([]byte, int64, error) {
	var b [4]byte
	if end < 4 {
		return nil, 0, errors.New("it is cut off")
	}
	if _, err := f.ReadAt(b[:], end-4); err != nil {
		return nil, 0, err
	}
	n := int64(binary.BigEndian.Uint32(b[:]))
	start := end - 4 - n
	if n == 0 || start < 0 {
		return nil, 0, fmt.Errorf("its length cannot be %d", n)
	}
	data := make([]byte, n)
	_, err := f.ReadAt(data, start)
	return data, start, err
}

// verifyBlock checks a block, which ends with its checksum and the checksum's length.
func verifyBlock(block []byte) error {
	if len(block) < 4 {
		return errors.New("it is cut off")
	}
	end := len(block) - 4
	n := int(binary.BigEndian.Uint32(block[end:]))
	if n > end {
		return fmt.Errorf("the length of its checksum cannot be %d", n)
	}
	return verify(block[:end-n], block[end-n:end])
}

func verify(data, sum []byte) error {
	var want pb.Checksum
	if err := proto.Unmarshal(sum, &want); err != nil {
		return err
	}
	return y.VerifyChecksum(data, &want)
}

// hold locks a directory as badger does, until it is closed. It reports ErrLocked when another process has it open.
func hold(dir string) (*os.File, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return nil, errors.Join(fmt.Errorf("%w%s", ErrLocked, owner(dir)), f.Close())
	}
	return f, nil
}

// owner names the process that holds the lock, if it said who it is.
func owner(dir string) string {
	text, err := os.ReadFile(filepath.Join(dir, "LOCK"))
	pid := strings.TrimSpace(string(text))
	if err != nil || pid == "" {
		return ""
	}
	return " (pid " + pid + ")"
}
