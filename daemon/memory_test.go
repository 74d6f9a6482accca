package daemon

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func fileRSS(t *testing.T) (kB int) {
	t.Helper()
	data, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, "RssFile:"); ok {
			for _, r := range strings.Fields(rest)[0] {
				kB = kB*10 + int(r-'0')
			}
		}
	}
	return kB
}

func TestUnusedMemoryIsReturned(t *testing.T) {
	before := fileRSS(t)
	if err := returnUnused(); err != nil {
		t.Fatal(err)
	}
	if after := fileRSS(t); after >= before {
		t.Errorf("%d kB of files before, %d kB after", before, after)
	}
	if got := newPlanner().Plan("look left"); len(got.Steps) != 1 {
		t.Errorf("afterwards it plans %+v", got)
	}
}

// The tables of the store are mapped. What was once read of them stayed resident, so reachyd grew with what people told it.
func TestPagesOfTheStoreAreDropped(t *testing.T) {
	const size = 8 << 20
	file, err := os.Create(filepath.Join(t.TempDir(), "000001.sst"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := file.Truncate(size); err != nil {
		t.Fatal(err)
	}
	table, err := unix.Mmap(int(file.Fd()), 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(table)
	content := bytes.Repeat([]byte("told"), size/4)
	copy(table, content)
	before := fileRSS(t)
	if err := dropPages(); err != nil {
		t.Fatal(err)
	}
	if after := fileRSS(t); after > before-size/2/1024 {
		t.Errorf("%d kB of files before, %d kB after, of which %d kB were those of a table", before, after, size/1024)
	}
	if !bytes.Equal(table, content) {
		t.Error("what was written is gone")
	}
}

func TestMapping(t *testing.T) {
	for line, want := range map[string]struct {
		mode, path string
		shared     bool
	}{
		"00400000-01295000 r-xp 00000000 fe:00 133                                /usr/bin/reachyd":   {"r-xp", "/usr/bin/reachyd", false},
		"7f0000000000-7f0000200000 rw-s 00000000 fe:00 9       /var/lib/reachyd/my store/000001.vlog": {"rw-s", "/var/lib/reachyd/my store/000001.vlog", true},
		"7f0000000000-7f0000200000 rw-p 00000000 fe:00 9       /var/lib/reachyd/store/000001.vlog":    {"rw-p", "/var/lib/reachyd/store/000001.vlog", false},
		"7f0000000000-7f0000200000 rw-s 00000000 00:05 9       /dev/video0":                           {"rw-s", "/dev/video0", false},
		"7f0000000000-7f0000200000 rw-s 00000000 00:05 9       anon_inode:[io_uring]":                 {"rw-s", "anon_inode:[io_uring]", false},
		"c000000000-c001000000 rw-p 00000000 00:00 0 ":                                                {"rw-p", "", false},
		"rubbish": {},
	} {
		_, mode, path := mapping([]byte(line))
		if string(mode) != want.mode || string(path) != want.path {
			t.Errorf("%s: %q %q", line, mode, path)
		}
		if len(mode) > 0 && isShared(mode, path) != want.shared {
			t.Errorf("%s: shared %v", line, !want.shared)
		}
	}
}

// The kernel maps the neighbours of a page that is used: of a program of many megabytes nearly all of it.
func TestNeighboursOfUsedPagesAreNotResident(t *testing.T) {
	own, err := program()
	if err != nil {
		t.Fatal(err)
	}
	cut, err := mapped(func(mode, path []byte) bool { return mode[1] == '-' && string(path) == executable(t) })
	if err != nil || len(cut) < 100*len(own) {
		t.Fatalf("%d mappings are cut into %d pieces: %v", len(own), len(cut), err)
	}
	for _, piece := range cut {
		if n := piece.to - piece.from; n > max(isle, uintptr(os.Getpagesize())) {
			t.Errorf("a piece of %d bytes", n)
		}
	}
}

func executable(t *testing.T) string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return exe
}
