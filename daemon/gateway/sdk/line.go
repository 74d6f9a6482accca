package sdk

import (
	"bufio"
	"encoding/binary"
	"errors"
	"math"
	"net"
	"net/http"
	"sync"
	"time"
)

// tapping is a ResponseWriter whose connection, once it is taken over, can be written to beside the WebSocket's own frames.
type tapping struct {
	http.ResponseWriter
	line *line
}

// Hijack implements http.Hijacker.
func (t *tapping) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := http.NewResponseController(t.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	t.line = &line{Conn: conn}
	rw.Writer.Reset(t.line)
	return t.line, rw, nil
}

// line is a connection on which each write goes out whole. Besides a WebSocket's pongs and its end, which are one write each, all
// messages go by send.
type line struct {
	net.Conn

	mu   sync.Mutex
	kept []byte // room for frames
}

// Write implements net.Conn.
func (l *line) Write(data []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Conn.Write(data)
}

// send writes messages as frames of text in one system call, for which the client wakes up once; it takes so long at most.
func (l *line) send(messages [][]byte, patience time.Duration) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	frames := l.kept[:0]
	for _, m := range messages {
		frames = append(appendHead(frames, len(m)), m...)
	}
	if l.kept = frames; cap(frames) > maxFrame {
		l.kept = nil
	}
	err := l.SetWriteDeadline(time.Now().Add(patience))
	if err == nil {
		_, err = l.Conn.Write(frames)
	}
	return errors.Join(err, l.SetWriteDeadline(time.Time{}))
}

// appendHead appends what a server puts before a whole message of text, by section 5.2 of RFC 6455.
func appendHead(to []byte, length int) []byte {
	const finalText, in16, in64 = 0x81, 126, 127
	switch {
	case length < in16:
		return append(to, finalText, byte(length))
	case length <= math.MaxUint16:
		return binary.BigEndian.AppendUint16(append(to, finalText, in16), uint16(length))
	}
	return binary.BigEndian.AppendUint64(append(to, finalText, in64), uint64(length))
}
