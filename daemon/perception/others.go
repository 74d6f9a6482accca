package perception

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/daemon/command"
	"github.com/reachyd/reachyd/daemon/recording"
	"github.com/reachyd/reachyd/perception/client"
	"github.com/reachyd/reachyd/perception/scene"
)

// SensesForOthers is what reachy-sense does with sound and pictures that somebody sends. *client.Client does it.
type SensesForOthers interface {
	Listen(ctx context.Context, wav io.Reader, fn func(client.Event)) (client.Hearings, error)
	Synthesize(ctx context.Context, text, voice string) ([]byte, error)
	See(ctx context.Context, picture io.Reader, prompt string) (client.Seen, error)
}

// Others lends the robot's senses to those who have sound and pictures of their own.
type Others struct{ Sense SensesForOthers }

// Transcribe implements command.Senses.
func (o Others) Transcribe(ctx context.Context, sound []byte) (api.Transcription, error) {
	refused := func(err error) (api.Transcription, error) {
		return api.Transcription{}, &client.Error{Status: http.StatusUnsupportedMediaType, Reason: err.Error()}
	}
	r, err := recording.WAV(sound)
	if err != nil {
		return refused(err)
	}
	wav := &noted{Reader: r}
	h, err := o.Sense.Listen(ctx, wav, nil)
	if damage := wav.damage(); damage != nil {
		return refused(damage)
	}
	if err != nil {
		return api.Transcription{}, err
	}
	return Transcribed(&h), nil
}

// noted keeps why a recording could not be read to its end.
type noted struct {
	io.Reader
	mu  sync.Mutex
	err error
}

// Read implements io.Reader.
func (n *noted) Read(p []byte) (int, error) {
	k, err := n.Reader.Read(p)
	if errors.Is(err, recording.ErrFormat) {
		n.mu.Lock()
		n.err = err
		n.mu.Unlock()
	}
	return k, err
}

func (n *noted) damage() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.err
}

// Transcribed puts what was heard in a recording into one text.
func Transcribed(h *client.Hearings) api.Transcription {
	t := api.Transcription{Duration: h.Duration, Message: h.Message}
	var texts []string
	for i, u := range h.Utterances {
		texts = append(texts, u.Text)
		if i == 0 || u.Confidence < t.Confidence {
			t.Confidence = u.Confidence
		}
	}
	if h.StopWord != "" && !slices.Contains(texts, h.StopWord) {
		texts = append(texts, h.StopWord)
		if t.Confidence == 0 {
			t.Confidence = 1
		}
	}
	t.Transcription = strings.Join(texts, " ")
	return t
}

// Synthesize implements command.Senses.
func (o Others) Synthesize(ctx context.Context, text, voice string) (api.Sound, error) {
	wav, err := o.Sense.Synthesize(ctx, text, voice)
	return api.Sound{Audio: wav, Voice: voice}, err
}

// Analyze implements command.Senses.
func (o Others) Analyze(ctx context.Context, picture []byte, prompt string) (api.Analysis, error) {
	seen, err := o.Sense.See(ctx, bytes.NewReader(picture), prompt)
	if err != nil {
		return api.Analysis{}, err
	}
	a := api.Analysis{Description: seen.Description, Objects: []api.SeenObject{}, SceneType: sceneType(&seen.View)}
	for _, d := range seen.View.Detections {
		a.Objects = append(a.Objects, api.SeenObject{Name: d.Name, Confidence: d.Score, Box: api.Box(d.Box)})
	}
	return a, nil
}

// sceneType is what a picture is mostly of.
func sceneType(v *scene.View) string {
	is := func(test func(d scene.Detection) bool) bool { return slices.ContainsFunc(v.Detections, test) }
	switch {
	case v.Dark:
		return "dark"
	case is(func(d scene.Detection) bool { return d.Name == "face" || d.Name == "person" }):
		return "person"
	case is(func(d scene.Detection) bool { return d.Text != "" }):
		return "code"
	case len(v.Detections) > 0:
		return "things"
	}
	return "empty"
}

var _ command.Senses = Others{}
