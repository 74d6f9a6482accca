package client

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
)

// Opus is the type of sound as packets of Opus (RFC 6716), mono, 20 ms each, before each of which stand two bytes: its length, big-endian.
const Opus = "audio/opus; framing=length"

// MaxOpusPacket is the longest packet of 20 ms, bytes.
const MaxOpusPacket = 1276

// Packets are the packets of Opus of a sound.
type Packets struct {
	body io.ReadCloser
	in   *bufio.Reader
	buf  [MaxOpusPacket]byte
}

// NewPackets reads packets, as of the type Opus, from body.
func NewPackets(body io.ReadCloser) *Packets { return &Packets{body: body, in: bufio.NewReader(body)} }

// MicrophoneOpus returns what the microphone hears from now on as packets of Opus, until ctx ends; silence while the robot is muted. Where
// reachy-sense has no libopus it is refused with 501. The caller closes it.
func (c *Client) MicrophoneOpus(ctx context.Context) (*Packets, error) {
	ctx, stop := c.local.Join(ctx)
	resp, err := c.local.Do(ctx, http.MethodGet, "/microphone?as=opus", nil) //nolint:bodyclose // the caller of MicrophoneOpus closes it
	if err != nil {
		stop()
		return nil, err
	}
	p := NewPackets(&joined{resp.Body, stop})
	if got := resp.Header.Get("Content-Type"); got != Opus {
		_ = p.Close() // only read
		return nil, fmt.Errorf("%w: /microphone: the answer is of type %.60q, not %q", ErrUnavailable, got, Opus)
	}
	return p, nil
}

// Next waits for the next packet, which is valid until the next call. Every error wraps ErrUnavailable: there are no more.
func (p *Packets) Next() ([]byte, error) {
	var head [2]byte
	if _, err := io.ReadFull(p.in, head[:]); err != nil {
		return nil, fmt.Errorf("%w: the microphone's packets end: %w", ErrUnavailable, err)
	}
	n := int(binary.BigEndian.Uint16(head[:]))
	if n < 1 || n > MaxOpusPacket {
		return nil, fmt.Errorf("%w: a packet of Opus has %d bytes; allowed are 1 to %d", ErrUnavailable, n, MaxOpusPacket)
	}
	packet := p.buf[:n]
	if _, err := io.ReadFull(p.in, packet); err != nil {
		return nil, fmt.Errorf("%w: the microphone's packets end: %w", ErrUnavailable, err)
	}
	if !isOpusFrame(packet[0]) {
		return nil, fmt.Errorf("%w: a packet of Opus begins with %#02x, which is not one frame of 20 ms", ErrUnavailable, packet[0])
	}
	return packet, nil
}

// isOpusFrame says whether a packet that begins so has 20 ms in one frame: RFC 6716, section 3.1.
func isOpusFrame(first byte) bool {
	kind, count := first>>3, first&3
	switch {
	case count != 0:
		return false
	case kind < 12: // SILK: 10, 20, 40, 60 ms
		return kind%4 == 1
	case kind < 16: // both: 10, 20 ms
		return kind%2 == 1
	}
	return kind%4 == 3 // CELT: 2.5, 5, 10, 20 ms
}

// Close ends the packets. It may be called while another goroutine waits for the next one.
func (p *Packets) Close() error { return p.body.Close() }
