package sense

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/reachyd/reachyd/hal/audio"
	"github.com/reachyd/reachyd/hal/local"
	"github.com/reachyd/reachyd/perception/client"
)

const (
	// MaxEars is how many may hear the microphone's sound at once.
	MaxEars = 8
	// earQueue is how many frames wait for one of them: 2 s. One that is slower misses some.
	earQueue = 64
	// earPatience is how long one of them may take for a frame, and pourPatience how long a sound that is still being made may pause.
	earPatience, pourPatience = 5 * time.Second, 2 * time.Second
	// minPourRate and maxPourRate are the rates of such sounds, samples per second.
	minPourRate, maxPourRate = 8000, 48000
)

// ears are those who hear what the microphone does.
type ears struct {
	mu   sync.Mutex
	list map[chan []byte]struct{}
	over bool
}

func (e *ears) add() chan []byte {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.over || len(e.list) >= MaxEars {
		return nil
	}
	if e.list == nil {
		e.list = map[chan []byte]struct{}{}
	}
	c := make(chan []byte, earQueue)
	e.list[c] = struct{}{}
	return c
}

func (e *ears) remove(c chan []byte) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.list, c)
}

// tell passes a frame on; muted is asked only when somebody hears it.
func (e *ears) tell(f *audio.Frame, muted func() bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.list) == 0 {
		return
	}
	data := make([]byte, 0, 2*len(f.Samples))
	silent := muted()
	for _, v := range f.Samples {
		if silent {
			v = 0
		}
		data = binary.LittleEndian.AppendUint16(data, uint16(int16(math.Round(float64(max(-1, min(1, v)))*math.MaxInt16))))
	}
	for c := range e.list {
		select {
		case c <- data:
		default: // it is too slow
		}
	}
}

// end tells all that there is no more.
func (e *ears) end() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.over = true
	for c := range e.list {
		close(c)
	}
	clear(e.list)
}

// hear sends what the microphone hears, from now on, as 16-bit samples (little-endian, mono, 16 kHz) or, as=opus, as packets of Opus; silence
// while it is muted.
func (s *Server) hear(w http.ResponseWriter, r *http.Request) {
	if st, _ := s.audio.state(s); st.Off != "" {
		local.Refuse(w, http.StatusNotImplemented, "there is no microphone: %s", st.Off)
		return
	}
	kind, pack := client.PCM, func(pcm []byte) ([]byte, error) { return pcm, nil }
	switch as := r.URL.Query().Get("as"); as {
	case "", "pcm":
	case "opus":
		e, err := s.newOpus()
		if err != nil {
			local.Refuse(w, http.StatusNotImplemented, "there are no packets of Opus: %v", err)
			return
		}
		defer e.Close()
		kind, pack = client.Opus, (&opusPacker{encoder: e}).pack
	default:
		local.Refuse(w, http.StatusBadRequest, "as is %.20q; allowed are pcm and opus", as)
		return
	}
	frames := s.audio.ears.add()
	if frames == nil {
		local.Refuse(w, http.StatusServiceUnavailable, "%d hear the microphone, which is the most", MaxEars)
		return
	}
	defer s.audio.ears.remove(frames)
	w.Header().Set("Content-Type", kind)
	out := http.NewResponseController(w)
	if out.Flush() != nil {
		return
	}
	for {
		select {
		case data, ok := <-frames:
			if !ok || out.SetWriteDeadline(time.Now().Add(earPatience)) != nil {
				return
			}
			data, err := pack(data)
			if err != nil {
				s.Log.Error().Err(err).Msg("the microphone's sound is not passed on")
				return
			}
			if _, err := w.Write(data); err != nil || out.Flush() != nil {
				return
			}
		case <-r.Context().Done():
			return
		}
	}
}

// opusEncoder makes packets of Opus; *audio.OpusEncoder is one.
type opusEncoder interface {
	Encode(pcm []float32) ([]byte, error)
	Close()
}

var _ opusEncoder = (*audio.OpusEncoder)(nil)

func systemOpus() (opusEncoder, error) { return audio.NewOpusEncoder() }

// opusPacker makes packets of sound that comes in other pieces.
type opusPacker struct {
	encoder opusEncoder
	waiting []float32
}

// pack returns the packets that pcm completes, each behind its length.
func (o *opusPacker) pack(pcm []byte) (out []byte, err error) {
	for i := 0; i+1 < len(pcm); i += 2 {
		o.waiting = append(o.waiting, float32(int16(binary.LittleEndian.Uint16(pcm[i:])))/(math.MaxInt16+1))
	}
	used := 0
	for ; len(o.waiting)-used >= audio.OpusFrame; used += audio.OpusFrame {
		packet, err := o.encoder.Encode(o.waiting[used : used+audio.OpusFrame])
		if err != nil {
			return nil, err
		}
		out = append(binary.BigEndian.AppendUint16(out, uint16(len(packet))), packet...)
	}
	o.waiting = append(o.waiting[:0], o.waiting[used:]...)
	return out, nil
}

// pour plays 16-bit samples (little-endian, mono) as they come, until the body ends or pauses for too long.
func (s *Server) pour(w http.ResponseWriter, r *http.Request) {
	rate, err := strconv.Atoi(r.URL.Query().Get("rate"))
	switch {
	case err != nil || rate < minPourRate || rate > maxPourRate:
		local.Refuse(w, http.StatusBadRequest, "rate is %.20q; allowed are %d to %d samples per second", r.URL.Query().Get("rate"), minPourRate, maxPourRate)
		return
	case s.Speech.Off != "":
		local.Refuse(w, http.StatusNotImplemented, "the voice is off: %s", s.Speech.Off)
		return
	}
	in := pourer{body: r.Body, control: http.NewResponseController(w), buf: make([]byte, 2*rate/10)}
	// The request's own context ends with any deadline of a read, that of a pause, too.
	ctx, cancel := context.WithCancel(context.WithoutCancel(r.Context()))
	defer cancel()
	defer context.AfterFunc(r.Context(), func() {
		if !in.paused.Load() {
			cancel()
		}
	})()
	said, err := s.Speech.Speaker.Pour(ctx, rate, in.more)
	answerSpoken(w, said, err)
}

// pourer reads a sound that is still being made.
type pourer struct {
	body    io.Reader
	control *http.ResponseController
	buf     []byte
	odd     int // bytes of half a sample, at the beginning of buf
	paused  atomic.Bool
}

// more returns what has come, at least a sample.
func (p *pourer) more(ctx context.Context) (pcm []float32, err error) {
	if p.paused.Load() {
		return nil, io.EOF
	}
	end := func() { _ = p.control.SetReadDeadline(time.Now()) } // a connection without deadlines breaks by itself
	defer time.AfterFunc(pourPatience, func() { p.paused.Store(true); end() }).Stop()
	defer context.AfterFunc(ctx, end)()
	n, err := io.ReadAtLeast(p.body, p.buf[p.odd:], 2-p.odd)
	n += p.odd
	for i := 0; i+1 < n; i += 2 {
		pcm = append(pcm, float32(int16(binary.LittleEndian.Uint16(p.buf[i:])))/(math.MaxInt16+1))
	}
	if p.odd = n % 2; p.odd == 1 {
		p.buf[0] = p.buf[n-1]
	}
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case p.paused.Load(), errors.Is(err, io.ErrUnexpectedEOF):
		err = io.EOF
	}
	return pcm, err
}
