package webrtc

import (
	"testing"
	"time"
)

// A slow processor makes pictures rarer, then smaller; when it is quick again they come back.
func TestPace(t *testing.T) {
	var p pace
	run := func(pictures int, unpack, encode time.Duration) {
		for range pictures {
			p.took(unpack, encode>>(2*p.halvings))
		}
	}
	const ms = time.Millisecond
	run(settled, 5*ms, 5*ms)
	if p.halvings != 0 || p.interval() != time.Second/videoRate {
		t.Errorf("quick: halved %d times, a picture each %v", p.halvings, p.interval())
	}
	run(settled, 15*ms, 20*ms)
	if got := p.interval(); p.halvings != 0 || got < 95*ms || got > share*35*ms {
		t.Errorf("slower: halved %d times, a picture each %v, wanted about 100 ms", p.halvings, got)
	}
	run(3*settled, 30*ms, 60*ms)
	if got := p.interval(); p.halvings != 1 || got < 120*ms || got > 150*ms {
		t.Errorf("slow: halved %d times, a picture each %v, wanted once and 135 ms", p.halvings, got)
	}
	run(10*settled, 200*ms, 400*ms)
	if p.halvings != maxHalvings {
		t.Errorf("hardly any processor: halved %d times", p.halvings)
	}
	run(10*settled, 3*ms, 4*ms)
	if p.halvings != 0 || p.interval() != time.Second/videoRate {
		t.Errorf("quick again: halved %d times, a picture each %v", p.halvings, p.interval())
	}
}
