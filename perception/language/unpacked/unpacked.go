// Package unpacked keeps what is unpacked from the program's own data in memory while it is asked for, and lets it go when it is not.
package unpacked

import (
	"fmt"
	"sync"
	"time"
)

// idle is how long it stays in memory when nobody asks for it.
const idle = time.Minute

// Data is what Parse makes of data of the program, for as long as it is asked for.
type Data[T any] struct {
	Name  string // of the data, for whoever broke them
	Parse func() (*T, error)

	mu   sync.Mutex
	kept *T
	used time.Time // when it was asked for last
}

// Get returns it, which stays whole for whoever holds it.
func (d *Data[T]) Get() *T {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.used = time.Now()
	if d.kept == nil {
		made, err := d.Parse()
		if err != nil {
			panic(fmt.Sprintf("%s: %v", d.Name, err)) // it is part of the program
		}
		d.kept = made
		time.AfterFunc(idle, d.drop)
	}
	return d.kept
}

// drop lets it go, or looks again later when it was asked for meanwhile. No timer is kept, because who asks may have another clock than
// who asked first: tests have clocks of their own.
func (d *Data[T]) drop() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if rest := idle - time.Since(d.used); rest > 0 {
		time.AfterFunc(rest, d.drop)
		return
	}
	d.kept = nil
}
