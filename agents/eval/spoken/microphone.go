package main

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

const (
	rate       = 16000 // samples per second, as package audio wants it
	chunk      = rate / 50
	chunkTime  = time.Second / 50
	roomNoise  = 3 // of 32768
	speechLoud = 300
)

// microphone writes into the pipe that is the robot's microphone, in real time: a quiet room, and what is said.
type microphone struct {
	pipe *os.File
	stop chan struct{}
	done chan struct{}
	lost int // chunks that nobody took

	mu     sync.Mutex
	queue  []int16
	begun  time.Time      // of what is in the queue
	spoken chan time.Time // gets when all of it was said
}

// newMicrophone makes the pipe.
func newMicrophone(dir string) (*microphone, error) {
	path := filepath.Join(dir, "microphone")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		return nil, err
	}
	pipe, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	m := &microphone{pipe: pipe, stop: make(chan struct{}), done: make(chan struct{})}
	go m.run()
	return m, nil
}

// run writes a piece whenever its time has come.
func (m *microphone) run() {
	defer close(m.done)
	r := rand.New(rand.NewPCG(1, 1)) //nolint:gosec // noise
	tick := time.NewTicker(chunkTime)
	defer tick.Stop()
	next := time.Now()
	for {
		select {
		case <-tick.C:
		case <-m.stop:
			return
		}
		for ; time.Now().After(next); next = next.Add(chunkTime) {
			// While the pipe is full, whoever should listen does not: what is said then is lost, as with any microphone.
			if m.pipe.SetWriteDeadline(time.Now().Add(chunkTime)) != nil {
				return
			}
			switch _, err := m.pipe.Write(m.piece(r)); {
			case errors.Is(err, os.ErrDeadlineExceeded):
				m.lost++
				next = time.Now() // no more of it at once when somebody listens again, and an end to this loop
			case err != nil:
				return
			}
		}
	}
}

// piece is the next piece of sound.
func (m *microphone) piece(r *rand.Rand) []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	if len(m.queue) > 0 && m.begun.IsZero() {
		m.begun = now
	}
	b := make([]byte, 0, 2*chunk)
	for i := range chunk {
		v := int16(r.IntN(2*roomNoise+1) - roomNoise)
		if i < len(m.queue) {
			v += m.queue[i]
		}
		b = binary.LittleEndian.AppendUint16(b, uint16(v))
	}
	m.queue = m.queue[min(chunk, len(m.queue)):]
	if m.spoken != nil && len(m.queue) == 0 {
		m.spoken <- now
		m.spoken = nil
	}
	return b
}

// say has something said, and returns when it began and ended: without the silence around it.
func (m *microphone) say(samples []int16) (start, end time.Time) {
	loud := func(v int16) bool { return v > speechLoud || v < -speechLoud }
	first, last := 0, len(samples)-1
	for first < last && !loud(samples[first]) {
		first++
	}
	for last > first && !loud(samples[last]) {
		last--
	}
	spoken := make(chan time.Time, 1)
	m.mu.Lock()
	m.queue, m.begun, m.spoken = samples, time.Time{}, spoken
	m.mu.Unlock()
	<-spoken
	m.mu.Lock()
	defer m.mu.Unlock()
	at := func(n int) time.Time { return m.begun.Add(time.Duration(n) * time.Second / rate) }
	return at(first), at(last)
}

// close ends the sound.
func (m *microphone) close() error {
	close(m.stop)
	<-m.done
	return m.pipe.Close()
}
