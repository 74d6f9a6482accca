package audio

import (
	"fmt"
	"sync"
)

// Player is where sound goes to: a loudspeaker (OpenLoudspeaker), a file (NewWAVPlayer) or nobody, in real time (NewNull). Its
// methods may be called at any time from any goroutine, but two sounds that are written at once get mixed up.
type Player struct {
	*playout
	status func() Status
	close  func() error
	once   sync.Once
	err    error
}

// Status tells how the player does.
func (p *Player) Status() Status {
	s := p.status()
	p.mu.Lock()
	defer p.mu.Unlock()
	s.Underruns = p.underruns
	return s
}

// Close silences the player and ends every Write and Drain with ErrClosed or ErrFlushed. It may be called twice.
func (p *Player) Close() error {
	p.once.Do(func() {
		p.shut()
		p.err = p.close()
	})
	return p.err
}

func set(v *int, d int) {
	if *v == 0 {
		*v = d
	}
}

func checkRate(rate int) error {
	if rate < MinRate || rate > MaxRate {
		return fmt.Errorf("rate %d is not within %d…%d samples per second", rate, MinRate, MaxRate)
	}
	return nil
}
