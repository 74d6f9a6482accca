package sense

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/reachyd/reachyd/perception/client"
)

func TestAPanicIsAnError(t *testing.T) {
	r := newRig(t, nil)
	_, err := r.Detect(t.Context(), "bomb")
	wantStatus(t, err, http.StatusInternalServerError)
	if _, err := r.Detect(t.Context(), ""); err != nil {
		t.Error("afterwards:", err)
	}
}

// What people say is in the log only where the owner wants debug messages.
func TestTheLogIsWithoutWhatPeopleSay(t *testing.T) {
	for level, want := range map[zerolog.Level]bool{zerolog.InfoLevel: false, zerolog.DebugLevel: true} {
		var log bytes.Buffer
		s := &Server{Log: zerolog.New(&log).Level(level)}
		s.emit(client.Event{Type: client.Partial, Text: "my"})
		s.emit(client.Event{Type: client.Heard, Turn: 7, Utterance: &client.Utterance{Text: "my secret", Latency: 0.4}})
		if text := log.String(); strings.Contains(text, "secret") != want || !strings.Contains(text, `"latency":0.4`) {
			t.Errorf("%v: %s", level, text)
		}
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
	endless, in := io.Pipe() // as in a conversation: the refusal does not wait for its end
	defer in.Close()
	_, err = r.Listen(ctx, endless, nil)
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

// Work that only computes is not ill because other programs use the processor, but it is when it never ends.
func TestABusyHostIsNoHang(t *testing.T) {
	var p watchdog
	leave := p.compute("the recogniser", time.Minute)
	defer leave()
	if err := p.check(time.Now().Add(5 * time.Minute)); err != nil {
		t.Error(err)
	}
	if err := p.check(time.Now().Add(time.Hour)); err == nil {
		t.Error("after an hour it is not ill")
	}
	for w := range p.work {
		w.used -= 2 * time.Minute // as if it had computed that long
	}
	if err := p.check(time.Now().Add(2 * time.Minute)); err == nil {
		t.Error("after two minutes of computing it is not ill")
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
