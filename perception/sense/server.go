// Package sense is the server of reachy-sense, the worker that owns microphone, loudspeaker and camera: it hears, speaks
// and sees, and tells about it on a unix socket.
//
// It is one process of its own because whisper.cpp and OpenCV can crash or hang: then it is started again, and neither
// the robot's head nor the conversation falls. What a host lacks (a sound card, a model, a camera) is said once, and
// the rest works. The words of the wire are in package client.
package sense

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"github.com/reachyd/reachyd/hal/local"
	"github.com/reachyd/reachyd/perception/client"
	"github.com/reachyd/reachyd/perception/voice"
)

const (
	// MaxWatchers is how many watches may be open at once.
	MaxWatchers = 16
	// MaxSpeaking is how many texts may be said or wait at once.
	MaxSpeaking = 32
	// MaxLooking is how many pictures may be worked on at once.
	MaxLooking = 4
	// MaxListening is how many recordings and conversations from elsewhere may be heard at once; the recogniser works on one at a time.
	MaxListening = 4
	// MaxCall is the longest call in bytes.
	MaxCall = 16 << 10
	// MaxRecording is the longest recording in bytes, 17 minutes of 16 bits at 16 kHz.
	MaxRecording = 32 << 20
	// MaxPicture is the largest picture in bytes.
	MaxPicture = 16 << 20
)

// ErrAbandoned is what Serve returns when no owner has come for so long that nobody will.
var ErrAbandoned = errors.New("no owner has come back")

// Server offers the senses on a unix socket. Fill in the exported fields, then Serve.
type Server struct {
	Log     zerolog.Logger
	Hearing Hearing
	Speech  Speech
	Sight   Sight
	// Brake ends what the body does, on what may be a stop word. It may be nil.
	Brake func(context.Context) error
	// Stop stops the body, on a stop word. It may be nil.
	Stop func(context.Context) error
	// MuteFile, if not empty, remembers that the microphone was muted across a crash of the process.
	MuteFile string
	// Linger is how long the server goes on without an owner before Serve returns ErrAbandoned; 0 is for ever.
	Linger time.Duration

	started  time.Time
	hub      hub
	watchdog watchdog
	usage    local.Usage
	owners   owners
	audio    audioWork
	tts      ttsWork
	vision   visionWork
	watchers chan struct{}
	slow     time.Duration // a watcher that takes longer for one line is disconnected; default 5 s
	beat     time.Duration // between two states of a watch; default 1 s
	longest  int64         // recording, bytes; default MaxRecording
	newOpus  func() (opusEncoder, error)
	noOpus   string // why it makes none
}

// Serve answers on l until ctx ends or nobody owns the worker any more, and closes l.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	defer l.Close() //nolint:errcheck // closed twice at worst
	s.started = time.Now()
	s.slow, s.beat = cmp.Or(s.slow, 5*time.Second), cmp.Or(s.beat, time.Second)
	s.longest = cmp.Or(s.longest, MaxRecording)
	s.watchers = make(chan struct{}, MaxWatchers)
	if s.newOpus == nil {
		s.newOpus = systemOpus
	}
	if e, err := s.newOpus(); err != nil {
		s.noOpus = err.Error()
	} else {
		e.Close()
	}
	s.usage.Get() // from here on
	s.vision.init(&s.Sight)
	s.tts.init()

	closing, closeAll := context.WithCancel(context.Background())
	var parts sync.WaitGroup
	defer parts.Wait()
	defer closeAll()
	if err := s.audio.open(s); err != nil {
		s.Hearing.Off = err.Error()
	}
	s.sayWhatIsMissing()
	defer s.audio.close()
	s.audio.run(closing, s, &parts)
	parts.Go(func() { s.watchDevices(closing) })

	srv := local.NewServer(closing, s.handler())
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	parts.Go(func() {
		if err := srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			stop(fmt.Errorf("serve: %w", err))
		}
	})
	parts.Go(func() { s.owners.watch(closing, s.Linger, func() { stop(ErrAbandoned) }) })
	<-ctx.Done()
	closeAll()
	local.Shut(srv)
	if err := context.Cause(ctx); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// sayWhatIsMissing says once what this host has not.
func (s *Server) sayWhatIsMissing() {
	for _, part := range []struct{ name, off string }{
		{"hearing", s.Hearing.Off},
		{"microphone", s.Hearing.NoMicrophone},
		{"speech", s.Speech.Off},
		{"sight", s.Sight.Off},
		{"camera", s.Sight.NoCamera},
		{"sound as Opus", s.noOpus},
	} {
		if part.off != "" {
			s.Log.Warn().Str("reason", part.off).Msg(part.name + " is off")
		}
	}
}

// emit tells all watchers.
func (s *Server) emit(e client.Event) {
	if e.Time.IsZero() {
		e.Time = time.Now()
	}
	s.hub.add(e)
	log := s.Log.Debug()
	switch e.Type {
	case client.StopWord, client.DeviceLost, client.DeviceFound:
		log = s.Log.Warn()
	case client.Heard:
		log = s.Log.Info().Float64("latency", e.Utterance.Latency)
		s.Log.Debug().Str("text", e.Utterance.Text).Msg("what was heard")
	}
	log.Str("type", string(e.Type)).Uint64("turn", e.Turn).Str("reason", e.Reason).Str("message", e.Message).Msg("event")
}

// State returns how the worker is.
func (s *Server) State() client.State {
	st := client.State{TS: time.Now().UTC(), PID: os.Getpid(), Since: s.started.UTC()}
	st.Hearing, st.Counters = s.audio.state(s)
	st.Speech = s.tts.state(s)
	st.Sight = s.vision.state(s)
	st.Counters.Spoken, st.Counters.Pictures = s.tts.spoken.Load(), s.vision.pictures.Load()
	st.Counters.Dropped = s.hub.dropped.Load()
	st.RSSBytes, st.CPUPercent = s.usage.Get()
	return st
}

// watchDevices tells when a device goes and when it comes back.
func (s *Server) watchDevices(ctx context.Context) {
	type device struct {
		name  string
		look  func() (there bool, why string)
		there bool
	}
	var devices []*device
	add := func(name string, look func() (bool, string)) {
		if look != nil {
			devices = append(devices, &device{name: name, look: look, there: true})
		}
	}
	add("microphone", s.Hearing.There)
	add("speaker", s.Speech.There)
	tick := time.NewTicker(250 * time.Millisecond)
	defer tick.Stop()
	for {
		for _, d := range devices {
			there, why := d.look()
			switch {
			case there && !d.there:
				s.emit(client.Event{Type: client.DeviceFound, Device: d.name, Message: "the " + d.name + " is back"})
			case !there && d.there:
				s.emit(client.Event{Type: client.DeviceLost, Device: d.name, Message: why})
			}
			d.there = there
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// owners counts those without whom the worker has no purpose.
type owners struct {
	n      atomic.Int32
	change atomic.Pointer[chan struct{}]
}

func (o *owners) add(n int32) {
	o.n.Add(n)
	if c := o.change.Load(); c != nil {
		select {
		case *c <- struct{}{}:
		default:
		}
	}
}

// watch calls gone when there was no owner for so long.
func (o *owners) watch(ctx context.Context, linger time.Duration, gone func()) {
	if linger == 0 {
		return
	}
	c := make(chan struct{}, 1)
	o.change.Store(&c)
	t := time.NewTimer(linger)
	defer t.Stop()
	for {
		if o.n.Load() > 0 {
			t.Stop()
		} else {
			t.Reset(linger)
		}
		select {
		case <-ctx.Done():
			return
		case <-c:
		case <-t.C:
			if o.n.Load() == 0 {
				gone()
				return
			}
		}
	}
}

// shared is a recogniser that the live ear and a recording take turns with.
type shared struct {
	voice.Recognizer
	watchdog *watchdog
	turn     chan struct{}
}

func (r *shared) Transcribe(ctx context.Context, samples []float32) (voice.Transcript, error) {
	select {
	case r.turn <- struct{}{}:
	case <-ctx.Done():
		return voice.Transcript{}, ctx.Err()
	}
	defer func() { <-r.turn }()
	defer r.watchdog.compute("the recogniser", hangRecogniser)()
	return r.Recognizer.Transcribe(ctx, samples)
}
