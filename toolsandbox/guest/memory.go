package guest

import (
	"fmt"
	"os"
	"sync"
	"unsafe"

	"github.com/tetratelabs/wazero/experimental"
	"golang.org/x/sys/unix"
)

// memories hands out guest memories that begin as copy-on-write views of the image file.
type memories struct {
	image *os.File
	size  uintptr // of the image

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

// Free forgets what the guest wrote and keeps the mapping for the next one.
func (g *guestMemory) Free() {
	if g.base == nil {
		return
	}
	base := g.base
	g.base = nil
	if err := unix.Madvise(unsafe.Slice((*byte)(base), reserved), unix.MADV_DONTNEED); err != nil {
		_ = unix.MunmapPtr(base, reserved)
		return
	}
	g.owner.mu.Lock()
	g.owner.free = append(g.owner.free, base)
	g.owner.mu.Unlock()
}

func (m *memories) close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, p := range m.free {
		_ = unix.MunmapPtr(p, reserved)
	}
	m.free = nil
	return m.image.Close()
}
