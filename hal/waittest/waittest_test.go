package waittest

import (
	"testing"
	"time"
)

func TestWithin(t *testing.T) {
	looks := 0
	third := func() bool { looks++; return looks == 3 }
	if !Within(time.Minute, third) || looks != 3 {
		t.Errorf("given up or gone on after %d looks", looks)
	}
	if looks = 3; Within(0, third) || looks < 4 {
		t.Errorf("waited for nothing, with %d looks", looks-3)
	}
}
