package daemon

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// gcPercent is how much may be allocated between two garbage collections, in percent of the live heap.
	gcPercent = 40
	// memoryLimit is where garbage is collected sooner than that: far above the live heap of use, since near it the collector works all
	// the time, and below what floods of large messages would make of it.
	memoryLimit = 96 << 20
	// returnEvery is how often memory that is no longer used is returned to the system, and with it the pages of files: those of a store
	// that is read, or merged, would stay for ever. What a robot at rest leaves in between is too little to start a collection by itself,
	// and what pools have spare, such as the scratch space of networks, takes two.
	returnEvery = 30 * time.Second
	// isle is how many bytes of the program become resident with a page that is used.
	isle = 8 << 10
)

func collectSparingly() {
	debug.SetGCPercent(gcPercent)
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryLimit)
	}
}

// returnMemory returns unused memory at once, which is that of the start, and then regularly, until ctx ends.
func (d *Daemon) returnMemory(ctx context.Context) error {
	tick := time.NewTicker(returnEvery)
	defer tick.Stop()
	for {
		if err := returnUnused(); err != nil {
			d.Log.Debug().Err(err).Msg("unused memory is not returned")
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// returnUnused returns garbage and the pages of files.
func returnUnused() error {
	debug.FreeOSMemory()
	return dropPages()
}

// dropPages drops the pages of the program and of the store's files. Those that are still used (without tables and
// initialisers) come back from the page cache, where what was written stays, too.
func dropPages() error {
	own, err := program()
	if err != nil {
		return err
	}
	store, err := mapped(isShared)
	if err != nil {
		return err
	}
	for _, s := range slices.Concat(own, store) {
		if err := s.advise(unix.MADV_DONTNEED); err != nil {
			return err
		}
	}
	return nil
}

// program returns the mappings of the program that cannot have been changed: written pages of a private one would be lost. It cuts
// them into isles. The kernel maps the neighbours of a page that is used, sixteen in all, but none beyond the end of a mapping, and
// what core dumps are advised to leave out is a mapping of its own.
var program = sync.OnceValues(func() (own []span, err error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	own, err = mapped(func(mode, path []byte) bool {
		return mode[1] == '-' && string(bytes.TrimSuffix(path, []byte(" (deleted)"))) == exe
	})
	size := max(isle, uintptr(os.Getpagesize()))
	for _, s := range own {
		for at := s.from; at < s.to && err == nil; at += 2 * size {
			err = span{at, min(at+size, s.to)}.advise(unix.MADV_DONTDUMP)
		}
	}
	return own, err
})

// isShared tells the mappings that are the page cache itself.
func isShared(mode, path []byte) bool {
	return mode[3] == 's' && bytes.HasPrefix(path, []byte("/")) && !bytes.HasPrefix(path, []byte("/dev/"))
}

// span is a range of addresses.
type span struct{ from, to uintptr }

func (s span) advise(advice uintptr) error {
	if _, _, errno := unix.Syscall(unix.SYS_MADVISE, s.from, s.to-s.from, advice); errno != 0 {
		return fmt.Errorf("madvise: %w", errno)
	}
	return nil
}

// mapped returns the mappings of this process that want wants, by their mode, such as r-xp, and their file.
func mapped(want func(mode, path []byte) bool) (found []span, err error) {
	f, err := os.Open("/proc/self/maps")
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // only read
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		addresses, mode, path := mapping(lines.Bytes())
		if len(mode) != len("rwxp") || !want(mode, path) {
			continue
		}
		var s span
		if _, err := fmt.Sscanf(string(addresses), "%x-%x", &s.from, &s.to); err != nil {
			return nil, fmt.Errorf("/proc/self/maps: %w", err)
		}
		found = append(found, s)
	}
	return found, lines.Err()
}

// mapping takes a line of /proc/self/maps apart.
func mapping(line []byte) (addresses, mode, path []byte) {
	addresses, rest, _ := bytes.Cut(line, []byte(" "))
	mode, rest, _ = bytes.Cut(rest, []byte(" "))
	for range 3 { // offset, device, inode
		_, rest, _ = bytes.Cut(rest, []byte(" "))
	}
	return addresses, mode, bytes.TrimLeft(rest, " ")
}
