package chromium

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	cdpruntime "github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// patience is how long a page may take for what it is asked.
const patience = 2 * time.Minute

// Page is a page with the official JavaScript SDK of the Reachy Mini.
type Page struct {
	t   testing.TB
	ctx context.Context //nolint:containedctx // of the browser, which ends with the test
	// URL is where the page is served.
	URL string
}

// NewPage serves a page that has the SDK as window.sdk at an address (empty: any), beside what more serves; root is that of the repository.
// The SDK is what cross/js-sdk.sh bundled; where it did not, the test says so and is not run.
func NewPage(t testing.TB, root, address string, more http.Handler) *Page {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), filepath.Join(root, "cross/js-sdk.sh"), "--print").Output()
	file := strings.TrimSpace(string(out))
	if err != nil || file == "" {
		t.Skipf("NOT TESTED: the official JavaScript SDK is not there (cross/js-sdk.sh) %v", err)
	}
	script, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	ctx := Start(t, chromedp.Flag("autoplay-policy", "no-user-gesture-required"))
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(`<!doctype html><title>a test</title><video id=v autoplay muted playsinline></video>
<script type=module>window.sdk = await import("/sdk.js")</script>`))
	})
	mux.HandleFunc("GET /sdk.js", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/javascript")
		_, _ = w.Write(script)
	})
	if more != nil {
		mux.Handle("/", more)
	}
	server := httptest.NewUnstartedServer(mux)
	if address != "" {
		l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		_ = server.Listener.Close() // nobody knows it
		server.Listener = l
	}
	server.Start()
	t.Cleanup(func() {
		server.CloseClientConnections() // a stream of events would keep it
		server.Close()
	})
	return &Page{t, ctx, server.URL}
}

// Open shows the page with a robot that it signals to at url, as window.robot; what goes wrong comes into window.errors.
func (p *Page) Open(url string) {
	p.t.Helper()
	chromedp.ListenTarget(p.ctx, func(ev any) {
		switch e := ev.(type) {
		case *cdpruntime.EventConsoleAPICalled:
			for _, a := range e.Args {
				p.t.Logf("console: %s", a.Value)
			}
		case *cdpruntime.EventExceptionThrown:
			p.t.Logf("the page: %v", e.ExceptionDetails)
		}
	})
	if err := chromedp.Run(p.ctx, chromedp.Navigate(p.URL), chromedp.Poll("window.sdk", nil)); err != nil {
		p.t.Fatal(err)
	}
	p.Do(`window.robot = new sdk.ReachyMini({signalingUrl: "` + url + `", appName: "a test"});
		window.errors = []; robot.addEventListener("error", e => errors.push(String(e.detail.error)));
		robot.addEventListener("videoTrack", e => { document.getElementById("v").srcObject = e.detail.stream; })`)
}

// Do runs statements that may wait.
func (p *Page) Do(script string) {
	p.t.Helper()
	p.Get("(async () => {"+script+"; return true})()", new(bool))
}

// Get puts the value of an expression, which may be a promise, into v.
func (p *Page) Get(expression string, v any) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	err := chromedp.Run(ctx, chromedp.Evaluate(expression, v, func(e *cdpruntime.EvaluateParams) *cdpruntime.EvaluateParams {
		return e.WithAwaitPromise(true)
	}))
	if err != nil {
		p.t.Fatalf("%s: %v", expression, err)
	}
}

// Pitch returns the loudest tone, Hz, that the page hears of the robot.
func (p *Page) Pitch() (hz float64) {
	p.t.Helper()
	p.Get(`(async () => {
		const a = new AudioContext(), f = a.createAnalyser(); f.fftSize = 8192;
		a.createMediaStreamSource(v.srcObject).connect(f);
		const bins = new Float32Array(f.frequencyBinCount);
		for (;;) {
			await new Promise(r => setTimeout(r, 100)); f.getFloatFrequencyData(bins);
			const best = bins.indexOf(Math.max(...bins));
			if (bins[best] > -50) return best * a.sampleRate / f.fftSize;
		} })()`, &hz)
	return hz
}

// HeardCodec returns in which codec the page hears the robot, such as audio/opus.
func (p *Page) HeardCodec() (mime string) {
	p.t.Helper()
	p.Get(`(async () => {
		const stats = await robot._pc.getStats();
		for (const s of stats.values()) if (s.type === "inbound-rtp" && s.kind === "audio") return stats.get(s.codecId)?.mimeType ?? "";
		return "" })()`, &mime)
	return mime
}

// Speak lets the page say a tone.
func (p *Page) Speak(hz string) {
	p.t.Helper()
	p.Do(`const a = new AudioContext(), o = a.createOscillator(), d = a.createMediaStreamDestination(); o.frequency.value = ` + hz + `; o.connect(d); o.start();
		await robot._pc.getSenders().find(s => s.track?.kind === "audio").replaceTrack(d.stream.getAudioTracks()[0])`)
}
