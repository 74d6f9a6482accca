package sdk

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"io"
	"net/http"
	"net/netip"
	"strconv"
	"time"

	"github.com/reachyd/reachyd/hal/kinematics"
	sense "github.com/reachyd/reachyd/perception/client"
)

// Media are camera, microphone and loudspeaker for scripts. *client.Client of package perception/client is one.
type Media interface {
	// Frame returns what the camera sees now, as JPEG.
	Frame(ctx context.Context) ([]byte, error)
	// Microphone returns what the microphone hears from now on: 16-bit samples, little-endian, mono, sense.MicrophoneRate a second.
	Microphone(ctx context.Context) (io.ReadCloser, error)
	// Pour plays such samples, at a rate, as they come.
	Pour(ctx context.Context, rate int, pcm io.Reader) (sense.Spoken, error)
}

// streamRoutes are what the official daemon's clients get by other ways, for programs of this host: no page of a browser, no other host.
var streamRoutes = map[string]struct {
	about string
	serve func(g *Gateway, w http.ResponseWriter, r *http.Request) error
}{
	"GET /api/media/microphone": {"what the microphone hears: 16-bit samples, mono, 16 kHz, without end", (*Gateway).microphone},
	"POST /api/media/speaker":   {"play 16-bit samples, mono, as they come: rate", (*Gateway).speaker},
	"POST /api/media/jpeg":      {"a picture of 8-bit blue, green and red as JPEG: width, height", packJPEG},
}

// openMedia begins to serve the camera. Without, scripts are told that there are no media: the SDK would look for them elsewhere.
func (g *Gateway) openMedia() {
	if g.Media == nil || g.CameraSocket == "" {
		return
	}
	l, err := listenEye(g.CameraSocket)
	if err != nil {
		g.Log.Warn().Err(err).Msg("scripts have neither camera nor sound")
		return
	}
	g.hasMedia = true
	e := &eye{frame: g.Media.Frame, lens: lens{simulated: g.Simulated}, fail: func(err error) {
		g.Log.Warn().Err(err).Msg("a script gets no picture")
	}}
	g.run(func() { e.run(g.ctx, l) })
}

// fromHere says whether a program of this host asks, not the page of a browser.
func fromHere(r *http.Request) bool {
	at, err := netip.ParseAddrPort(r.RemoteAddr)
	return err == nil && at.Addr().Unmap().IsLoopback() && r.Header.Get("Sec-Fetch-Site") == "" && r.Header.Get("Origin") == ""
}

// stream serves one of streamRoutes.
func (g *Gateway) stream(w http.ResponseWriter, r *http.Request, serve func(g *Gateway, w http.ResponseWriter, r *http.Request) error) {
	if !g.begin() {
		answer(w, nil, wrong(http.StatusServiceUnavailable, "reachyd is ending"))
		return
	}
	defer g.work.Done()
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(g.ctx, cancel)()
	var err error
	switch {
	case !fromHere(r):
		err = wrong(http.StatusForbidden, "only programs of this host get the microphone and the loudspeaker here")
	case !g.hasMedia:
		err = wrong(http.StatusServiceUnavailable, "there are no media here")
	default:
		err = serve(g, w, r.WithContext(ctx))
	}
	if err != nil {
		var refused *sense.Error
		if errors.As(err, &refused) {
			err = wrong(refused.Status, "%s", refused.Reason)
		}
		answer(w, nil, err)
	}
}

// hearing is how long a program may take for what the microphone heard, and in which pieces it is passed on, bytes.
const hearingPatience, hearingPiece = 5 * time.Second, 4096

func (g *Gateway) microphone(w http.ResponseWriter, r *http.Request) error {
	in, err := g.Media.Microphone(r.Context())
	if err != nil {
		return err
	}
	defer in.Close() //nolint:errcheck // only read
	out := http.NewResponseController(w)
	_ = out.SetReadDeadline(time.Time{}) // that of the request would end it; a connection without deadlines has none
	w.Header().Set("Content-Type", sense.PCM)
	buf := make([]byte, hearingPiece)
	err = out.Flush()
	for err == nil {
		var n int
		if n, err = in.Read(buf); n > 0 {
			_ = out.SetWriteDeadline(time.Now().Add(hearingPatience)) // as above
			if _, gone := w.Write(buf[:n]); gone != nil || out.Flush() != nil {
				return nil // who is gone needs no answer
			}
		}
	}
	return nil // its end is all that can be said
}

func (g *Gateway) speaker(w http.ResponseWriter, r *http.Request) error {
	rate, err := strconv.Atoi(r.URL.Query().Get("rate"))
	if err != nil {
		return invalid("rate is %.20q; allowed are samples per second", r.URL.Query().Get("rate"))
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{}) // as in microphone
	said, err := g.Media.Pour(r.Context(), rate, r.Body)
	if err != nil {
		return err
	}
	answer(w, map[string]any{"status": said.Reason, "heard": said.Heard}, nil)
	return nil
}

// packJPEG makes a JPEG of a picture.
func packJPEG(_ *Gateway, w http.ResponseWriter, r *http.Request) error {
	side := func(name string) int {
		n, _ := strconv.Atoi(r.URL.Query().Get(name)) // 0 is refused
		return n
	}
	width, height := side("width"), side("height")
	const most = 4096
	if width < 1 || width > most || height < 1 || height > most {
		return invalid("width and height are %d and %d; allowed are 1 to %d", width, height, most)
	}
	data := make([]byte, 3*width*height)
	if _, err := io.ReadFull(r.Body, data); err != nil {
		return invalid("body is shorter than the %d bytes of such a picture", len(data))
	}
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	for i := range width * height {
		img.Pix[4*i], img.Pix[4*i+1], img.Pix[4*i+2], img.Pix[4*i+3] = data[3*i+2], data[3*i+1], data[3*i], 255
	}
	var out bytes.Buffer
	if err := jpeg.Encode(&out, img, &jpeg.Options{Quality: 85}); err != nil {
		return fmt.Errorf("pack the picture: %w", err)
	}
	w.Header().Set("Content-Type", "image/jpeg")
	_, _ = w.Write(out.Bytes()) // who is gone needs no answer
	return nil
}

// cameraSpecs say what pictures scripts get, as the official daemon does.
func (g *Gateway) cameraSpecs() (any, error) {
	if !g.hasMedia {
		return nil, wrong(http.StatusServiceUnavailable, "the camera is not served to scripts")
	}
	c := kinematics.EyeCamera // of the whole sensor, as clients expect it
	size := map[string]any{"name": "R1280x720at30fps", "width": eyeWidth, "height": eyeHeight, "fps": 30, "crop_factor": 1.0}
	return map[string]any{
		"name": eyeName, "available_resolutions": []any{size}, "default_resolution": size,
		"K": [3][3]float64{{c.FocalX, 0, c.CenterX}, {0, c.FocalY, c.CenterY}, {0, 0, 1}}, "D": c.Distortion,
	}, nil
}

// release notes that a script opens camera and sound card by itself, or no longer. The camera is closed while nobody looks in any case.
func (g *Gateway) release(on bool) (any, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.released = on && g.hasMedia
	return status("ok"), nil
}

var _ Media = (*sense.Client)(nil)
