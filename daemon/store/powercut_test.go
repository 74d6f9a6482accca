package store_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/reachyd/reachyd/daemon/store"
)

// Power cuts in the usual tests. The whole trial is
//
//	REACHYD_POWER_CUTS=200 go test ./daemon/store -run PowerCut -v -timeout 1h
const usualPowerCuts = 3

// slots is how many documents a writer keeps changing, which bounds the store.
const slots = 40

// device is a file system of its own, whose power can be cut: nothing that was not synced reaches its device then.
type device struct{ image, mounted string }

func newDevice(t *testing.T) *device {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("NOT TESTED: only root can mount a file system whose power can be cut")
	}
	dir := t.TempDir()
	d := &device{filepath.Join(dir, "image"), filepath.Join(dir, "m")}
	if err := os.Mkdir(d.mounted, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, line := range [][]string{{"truncate", "-s", "256M", d.image}, {"mkfs.ext4", "-q", "-F", d.image}, d.mount()} {
		if out, err := exec.CommandContext(t.Context(), line[0], line[1:]...).CombinedOutput(); err != nil {
			t.Skipf("NOT TESTED: this machine cannot mount an image of ext4: %v: %v %s", line, err, out)
		}
	}
	t.Cleanup(func() { _ = unix.Unmount(d.mounted, unix.MNT_DETACH) })
	return d
}

func (d *device) mount() []string { return []string{"mount", "-o", "loop", d.image, d.mounted} }

// cut makes the file system drop all that is not on its device, and its journal with it.
func (d *device) cut() error {
	const shutdown, withoutJournal = 0x8004587d, 2 // EXT4_IOC_SHUTDOWN, EXT4_GOING_FLAGS_NOLOGFLUSH
	fd, err := unix.Open(d.mounted, unix.O_RDONLY, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	how := uint32(withoutJournal)
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), shutdown, uintptr(unsafe.Pointer(&how))); errno != 0 {
		return errno
	}
	return nil
}

// again mounts what is on the device, as after the power is back: a copy of it, since a process that made itself a mount namespace
// in the meantime still holds the one without power.
func (d *device) again(t *testing.T) {
	t.Helper()
	if err := unix.Unmount(d.mounted, 0); err != nil {
		t.Fatalf("unmount: %v", err)
	}
	dead := d.image
	d.image = filepath.Join(filepath.Dir(dead), fmt.Sprint("image", time.Now().UnixNano()))
	for _, line := range [][]string{{"cp", "--sparse=always", dead, d.image}, {"rm", dead}, d.mount()} {
		if out, err := exec.CommandContext(t.Context(), line[0], line[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v %s", line, err, out)
		}
	}
}

// change changes documents for ever, from a number on, and says what has been acknowledged.
func change(s *store.Store) error {
	b := store.NewBucket[string](s, "docs", store.Keep{})
	n, err := strconv.Atoi(os.Getenv("STORE_TEST_FROM"))
	for ; err == nil; n++ {
		// Of several sizes, so that memtables change and some values lie in parts.
		err = b.Put(fmt.Sprint(n%slots), fmt.Sprint(n, " ", strings.Repeat("x", (n%7)*(n%7)*3500)))
		if err == nil {
			fmt.Println("ack", n)
		}
	}
	return err
}

// TestPowerCut cuts the power at random moments under load: what was acknowledged is there, and the store opens.
func TestPowerCut(t *testing.T) {
	cuts := usualPowerCuts
	if n, err := strconv.Atoi(os.Getenv("REACHYD_POWER_CUTS")); err == nil {
		cuts = n
	}
	d := newDevice(t)
	dir := filepath.Join(d.mounted, "store")
	latest := map[string]int{} // acknowledged, by slot
	next, acked := 1, 0
	for cut := range cuts {
		t.Setenv("STORE_TEST_FROM", strconv.Itoa(next))
		cmd, out, _ := start(t, "change", dir)
		if !out.Scan() {
			t.Fatalf("cut %d: the writer ended before it wrote", cut)
		}
		done := make(chan struct{})
		time.AfterFunc(time.Duration(rand.IntN(300))*time.Millisecond, func() {
			defer close(done)
			if err := d.cut(); err != nil {
				t.Error(err)
			}
			_ = cmd.Process.Kill()
		})
		for more := true; more; more = out.Scan() {
			var n int
			if _, err := fmt.Sscanf(out.Text(), "ack %d", &n); err == nil {
				latest[strconv.Itoa(n%slots)] = n
				next, acked = n+1, acked+1
			}
		}
		<-done
		_ = cmd.Wait() // killed
		d.again(t)
		next += slots // what was not acknowledged may be there: its numbers are not used again
		checkKept(t, dir, latest, cut)
	}
	t.Logf("%d power cuts, %d changes acknowledged", cuts, acked)
}

func checkKept(t *testing.T, dir string, latest map[string]int, cut int) {
	t.Helper()
	s := open(t, dir, store.Options{})
	defer s.Close(0)
	b := store.NewBucket[string](s, "docs", store.Keep{})
	for slot, want := range latest {
		text, err := b.Get(slot)
		number, rest, _ := strings.Cut(text, " ")
		if got, bad := strconv.Atoi(number); err != nil || bad != nil || got < want || len(rest) != (got%7)*(got%7)*3500 {
			t.Errorf("cut %d, slot %s: %.20q with %d bytes, want %d or later, %v", cut, slot, number, len(rest), want, err)
		}
	}
}
