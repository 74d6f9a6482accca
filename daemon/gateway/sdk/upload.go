package sdk

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/moves"
)

const (
	// maxUploads is how many moves a client may have sent that it has not yet played, and maxChunks of how many pieces each.
	maxUploads, maxChunks = 4, 4096
	// maxChunk is the longest piece, and maxUpload the longest move, packed or not, bytes.
	maxChunk, maxUpload = 16 << 10, 8 << 20
	// maxUploadID is the longest name of an upload, bytes.
	maxUploadID = 200
	// maxFrequency is the most frames a second that a client may ask a move to be played with, and maxLead the most by which it
	// may ask the sound to go before or after it, ms. Our loop has a rate of its own.
	maxFrequency, maxLead = 200, 2000
)

// upload is a move that a client sends in pieces.
type upload struct {
	packed bool
	total  int
	most   int // bytes of all pieces
	next   int // the number of the piece that is due
	text   strings.Builder
	move   *hal.Recording // once it is whole
	id     string         // of the move that plays it
	wav    []byte         // in place of a move: a sound
}

func uploadStart(_ context.Context, c *client, m *message) error {
	packed := m.Encoding == "gzip+base64"
	switch {
	case m.UploadID == "" || len(m.UploadID) > maxUploadID:
		return fmt.Errorf("upload_id has %d bytes; allowed are 1 to %d", len(m.UploadID), maxUploadID)
	case m.Total < 1 || m.Total > maxChunks:
		return fmt.Errorf("total_chunks is %d; allowed are 1 to %d", m.Total, maxChunks)
	case !packed && m.Encoding != "" && m.Encoding != "json":
		return fmt.Errorf("encoding is %.40q; allowed are json and gzip+base64", m.Encoding)
	case c.uploads[m.UploadID] == nil && len(c.uploads) >= maxUploads:
		return fmt.Errorf("%d moves were sent and not played; no more are kept", maxUploads)
	}
	c.uploads[m.UploadID] = &upload{packed: packed, total: m.Total, most: maxUpload}
	return nil
}

// slot returns an upload that is under way.
func (c *client) slot(id string) (*upload, error) {
	u := c.uploads[id]
	if u == nil {
		return nil, fmt.Errorf("no such uploaded move: %.80q", id)
	}
	return u, nil
}

func uploadChunk(_ context.Context, c *client, m *message) error {
	u, err := c.slot(m.UploadID)
	if err != nil {
		return err
	}
	if err = u.add(m); err != nil {
		delete(c.uploads, m.UploadID)
	}
	return err
}

// add takes the piece that is due.
func (u *upload) add(m *message) error {
	switch {
	case m.Index != u.next || m.Index >= u.total:
		return fmt.Errorf("chunk_index is %d; %d of %d is due", m.Index, u.next, u.total)
	case len(m.Chunk) > maxChunk:
		return fmt.Errorf("chunk has %d bytes; allowed are %d", len(m.Chunk), maxChunk)
	case u.text.Len()+len(m.Chunk) > u.most:
		return fmt.Errorf("it is longer than %d MiB", u.most>>20)
	}
	u.next++
	u.text.WriteString(m.Chunk)
	return nil
}

func uploadFinish(_ context.Context, c *client, m *message) error {
	u, err := c.slot(m.UploadID)
	if err != nil {
		return err
	}
	if u.next != u.total {
		err = fmt.Errorf("%d of %d pieces came", u.next, u.total)
	} else {
		u.move, err = unpackMove(u.text.String(), u.packed)
	}
	u.text.Reset()
	if err != nil {
		delete(c.uploads, m.UploadID)
	}
	return err
}

// unpackMove reads a move as it was sent.
func unpackMove(text string, packed bool) (*hal.Recording, error) {
	data := []byte(text)
	if packed {
		z, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(text)))
		if err != nil {
			return nil, fmt.Errorf("the move is not gzip in base64: %w", err)
		}
		if data, err = io.ReadAll(io.LimitReader(z, maxUpload+1)); err != nil {
			return nil, fmt.Errorf("the move is damaged: %w", err)
		}
		if len(data) > maxUpload {
			return nil, fmt.Errorf("the move is longer than %d MiB", maxUpload>>20)
		}
	}
	return moves.Parse(bytes.TrimSpace(data))
}

// uploadNews is what all clients hear of a move that was uploaded.
type uploadNews struct {
	Type      string  `json:"type"`
	UploadID  string  `json:"upload_id"`
	Started   bool    `json:"started,omitempty"`
	Duration  float64 `json:"duration_s,omitempty"`
	Finished  bool    `json:"finished,omitempty"`
	Cancelled bool    `json:"cancelled,omitempty"`
	Error     string  `json:"error,omitempty"`
}

func (g *Gateway) announce(n uploadNews) {
	n.Type = "play_uploaded_move"
	data := encode(n)
	g.each(func(c *client) { c.tell(data) })
}

// playUploaded plays a move once. All clients hear that it has begun, and how it ended.
func playUploaded(ctx context.Context, c *client, m *message) error {
	fail := func(err error) error {
		c.g.announce(uploadNews{UploadID: m.UploadID, Error: err.Error()})
		return err
	}
	u, err := c.slot(m.UploadID)
	switch {
	case err != nil:
		return fail(err)
	case u.move == nil:
		return fail(errors.New("the uploaded move is not whole"))
	case u.id != "" && c.g.moves.has(u.id):
		return fail(errors.New("the uploaded move is being played"))
	case m.Frequency < 0 || m.Frequency > maxFrequency:
		return fail(fmt.Errorf("play_frequency is %g; allowed is 0 to %d", m.Frequency, maxFrequency))
	case m.Lead < -maxLead || m.Lead > maxLead:
		return fail(fmt.Errorf("audio_lead_ms is %g; allowed is -%d to %d", m.Lead, maxLead, maxLead))
	}
	u.id = newUUID()
	if wav := c.takeSound(m.UploadID); wav != nil {
		u.move.Sound = &hal.Sound{WAV: wav, Length: u.move.Time[len(u.move.Time)-1] - u.move.Time[0], Lead: time.Duration(m.Lead * float64(time.Millisecond))}
	}
	req := hal.Request{Verb: hal.VerbPlay, ID: u.id, Name: "uploaded move", Recording: u.move}
	delete(c.uploads, m.UploadID)
	c.playing = u
	c.played = m.UploadID
	began := uploadNews{UploadID: m.UploadID, Started: true, Duration: u.move.Time[len(u.move.Time)-1] - u.move.Time[0]}
	order := make(chan struct{}) // the end is told after the beginning
	err = c.move(ctx, req, func(failure string) {
		<-order
		end := uploadNews{UploadID: m.UploadID, Error: failure}
		switch {
		case failure == "":
			end.Finished = true
		case strings.HasPrefix(failure, hal.EndCancelled), strings.HasPrefix(failure, hal.EndStopped):
			end.Cancelled, end.Error = true, ""
		}
		c.g.announce(end)
	})
	if err != nil {
		close(order)
		return fail(err)
	}
	c.g.announce(began)
	close(order)
	return nil
}

// cancelMove stops an uploaded move of this client while it is played.
func cancelMove(_ context.Context, c *client, m *message) error {
	if c.playing == nil || c.played != m.UploadID || !c.g.moves.has(c.playing.id) {
		return fmt.Errorf("the uploaded move %.80q is not being played", m.UploadID)
	}
	c.g.hold(c.playing.id)
	return nil
}
