package doctor

import (
	"strings"
	"testing"

	"github.com/reachyd/reachyd/perception/client"
)

func TestAWakePhraseThatCannotWorkIsTold(t *testing.T) {
	for _, h := range []client.Hearing{
		{Model: builtInModel}, {Model: "ggml-tiny.en-q8_0.bin", WakePhrase: "hey reachy"}, {Model: builtInModel, WakePhrase: "hey reachy", Off: "no microphone"},
	} {
		if f := checkWakePhrase(&h); f != nil {
			t.Errorf("%+v: %+v", h, f)
		}
	}
	f := checkWakePhrase(&client.Hearing{Model: builtInModel, WakePhrase: "hey reachy"})
	if len(f) != 1 || f[0].Level != Problem || !strings.Contains(f[0].Detail, "hey reachy") || !strings.Contains(f[0].Do, "models pull") {
		t.Errorf("%+v", f)
	}
}
