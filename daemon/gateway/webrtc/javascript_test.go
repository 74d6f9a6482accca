package webrtc

import (
	"context"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"

	cdpruntime "github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/reachyd/reachyd/e2e/chromium"
)

// page is a page of a real browser with the official JavaScript SDK.
type page struct {
	t   *testing.T
	ctx context.Context
}

// newPage shows an empty page that has the SDK as window.sdk.
func newPage(t *testing.T, r *rig) *page {
	t.Helper()
	out, err := exec.Command("../../../cross/js-sdk.sh", "--print").Output()
	file := strings.TrimSpace(string(out))
	if err != nil || file == "" {
		t.Skipf("NOT TESTED: the official JavaScript SDK is not there (cross/js-sdk.sh) %v", err)
	}
	script, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	ctx := chromium.Start(t, chromedp.Flag("autoplay-policy", "no-user-gesture-required"))
	robot := r.web.Config.Handler
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Write([]byte(`<!doctype html><title>a test</title><video id=v autoplay muted playsinline></video>
<script type=module>window.sdk = await import("/sdk.js")</script>`))
	})
	mux.HandleFunc("GET /sdk.js", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/javascript")
		w.Write(script)
	})
	mux.Handle(Base+"/", robot)
	server := httptest.NewServer(mux)
	t.Cleanup(func() {
		server.CloseClientConnections() // the stream of events would keep it
		server.Close()
	})
	p := &page{t, ctx}
	chromedp.ListenTarget(ctx, func(ev any) {
		switch e := ev.(type) {
		case *cdpruntime.EventConsoleAPICalled:
			for _, a := range e.Args {
				t.Logf("console: %s", a.Value)
			}
		case *cdpruntime.EventExceptionThrown:
			t.Logf("the page: %v", e.ExceptionDetails)
		}
	})
	if err := chromedp.Run(ctx, chromedp.Navigate(server.URL), chromedp.Poll("window.sdk", nil)); err != nil {
		t.Fatal(err)
	}
	p.do(`window.robot = new sdk.ReachyMini({signalingUrl: location.origin + "` + Base + `", appName: "a test"});
		window.errors = []; robot.addEventListener("error", e => errors.push(String(e.detail.error)));
		robot.addEventListener("videoTrack", e => { document.getElementById("v").srcObject = e.detail.stream; })`)
	return p
}

// do runs statements that may wait.
func (p *page) do(script string) {
	p.t.Helper()
	p.get("(async () => {"+script+"; return true})()", new(bool))
}

// get puts the value of an expression, which may be a promise, into v.
func (p *page) get(expression string, v any) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, wait)
	defer cancel()
	err := chromedp.Run(ctx, chromedp.Evaluate(expression, v, func(e *cdpruntime.EvaluateParams) *cdpruntime.EvaluateParams {
		return e.WithAwaitPromise(true)
	}))
	if err != nil {
		p.t.Fatalf("%s: %v", expression, err)
	}
}

func TestOfficialJavaScriptSDK(t *testing.T) {
	s := newStudio(t)
	r := newRig(t, s.in)
	p := newPage(t, r)
	p.do(`const picked = await robot.autoConnect({token: "any"}); window.picked = picked.robotName`)
	var name string
	if p.get("picked", &name); name != "kitchen" {
		t.Errorf("the robot is called %q", name)
	}
	p.do(`robot.gotoTarget({head: sdk.rpyToMatrix(0, 0, 17.2).flat(), duration: 0.3})`)
	r.soon("the head has turned", func() bool { return math.Abs(r.last().Head.Yaw-0.3) < 0.05 })
	p.do(`window.stream = setInterval(() => robot.setAntennasDeg(20, -20), 50)`) // before the move is over it has no effect
	r.soon("the antennas have turned", func() bool { return math.Abs(r.last().Antennas.Right-0.35) < 0.05 })
	p.do(`clearInterval(stream); errors.length = 0`)
	p.do(`robot.subscribePose?.(() => {})`)
	p.do(`while (Math.abs((robot.robotState.head ?? [0,0,0,0,0])[4] - 0.2955) > 0.05) await new Promise(r => setTimeout(r, 20))`)
	var awake bool
	if p.get("robot.ensureAwake()", &awake); !awake {
		t.Error("it does not wake up")
	}
	p.do(`await robot.gotoSleep({timeoutMs: 20000})`)
	var volume *int
	if p.get("robot.getMicrophoneVolume()", &volume); volume != nil {
		t.Errorf("the microphone has a volume of %d", *volume)
	}
	// It sees: frames are decoded, and have the colour that the camera sees.
	p.do(`while (v.videoWidth !== 64 || v.currentTime < 0.5) await new Promise(r => setTimeout(r, 20))`)
	var pixel []float64
	p.get(`(() => {
		const c = document.createElement("canvas"); c.width = 64; c.height = 48;
		const g = c.getContext("2d"); g.drawImage(v, 0, 0); return Array.from(g.getImageData(32, 24, 1, 1).data).slice(0, 3) })()`, &pixel)
	for i, want := range []uint8{seen.R, seen.G, seen.B} {
		if math.Abs(pixel[i]-float64(want)) > 12 {
			t.Errorf("the browser sees %v, the camera %v", pixel, seen)
		}
	}
	// It hears the tone that the microphone hears.
	var hz float64
	p.get(`(async () => {
		const a = new AudioContext(), f = a.createAnalyser(); f.fftSize = 8192;
		a.createMediaStreamSource(v.srcObject).connect(f);
		const bins = new Float32Array(f.frequencyBinCount);
		for (;;) {
			await new Promise(r => setTimeout(r, 100)); f.getFloatFrequencyData(bins);
			const best = bins.indexOf(Math.max(...bins));
			if (bins[best] > -50) return best * a.sampleRate / f.fftSize;
		} })()`, &hz)
	if math.Abs(hz-heardTone) > 15 {
		t.Errorf("the browser hears %.0f Hz, the microphone %d", hz, heardTone)
	}
	// And is heard.
	p.do(`const a = new AudioContext(), o = a.createOscillator(), d = a.createMediaStreamDestination(); o.frequency.value = 1000; o.connect(d); o.start();
		await robot._pc.getSenders().find(s => s.track?.kind === "audio").replaceTrack(d.stream.getAudioTracks()[0])`)
	r.soon("what the browser says is heard", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		n := len(s.poured)
		return n > heardRate && math.Abs(pitch(s.poured[n-heardRate/2:], heardRate)-1000) < 30
	})
	p.do(`await robot.stopSession()`)
	r.soon("the session has ended", func() bool { return r.sessions() == 0 })
	p.do(`robot.disconnect()`)
	r.soon("nobody signals", func() bool { return r.peers() == 0 })
	var errors []string
	if p.get("errors", &errors); len(errors) > 0 {
		t.Errorf("%q", errors)
	}
}

func (r *rig) peers() int {
	r.gateway.mu.Lock()
	defer r.gateway.mu.Unlock()
	return len(r.gateway.peers)
}
