package mqtt

import "sync"

// ledger keeps to a limit in bytes of what several have together.
type ledger struct {
	most int

	mu    sync.Mutex
	sizes map[string]int
	sum   int
}

func newLedger(most int) *ledger { return &ledger{most: most, sizes: map[string]int{}} }

// fits says whether one of them may have n bytes.
func (l *ledger) fits(name string, n int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.sum-l.sizes[name]+n <= l.most
}

// set notes that one of them has n bytes.
func (l *ledger) set(name string, n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sum += n - l.sizes[name]
	l.sizes[name] = n
	if n == 0 {
		delete(l.sizes, name)
	}
}

// size returns how many bytes one of them has.
func (l *ledger) size(name string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.sizes[name]
}
