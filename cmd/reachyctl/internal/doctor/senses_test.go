package doctor

import (
	"strings"
	"testing"

	"github.com/reachyd/reachyd/perception/client"
)

func TestAWakePhraseThatCannotWorkIsTold(t *testing.T) {
	const why = `"bo" has 3 sounds`
	for _, h := range []client.Hearing{
		{Model: builtInModel},
		{Model: builtInModel, WakePhrase: "hey reachy"},
		{Model: "ggml-tiny.en-q8_0.bin", WakePhrase: "hey reachy"},
		{Model: builtInModel, WakePhrase: "bo", NoSpotter: why, Off: "no microphone"},
	} {
		if f := checkWakePhrase(&h); f != nil {
			t.Errorf("%+v: %+v", h, f)
		}
	}
	for model, level := range map[string]Level{builtInModel: Problem, "ggml-tiny.en-q8_0.bin": Note} {
		f := checkWakePhrase(&client.Hearing{Model: model, WakePhrase: "bo", NoSpotter: why})
		if len(f) != 1 || f[0].Level != level || !strings.Contains(f[0].Detail, why) || !strings.Contains(f[0].Do, "sense.wake_phrase") {
			t.Errorf("%s: %+v", model, f)
		}
	}
}
