package webrtc

import "time"

const (
	// share is the part of one processor that the picture may take: a third.
	share = 3
	// dear is what a picture may cost before it is made smaller, cheap what it would have to cost at twice the size before it grows again.
	dear, cheap = 50 * time.Millisecond, 25 * time.Millisecond
	// settled is how many pictures pass between two changes of the size.
	settled = 45
	// maxHalvings is how often a picture is halved at most for its cost.
	maxHalvings = 2
)

// pace makes pictures rarer, and then smaller, where the processor is slow or busy.
type pace struct {
	unpack, encode time.Duration // what they cost in the mean
	halvings       int
	since          int // how many pictures ago that changed
}

// took notes what a picture has cost.
func (p *pace) took(unpack, encode time.Duration) {
	if p.since == 0 {
		p.unpack, p.encode = unpack, encode
	}
	p.unpack += (unpack - p.unpack) / 8
	p.encode += (encode - p.encode) / 8
	if p.since++; p.since < settled {
		return
	}
	switch {
	case p.unpack+p.encode > dear && p.halvings < maxHalvings:
		p.halvings++
		p.since = 0
	case p.unpack+4*p.encode < cheap && p.halvings > 0: // twice the size is four times the work
		p.halvings--
		p.since = 0
	}
}

// interval is the time from one picture to the next.
func (p *pace) interval() time.Duration {
	return max(time.Second/videoRate, share*(p.unpack+p.encode))
}
