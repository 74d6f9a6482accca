package train

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
)

// A checkpoint is a file of magic, length, checksum and gob. It is whole or it is not there: it is written beside the old
// one, brought to the disk, and renamed.
const (
	magic         = "REACHYL1"
	maxCheckpoint = 256 << 20
)

// ErrDamaged is the reason for a checkpoint that is not what was written.
var ErrDamaged = errors.New("damaged")

// writeFile replaces a file as a whole.
func writeFile(path string, data []byte) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	if _, err = f.Write(data); err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err = os.Rename(f.Name(), path); err != nil {
		return err
	}
	d, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// writeCheckpoint keeps a value in a file.
func writeCheckpoint(path string, value any) error {
	var body bytes.Buffer
	if err := gob.NewEncoder(&body).Encode(value); err != nil {
		return fmt.Errorf("write %s: %w", filepath.Base(path), err)
	}
	data := append([]byte(magic), make([]byte, 12)...)
	binary.LittleEndian.PutUint64(data[8:], uint64(body.Len()))
	binary.LittleEndian.PutUint32(data[16:], crc32.ChecksumIEEE(body.Bytes()))
	if err := writeFile(path, append(data, body.Bytes()...)); err != nil {
		return fmt.Errorf("write %s: %w", filepath.Base(path), err)
	}
	return nil
}

// readCheckpoint reads a value back. The error is fs.ErrNotExist or wraps ErrDamaged where the file is at fault.
func readCheckpoint(path string, value any) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // only read
	data, err := io.ReadAll(io.LimitReader(f, maxCheckpoint+1))
	if err != nil {
		return err
	}
	if err := decodeCheckpoint(data, value); err != nil {
		return fmt.Errorf("%s is %w: %w", filepath.Base(path), ErrDamaged, err)
	}
	return nil
}

func decodeCheckpoint(data []byte, value any) error {
	if len(data) < 20 || string(data[:8]) != magic {
		return fmt.Errorf("it does not begin with %s", magic)
	}
	body := data[20:]
	if n := binary.LittleEndian.Uint64(data[8:]); n != uint64(len(body)) {
		return fmt.Errorf("it should have %d bytes and has %d", n, len(body))
	}
	if sum := crc32.ChecksumIEEE(body); sum != binary.LittleEndian.Uint32(data[16:]) {
		return fmt.Errorf("its checksum is %08x", sum)
	}
	return gob.NewDecoder(bytes.NewReader(body)).Decode(value)
}
