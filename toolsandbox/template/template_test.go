package template

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestNew(t *testing.T) {
	source, cases, err := New("shake_it")
	if err != nil || !strings.Contains(source, "def shake_it(") || strings.Contains(source, placeholder) || !json.Valid([]byte(cases)) {
		t.Errorf("%s\n%s\n%v", source, cases, err)
	}
	for _, name := range []string{"", "a", "Shake", "shake-it", "shake__it", "1st", "_x", "../x", strings.Repeat("a", 49)} {
		if _, _, err := New(name); err == nil {
			t.Errorf("%q was taken", name)
		}
	}
}
