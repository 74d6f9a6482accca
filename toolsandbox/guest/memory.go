package guest

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"sync"
	"unsafe"

	"github.com/tetratelabs/wazero/experimental"
	"golang.org/x/sys/unix"
)

// memories hands out guest memories that begin as copy-on-write views of the image file.
type memories struct {
	image   *os.File
	size    uintptr  // of the image
	pagemap *os.File // of this process; nil where the kernel has none
	entries []byte   // of pagemap, for the image's pages

	mu   sync.Mutex
	free []unsafe.Pointer
}

// reserved is the address space of one guest memory. Untouched pages cost nothing.
const reserved = uintptr(MaxMemory)

// guestMemory is the linear memory of one instance.
type guestMemory struct {
	owner *memories
	base  unsafe.Pointer
	limit uint64 // bytes that it may grow to
	size  uint64
	full  bool // growing was refused
}

var _ experimental.LinearMemory = (*guestMemory)(nil)

func (m *memories) get() (*guestMemory, error) {
	m.mu.Lock()
	if n := len(m.free); n > 0 {
		p := m.free[n-1]
		m.free = m.free[:n-1]
		m.mu.Unlock()
		return &guestMemory{owner: m, base: p, limit: MaxMemory}, nil
	}
	m.mu.Unlock()
	const rw = unix.PROT_READ | unix.PROT_WRITE
	p, err := unix.MmapPtr(-1, 0, nil, reserved, rw, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_NORESERVE)
	if err != nil {
		return nil, fmt.Errorf("reserving guest memory: %w", err)
	}
	if _, err := unix.MmapPtr(int(m.image.Fd()), 0, p, m.size, rw, unix.MAP_PRIVATE|unix.MAP_FIXED); err != nil {
		_ = unix.MunmapPtr(p, reserved)
		return nil, fmt.Errorf("mapping the image: %w", err)
	}
	return &guestMemory{owner: m, base: p, limit: MaxMemory}, nil
}

// Allocate implements experimental.MemoryAllocator for an instance whose memory was made before.
func (g *guestMemory) Allocate(_, _ uint64) experimental.LinearMemory { return g }

// Reallocate grows the memory in place, or returns nil when that would pass the limit.
func (g *guestMemory) Reallocate(size uint64) []byte {
	if size > g.limit {
		g.full = true
		return nil
	}
	g.size = size
	return unsafe.Slice((*byte)(g.base), reserved)[:size:reserved]
}

// Free undoes what the guest wrote and keeps the mapping for the next one.
func (g *guestMemory) Free() {
	if g.base == nil {
		return
	}
	base := g.base
	g.base = nil
	if err := g.owner.reset(unsafe.Slice((*byte)(base), reserved)); err != nil {
		_ = unix.MunmapPtr(base, reserved)
		return
	}
	g.owner.mu.Lock()
	g.owner.free = append(g.owner.free, base)
	g.owner.mu.Unlock()
}

const (
	// copyBack is how much of what a guest wrote is copied back from the image, in bytes: it takes a tenth of the time of
	// having the pages forgotten and faulted in again, but the pages stay in memory.
	copyBack = 3 << 20
	// pageShared is the bit of /proc/self/pagemap of a page that is still the image's own. Other pages that are there,
	// in memory or in swap, were written to.
	pageShared  = 1 << 61
	pagePresent = 1<<63 | 1<<62
)

// reset makes a memory what it was: the pages of the image that were written to are copied back, or forgotten by the
// kernel when they are many, and what lies behind the image is always forgotten.
func (m *memories) reset(memory []byte) error {
	if !m.copyWritten(memory) {
		return unix.Madvise(memory, unix.MADV_DONTNEED)
	}
	return unix.Madvise(memory[m.size:], unix.MADV_DONTNEED)
}

// copyWritten says whether it has restored all pages of the image.
func (m *memories) copyWritten(memory []byte) bool {
	if m.pagemap == nil {
		return false
	}
	page := uintptr(os.Getpagesize())
	if _, err := m.pagemap.ReadAt(m.entries, int64(uintptr(unsafe.Pointer(&memory[0]))/page*8)); err != nil {
		return false
	}
	written := func(at uintptr) bool {
		e := binary.NativeEndian.Uint64(m.entries[at/page*8:])
		return e&pagePresent != 0 && e&pageShared == 0
	}
	left := uintptr(copyBack)
	for at := uintptr(0); at < m.size; at += page {
		if !written(at) {
			continue
		}
		end := at + page
		for end < m.size && written(end) {
			end += page
		}
		if end-at > left {
			return false
		}
		left -= end - at
		if _, err := m.image.ReadAt(memory[at:end], int64(at)); err != nil {
			return false
		}
		at = end
	}
	return true
}

func openMemories(image *os.File, size uintptr) *memories {
	m := &memories{image: image, size: size}
	if size%uintptr(os.Getpagesize()) != 0 {
		return m
	}
	if f, err := os.Open("/proc/self/pagemap"); err == nil { // otherwise all pages are forgotten after each call
		m.pagemap = f
	}
	m.entries = make([]byte, size/uintptr(os.Getpagesize())*8)
	return m
}

func (m *memories) close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, p := range m.free {
		_ = unix.MunmapPtr(p, reserved)
	}
	m.free = nil
	var err error
	if m.pagemap != nil {
		err = errors.Join(err, m.pagemap.Close())
	}
	return errors.Join(err, m.image.Close())
}
