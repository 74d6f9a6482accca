package sense

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/audio"
	"github.com/reachyd/reachyd/hal/camera"
	"github.com/reachyd/reachyd/hal/local"
	"github.com/reachyd/reachyd/perception/client"
	"github.com/reachyd/reachyd/perception/recognize"
	"github.com/reachyd/reachyd/perception/scene"
	"github.com/reachyd/reachyd/perception/speechtest"
	"github.com/reachyd/reachyd/perception/tts"
	"github.com/reachyd/reachyd/perception/vad"
	"github.com/reachyd/reachyd/perception/voice"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience is how long a test waits for what will surely come.
const patience = 60 * time.Second

// parrot is a recogniser that has learned one sentence.
type parrot struct {
	mu   sync.Mutex
	text string
	hang chan struct{} // nil, or Transcribe waits for it and does not heed its context
}

func (p *parrot) say(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text = text
}

func (p *parrot) Transcribe(context.Context, []float32) (voice.Transcript, error) {
	p.mu.Lock()
	text, hang := p.text, p.hang
	p.mu.Unlock()
	if hang != nil {
		<-hang
	}
	return voice.Transcript{Text: text, Confidence: 0.9, Language: "en"}, nil
}

// tape is a microphone that hears what the test plays.
type tape struct {
	frames chan audio.Frame
	at     time.Time // of the next frame: a tape that is played fast is ahead of the clock
}

func (p *tape) Read(ctx context.Context, f *audio.Frame) error {
	select {
	case next, ok := <-p.frames:
		if !ok {
			return io.EOF
		}
		*f = next
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
func (p *tape) Close() error { return nil }

// play hands samples to the microphone.
func (p *tape) play(x []float32) {
	for ; len(x) >= audio.FrameSize; x = x[audio.FrameSize:] {
		f := audio.Frame{At: p.at}
		copy(f.Samples[:], x)
		p.frames <- f
		p.at = p.at.Add(audio.FrameTime)
	}
}

// voiceOver is a speaker that talks until it is hushed or told to end.
type voiceOver struct {
	s    *Server
	end  chan struct{}
	hush chan struct{}
	err  error

	played []string
}

func (v *voiceOver) Say(ctx context.Context, text string) (tts.Spoken, error) {
	if v.err != nil {
		return tts.Spoken{}, v.err
	}
	v.s.OnSpeech(tts.Event{Type: tts.Started, Text: text, At: time.Now()})
	said := tts.Spoken{Text: text, Complete: true, Heard: time.Second}
	var err error
	e := tts.Event{Type: tts.Finished, Text: text, At: time.Now()}
	select {
	case <-v.end:
	case <-v.hush:
		said.Complete, err, e.Type = false, tts.ErrInterrupted, tts.Interrupted
	case <-ctx.Done():
		said.Complete, err, e.Type = false, tts.ErrInterrupted, tts.Interrupted
	}
	v.s.OnSpeech(e)
	return said, err
}

func (v *voiceOver) Play(ctx context.Context, rate int, pcm []float32, begin time.Time) (tts.Spoken, error) {
	v.played = append(v.played, fmt.Sprintf("%d samples at %d Hz, in %v", len(pcm), rate, time.Until(begin).Round(time.Hour)))
	return tts.Spoken{Complete: true, Heard: time.Second}, v.err
}

// Pour takes all that comes.
func (v *voiceOver) Pour(ctx context.Context, rate int, more func(context.Context) ([]float32, error)) (tts.Spoken, error) {
	var all []float32
	for {
		pcm, err := more(ctx)
		all = append(all, pcm...)
		switch {
		case errors.Is(err, io.EOF):
			v.played = append(v.played, fmt.Sprintf("%d samples poured at %d Hz, from %.3f", len(all), rate, all[0]))
			return tts.Spoken{Complete: true, Heard: time.Second}, v.err
		case err != nil:
			return tts.Spoken{}, err
		}
	}
}

func (v *voiceOver) Hush() tts.Spoken {
	select {
	case v.hush <- struct{}{}:
	default:
	}
	return tts.Spoken{}
}

type knob struct{ level int }

func (k *knob) SetVolume(level int) error { k.level = level; return nil }

// gaze is an eye that sees an apple.
type gaze struct {
	mu       sync.Mutex
	track    bool
	followed string
	err      error
	hang     chan struct{}
}

var apple = scene.View{Width: 64, Height: 48, Detections: []scene.Detection{{Name: scene.Apple, Score: 0.9, Yaw: 10, Place: &hal.Vec3{0.6, 0.1, 0.02}}}}

func (g *gaze) View(ctx context.Context, name string) (scene.View, error) {
	if g.hang != nil {
		select {
		case <-g.hang:
		case <-ctx.Done():
		}
	}
	if name == "bomb" {
		panic("index out of range")
	}
	v := apple
	if name != "" {
		v.Detections = v.Named(name)
	}
	return v, g.err
}

func (g *gaze) Examine(_ context.Context, picture []byte) (scene.View, error) {
	if _, err := camera.Decode(picture); err != nil {
		return scene.View{}, err
	}
	return apple, nil
}

func (g *gaze) Portraits(_ context.Context, pictures int) ([][]recognize.Portrait, error) {
	return slices.Repeat([][]recognize.Portrait{{{Box: scene.Box{W: 50, H: 50}, Descriptor: recognize.Descriptor{1, 2}}}}, pictures), g.err
}

func (g *gaze) LookAt(_ context.Context, name string) (scene.Look, error) {
	return scene.Look{Name: name, Centred: true}, g.err
}

func (g *gaze) Track(_ context.Context, on bool) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.track = on
	return g.err
}

func (g *gaze) Follow(_ context.Context, name string) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.track, g.followed = true, name
	return g.err
}

func (g *gaze) seen() *scene.Followed {
	if !g.tracking() {
		return nil
	}
	return &scene.Followed{TS: time.Unix(1000, 0).UTC(), Seen: true, X: 0.25, Y: -0.5}
}

func (g *gaze) tracking() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.track
}

type lens struct{ jpeg []byte }

func (l lens) Frame(context.Context) (camera.Frame, error) {
	if l.jpeg == nil {
		return camera.Frame{}, camera.ErrStalled
	}
	return camera.Frame{JPEG: l.jpeg, Width: 64, Height: 48, Time: time.Now()}, nil
}

func picture(t testing.TB) []byte {
	t.Helper()
	img := image.NewGray(image.Rect(0, 0, 64, 48))
	img.SetGray(3, 3, color.Gray{200})
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// rig is a worker with everything, on a real socket.
type rig struct {
	*Server
	*client.Client
	t      *testing.T
	socket string
	parrot *parrot
	tape   *tape
	voice  *voiceOver
	gaze   *gaze
	knob   *knob
	stops  chan struct{}
	brakes atomic.Int32
	served chan error
	cancel context.CancelFunc

	mu     sync.Mutex
	cond   *sync.Cond
	events []client.Event
	states int
}

func newRig(t *testing.T, change func(*rig)) *rig {
	t.Helper()
	dir, err := os.MkdirTemp("", "s") // short, for the limit of socket paths
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	r := &rig{
		t: t, socket: filepath.Join(dir, "sock"), parrot: &parrot{text: "look left"}, tape: &tape{make(chan audio.Frame, 4096), time.Now()},
		gaze: &gaze{}, knob: &knob{}, stops: make(chan struct{}, 8), served: make(chan error, 1),
	}
	r.cond = sync.NewCond(&r.mu)
	r.Server = &Server{
		Log: zerolog.Nop(),
		Hearing: Hearing{
			Source: r.tape, Recognizer: r.parrot, Detector: func() (voice.Detector, error) { return vad.NewEnergy(), nil },
			Microphone: "tape", Model: "parrot", DetectorName: "energy",
		},
		Sight: Sight{Eyes: r.gaze, Camera: lens{picture(t)}, Photos: filepath.Join(dir, "photos"), Device: "lens", Tracking: r.gaze.tracking, Followed: r.gaze.seen},
		Brake: func(context.Context) error { r.brakes.Add(1); return nil },
		Stop:  func(context.Context) error { r.stops <- struct{}{}; return nil },
	}
	r.voice = &voiceOver{s: r.Server, end: make(chan struct{}), hush: make(chan struct{}, 1)}
	r.Speech = Speech{Speaker: r.voice, Volume: r.knob, Device: "loudspeaker", Level: 80}
	if change != nil {
		change(r)
	}
	l, err := local.Listen(r.socket)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	r.cancel = cancel
	go func() { r.served <- r.Serve(ctx, l) }()
	r.Client = client.New(r.socket)
	t.Cleanup(func() {
		r.Close()
		cancel()
		select {
		case err := <-r.served:
			if err != nil && !errors.Is(err, ErrAbandoned) {
				t.Errorf("serve: %v", err)
			}
		case <-time.After(patience):
			t.Error("the server does not end")
		}
	})
	return r
}

// watching collects the events from here on.
func (r *rig) watching() {
	r.t.Helper()
	r.watchingBy(r.Watch)
}

func (r *rig) watchingBy(watch func(context.Context, func(client.Message)) error) {
	r.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		watch(ctx, func(m client.Message) {
			r.mu.Lock()
			defer r.mu.Unlock()
			if m.State != nil {
				r.states++
			}
			if m.Event != nil {
				r.events = append(r.events, *m.Event)
			}
			r.cond.Broadcast()
		})
	}()
	r.t.Cleanup(func() { cancel(); <-done })
	r.until("the first state", func() bool { return r.states > 0 })
}

func (r *rig) until(what string, ok func() bool) {
	r.t.Helper()
	deadline := time.AfterFunc(patience, r.cond.Broadcast)
	defer deadline.Stop()
	began := time.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	for !ok() {
		if time.Since(began) >= patience {
			r.t.Fatalf("no %s among %v", what, r.events)
		}
		r.cond.Wait()
	}
}

// event waits for an event of a type and returns it.
func (r *rig) event(typ client.EventType) client.Event {
	r.t.Helper()
	var found client.Event
	r.until(string(typ), func() bool {
		for i, e := range r.events {
			if e.Type == typ {
				found = e
				r.events = r.events[i+1:]
				return true
			}
		}
		return false
	})
	return found
}

// sentence is speech with silence around it.
func sentence(t testing.TB, text string) []float32 {
	return speechtest.Join(room(t, time.Second), speechtest.Say(t, "espeak:en-us", text), room(t, 2*time.Second))
}

// room is the sound of an empty one: the energy detector has to know it.
func room(t testing.TB, d time.Duration) []float32 {
	return speechtest.Gain(speechtest.Noise(t, speechtest.Pink, speechtest.Samples(d), 1), -65)
}

func wav(x []float32) io.Reader { return bytes.NewReader(speechtest.EncodeWAV(x)) }
