//go:build whisper

package native

import (
	"strings"
	"testing"
)

func TestTheLibraryIsOfTheSeriesThatTheShimsAreWrittenFor(t *testing.T) {
	if v := Version(); !strings.HasPrefix(v, series) {
		t.Errorf("linked is %s", v)
	}
}

func TestComplaints(t *testing.T) {
	if err := Complain("this", func() bool { return true }); err != nil {
		t.Error(err)
	}
	if err := Complain("this", func() bool { return false }); err == nil || err.Error() != "this: whisper.cpp does not say why" {
		t.Error(err)
	}
}
