package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image/jpeg"
	"image/png"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"time"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/camera"
	"github.com/reachyd/reachyd/hal/mujoco"
	"github.com/reachyd/reachyd/hal/virtual"
)

const (
	maxBody     = 4 << 10 // bytes of a request
	maxSteps    = 6000    // ticks of one POST /step: a minute
	maxFPS      = 30
	jpegQuality = 88
	headerTime  = 5 * time.Second
)

// server answers HTTP on the simulator's socket.
type server struct {
	chain   *virtual.Chain
	stage   stage
	options *options
}

// serve listens until ctx ends. ready is called when the socket can be connected to.
func (s *server) serve(ctx context.Context, ready func()) error {
	l, err := virtual.ListenUnix(ctx, s.options.http)
	if err != nil {
		return err
	}
	srv := &http.Server{Handler: s.routes(ctx), ReadHeaderTimeout: headerTime}
	defer context.AfterFunc(ctx, func() { srv.Close() })() //nolint:errcheck // it only ends Serve
	ready()
	if err := srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

func (s *server) routes(ctx context.Context) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusOK, map[string]any{"pid": os.Getpid(), "model": s.options.model})
	})
	mux.HandleFunc("GET /state", func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, s.state()) })
	mux.HandleFunc("GET /frame.jpg", s.frame)
	mux.HandleFunc("GET /frame.png", s.frame)
	mux.HandleFunc("GET /frame.rgba", s.frame)
	mux.HandleFunc("GET /stream.mjpg", func(w http.ResponseWriter, r *http.Request) { s.stream(ctx, w, r) })
	mux.HandleFunc("POST /step", s.step)
	mux.HandleFunc("POST /reset", func(w http.ResponseWriter, _ *http.Request) {
		s.chain.Reset()
		answer(w, http.StatusOK, s.state())
	})
	mux.HandleFunc("POST /objects", s.moveObject)
	mux.HandleFunc("POST /arrange", s.arrange)
	mux.Handle("/faults", s.chain.FaultsHandler())
	return mux
}

// state is the answer of GET /state.
type state struct {
	mujoco.Truth
	Model   string       `json:"model"`
	Scene   mujoco.Scene `json:"scene"`
	Ticks   uint64       `json:"ticks"`   // of 10 ms
	Resyncs uint64       `json:"resyncs"` // times that the simulation fell behind the clock by more than 100 ms
	LateMS  float64      `json:"late_ms"` // how late the present tick is: the servos answer from the last one meanwhile
	LostMS  float64      `json:"lost_ms"` // how much simulated time has stayed behind the clock, in all
	Clients int          `json:"clients"` // on the bus
	Torque  []string     `json:"torque"`  // joints that are held
	Goals   hal.Joints   `json:"goals"`   // goal registers of these, rad, as the bus wrote them last; the others show where they are
	Began   time.Time    `json:"began"`   // when the bus last began to change one of the goals, after 100 ms in which it had stayed what it was
}

func (s *server) state() state {
	c := s.chain.Status()
	return state{
		Truth: s.stage.Truth(), Model: s.options.model, Scene: s.options.scene,
		Ticks: c.Steps, Resyncs: c.Resyncs, LateMS: ms(c.Late), LostMS: ms(c.Lost),
		Clients: c.Clients, Torque: append([]string{}, c.Torque.Names()...), Goals: c.Goals, Began: c.Began.UTC(),
	}
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1e3 }

// picture is what a request for frames asks for.
type picture struct {
	camera        string
	width, height int
}

func parsePicture(q url.Values) (picture, error) {
	p := picture{camera: q.Get("camera")}
	if p.camera == "" {
		p.camera = mujoco.EyeCamera
	}
	var err error
	if p.width, err = number(q, "width", mujoco.DefaultWidth); err != nil {
		return p, err
	}
	if p.height, err = number(q, "height", mujoco.DefaultHeight); err != nil {
		return p, err
	}
	return p, mujoco.CheckPicture(p.camera, p.width, p.height)
}

func number(q url.Values, name string, otherwise int) (int, error) {
	text := q.Get(name)
	if text == "" {
		return otherwise, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0, fmt.Errorf("%s = %q is not a whole number", name, text)
	}
	return n, nil
}

func (s *server) frame(w http.ResponseWriter, r *http.Request) {
	p, err := parsePicture(r.URL.Query())
	if err != nil {
		fail(w, http.StatusBadRequest, err)
		return
	}
	taken := time.Now()
	img, err := s.stage.Render(p.camera, p.width, p.height)
	if err != nil {
		fail(w, http.StatusNotImplemented, err)
		return
	}
	w.Header().Set(camera.TimeHeader, taken.Format(time.RFC3339Nano))
	// A client that leaves in the middle of a picture is no error.
	switch r.URL.Path {
	case "/frame.png":
		w.Header().Set("Content-Type", "image/png")
		png.Encode(w, img) //nolint:errcheck // see above
	case "/frame.rgba":
		w.Header().Set("Content-Type", "application/octet-stream")
		w.Write(img.Pix) //nolint:errcheck // see above
	default:
		w.Header().Set("Content-Type", "image/jpeg")
		jpeg.Encode(w, img, &jpeg.Options{Quality: jpegQuality}) //nolint:errcheck // see above
	}
}

// stream sends JPEG frames until the client leaves.
func (s *server) stream(ctx context.Context, w http.ResponseWriter, r *http.Request) {
	p, err := parsePicture(r.URL.Query())
	fps, fpsErr := number(r.URL.Query(), "fps", 15)
	if fps < 1 || fps > maxFPS {
		fpsErr = fmt.Errorf("fps = %d: allowed is 1…%d", fps, maxFPS)
	}
	if err = errors.Join(err, fpsErr); err != nil {
		fail(w, http.StatusBadRequest, err)
		return
	}
	t := time.NewTicker(time.Second / time.Duration(fps))
	defer t.Stop()
	for first := true; ; first = false {
		img, err := s.stage.Render(p.camera, p.width, p.height)
		switch {
		case err != nil && first:
			fail(w, http.StatusNotImplemented, err)
			return
		case err != nil:
			return
		case first:
			w.Header().Set("Content-Type", "multipart/x-mixed-replace; boundary=frame")
		}
		if _, err := io.WriteString(w, "--frame\r\nContent-Type: image/jpeg\r\n\r\n"); err != nil {
			return
		}
		if jpeg.Encode(w, img, &jpeg.Options{Quality: jpegQuality}) != nil {
			return
		}
		if _, err := io.WriteString(w, "\r\n"); err != nil {
			return
		}
		if http.NewResponseController(w).Flush() != nil {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-r.Context().Done():
			return
		case <-t.C:
		}
	}
}

func (s *server) step(w http.ResponseWriter, r *http.Request) {
	var in struct {
		N *int `json:"n"`
	}
	switch err := decode(w, r, &in); {
	case err != nil:
		fail(w, http.StatusBadRequest, err)
		return
	case in.N == nil:
		fail(w, http.StatusBadRequest, errors.New("n is missing"))
		return
	case *in.N < 1 || *in.N > maxSteps:
		fail(w, http.StatusBadRequest, fmt.Errorf("n = %d: allowed is 1…%d", *in.N, maxSteps))
		return
	case !s.options.step:
		fail(w, http.StatusConflict, errors.New("the simulation runs by itself; start it with --step to step it"))
		return
	}
	for i := 0; i < *in.N && r.Context().Err() == nil; i++ {
		s.chain.Step()
	}
	answer(w, http.StatusOK, s.state())
}

func (s *server) moveObject(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Name       string    `json:"name"`
		Position   []float64 `json:"position"`
		Quaternion []float64 `json:"quaternion"`
	}
	err := decode(w, r, &in)
	var quaternion *[4]float64
	switch {
	case err != nil:
	case len(in.Position) != 3:
		err = fmt.Errorf("position has %d numbers; it needs x, y, z in metres", len(in.Position))
	case len(in.Quaternion) == 4:
		quaternion = (*[4]float64)(in.Quaternion)
	case in.Quaternion != nil:
		err = fmt.Errorf("quaternion has %d numbers; it needs w, x, y, z", len(in.Quaternion))
	}
	if err == nil {
		err = s.stage.MoveObject(in.Name, hal.Vec3(in.Position), quaternion)
	}
	if err != nil {
		fail(w, http.StatusBadRequest, err)
		return
	}
	answer(w, http.StatusOK, s.state())
}

// arrange puts the things of the table to random places; the same seed gives the same places.
func (s *server) arrange(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Seed uint64 `json:"seed"`
	}
	if err := decode(w, r, &in); err != nil {
		fail(w, http.StatusBadRequest, err)
		return
	}
	for _, o := range mujoco.Arrange(rand.New(rand.NewPCG(in.Seed, 0))) {
		if err := s.stage.MoveObject(o.Name, o.Position, &o.Quaternion); err != nil {
			fail(w, http.StatusBadRequest, err)
			return
		}
	}
	answer(w, http.StatusOK, s.state())
}

// decode reads one JSON object with known fields only.
func decode(w http.ResponseWriter, r *http.Request, into any) error {
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return fmt.Errorf("body: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("body: more than one JSON value")
	}
	return nil
}

func fail(w http.ResponseWriter, code int, err error) {
	answer(w, code, map[string]string{"error": err.Error()})
}

func answer(w http.ResponseWriter, code int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	json.NewEncoder(w).Encode(v) //nolint:errcheck // the client is gone
}
