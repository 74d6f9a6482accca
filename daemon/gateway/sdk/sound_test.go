package sdk

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/moves"
	sense "github.com/reachyd/reachyd/perception/client"
)

// loudspeaker notes what it plays, which goes on until it is ended.
type loudspeaker struct {
	played chan string
	ended  chan string

	mu    sync.Mutex
	state sense.State
}

func newLoudspeaker() *loudspeaker {
	return &loudspeaker{played: make(chan string, 10), ended: make(chan string, 10)}
}

func (*loudspeaker) Track(context.Context, bool) error { return nil }

func (l *loudspeaker) State(context.Context) (sense.State, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.state, nil
}

func (l *loudspeaker) SetVolume(_ context.Context, level int) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.state.Speech.Volume = level
	return nil
}

func (l *loudspeaker) Mute(_ context.Context, on bool) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.state.Hearing.Muted = on
	return nil
}

func (l *loudspeaker) Play(ctx context.Context, wav []byte, _ time.Time) (sense.Spoken, error) {
	text := string(wav[:min(12, len(wav))])
	l.played <- text
	<-ctx.Done()
	l.ended <- text
	return sense.Spoken{}, ctx.Err()
}

func next(t *testing.T, from chan string, what string) string {
	t.Helper()
	select {
	case text := <-from:
		return text
	case <-time.After(patience):
		t.Fatalf("%s does not come", what)
		return ""
	}
}

func TestSoundsOfScripts(t *testing.T) {
	l := newLoudspeaker()
	r := newRig(t, func(g *Gateway) { g.Senses, g.Moves = l, &moves.Library{} })
	p := r.dial()
	p.send(`{"type":"play_sound","file":"/opt/assets/confused1.wav"}`)
	if got := next(t, l.played, "a sound"); !strings.HasPrefix(got, "RIFF") {
		t.Errorf("%q", got)
	}
	p.send(`{"type":"play_sound","file":"nothing.wav"}`)
	p.refused("no sound is called")
	p.send(`{"type":"cancel_audio"}`)
	next(t, l.ended, "the end of the sound")

	data := base64.StdEncoding.EncodeToString([]byte("RIFF and the rest"))
	upload := func(id, data string) {
		p.send(fmt.Sprintf(`{"type":"upload_audio_start","upload_id":%q,"total_chunks":2,"encoding":"wav-base64"}`, id))
		for i, chunk := range []string{data[:8], data[8:]} {
			text, _ := json.Marshal(chunk)
			p.send(fmt.Sprintf(`{"type":"upload_audio_chunk","upload_id":%q,"chunk_index":%d,"chunk":%s}`, id, i, text))
		}
		p.send(fmt.Sprintf(`{"type":"upload_audio_finish","upload_id":%q}`, id))
	}
	upload("song", data)
	p.send(`{"type":"play_uploaded_audio","upload_id":"song"}`)
	if got := next(t, l.played, "the song"); got != "RIFF and the" {
		t.Errorf("%q", got)
	}
	p.send(`{"type":"play_uploaded_audio","upload_id":"song"}`)
	p.refused("no such uploaded sound")
	upload("mp3", base64.StdEncoding.EncodeToString([]byte("ID3 and the rest")))
	p.refused("no WAV file")
	for part, text := range map[string]string{
		"encoding is":            `{"type":"upload_audio_start","upload_id":"a","total_chunks":1,"encoding":"ogg-base64"}`,
		"total_chunks is 16385":  `{"type":"upload_audio_start","upload_id":"a","total_chunks":16385}`,
		"upload_id has 0 bytes":  `{"type":"upload_audio_start","total_chunks":1}`,
		"no such uploaded sound": `{"type":"upload_audio_chunk","upload_id":"nobody"}`,
	} {
		p.send(text)
		p.refused(part)
	}
}

// heardBody notes the sound of what it is asked for.
type heardBody struct {
	Body
	sounds chan *hal.Sound
}

func (b heardBody) Do(ctx context.Context, req hal.Request) (hal.Answer, error) {
	if req.Recording != nil {
		b.sounds <- req.Recording.Sound
	}
	return b.Body.Do(ctx, req)
}

// A move that was uploaded with a sound goes to the body with it, and so does one of our own.
func TestMovesCarryTheirSounds(t *testing.T) {
	sounds := make(chan *hal.Sound, 1)
	r := newRig(t, func(g *Gateway) { g.Body, g.Moves = heardBody{g.Body, sounds}, &moves.Library{} })
	p := r.dial()
	p.upload("nod", moveText(t, 20, 0.2), "json")
	p.send(`{"type":"upload_audio_start","upload_id":"nod","total_chunks":1}`)
	p.send(`{"type":"upload_audio_chunk","upload_id":"nod","chunk":"` + base64.StdEncoding.EncodeToString([]byte("RIFF")) + `"}`)
	p.send(`{"type":"upload_audio_finish","upload_id":"nod"}`)
	p.send(`{"type":"play_uploaded_move","upload_id":"nod","audio_lead_ms":-50}`)
	p.send(`{"type":"play_recorded_move","dataset_name":"` + moves.OwnDataset + `","move_name":"happy"}`)
	for i, want := range []struct {
		wav  string
		lead time.Duration
	}{{"RIFF", -50 * time.Millisecond}, {"RIFF", 0}} {
		select {
		case s := <-sounds:
			if s == nil || !strings.HasPrefix(string(s.WAV), want.wav) || s.Lead != want.lead || s.Length < 0.3 {
				t.Errorf("move %d: %+v", i, s)
			}
		case <-time.After(patience):
			t.Fatalf("move %d does not come", i)
		}
	}
}
