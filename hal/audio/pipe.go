package audio

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"time"
)

// Pipe is a Source into which another program writes while it records: 16-bit samples, little-endian, mono, at Rate, in a named pipe. It
// has no end: while nobody writes, Read waits.
type Pipe struct {
	*intake
	file  *os.File
	once  sync.Once
	ended chan struct{}
	err   error
}

// OpenPipe opens a named pipe, which exists. What somebody wrote before is thrown away.
func OpenPipe(path string) (*Pipe, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.Mode()&fs.ModeNamedPipe == 0 {
		return nil, fmt.Errorf("%s is no named pipe", path)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0) // for writing, too: else opening waits, and it ends with its first writer
	if err != nil {
		return nil, err
	}
	p := &Pipe{intake: newIntake(systemClock{}), file: f, ended: make(chan struct{})}
	if err := p.empty(); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	go p.run()
	return p, nil
}

// empty reads what waits.
func (p *Pipe) empty() error {
	buf := make([]byte, 64<<10)
	for {
		if err := p.file.SetReadDeadline(time.Now().Add(time.Millisecond)); err != nil {
			return fmt.Errorf("%s: %w", p.file.Name(), err)
		}
		if _, err := p.file.Read(buf); errors.Is(err, os.ErrDeadlineExceeded) {
			return p.file.SetReadDeadline(time.Time{})
		} else if err != nil {
			return err
		}
	}
}

// run reads until Close.
func (p *Pipe) run() {
	defer close(p.ended)
	defer p.shut()
	buf, rest := make([]byte, 2*FrameSize), 0
	samples := make([]float32, FrameSize)
	for {
		n, err := p.file.Read(buf[rest:])
		if err != nil {
			return
		}
		n += rest
		for i := range n / 2 {
			samples[i] = float32(int16(binary.LittleEndian.Uint16(buf[2*i:]))) / (1 << 15)
		}
		p.push(samples[:n/2], 1, 0, p.clock.Now())
		rest = copy(buf, buf[n-n%2:n])
	}
}

// Close implements Source.
func (p *Pipe) Close() error {
	p.once.Do(func() {
		p.err = p.file.Close()
		<-p.ended
	})
	return p.err
}

var _ Source = (*Pipe)(nil)
