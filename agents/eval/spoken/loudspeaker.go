package main

import (
	"encoding/binary"
	"os"
	"sync"
	"time"
)

const (
	wavHead     = 44
	audible     = 150                    // of 32768
	wordGap     = 300 * time.Millisecond // shorter silence is between words
	listenEvery = 5 * time.Millisecond
)

// span is a time in which the robot spoke.
type span struct{ from, to time.Time }

// loudspeaker listens to the robot: it reads the file that is its loudspeaker, which grows in real time while it speaks.
type loudspeaker struct {
	path string
	stop chan struct{}
	done chan struct{}

	mu    sync.Mutex
	spans []span
}

func newLoudspeaker(path string) *loudspeaker {
	l := &loudspeaker{path: path, stop: make(chan struct{}), done: make(chan struct{})}
	go l.run()
	return l
}

func (l *loudspeaker) run() {
	defer close(l.done)
	tick := time.NewTicker(listenEvery)
	defer tick.Stop()
	at := int64(wavHead)
	buf := make([]byte, 64<<10)
	for {
		select {
		case <-tick.C:
		case <-l.stop:
			return
		}
		at = l.read(at, buf)
	}
}

// read hears what is new from a place on, and returns the next.
func (l *loudspeaker) read(at int64, buf []byte) int64 {
	f, err := os.Open(l.path)
	if err != nil { // it is not there yet
		return at
	}
	defer f.Close()                                            //nolint:errcheck // only read
	if info, err := f.Stat(); err != nil || info.Size() < at { // begun anew
		return wavHead
	}
	n, _ := f.ReadAt(buf, at) // at the end it is less than all
	n -= n % 2
	for i := 0; i < n; i += 2 {
		if v := int16(binary.LittleEndian.Uint16(buf[i:])); v > audible || v < -audible {
			l.sound(time.Now())
			break
		}
	}
	return at + int64(n)
}

// sound notes that the robot is heard now.
func (l *loudspeaker) sound(now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n := len(l.spans); n > 0 && now.Sub(l.spans[n-1].to) < wordGap {
		l.spans[n-1].to = now
		return
	}
	l.spans = append(l.spans, span{now, now})
}

// silentSince is when the robot was heard last.
func (l *loudspeaker) silentSince() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n := len(l.spans); n > 0 {
		return l.spans[n-1].to
	}
	return time.Time{}
}

// first is when the robot began to speak after a moment, before another; zero if it did not.
func (l *loudspeaker) first(after, before time.Time) time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range l.spans {
		if s.from.After(after) && s.from.Before(before) {
			return s.from
		}
	}
	return time.Time{}
}

// ended is when what the robot said at a moment came to its end; false if it said nothing then.
func (l *loudspeaker) ended(at time.Time) (time.Time, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range l.spans {
		if !s.from.After(at) && s.to.Add(wordGap).After(at) {
			return s.to, true
		}
	}
	return time.Time{}, false
}

func (l *loudspeaker) close() {
	close(l.stop)
	<-l.done
}
