package sense

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/reachyd/reachyd/hal/camera"
	"github.com/reachyd/reachyd/hal/local"
	"github.com/reachyd/reachyd/perception/client"
	"github.com/reachyd/reachyd/perception/recognize"
	"github.com/reachyd/reachyd/perception/scene"
)

// Camera gives pictures; a camera.Camera does.
type Camera interface {
	Frame(ctx context.Context) (camera.Frame, error)
}

// Eyes understand pictures. Errors about what is not known or not in view wrap fs.ErrNotExist, those about a picture
// camera.ErrPicture.
type Eyes interface {
	// View returns what is in view, or only things of that name.
	View(ctx context.Context, name string) (scene.View, error)
	// Examine returns what is in a picture.
	Examine(ctx context.Context, picture []byte) (scene.View, error)
	// Portraits takes so many pictures and returns the faces in each, as they are told apart.
	Portraits(ctx context.Context, pictures int) ([][]recognize.Portrait, error)
	// LookAt turns the head until the target is in the middle of the picture.
	LookAt(ctx context.Context, name string) (scene.Look, error)
	// Track begins or ends following a face with the head.
	Track(ctx context.Context, on bool) error
	// Follow begins following a thing with the head; Track(false) ends it.
	Follow(ctx context.Context, name string) error
}

// Sight is what the eye is made of. What changes in view comes in by OnView.
type Sight struct {
	// Off says why nothing can be seen, not even in a picture that is sent; the rest is not used then.
	Off string
	// NoCamera says why there is no Camera: pictures that are sent are understood all the same.
	NoCamera string

	Camera Camera
	Eyes   Eyes
	// Photos is the directory in which photos are kept; empty for none.
	Photos string

	Device    string   // for State
	Detectors []string // for State
	// Tracking reports whether a face is followed. It may be nil.
	Tracking func() bool
	// Followed returns where the face that is followed is; nil for none. It may be nil.
	Followed func() *scene.Followed
}

// visionWork counts what is looked at.
type visionWork struct {
	photos   photoStore
	calls    chan struct{}
	pictures atomic.Uint64
}

func (e *visionWork) init(s *Sight) {
	e.photos.dir = s.Photos
	e.calls = make(chan struct{}, MaxLooking)
}

func (e *visionWork) state(s *Server) client.Sight {
	out := client.Sight{Off: s.noSight(true), Camera: s.Sight.Device, Detectors: s.Sight.Detectors}
	if s.Sight.Tracking != nil {
		out.Tracking = s.Sight.Tracking()
	}
	if s.Sight.Followed != nil {
		out.Face = s.Sight.Followed()
	}
	return out
}

// noSight says why nothing can be seen, with the camera or in general.
func (s *Server) noSight(withCamera bool) string {
	switch {
	case s.Sight.Off != "":
		return s.Sight.Off
	case s.Sight.Eyes == nil:
		return "there are no eyes"
	case withCamera && s.Sight.Camera == nil:
		if s.Sight.NoCamera != "" {
			return s.Sight.NoCamera
		}
		return "there is no camera"
	}
	return ""
}

// OnView tells that what is in view has changed.
func (s *Server) OnView(v scene.View) {
	s.emit(client.Event{Type: client.Detected, Detections: v.Detections, Time: v.TS})
}

// OnLost tells that a thing that is followed is out of view.
func (s *Server) OnLost(name string) {
	s.emit(client.Event{Type: client.Lost, Text: name})
}

// sees reports whether a call can be served, and refuses it otherwise.
func (s *Server) sees(w http.ResponseWriter, withCamera bool) bool {
	if off := s.noSight(withCamera); off != "" {
		local.Refuse(w, http.StatusNotImplemented, "sight is off: %s", off)
		return false
	}
	return true
}

// looking notes a piece of work of the eyes.
func (s *Server) looking() (done func()) {
	s.vision.pictures.Add(1)
	return s.watchdog.enter("vision", hangVision)
}

func (s *Server) detect(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Name string `json:"name"`
	}
	if !decode(w, r, &in) || !s.sees(w, true) {
		return
	}
	defer s.looking()()
	v, err := s.Sight.Eyes.View(r.Context(), in.Name)
	answer(w, v, err)
}

func (s *Server) describe(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Photo  string `json:"photo"`
		Prompt string `json:"prompt"`
	}
	if !decode(w, r, &in) || !s.sees(w, in.Photo == "") {
		return
	}
	defer s.looking()()
	var v scene.View
	var err error
	if in.Photo == "" {
		v, err = s.Sight.Eyes.View(r.Context(), "")
	} else {
		var picture []byte
		if picture, err = s.vision.photos.get(in.Photo); err == nil {
			v, err = s.Sight.Eyes.Examine(r.Context(), picture)
		}
	}
	if err == nil {
		local.Reply(w, map[string]string{"description": v.Answer(in.Prompt)})
		return
	}
	answer(w, nil, err)
}

func (s *Server) takePhoto(w http.ResponseWriter, r *http.Request) {
	if !s.sees(w, true) {
		return
	}
	defer s.looking()()
	f, err := s.Sight.Camera.Frame(r.Context())
	if err != nil {
		answer(w, nil, err)
		return
	}
	p := client.Photo{View: scene.View{TS: f.Time, Width: f.Width, Height: f.Height, Detections: []scene.Detection{}}}
	if p.Name, err = s.vision.photos.put(f.JPEG, time.Now()); err != nil {
		answer(w, nil, err)
		return
	}
	if v, err := s.Sight.Eyes.Examine(r.Context(), f.JPEG); err == nil { // a photo is one without being understood
		p.View = v
	}
	local.Reply(w, p)
}

// MaxPortraits is how many pictures one call may take of faces.
const MaxPortraits = 10

// portraits describes the faces in view, so that others can tell whose they are. Nothing of them is kept here.
func (s *Server) portraits(w http.ResponseWriter, r *http.Request) {
	in := struct {
		Pictures int `json:"pictures"`
	}{1}
	if !decode(w, r, &in) {
		return
	}
	if in.Pictures < 1 || in.Pictures > MaxPortraits {
		local.Refuse(w, http.StatusBadRequest, "pictures is %d; allowed are 1 to %d", in.Pictures, MaxPortraits)
		return
	}
	if !s.sees(w, true) {
		return
	}
	defer s.looking()()
	all, err := s.Sight.Eyes.Portraits(r.Context(), in.Pictures)
	answer(w, client.Portraits{Pictures: all}, err)
}

func (s *Server) photo(w http.ResponseWriter, r *http.Request) {
	data, err := s.vision.photos.get(r.PathValue("name"))
	if err != nil {
		answer(w, nil, err)
		return
	}
	w.Header().Set("Content-Type", "image/jpeg")
	w.Write(data) //nolint:errcheck // the client has gone
}

func (s *Server) frame(w http.ResponseWriter, r *http.Request) {
	if s.Sight.Camera == nil {
		s.sees(w, true)
		return
	}
	f, err := s.Sight.Camera.Frame(r.Context())
	if err != nil {
		answer(w, nil, err)
		return
	}
	w.Header().Set("Content-Type", "image/jpeg")
	w.Header().Set(camera.TimeHeader, f.Time.UTC().Format(time.RFC3339Nano))
	w.Write(f.JPEG) //nolint:errcheck // the client has gone
}

func (s *Server) track(w http.ResponseWriter, r *http.Request) {
	var in struct {
		On   *bool  `json:"on"`
		Name string `json:"name"`
	}
	if !decode(w, r, &in) {
		return
	}
	if in.On == nil {
		local.Refuse(w, http.StatusBadRequest, onMissing)
		return
	}
	if !s.sees(w, true) {
		return
	}
	begin := func() error { return s.Sight.Eyes.Track(r.Context(), *in.On) }
	if *in.On && in.Name != "" {
		begin = func() error { return s.Sight.Eyes.Follow(r.Context(), in.Name) }
	}
	if err := begin(); err != nil {
		answer(w, nil, err)
		return
	}
	local.Reply(w, struct{}{})
}

func (s *Server) lookAt(w http.ResponseWriter, r *http.Request) {
	var t client.Target
	if !decode(w, r, &t) {
		return
	}
	if t.Name == "" {
		local.Refuse(w, http.StatusBadRequest, "name is missing: what shall be looked at?")
		return
	}
	if !s.sees(w, true) {
		return
	}
	s.vision.pictures.Add(1)
	l, err := s.Sight.Eyes.LookAt(r.Context(), t.Name)
	answer(w, l, err)
}

func (s *Server) see(w http.ResponseWriter, r *http.Request) {
	if !s.sees(w, false) {
		return
	}
	picture, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxPicture))
	var tooBig *http.MaxBytesError
	switch {
	case errors.As(err, &tooBig):
		local.Refuse(w, http.StatusRequestEntityTooLarge, "the picture has more than %d bytes", MaxPicture)
		return
	case err != nil:
		local.Refuse(w, http.StatusBadRequest, "read the picture: %v", err)
		return
	}
	began := time.Now()
	defer s.looking()()
	v, err := s.Sight.Eyes.Examine(r.Context(), picture)
	if err != nil {
		answer(w, nil, err)
		return
	}
	local.Reply(w, client.Seen{View: v, Description: v.Answer(r.FormValue("prompt")), Took: time.Since(began).Seconds()})
}

// answer replies with what the eyes found, or with why they did not.
func answer(w http.ResponseWriter, v any, err error) {
	switch {
	case err == nil:
		local.Reply(w, v)
	case errors.Is(err, fs.ErrNotExist):
		local.Refuse(w, http.StatusNotFound, "%v", err)
	case errors.Is(err, camera.ErrPicture):
		local.Refuse(w, http.StatusBadRequest, "%v", err)
	default:
		local.Refuse(w, http.StatusInternalServerError, "%v", err)
	}
}
