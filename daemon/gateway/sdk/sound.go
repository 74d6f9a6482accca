package sdk

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/reachyd/reachyd/hal/moves"
)

const (
	// maxAudioChunks is of how many pieces an uploaded sound may be, and maxAudio the most that they may be together, bytes of base64:
	// 8 MiB of WAV.
	maxAudioChunks, maxAudio = 16384, 8 << 20 / 3 * 4
	// wavBase64 is how sounds are uploaded.
	wavBase64 = "wav-base64"
)

var errNoSpeaker = wrong(http.StatusServiceUnavailable, "there is no loudspeaker: reachy-sense does not run")

// sound is what scripts have last begun to play.
type sound struct {
	mu     sync.Mutex
	serial uint64
	end    context.CancelFunc
}

// next ends the sound before and returns the context of a new one.
func (s *sound) next(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.end != nil {
		s.end()
	}
	s.serial++
	mine := s.serial
	s.end = cancel
	return ctx, func() {
		cancel()
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.serial == mine {
			s.end = nil
		}
	}
}

func (s *sound) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.end != nil {
		s.end()
	}
}

// play plays a sound file beside the caller, in the place of the one before.
func (g *Gateway) play(wav []byte) error {
	if g.Senses == nil {
		return errNoSpeaker
	}
	begin := time.Now()
	ctx, over := g.sound.next(g.ctx)
	g.run(func() {
		defer over()
		if _, err := g.Senses.Play(ctx, wav, begin); err != nil && ctx.Err() == nil {
			g.Log.Warn().Err(err).Msg("a sound of a script is not heard")
		}
	})
	return nil
}

// playFile plays the sound of a move, by the name that the official daemon's files have: confused1.wav is that of confused.
func (g *Gateway) playFile(file string) error {
	if wav := g.uploaded(file); wav != nil {
		return g.play(wav)
	}
	if g.Moves == nil {
		return errNoMoves
	}
	name := strings.TrimSuffix(path.Base(file), path.Ext(file))
	for _, n := range []string{name, strings.TrimRight(name, "0123456789")} {
		if m, err := g.Moves.Get(moves.OwnDataset, n); err == nil && m.Sound() != nil {
			return g.play(m.Sound())
		}
	}
	return wrong(http.StatusNotFound, "no sound is called %.80q; there are %s", file, strings.Join(g.soundFiles(), ", "))
}

// soundFiles are the sounds that can be played by name.
func (g *Gateway) soundFiles() []string {
	g.mu.Lock()
	files := slices.AppendSeq([]string{}, maps.Keys(g.files))
	g.mu.Unlock()
	if g.Moves == nil {
		slices.Sort(files)
		return files
	}
	for _, m := range moves.Own() {
		if m.Kind == moves.Emotion {
			files = append(files, m.Name+".wav")
		}
	}
	slices.Sort(files)
	return files
}

func playSound(_ context.Context, c *client, m *message) error { return c.g.playFile(m.File) }

func stopSound(_ context.Context, c *client, _ *message) error {
	c.g.sound.stop()
	return nil
}

func audioStart(_ context.Context, c *client, m *message) error {
	switch {
	case m.UploadID == "" || len(m.UploadID) > maxUploadID:
		return fmt.Errorf("upload_id has %d bytes; allowed are 1 to %d", len(m.UploadID), maxUploadID)
	case m.Total < 1 || m.Total > maxAudioChunks:
		return fmt.Errorf("total_chunks is %d; allowed are 1 to %d", m.Total, maxAudioChunks)
	case m.Encoding != "" && m.Encoding != wavBase64:
		return fmt.Errorf("encoding is %.40q; allowed is %s", m.Encoding, wavBase64)
	case c.audio[m.UploadID] == nil && len(c.audio) >= maxUploads:
		return fmt.Errorf("%d sounds were sent and not played; no more are kept", maxUploads)
	}
	c.audio[m.UploadID] = &upload{total: m.Total, most: maxAudio}
	return nil
}

func audioChunk(_ context.Context, c *client, m *message) error {
	u := c.audio[m.UploadID]
	if u == nil {
		return noSuchSound(m.UploadID)
	}
	err := u.add(m)
	if err != nil {
		delete(c.audio, m.UploadID)
	}
	return err
}

func noSuchSound(id string) error { return fmt.Errorf("no such uploaded sound: %.80q", id) }

// audioFinish takes a sound that is whole. One that is damaged is forgotten: its move is silent.
func audioFinish(_ context.Context, c *client, m *message) error {
	u := c.audio[m.UploadID]
	if u == nil {
		return noSuchSound(m.UploadID)
	}
	var err error
	if u.next != u.total {
		err = fmt.Errorf("%d of %d pieces came", u.next, u.total)
	} else if u.wav, err = base64.StdEncoding.DecodeString(u.text.String()); err != nil {
		err = fmt.Errorf("the sound is not base64: %w", err)
	} else if !bytes.HasPrefix(u.wav, []byte("RIFF")) {
		err = errors.New("the sound is no WAV file")
	}
	u.text.Reset()
	if err != nil {
		delete(c.audio, m.UploadID)
	}
	return err
}

// audioNews is what a client hears of a sound that it uploaded.
type audioNews struct {
	Type     string `json:"type"`
	UploadID string `json:"upload_id"`
	Started  bool   `json:"started,omitempty"`
	Error    string `json:"error,omitempty"`
}

func playUploadedAudio(_ context.Context, c *client, m *message) error {
	wav := c.takeSound(m.UploadID)
	err := noSuchSound(m.UploadID)
	if wav != nil {
		err = c.g.play(wav)
	}
	news := audioNews{Type: m.Type, UploadID: m.UploadID, Started: err == nil}
	if err != nil {
		news.Error = err.Error()
	}
	c.tell(encode(news))
	return err
}

// takeSound returns an uploaded sound that is whole, once; nil when there is none.
func (c *client) takeSound(id string) []byte {
	u := c.audio[id]
	if u == nil || u.wav == nil {
		return nil
	}
	delete(c.audio, id)
	return u.wav
}
