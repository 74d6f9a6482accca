package guest

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// span is a range of guest memory, in bytes.
type span struct {
	From uintptr `json:"from"`
	To   uintptr `json:"to"`
}

const (
	// joinGap is how far apart two touched pages may be to be faulted in together.
	joinGap = 8 << 10
	// pageIsPresent and pageIsShared are bits of /proc/self/pagemap; a page that is present and not the image's own was
	// written to.
	pageIsPresent = 1 << 63
	pageIsShared  = 1 << 61
)

// learnHot runs a call and finds which pages every call writes to, so that ready can bring them in before the next call
// comes and not while somebody waits for it.
func (i *Image) learnHot(ctx context.Context) (hot []span, err error) {
	in, err := i.ready(ctx)
	if err != nil {
		return nil, err
	}
	defer in.close()
	r, err := in.run(ctx, &Request{Source: "def f(a: int) -> int:\n    return a\n", Function: "f", Args: json.RawMessage(`{"a":1}`)}, nil)
	if err != nil {
		return nil, err
	}
	if r.Reason != ReasonOK {
		return nil, fmt.Errorf("first call: %s %+v", r.Reason, r.Error)
	}
	pagemap, err := os.Open("/proc/self/pagemap")
	if err != nil {
		return nil, err
	}
	defer pagemap.Close() //nolint:errcheck // read-only
	page := uintptr(os.Getpagesize())
	entries := make([]byte, i.memories.size/page*8)
	if _, err := pagemap.ReadAt(entries, int64(uintptr(in.memory.base)/page*8)); err != nil {
		return nil, fmt.Errorf("pagemap: %w", err)
	}
	for at := uintptr(0); len(entries) > 0; at, entries = at+page, entries[8:] {
		e := binary.NativeEndian.Uint64(entries)
		if e&pageIsPresent == 0 || e&pageIsShared != 0 {
			continue
		}
		if n := len(hot); n > 0 && at-hot[n-1].To <= joinGap {
			hot[n-1].To = at + page
		} else {
			hot = append(hot, span{at, at + page})
		}
	}
	return hot, nil
}

// faultIn brings the hot pages of a pristine memory in. What a kernel refuses is left to the call.
func (g *guestMemory) faultIn(hot []span) {
	all := unsafe.Slice((*byte)(g.base), reserved)
	for _, s := range hot {
		if unix.Madvise(all[s.From:s.To], unix.MADV_POPULATE_WRITE) != nil {
			return
		}
	}
}

// readHot reads what Prepare has learned. Without it calls are a little slower.
func readHot(path string, size uintptr) (hot []span) {
	text, err := os.ReadFile(path)
	if err != nil || json.Unmarshal(text, &hot) != nil {
		return nil
	}
	page := uintptr(os.Getpagesize())
	for _, s := range hot {
		if s.From >= s.To || s.To > size || s.From%page != 0 || s.To%page != 0 {
			return nil // made on a machine with other pages
		}
	}
	return hot
}
