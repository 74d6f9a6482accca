package sense

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/reachyd/reachyd/hal/audio"
	"github.com/reachyd/reachyd/perception/client"
	"github.com/reachyd/reachyd/perception/speechtest"
)

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

// "Stop it" brakes at once; what it ends, such as a timer that was spoken of, is said by the conversation, as when it is written. Where
// there is none the ear latches it as any other stop.
func TestAStopThatPointsIsLeftToTheConversation(t *testing.T) {
	for _, c := range []struct {
		said    string
		owned   bool
		latches bool
	}{
		{"stop it", true, false},
		{"Stop that now, please!", true, false},
		{"stop it", false, true},
		{"stop", true, true},
		{"stop moving now", true, true},
	} {
		r := newRig(t, nil)
		if c.owned {
			r.watchingBy(r.Own)
		} else {
			r.watching()
		}
		r.parrot.say(c.said)
		r.tape.play(sentence(t, "stop it"))
		if e := r.event(client.StopWord); e.Text != c.said || e.Utterance == nil || e.Message != "" {
			t.Errorf("%q: %+v", c.said, e)
		}
		if latched := len(r.stops) > 0; latched != c.latches || r.brakes.Load() == 0 && !latched {
			t.Errorf("%q, a conversation: %v: latched %v, braked %d times", c.said, c.owned, latched, r.brakes.Load())
		}
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
	err := r.SetEndpoint(t.Context(), 1, 1, "perhaps")
	if !errors.As(err, &refused) || refused.Status != http.StatusBadRequest || !strings.Contains(refused.Reason, "complete") {
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

// Several are heard at once, though none of them ends; one more is refused at once, though it does not end either.
func TestSeveralAreHeardAtOnce(t *testing.T) {
	r := newRig(t, nil)
	r.parrot.say("look left")
	listen := func(heard func(client.Event)) (refused func() error) {
		sound, in := io.Pipe()
		done := make(chan error, 1)
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		go func() {
			defer cancel()
			_, err := r.Converse(ctx, sound, heard)
			sound.CloseWithError(io.EOF)
			done <- err
		}()
		head := speechtest.EncodeWAV(sentence(t, "look left"))
		copy(head[40:], "\xff\xff\xff\xff") // of a length that is not known yet
		go in.Write(head)
		return func() error { defer in.Close(); return <-done }
	}
	for range MaxListening {
		heard := make(chan string, 9)
		listen(func(e client.Event) {
			if e.Type == client.Heard {
				heard <- e.Utterance.Text
			}
		})
		select {
		case <-heard:
		case <-time.After(patience):
			t.Fatal("nothing is heard")
		}
	}
	wantStatus(t, listen(nil)(), http.StatusServiceUnavailable)
}

// Of what is being spoken it is told what was understood so far, even if it comes faster than anybody speaks; nothing of it is lost.
func TestConverseTellsWhatWasUnderstoodSoFar(t *testing.T) {
	r := newRig(t, nil)
	r.parrot.say("turn to the left")
	long := sentence(t, "please turn your head very slowly to the left and then look at the table")
	type listening func(context.Context, io.Reader, func(client.Event)) (client.Hearings, error)
	for name, listen := range map[string]listening{"a recording": r.Listen, "a conversation": r.Converse} {
		midway := 0
		h, err := listen(t.Context(), wav(speechtest.Join(long, long, long)), func(e client.Event) {
			if e.Type == client.Partial && e.Revision == 0 {
				midway++
			}
		})
		if err != nil || len(h.Utterances) != 3 || (midway > 0) != (name == "a conversation") {
			t.Errorf("%s: %d in the middle of speech, %d sentences, %v; %+v", name, midway, len(h.Utterances), err, h.Rejected)
		}
	}
}

func wantStatus(t *testing.T, err error, status int) {
	t.Helper()
	var refused *client.Error
	if !errors.As(err, &refused) || refused.Status != status {
		t.Errorf("%v, want status %d", err, status)
	}
}
