package guest

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// nativeLeast is the size from which on a mapping can be an interpreter's code, in bytes.
const nativeLeast = 1 << 20

var errNoNative = errors.New("no native code of that size is mapped")

// nativeCode finds the largest anonymous mapping that can be executed: the module's native code, which wazero has read
// from its cache into memory that no other process shares.
func nativeCode() ([]byte, error) {
	f, err := os.Open("/proc/self/maps")
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // read-only
	var code []byte
	for s := bufio.NewScanner(f); s.Scan(); {
		var from, to, offset, inode uint64
		var rights, device string
		line := s.Text()
		if _, err := fmt.Sscanf(line, "%x-%x %s %x %s %d", &from, &to, &rights, &offset, &device, &inode); err != nil || inode != 0 {
			continue
		}
		if size := to - from; rights == "r-xp" && !strings.HasSuffix(line, "]") && size >= nativeLeast && size > uint64(len(code)) {
			code = unsafe.Slice((*byte)(addressOf(uintptr(from))), size)
		}
	}
	if code == nil {
		return nil, errNoNative
	}
	return code, nil
}

// addressOf is a pointer to memory that is not Go's.
func addressOf(a uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&a)) }

// saveNative writes the native code for shareNative.
func saveNative(path string) error {
	code, err := nativeCode()
	if err != nil {
		return err
	}
	return writeSparse(path, code)
}

// shareNative puts a mapping of the file that saveNative wrote in the place of the native code, if it has the same
// bytes: the kernel then keeps one copy for all workers, and of that only what is used. No guest may be running.
func shareNative(path string) error {
	code, err := nativeCode()
	if err != nil {
		return err
	}
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // read-only, and the mapping stays
	if info, err := file.Stat(); err != nil || info.Size() != int64(len(code)) {
		return fmt.Errorf("%s is of another size than the native code: %w", path, err)
	}
	same, err := unix.Mmap(int(file.Fd()), 0, len(code), unix.PROT_READ, unix.MAP_PRIVATE)
	if err != nil {
		return err
	}
	equal := bytes.Equal(code, same)
	if err := unix.Munmap(same); err != nil {
		return err
	}
	if !equal {
		return fmt.Errorf("%s is not the native code", path)
	}
	_, err = unix.MmapPtr(int(file.Fd()), 0, unsafe.Pointer(&code[0]), uintptr(len(code)), unix.PROT_READ|unix.PROT_EXEC, unix.MAP_PRIVATE|unix.MAP_FIXED)
	return err
}
