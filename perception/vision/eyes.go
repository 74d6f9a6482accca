package vision

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/body"
	"github.com/reachyd/reachyd/hal/camera"
	"github.com/reachyd/reachyd/perception/scene"
)

// Body is what vision needs of the robot, as hal/body.Client offers it.
type Body interface {
	Do(ctx context.Context, req hal.Request) (hal.Answer, error)
	State(ctx context.Context) (hal.State, error)
	Wait(ctx context.Context, move string) (hal.Event, error)
	Watch(ctx context.Context, hz float64, fn func(body.Message)) error
}

// ErrUnknownThing is wrapped by the error for a thing that nothing here can recognise.
var ErrUnknownThing = errors.New("no detector here knows it")

// ErrNotSeen is wrapped by the error for a thing that is not in view.
var ErrNotSeen = errors.New("it is not in view")

// Eyes see. Set the fields, then Open; the methods may be called from any goroutine until Close.
type Eyes struct {
	Camera *camera.Camera
	// Body is asked how the head stands, and moved to follow and to look. Without it directions are relative to the head.
	Body Body
	// Models is the directory with networks: YuNet for faces and YOLOX for things, each used when its file is there.
	Models string
	// Cascades is the directory of opencv-data; Debian's if empty.
	Cascades string
	// Table looks for apple, croissant and duck by colour and shape: for the simulated table.
	Table bool
	Log   zerolog.Logger
	// Seen, if not nil, is told what faces are in view while a face is followed, whenever one comes or goes.
	Seen func(scene.View)
	// Lost, if not nil, is told once when a thing that is followed by its name has not been seen for a while.
	Lost func(name string)

	poses poses

	mu      sync.Mutex // of what follows: detectors and their buffers
	opened  bool
	pic     picture
	table   *table
	faces   *faces
	yolox   *yolox
	motion  motion
	missing []string

	follow   follow
	followed atomic.Pointer[scene.Followed]
}

// Open loads the detectors that this host has. What is not there is told by Missing; nothing of that is an error.
func (e *Eyes) Open() error {
	if e.Camera == nil || e.Camera.Source == nil {
		return errors.New("eyes: there is no camera")
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.opened {
		return errors.New("eyes: they are open")
	}
	e.opened = true
	e.poses.body = e.Body
	if e.Table {
		e.table = &table{}
	}
	var facesErr, thingsErr error
	e.faces, facesErr = openFaces(e.Models, e.Cascades)
	e.yolox, thingsErr = openYOLOX(e.Models)
	for _, err := range []error{facesErr, thingsErr} {
		if err != nil {
			e.missing = append(e.missing, err.Error())
			e.Log.Info().Err(err).Msg("vision")
		}
	}
	return nil
}

// Close stops following and frees everything, the camera included. It may be called more than once.
func (e *Eyes) Close() error {
	e.follow.end()
	err := e.Camera.Close()
	e.poses.end()
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.faces != nil {
		e.faces.close()
	}
	if e.yolox != nil {
		e.yolox.close()
	}
	e.faces, e.yolox, e.table, e.opened = nil, nil, nil, false
	return err
}

// Missing says what cannot be looked for, and why.
func (e *Eyes) Missing() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.missing)
}

// Known are the names of all that can be found here.
func (e *Eyes) Known() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	var names []string
	if e.table != nil {
		for _, t := range things {
			names = append(names, t.name)
		}
	}
	if e.faces != nil {
		names = append(names, scene.Face)
	}
	names = append(names, scene.QRCode, scene.Motion)
	if e.yolox != nil {
		names = append(names, cocoNames...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Detect returns what is in view now, or only what has a name. The error wraps ErrUnknownThing for a name that nothing
// here can recognise.
func (e *Eyes) Detect(ctx context.Context, name string) ([]scene.Detection, error) {
	if err := e.check(name); err != nil {
		return nil, err
	}
	v, err := e.View(ctx)
	if err != nil {
		return nil, err
	}
	if name == "" {
		return v.Detections, nil
	}
	return v.Named(name), nil
}

// check says whether something of a name could be found.
func (e *Eyes) check(name string) error {
	if name == "" {
		return nil
	}
	known := e.Known()
	dummy := scene.View{}
	for _, k := range known {
		dummy.Detections = append(dummy.Detections, scene.Detection{Name: k})
	}
	if len(dummy.Named(name)) == 0 {
		return fmt.Errorf("%w: %q; known are %s", ErrUnknownThing, name, scene.List(known))
	}
	return nil
}

// motionGap is the time between the two pictures that are compared.
const motionGap = 150 * time.Millisecond

// View returns all that is found in view now.
func (e *Eyes) View(ctx context.Context) (scene.View, error) {
	v, _, err := e.look(ctx, time.Time{})
	return v, err
}

// look takes pictures, the first of them not before a time, and returns what is found in the second one: motion needs
// two.
func (e *Eyes) look(ctx context.Context, after time.Time) (scene.View, sight, error) {
	e.poses.acquire()
	defer e.poses.release()
	f, err := e.Camera.Since(ctx, after)
	if err != nil {
		return scene.View{}, sight{}, err
	}
	if _, _, err := e.study(ctx, f, onlyMotion); err != nil {
		return scene.View{}, sight{}, err
	}
	if f, err = e.Camera.Since(ctx, f.Time.Add(motionGap)); err != nil {
		return scene.View{}, sight{}, err
	}
	return e.study(ctx, f, everything)
}

// Inspect returns what is found in a picture that was taken before or elsewhere, of any usual format. Nobody knows how
// the head stood: directions are as if it had been straight, and nothing has a place. The error wraps
// camera.ErrPicture for a picture that cannot be used.
func (e *Eyes) Inspect(ctx context.Context, data []byte) (scene.View, error) {
	img, err := camera.Decode(data)
	if err != nil {
		return scene.View{}, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.opened {
		return scene.View{}, errNotOpen
	}
	b := img.Bounds()
	s := sight{lens: e.Camera.Source.Intrinsics(b.Dx(), b.Dy()), head: hal.IdentityPose}
	return e.detect(ctx, img, &s, time.Time{}, everything)
}

// what is looked for.
type what int

const (
	everything what = iota
	onlyFaces
	onlyMotion
	onlyThings // what has a place or a class
)

var errNotOpen = errors.New("the eyes are closed")

// study unpacks a frame of the camera and looks for things in it.
func (e *Eyes) study(ctx context.Context, f camera.Frame, w what) (scene.View, sight, error) {
	img, err := camera.Decode(f.JPEG)
	if err != nil {
		return scene.View{}, sight{}, err
	}
	b := img.Bounds()
	s := sight{lens: e.Camera.Source.Intrinsics(b.Dx(), b.Dy())}
	s.head, s.measured = e.poses.at(ctx, f.Time)
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.opened {
		return scene.View{}, s, errNotOpen
	}
	v, err := e.detect(ctx, img, &s, f.Time, w)
	return v, s, err
}

// detect runs the detectors. mu is held. A picture without a time is not compared with the one before.
func (e *Eyes) detect(ctx context.Context, img image.Image, s *sight, at time.Time, w what) (scene.View, error) {
	p := &e.pic
	p.take(img)
	v := scene.View{TS: at, Width: p.Width, Height: p.Height, Dark: p.dark(), Detections: []scene.Detection{}}
	if w == everything {
		v.Missing = e.missing
		v.Colours = p.mainColours()
	}
	if (w == everything || w == onlyMotion) && !at.IsZero() {
		v.Detections = append(v.Detections, e.motion.detect(p, s, at)...)
	}
	if v.Dark {
		return v, nil
	}
	if (w == everything || w == onlyFaces) && e.faces != nil {
		found, err := e.faces.detect(p, s, w == everything)
		if err != nil {
			return v, err
		}
		v.Detections = append(v.Detections, found...)
	}
	if w == everything || w == onlyThings {
		if err := e.detectThings(ctx, img, s, &v, !at.IsZero()); err != nil {
			return v, err
		}
	}
	slices.SortStableFunc(v.Detections, func(a, b scene.Detection) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(b.Score, a.Score))
	})
	return v, nil
}

// detectThings looks for things and codes. Those of the simulated table are looked for only in what the simulated camera shows: any
// photograph has something red and round.
func (e *Eyes) detectThings(ctx context.Context, img image.Image, s *sight, v *scene.View, live bool) error {
	p := &e.pic
	if e.yolox != nil && ctx.Err() == nil {
		found, err := e.yolox.detect(img, p, s)
		if err != nil {
			return err
		}
		for i := range found {
			found[i].Colour = p.colourIn(found[i].Box)
		}
		v.Detections = append(v.Detections, found...)
	}
	if e.table != nil && live {
		for _, d := range e.table.detect(p, s) {
			if !slices.ContainsFunc(v.Detections, func(o scene.Detection) bool { return o.Name == d.Name && o.Box.Overlap(d.Box) > 0.4 }) {
				v.Detections = append(v.Detections, d)
			}
		}
	}
	v.Detections = append(v.Detections, codes(p, s)...)
	return nil
}
