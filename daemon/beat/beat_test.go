package beat

import (
	"testing"
	"time"
)

// TestAllMeetAtOneBeat: whoever waits twice as long wakes up with every second one of the others, whenever it began.
func TestAllMeetAtOneBeat(t *testing.T) {
	for now := time.Duration(1); now < 10*time.Second; now += 77 * time.Millisecond {
		short, long := now+until(now, time.Second/2), now+until(now, time.Second)
		if short%(time.Second/2) != 0 || long%time.Second != 0 {
			t.Fatalf("from %v on the beats are %v and %v", now, short, long)
		}
		if short <= now || long <= now || short > now+time.Second/2 || long > now+time.Second {
			t.Fatalf("from %v on the beats are %v and %v: too early or too late", now, short, long)
		}
	}
	if d := until(time.Second, time.Second); d != time.Second {
		t.Errorf("at a beat the next one is after %v", d)
	}
	if d := Until(time.Hour); d <= 0 || d > time.Hour {
		t.Errorf("the next beat is after %v", d)
	}
}
