package tuning

import (
	"strings"
	"testing"
)

func TestTheEmbeddedTuningIsOne(t *testing.T) {
	changes, err := Changes()
	if err != nil || changes.Matrices() == 0 {
		t.Fatal(changes, err)
	}
	if len(packed) > 1_500_000 {
		t.Errorf("it has %d bytes: every clone of the repository keeps each that was ever in it", len(packed))
	}
}

func TestADamagedTuningIsRefused(t *testing.T) {
	whole := packed
	defer func() { packed = whole }()
	for what, b := range map[string][]byte{"empty": nil, "cut": whole[:len(whole)/2], "something else": []byte("RTUN")} {
		packed = b
		if got, err := Changes(); got != nil || err == nil || !strings.Contains(err.Error(), "embedded tuning") {
			t.Errorf("%s: %v", what, err)
		}
	}
}
