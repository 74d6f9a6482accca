package perception

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/perception/client"
)

// ear hears how long a WAV file is.
type ear struct{ SensesForOthers }

func (ear) Listen(_ context.Context, wav io.Reader, _ func(client.Event)) (client.Hearings, error) {
	data, err := io.ReadAll(wav)
	if err != nil {
		return client.Hearings{}, errors.New("the connection broke off")
	}
	return client.Hearings{Duration: float64(len(data)-44) / 32000, Utterances: []client.Utterance{{Text: string(data[:4]), Confidence: 0.9}}}, nil
}

// What other programs send is heard in any format that is decoded; what is damaged in its middle is the sender's fault.
func TestRecordingsOfOthers(t *testing.T) {
	sound, err := os.ReadFile("../recording/testdata/tone.flac")
	if err != nil {
		t.Fatal(err)
	}
	got, err := Others{Sense: ear{}}.Transcribe(t.Context(), sound)
	if err != nil || got.Transcription != "RIFF" || got.Duration != 0.5 || got.Confidence != 0.9 {
		t.Errorf("%+v, %v", got, err)
	}
	var refused *client.Error
	for want, bad := range map[string][]byte{"damaged": append(sound[:4096:4096], make([]byte, 2000)...), "no sound": []byte("hello")} {
		_, err := Others{Sense: ear{}}.Transcribe(t.Context(), bad)
		if !errors.As(err, &refused) || refused.Status != http.StatusUnsupportedMediaType || !strings.Contains(refused.Reason, want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
