package apps

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// An app that takes two processors where it has one rests half of the time, after a while in which it takes what it gets.
func TestAnAppKeepsToItsShare(t *testing.T) {
	stopped := map[int]bool{}
	slow := throttle{share: 1, send: func(pid int, what unix.Signal) error {
		stopped[pid] = what == unix.SIGSTOP
		return nil
	}}
	list := []process{{pid: 7}, {pid: 8}}
	now, firsts := time.Now(), 0
	var early, late time.Duration
	for i := range 200 {
		for j := range list {
			if !stopped[list[j].pid] {
				list[j].spent += watchPeriod
			}
		}
		if stopped[7] != stopped[8] {
			t.Fatal("one of them rests")
		}
		if slow.look(list, now) {
			firsts++
		}
		now = now.Add(watchPeriod)
		switch i {
		case 9:
			early = list[0].spent + list[1].spent
		case 99:
			late = list[0].spent + list[1].spent
		}
	}
	if early < 3900*time.Millisecond {
		t.Errorf("in its first 2 s it got %v", early)
	}
	if took := list[0].spent + list[1].spent - late; took < 19*time.Second || took > 21*time.Second {
		t.Errorf("in 20 s it took %v", took)
	}
	if firsts != 1 {
		t.Errorf("that is told %d times", firsts)
	}
	stopped[7], stopped[8], slow.resting = true, true, true
	slow.release(list)
	if stopped[7] || stopped[8] {
		t.Error("it still rests")
	}
}
