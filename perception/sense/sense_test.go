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
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/audio"
	"github.com/reachyd/reachyd/hal/camera"
	"github.com/reachyd/reachyd/hal/local"
	"github.com/reachyd/reachyd/perception/client"
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
	mu    sync.Mutex
	track bool
	err   error
	hang  chan struct{}
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

func (g *gaze) LookAt(_ context.Context, name string) (scene.Look, error) {
	return scene.Look{Name: name, Centred: true}, g.err
}

func (g *gaze) Track(_ context.Context, on bool) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.track = on
	return g.err
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
		Sight: Sight{Eyes: r.gaze, Camera: lens{picture(t)}, Photos: filepath.Join(dir, "photos"), Device: "lens", Tracking: r.gaze.tracking},
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
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		r.Watch(ctx, func(m client.Message) {
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

func TestASentenceBecomesAnEvent(t *testing.T) {
	r := newRig(t, nil)
	r.watching()
	r.tape.play(speechtest.Join(room(t, time.Second), speechtest.Say(t, "espeak:en-us", "look left"), room(t, 250*time.Millisecond)))
	started, partial := r.event(client.SpeechStarted), r.event(client.Partial)
	r.tape.play(room(t, time.Second))
	heard := r.event(client.Heard)
	if started.Turn != 1 || partial.Text != "look left" || partial.Endpoint != client.Complete {
		t.Errorf("%+v %+v", started, partial)
	}
	if u := heard.Utterance; u.Text != "look left" || !u.Speculated || u.Endpoint != client.Complete {
		t.Errorf("%+v", u)
	}
	st, err := r.Client.State(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if st.Counters.Utterances != 1 || st.Hearing.Model != "parrot" || st.Hearing.Off != "" || st.PID != os.Getpid() || st.RSSBytes == 0 {
		t.Errorf("%+v", st)
	}
}

func TestAStopWordStopsTheBody(t *testing.T) {
	r := newRig(t, nil)
	r.watching()
	r.parrot.say("stop")
	r.tape.play(sentence(t, "stop"))
	e := r.event(client.StopWord)
	select {
	case <-r.stops:
	case <-time.After(patience):
		t.Fatal("not stopped")
	}
	if e.Text != "stop" || e.Utterance == nil {
		t.Errorf("%+v", e)
	}
}

func TestTheEndOfTheMicrophoneIsTold(t *testing.T) {
	r := newRig(t, nil)
	r.watching()
	close(r.tape.frames)
	if e := r.event(client.DeviceLost); e.Device != "microphone" || e.Message == "" {
		t.Errorf("%+v", e)
	}
	if st, err := r.Client.State(t.Context()); err != nil || st.Hearing.Off == "" {
		t.Errorf("%+v, %v", st.Hearing, err)
	}
}

func TestMuteOverTheSocket(t *testing.T) {
	r := newRig(t, nil)
	r.watching()
	if err := r.Mute(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	if e := r.event(client.MuteChanged); !e.On {
		t.Errorf("%+v", e)
	}
	if st, err := r.Client.State(t.Context()); err != nil || !st.Hearing.Muted {
		t.Errorf("%+v, %v", st.Hearing, err)
	}
}

func TestMuteOutlivesTheProcess(t *testing.T) {
	file := filepath.Join(t.TempDir(), "mute")
	remember := func(r *rig) { r.MuteFile = file }
	muted := func(r *rig) bool {
		t.Helper()
		st, err := r.Client.State(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return st.Hearing.Muted
	}
	first := newRig(t, remember)
	if muted(first) {
		t.Error("muted at first")
	}
	if err := first.Mute(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	second := newRig(t, remember) // as after a crash: nobody has said anything to the first
	if !muted(second) {
		t.Error("the microphone is open again")
	}
	for range 2 {
		if err := second.Mute(t.Context(), false); err != nil {
			t.Fatal(err)
		}
	}
	if muted(second) || muted(newRig(t, remember)) {
		t.Error("muted for ever")
	}
	unable := newRig(t, func(r *rig) { r.MuteFile = filepath.Join(file, "nowhere", "mute") })
	wantStatus(t, unable.Mute(t.Context(), true), http.StatusInternalServerError)
	if !muted(unable) {
		t.Error("not muted since it could not be remembered")
	}
}

func TestSomebodyElseJudgesOverTheSocket(t *testing.T) {
	r := newRig(t, func(r *rig) { r.Hearing.Settings.Medium, r.Hearing.Settings.Long = 20*time.Second, 21*time.Second })
	r.watching()
	r.parrot.say("the weather")
	r.tape.play(sentence(t, "the weather"))
	p := r.event(client.Partial)
	if err := r.SetEndpoint(t.Context(), p.Turn, p.Revision, client.Complete); err != nil {
		t.Fatal(err)
	}
	r.tape.play(room(t, time.Second))
	r.event(client.Heard)
	var refused *client.Error
	if err := r.SetEndpoint(t.Context(), 1, 1, "perhaps"); !errors.As(err, &refused) || refused.Status != http.StatusBadRequest ||
		!strings.Contains(refused.Reason, "complete") {
		t.Errorf("%v", err)
	}
}

func TestListen(t *testing.T) {
	r := newRig(t, nil)
	for _, c := range []struct {
		name  string
		sound []float32
		text  string // that the recogniser finds in everything
		want  string // in the message
	}{
		{"command", sentence(t, "look left"), "look left", `heard: "look left"`},
		{"two", speechtest.Join(sentence(t, "look left"), sentence(t, "look right")), "look left", "heard 2 sentences"},
		{"stop", sentence(t, "stop"), "stop", "stop word"},
		{"silence", make([]float32, 5*audio.Rate), "look left", "nobody speaks"},
		{"quiet room", room(t, 5*time.Second), "look left", "nobody speaks"},
		{"click", speechtest.Join(room(t, time.Second), []float32{0.9, -0.9, 0.5}, room(t, time.Second)), "look left", "nobody speaks"},
		{"nothing recognised", sentence(t, "gobbledygook"), "", "nothing was understood"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r.parrot.say(c.text)
			var events []client.Event
			h, err := r.Listen(t.Context(), wav(c.sound), func(e client.Event) { events = append(events, e) })
			if err != nil || !strings.Contains(h.Message, c.want) {
				t.Errorf("%q, %v; %v", h.Message, err, events)
			}
			if want := float64(len(c.sound)) / audio.Rate; h.Duration < want-0.1 || h.Duration > want+0.1 {
				t.Errorf("%.2f s, it is %.2f s long", h.Duration, want)
			}
		})
	}
	select {
	case <-r.stops:
		t.Error("a recording has stopped the robot")
	default:
	}
}

func TestListenRefuses(t *testing.T) {
	r := newRig(t, nil)
	good := speechtest.EncodeWAV(sentence(t, "look left"))
	for _, c := range []struct {
		name   string
		body   []byte
		status int
	}{
		{"nothing", nil, http.StatusBadRequest},
		{"text", []byte("look left"), http.StatusBadRequest},
		{"head only", good[:44], http.StatusBadRequest},
		{"broken head", append([]byte("RIFF"), good[30:]...), http.StatusBadRequest},
		{"endless head", bytes.Repeat([]byte("LIST"), MaxRecording/4+1), http.StatusBadRequest},
	} {
		_, err := r.Listen(t.Context(), bytes.NewReader(c.body), nil)
		var refused *client.Error
		if !errors.As(err, &refused) || refused.Status != c.status || refused.Reason == "" {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	// A file that is cut off is heard as far as it goes.
	if h, err := r.Listen(t.Context(), bytes.NewReader(good[:len(good)*2/3]), nil); err != nil || len(h.Utterances) != 1 {
		t.Errorf("cut off: %+v, %v", h, err)
	}
}

func TestARecordingHasALimit(t *testing.T) {
	r := newRig(t, func(r *rig) { r.longest = 1 << 20 })
	head := speechtest.EncodeWAV(make([]float32, 16))[:44]
	copy(head[40:], "\xff\xff\xff\xff") // of a length that is not known yet
	long := io.MultiReader(bytes.NewReader(head), io.LimitReader(zeros{}, 1<<20))
	_, err := r.Listen(t.Context(), long, nil)
	if err == nil || !strings.Contains(err.Error(), "longer than") {
		t.Errorf("%v", err)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func TestOneRecordingAtATime(t *testing.T) {
	r := newRig(t, nil)
	r.parrot.hang = make(chan struct{})
	began := make(chan struct{}, 1)
	done := make(chan error, 1)
	go func() {
		_, err := r.Listen(context.Background(), wav(sentence(t, "look left")), func(client.Event) {
			select {
			case began <- struct{}{}:
			default:
			}
		})
		done <- err
	}()
	<-began
	_, err := r.Listen(t.Context(), wav(sentence(t, "look left")), nil)
	wantStatus(t, err, http.StatusServiceUnavailable)
	close(r.parrot.hang)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func wantStatus(t *testing.T, err error, status int) {
	t.Helper()
	var refused *client.Error
	if !errors.As(err, &refused) || refused.Status != status {
		t.Errorf("%v, want status %d", err, status)
	}
}

func TestSpeak(t *testing.T) {
	r := newRig(t, nil)
	r.watching()
	type result struct {
		client.Spoken
		error
	}
	say := func(ctx context.Context) <-chan result {
		c := make(chan result, 1)
		go func() { s, err := r.Speak(ctx, "Hello."); c <- result{s, err} }()
		return c
	}
	c := say(t.Context())
	if e := r.event(client.SpeakingStarted); e.Text != "Hello." {
		t.Errorf("%+v", e)
	}
	if st, _ := r.Client.State(t.Context()); !st.Speech.Speaking || st.Speech.Queued != 0 || st.Speech.Volume != 80 {
		t.Errorf("%+v", st.Speech)
	}
	r.voice.end <- struct{}{}
	if s := <-c; s.error != nil || s.Reason != client.ReasonFinished || s.Heard != 1 {
		t.Errorf("%+v", s)
	}
	if e := r.event(client.SpeakingDone); e.Reason != client.ReasonFinished {
		t.Errorf("%+v", e)
	}
	c = say(t.Context())
	r.event(client.SpeakingStarted)
	if err := r.Hush(t.Context()); err != nil {
		t.Error(err)
	}
	if s := <-c; s.error != nil || s.Reason != client.ReasonInterrupted {
		t.Errorf("%+v", s)
	}
	r.event(client.SpeakingDone)
	ctx, cancel := context.WithCancel(t.Context())
	c = say(ctx)
	r.event(client.SpeakingStarted)
	cancel()
	if s := <-c; !errors.Is(s.error, context.Canceled) {
		t.Errorf("%+v", s)
	}
	if e := r.event(client.SpeakingDone); e.Reason != client.ReasonInterrupted {
		t.Errorf("%+v", e)
	}
	for err, status := range map[error]int{
		tts.ErrNothing: 400, tts.ErrTooLong: 400, tts.ErrQueueFull: 503, tts.ErrVoice: 500, tts.ErrClosed: 503,
	} {
		r.voice.err = fmt.Errorf("x: %w", err)
		_, got := r.Speak(t.Context(), "Hello.")
		wantStatus(t, got, status)
	}
}

func TestTextsThatWaitHaveALimit(t *testing.T) {
	r := newRig(t, nil)
	r.watching()
	var wg sync.WaitGroup
	for range MaxSpeaking {
		wg.Go(func() { r.Speak(context.Background(), "Hello.") })
	}
	r.until("texts", func() bool { return len(r.events) == MaxSpeaking })
	_, err := r.Speak(t.Context(), "One more.")
	wantStatus(t, err, http.StatusServiceUnavailable)
	close(r.voice.end)
	wg.Wait()
}

func TestVolume(t *testing.T) {
	r := newRig(t, nil)
	if err := r.SetVolume(t.Context(), 0); err != nil || r.knob.level != 0 {
		t.Error(err, r.knob.level)
	}
	if st, _ := r.Client.State(t.Context()); st.Speech.Volume != 0 {
		t.Errorf("%+v", st.Speech)
	}
	for _, level := range []int{-1, 101} {
		wantStatus(t, r.SetVolume(t.Context(), level), http.StatusBadRequest)
	}
}

func TestSight(t *testing.T) {
	r := newRig(t, nil)
	ctx := t.Context()
	if v, err := r.Detect(ctx, ""); err != nil || len(v.Detections) != 1 || v.Detections[0].Name != scene.Apple {
		t.Errorf("%+v, %v", v, err)
	}
	if v, err := r.Detect(ctx, "duck"); err != nil || len(v.Detections) != 0 {
		t.Errorf("%+v, %v", v, err)
	}
	if text, err := r.Describe(ctx, "", "What do you see?"); err != nil || !strings.Contains(text, "apple") {
		t.Errorf("%q, %v", text, err)
	}
	p, err := r.TakePhoto(ctx)
	if err != nil || len(p.View.Detections) != 1 {
		t.Fatalf("%+v, %v", p, err)
	}
	if data, err := r.Photo(ctx, p.Name); err != nil || !bytes.Equal(data, picture(t)) {
		t.Errorf("%d bytes, %v", len(data), err)
	}
	if text, err := r.Describe(ctx, p.Name, "What do you see?"); err != nil || !strings.Contains(text, "apple") {
		t.Errorf("%q, %v", text, err)
	}
	for _, name := range []string{"photo-1", "../sock", "photo-/../../x", "photo-\x00", "", "sock"} {
		_, err := r.Photo(ctx, name)
		wantStatus(t, err, http.StatusNotFound)
	}
	_, err = r.Describe(ctx, "photo-unknown", "?")
	wantStatus(t, err, http.StatusNotFound)
	if data, err := r.Frame(ctx); err != nil || !bytes.Equal(data, picture(t)) {
		t.Errorf("%d bytes, %v", len(data), err)
	}
	if err := r.Track(ctx, true); err != nil || !r.gaze.track {
		t.Error(err)
	}
	if st, _ := r.Client.State(ctx); !st.Sight.Tracking || st.Counters.Pictures == 0 {
		t.Errorf("%+v", st)
	}
	if l, err := r.LookAt(ctx, client.Target{Name: "apple"}); err != nil || !l.Centred {
		t.Errorf("%+v, %v", l, err)
	}
	_, err = r.LookAt(ctx, client.Target{})
	wantStatus(t, err, http.StatusBadRequest)
	if s, err := r.See(ctx, bytes.NewReader(picture(t)), "where is the apple?"); err != nil || s.Description == "" {
		t.Errorf("%+v, %v", s, err)
	}
	_, err = r.See(ctx, strings.NewReader("no picture"), "")
	wantStatus(t, err, http.StatusBadRequest)
	_, err = r.See(ctx, io.LimitReader(zeros{}, MaxPicture+1), "")
	wantStatus(t, err, http.StatusRequestEntityTooLarge)
	r.gaze.err = errors.New("out of memory")
	_, err = r.Detect(ctx, "")
	wantStatus(t, err, http.StatusInternalServerError)
	r.watching()
	r.OnView(apple)
	if e := r.event(client.Detected); len(e.Detections) != 1 {
		t.Errorf("%+v", e)
	}
}

func TestLooksHaveALimit(t *testing.T) {
	r := newRig(t, func(r *rig) { r.gaze.hang = make(chan struct{}) })
	var wg sync.WaitGroup
	for range MaxLooking {
		wg.Go(func() { r.Detect(context.Background(), "") })
	}
	for deadline := time.Now().Add(patience); ; {
		if st, err := r.Client.State(t.Context()); err == nil && st.Counters.Pictures == MaxLooking {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("they do not begin")
		}
	}
	_, err := r.Detect(t.Context(), "")
	wantStatus(t, err, http.StatusServiceUnavailable)
	close(r.gaze.hang)
	wg.Wait()
}

func TestTheAlbumIsBounded(t *testing.T) {
	a := photoStore{dir: t.TempDir()}
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var first, last string
	for i := range maxPhotos + 3 {
		name, err := a.put([]byte{byte(i)}, now)
		if err != nil {
			t.Fatal(err)
		}
		if first == "" {
			first = name
		}
		last = name
		now = now.Add(time.Second)
	}
	if _, err := a.get(first); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the oldest is still there: %v", err)
	}
	if _, err := a.get(last); err != nil {
		t.Error(err)
	}
	x, _ := a.put([]byte{1}, now)
	y, _ := a.put([]byte{2}, now)
	if d, err := a.get(y); x == y || err != nil || d[0] != 2 {
		t.Errorf("two at once: %s %s %v %v", x, y, d, err)
	}
}

func TestAPanicIsAnError(t *testing.T) {
	r := newRig(t, nil)
	_, err := r.Detect(t.Context(), "bomb")
	wantStatus(t, err, http.StatusInternalServerError)
	if _, err := r.Detect(t.Context(), ""); err != nil {
		t.Error("afterwards:", err)
	}
}

func TestCallsAreChecked(t *testing.T) {
	r := newRig(t, nil)
	httpc := &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			var d net.Dialer
			return d.DialContext(ctx, "unix", r.socket)
		},
	}}
	for _, c := range []struct {
		path, body string
		status     int
	}{
		{"/speak", `{"text":"` + strings.Repeat("x", MaxCall) + `"}`, http.StatusRequestEntityTooLarge},
		{"/speak", `{"texts":"x"}`, http.StatusBadRequest},
		{"/speak", `{"text":"x"} {}`, http.StatusBadRequest},
		{"/speak", `nonsense`, http.StatusBadRequest},
		{"/mute", `{}`, http.StatusBadRequest},
		{"/volume", `{}`, http.StatusBadRequest},
		{"/track", ``, http.StatusBadRequest},
		{"/nowhere", ``, http.StatusNotFound},
	} {
		resp, err := httpc.Post("http://sense"+c.path, "application/json", strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		data, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if resp.StatusCode != c.status {
			t.Errorf("%s %.40s: %s %s", c.path, c.body, resp.Status, data)
		}
	}
}

func TestWatchersHaveALimit(t *testing.T) {
	r := newRig(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var wg, open sync.WaitGroup
	for range MaxWatchers {
		open.Add(1)
		var once sync.Once
		wg.Go(func() { r.Watch(ctx, func(client.Message) { once.Do(open.Done) }) })
	}
	open.Wait()
	wantStatus(t, r.Watch(ctx, func(client.Message) {}), http.StatusServiceUnavailable)
	cancel()
	wg.Wait()
}

func TestASlowWatcherSeesTheGap(t *testing.T) {
	var h hub
	_, last, end := h.subscribe()
	defer end()
	for range memory + 10 {
		h.add(client.Event{Type: client.Partial})
	}
	got := h.after(last, nil)
	if len(got) != memory || got[0].Seq != 11 || got[memory-1].Seq != memory+10 || h.dropped.Load() != 10 {
		t.Errorf("%d events from %d, %d dropped", len(got), got[0].Seq, h.dropped.Load())
	}
}

func TestWithoutAnythingItSaysSo(t *testing.T) {
	r := newRig(t, func(r *rig) {
		r.Hearing = Hearing{Off: "no model"}
		r.Speech = Speech{Off: "no sound card"}
		r.Sight = Sight{Off: "built without OpenCV"}
	})
	ctx := t.Context()
	st, err := r.Client.State(ctx)
	if err != nil || st.Hearing.Off != "no model" || st.Speech.Off != "no sound card" || st.Sight.Off != "built without OpenCV" {
		t.Errorf("%+v, %v", st, err)
	}
	_, err = r.Listen(ctx, wav(nil), nil)
	wantStatus(t, err, http.StatusNotImplemented)
	_, err = r.Speak(ctx, "x")
	wantStatus(t, err, http.StatusNotImplemented)
	_, err = r.Detect(ctx, "")
	wantStatus(t, err, http.StatusNotImplemented)
	_, err = r.Frame(ctx)
	wantStatus(t, err, http.StatusNotImplemented)
	wantStatus(t, r.SetVolume(ctx, 3), http.StatusNotImplemented)
	wantStatus(t, r.Mute(ctx, false), http.StatusNotImplemented)
	for _, err := range []error{r.Hush(ctx), r.Mute(ctx, true), r.Replied(ctx), r.SetEndpoint(ctx, 1, 1, client.Complete)} {
		if err != nil {
			t.Error(err)
		}
	}
}

func TestNativeCodeThatHangsMakesTheWorkerIll(t *testing.T) {
	var p watchdog
	leave := p.enter("the recogniser", time.Minute)
	if err := p.check(time.Now().Add(59 * time.Second)); err != nil {
		t.Error(err)
	}
	if err := p.check(time.Now().Add(2 * time.Minute)); err == nil || !strings.Contains(err.Error(), "recogniser") {
		t.Errorf("%v", err)
	}
	leave()
	if err := p.check(time.Now().Add(2 * time.Minute)); err != nil {
		t.Error(err)
	}
}

func TestAnIllWorkerSaysSo(t *testing.T) {
	r := newRig(t, nil)
	ask := func() int {
		t.Helper()
		resp, err := (&http.Client{Transport: &http.Transport{
			DisableKeepAlives: true,
			DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
				var d net.Dialer
				return d.DialContext(ctx, "unix", r.socket)
			},
		}}).Get("http://sense/healthz")
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		return resp.StatusCode
	}
	if got := ask(); got != http.StatusOK {
		t.Errorf("healthy: %d", got)
	}
	leave := r.watchdog.enter("a test", -time.Second)
	if got := ask(); got != http.StatusServiceUnavailable {
		t.Errorf("ill: %d", got)
	}
	leave()
	if got := ask(); got != http.StatusOK {
		t.Errorf("healthy again: %d", got)
	}
}

func TestAnAbandonedWorkerEnds(t *testing.T) {
	r := newRig(t, func(r *rig) { r.Linger = 50 * time.Millisecond })
	select {
	case err := <-r.served:
		if !errors.Is(err, ErrAbandoned) {
			t.Errorf("%v", err)
		}
		r.served <- err
	case <-time.After(patience):
		t.Fatal("it goes on")
	}
}

func TestAnOwnedWorkerGoesOn(t *testing.T) {
	r := newRig(t, func(r *rig) { r.Linger = time.Second; r.beat = 100 * time.Millisecond })
	ctx, cancel := context.WithCancel(t.Context())
	n := 0
	err := r.Own(ctx, func(m client.Message) {
		if n++; n == 20 { // two seconds
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("%v after %d messages", err, n)
	}
	if err := <-r.served; !errors.Is(err, ErrAbandoned) {
		t.Errorf("%v", err)
	}
	r.served <- nil
}

func TestDevicesComeAndGo(t *testing.T) {
	var mu sync.Mutex
	there := true
	r := newRig(t, func(r *rig) {
		r.Hearing.There = func() (bool, string) {
			mu.Lock()
			defer mu.Unlock()
			return there, "unplugged"
		}
	})
	r.watching()
	mu.Lock()
	there = false
	mu.Unlock()
	if e := r.event(client.DeviceLost); e.Device != "microphone" || e.Message != "unplugged" {
		t.Errorf("%+v", e)
	}
	if st, _ := r.Client.State(t.Context()); st.Hearing.Off != "unplugged" {
		t.Errorf("%+v", st.Hearing)
	}
	mu.Lock()
	there = true
	mu.Unlock()
	r.event(client.DeviceFound)
}

func TestTheClientSaysThatNobodyIsThere(t *testing.T) {
	c := client.New(filepath.Join(t.TempDir(), "none"))
	defer c.Close()
	if _, err := c.State(t.Context()); !errors.Is(err, client.ErrUnavailable) {
		t.Errorf("%v", err)
	}
	if err := c.Watch(t.Context(), nil); !errors.Is(err, client.ErrUnavailable) {
		t.Errorf("%v", err)
	}
	if _, err := c.Listen(t.Context(), strings.NewReader(""), nil); !errors.Is(err, client.ErrUnavailable) {
		t.Errorf("%v", err)
	}
}
