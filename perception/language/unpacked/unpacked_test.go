package unpacked

import (
	"testing"
	"testing/synctest"
	"time"
)

// It is unpacked once while it is asked for at least every minute, and anew after a minute without anybody.
func TestDataIsLetGoWhenNobodyAsks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		parsed := 0
		d := Data[int]{Name: "numbers", Parse: func() (*int, error) { parsed++; return new(int), nil }}
		for range 5 {
			d.Get()
			time.Sleep(50 * time.Second)
		}
		if parsed != 1 {
			t.Errorf("unpacked %d times while it was in use", parsed)
		}
		time.Sleep(idle + time.Second)
		synctest.Wait()
		if d.kept != nil {
			t.Error("it is still kept")
		}
		d.Get()
		if parsed != 2 {
			t.Errorf("unpacked %d times in all", parsed)
		}
	})
}

// Who asks first may have another clock than who asks then.
func TestDataOfSeveralClocks(t *testing.T) {
	d := Data[int]{Name: "numbers", Parse: func() (*int, error) { return new(int), nil }}
	synctest.Test(t, func(*testing.T) { d.Get() })
	d.Get()
}
