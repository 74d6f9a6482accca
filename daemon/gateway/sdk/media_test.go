package sdk

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"image"
	"image/color"
	"image/jpeg"
	"io"
	"math"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/kinematics"
	"github.com/reachyd/reachyd/hal/local"
	sense "github.com/reachyd/reachyd/perception/client"
)

// studio has a camera that sees one colour, a microphone that hears a tone of 500 Hz, and a loudspeaker that keeps what it plays.
type studio struct {
	asked atomic.Int64 // for pictures

	mu     sync.Mutex
	poured map[int][]int16 // by rate
	refuse error
}

// seen is the colour.
var seen = color.RGBA{200, 100, 50, 255}

func coloured(t testing.TB, width, height int, c color.Color) []byte {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	for i := range width * height {
		img.Set(i%width, i/width, c)
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, &jpeg.Options{Quality: 95}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func (s *studio) media(t testing.TB) Media { return &studioMedia{s, coloured(t, 64, 48, seen)} }

type studioMedia struct {
	*studio
	jpeg []byte
}

func (s *studioMedia) Frame(context.Context) ([]byte, error) {
	s.asked.Add(1)
	return s.jpeg, nil
}

// tone gives sound in real time.
type tone struct {
	ctx  context.Context
	tick *time.Ticker
	n    int
}

func (o *tone) Read(p []byte) (int, error) {
	select {
	case <-o.ctx.Done():
		return 0, o.ctx.Err()
	case <-o.tick.C:
	}
	const piece = sense.MicrophoneRate / 50
	out := p[:0]
	for ; len(out) < min(len(p)-1, 2*piece); o.n++ {
		out = binary.LittleEndian.AppendUint16(out, uint16(int16(8000*math.Sin(2*math.Pi*500*float64(o.n)/sense.MicrophoneRate))))
	}
	return len(out), nil
}

func (o *tone) Close() error {
	o.tick.Stop()
	return nil
}

func (s *studioMedia) Microphone(ctx context.Context) (io.ReadCloser, error) {
	return &tone{ctx: ctx, tick: time.NewTicker(20 * time.Millisecond)}, nil
}

func (s *studioMedia) Pour(_ context.Context, rate int, pcm io.Reader) (sense.Spoken, error) {
	s.mu.Lock()
	refuse := s.refuse
	s.mu.Unlock()
	if refuse != nil {
		return sense.Spoken{}, refuse
	}
	data, err := io.ReadAll(pcm)
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := 0; i+1 < len(data); i += 2 {
		s.poured[rate] = append(s.poured[rate], int16(binary.LittleEndian.Uint16(data[i:])))
	}
	return sense.Spoken{Reason: sense.ReasonFinished}, err
}

// withMedia is a rig whose scripts see and hear.
func withMedia(t *testing.T) (*rig, *studio) {
	t.Helper()
	s := &studio{poured: map[int][]int16{}}
	dir, err := os.MkdirTemp("", "eye") // short, for the limit of socket paths
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return newRig(t, func(g *Gateway) {
		g.Media, g.CameraSocket, g.Simulated = s.media(t), filepath.Join(dir, "camera"), false
	}), s
}

// viewer watches the camera as GStreamer's unixfdsrc does.
type viewer struct {
	t    *testing.T
	conn *net.UnixConn
}

func (r *rig) view() *viewer {
	r.t.Helper()
	conn, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: r.gateway.CameraSocket, Net: "unix"})
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { conn.Close() })
	return &viewer{r.t, conn}
}

// next returns the next command and the file that came along, −1 for none.
func (v *viewer) next(wait time.Duration) (kind uint32, payload []byte, file int, err error) {
	v.t.Helper()
	v.conn.SetReadDeadline(time.Now().Add(wait))
	head, oob := make([]byte, 8), make([]byte, unix.CmsgSpace(4))
	n, oobn, _, _, err := v.conn.ReadMsgUnix(head, oob)
	if err != nil {
		return 0, nil, -1, err
	}
	if n != len(head) {
		v.t.Fatalf("%d bytes", n)
	}
	file = -1
	if oobn > 0 {
		messages, _ := unix.ParseSocketControlMessage(oob[:oobn])
		files, err := unix.ParseUnixRights(&messages[0])
		if err != nil || len(files) != 1 {
			v.t.Fatal(files, err)
		}
		file = files[0]
	}
	payload = make([]byte, binary.NativeEndian.Uint32(head[4:]))
	if _, err := io.ReadFull(v.conn, payload); err != nil {
		v.t.Fatal(err)
	}
	return binary.NativeEndian.Uint32(head), payload, file, nil
}

// picture waits for the next one and returns its number and a point of it.
func (v *viewer) picture(x, y int) (id uint64, c color.RGBA) {
	v.t.Helper()
	kind, payload, file, err := v.next(patience)
	if err != nil || kind != commandBuffer || len(payload) != bufferSize+memorySize || file < 0 {
		v.t.Fatalf("command %d of %d bytes, file %d: %v", kind, len(payload), file, err)
	}
	defer unix.Close(file)
	pixels, err := unix.Mmap(file, 0, eyeBytes, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		v.t.Fatal(err)
	}
	defer unix.Munmap(pixels)
	p := pixels[3*(y*eyeWidth+x):]
	return binary.NativeEndian.Uint64(payload), color.RGBA{p[2], p[1], p[0], 255}
}

func (v *viewer) release(id uint64) {
	v.t.Helper()
	if _, err := v.conn.Write(binary.NativeEndian.AppendUint64(command(commandRelease, releaseSize), id)); err != nil {
		v.t.Fatal(err)
	}
}

// near says that two colours are the same but for what JPEG does to them.
func near(a, b color.RGBA) bool {
	off := func(x, y uint8) bool { return max(x, y)-min(x, y) > 6 }
	return !off(a.R, b.R) && !off(a.G, b.G) && !off(a.B, b.B)
}

func TestScriptsSeeTheCamera(t *testing.T) {
	r, s := withMedia(t)
	if n := s.asked.Load(); n != 0 {
		t.Errorf("nobody watches, and %d pictures were asked for", n)
	}
	v := r.view()
	kind, caps, _, err := v.next(patience)
	const want = "video/x-raw, format=(string)BGR, width=(int)1280, height=(int)720, framerate=(fraction)0/1\x00"
	if err != nil || kind != commandCaps || string(caps) != want {
		t.Fatalf("%d %q %v", kind, caps, err)
	}
	for range 2 * maxPending { // as many as it gives back
		id, c := v.picture(700, 300)
		if !near(c, seen) {
			t.Fatalf("picture %d is %v, wanted %v", id, c, seen)
		}
		v.release(id)
	}
	// One that gives none back gets so many and no more, and does not keep others from theirs.
	slow := r.view()
	if kind, _, _, err := slow.next(patience); err != nil || kind != commandCaps {
		t.Fatal(kind, err)
	}
	ids := make([]uint64, maxPending)
	for i := range ids {
		ids[i], _ = slow.picture(0, 0)
	}
	for range 2 * maxPending {
		id, _ := v.picture(0, 0)
		v.release(id)
	}
	if kind, _, _, err := slow.next(50 * time.Millisecond); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("one too many: command %d, %v", kind, err)
	}
	slow.release(ids[0])
	slow.picture(0, 0)
	// Who says what makes no sense is sent away, and then nobody asks for pictures.
	for _, w := range []*viewer{v, slow} {
		w.conn.Write(bytes.Repeat([]byte{7}, 64))
		for {
			_, _, file, err := w.next(patience)
			if err != nil {
				if errors.Is(err, os.ErrDeadlineExceeded) {
					t.Error("it is not sent away")
				}
				break
			}
			unix.Close(file)
		}
	}
	r.soon("the camera rests", func() bool {
		before := s.asked.Load()
		time.Sleep(3 * time.Second / eyeRate) // that nothing is asked can only be waited for: three pictures' time
		return s.asked.Load() == before
	})
	for i := range maxEyes + 1 {
		kind, _, _, err := r.view().next(patience)
		if i < maxEyes && (err != nil || kind != commandCaps) {
			t.Fatalf("viewer %d: %d, %v", i, kind, err)
		}
	}
}

// A picture of the simulated eye is as the robot's own lens would have it: what is seen at a pixel lies where the SDK, which has the
// calibration of that lens, says.
func TestSimulatedPicturesAreThroughTheRobotsLens(t *testing.T) {
	const width, height = 640, 480
	ours, f := eyeCamera(), kinematics.SimEyeFocal(height)
	pinhole := kinematics.Camera{FocalX: f, FocalY: f, CenterX: width / 2, CenterY: height / 2}
	for _, yaw := range []float64{-0.5, 0, 0.3} {
		for _, pitch := range []float64{-0.3, 0, 0.25} {
			ray := hal.Vec3{math.Cos(yaw) * math.Cos(pitch), math.Sin(yaw) * math.Cos(pitch), -math.Sin(pitch)}
			u, v, err := pinhole.Pixel(ray)
			if err != nil {
				t.Fatal(err)
			}
			img := image.NewRGBA(image.Rect(0, 0, width, height))
			for dy := -4; dy <= 4; dy++ {
				for dx := -4; dx <= 4; dx++ {
					img.Set(int(u)+dx, int(v)+dy, color.White)
				}
			}
			var b bytes.Buffer
			if err := jpeg.Encode(&b, img, nil); err != nil {
				t.Fatal(err)
			}
			out := make([]byte, eyeBytes)
			l := lens{simulated: true}
			if err := l.look(b.Bytes(), out); err != nil {
				t.Fatal(err)
			}
			var sumX, sumY, n float64
			for i := range eyeWidth * eyeHeight {
				if out[3*i] > 128 {
					sumX, sumY, n = sumX+float64(i%eyeWidth)+0.5, sumY+float64(i/eyeWidth)+0.5, n+1
				}
			}
			wantX, wantY, err := ours.Pixel(ray)
			if err != nil {
				t.Fatal(err)
			}
			if dx, dy := sumX/n-wantX, sumY/n-wantY; n == 0 || math.Hypot(dx, dy) > 4 {
				t.Errorf("yaw %g, pitch %g: (%.1f, %.1f) of %g pixels, wanted (%.1f, %.1f)", yaw, pitch, sumX/n, sumY/n, n, wantX, wantY)
			}
		}
	}
}

func TestDamagedPicturesAreErrors(t *testing.T) {
	whole := coloured(t, 32, 32, seen)
	out := make([]byte, eyeBytes)
	l := lens{}
	for name, data := range map[string][]byte{"nothing": nil, "half": whole[:len(whole)/2], "text": []byte("no picture")} {
		if err := l.look(data, out); err == nil {
			t.Errorf("%s is a picture", name)
		}
	}
	for _, c := range []color.Color{seen, color.Gray{120}} {
		img := image.NewGray(image.Rect(0, 0, 16, 16))
		for i := range img.Pix {
			img.Pix[i] = 120
		}
		data := coloured(t, 16, 16, c)
		want := seen
		if c != color.Color(seen) {
			var b bytes.Buffer
			if err := jpeg.Encode(&b, img, nil); err != nil {
				t.Fatal(err)
			}
			data, want = b.Bytes(), color.RGBA{120, 120, 120, 255}
		}
		if err := l.look(data, out); err != nil || !near(color.RGBA{out[2], out[1], out[0], 255}, want) {
			t.Errorf("%v: %v, %v", c, out[:3], err)
		}
	}
}

// A socket on which somebody else serves is left to them, and scripts are told that there are no media.
func TestTheSocketOfAnotherIsLeftAlone(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "c")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if _, err := listenEye(socket); !errors.Is(err, local.ErrInUse) {
		t.Error(err)
	}
	r := newRig(t, func(g *Gateway) { g.Media, g.CameraSocket = (&studio{}).media(t), socket })
	if code, body := r.get("/api/media/status"); code != http.StatusOK || !strings.Contains(body, `"no_media":true`) {
		t.Error(code, body)
	}
	if code, body := r.get("/api/media/microphone"); code != http.StatusServiceUnavailable {
		t.Error(code, body)
	}
}

func (r *rig) get(path string) (int, string) {
	r.t.Helper()
	return r.ask(http.MethodGet, path, nil, nil)
}

func (r *rig) ask(method, path string, body io.Reader, header http.Header) (int, string) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, r.web.URL+path, body)
	if err != nil {
		r.t.Fatal(err)
	}
	for name := range header {
		req.Header.Set(name, header.Get(name))
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer resp.Body.Close()
	data, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<16))
	return resp.StatusCode, string(data)
}

func TestScriptsHearAndAreHeard(t *testing.T) {
	r, s := withMedia(t)
	if code, body := r.ask(http.MethodPost, "/api/media/speaker?rate=24000", strings.NewReader("\x01\x00\x02\x00"), nil); code != http.StatusOK ||
		!strings.Contains(body, "finished") || len(s.poured[24000]) != 2 {
		t.Error(code, body, s.poured)
	}
	s.mu.Lock()
	s.refuse = &sense.Error{Status: http.StatusServiceUnavailable, Reason: "words are being said"}
	s.mu.Unlock()
	for path, want := range map[string]int{
		"/api/media/speaker?rate=24000": http.StatusServiceUnavailable, "/api/media/speaker?rate=x": http.StatusUnprocessableEntity,
		"/api/media/jpeg?width=0&height=9": http.StatusUnprocessableEntity, "/api/media/jpeg?width=9&height=9999": http.StatusUnprocessableEntity,
		"/api/media/jpeg?width=9&height=9": http.StatusUnprocessableEntity,
	} {
		if code, body := r.ask(http.MethodPost, path, strings.NewReader("ab"), nil); code != want || !strings.Contains(body, "detail") {
			t.Errorf("%s: %d %s", path, code, body)
		}
	}
	for name, value := range map[string]string{"Origin": "https://example.org", "Sec-Fetch-Site": "same-origin"} {
		if code, body := r.ask(http.MethodGet, "/api/media/microphone", nil, http.Header{name: {value}}); code != http.StatusForbidden {
			t.Errorf("a page with %s: %d %.80s", name, code, body)
		}
	}
	if code, body := r.get("/api/camera/specs"); code != http.StatusOK || !strings.Contains(body, `"name":"wireless"`) {
		t.Error(code, body)
	}
	for path, want := range map[string]string{"release": `"released":true`, "acquire": `"released":false`} {
		r.ask(http.MethodPost, "/api/media/"+path, nil, nil)
		if _, body := r.get("/api/media/status"); !strings.Contains(body, want) {
			t.Errorf("after %s: %s", path, body)
		}
	}
}

// The SDK of the official registry, unmodified, sees and hears with reachyd-media in GStreamer's place.
func TestStockSDKSeesAndHears(t *testing.T) {
	python := officialPython(t)
	r, s := withMedia(t)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	out := t.TempDir()
	cmd := exec.CommandContext(ctx, python, "testdata/media.py", r.gateway.CameraSocket, out)
	cmd.Env = append(os.Environ(), "PYTHONPATH=../../../cmd/reachyctl/internal/apps/media", "HF_HUB_OFFLINE=1", "PYTHONDONTWRITEBYTECODE=1")
	cmd.Env = append(cmd.Env, "REACHYD_URL="+r.web.URL)
	text, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(text), "all passed") {
		t.Fatalf("%v\n%s", err, text)
	}
	t.Logf("%s", text)
	s.mu.Lock()
	defer s.mu.Unlock()
	rates, _ := json.Marshal(map[string]int{"16000": len(s.poured[16000]), "8000": len(s.poured[8000])})
	if string(rates) != `{"16000":8000,"8000":2400}` { // half a second that was pushed, 0.3 s of a file; what was flushed is not heard
		t.Errorf("the loudspeaker got %s samples by rate", rates)
	}
	loud := 0
	for _, v := range s.poured[16000] {
		loud = max(loud, int(v))
	}
	if loud < 16000 || loud > 16800 {
		t.Errorf("what was pushed at half of the full scale came at %d of 32767", loud)
	}
}
