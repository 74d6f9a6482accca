package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/reachyd/reachyd/hal/camera"
	"github.com/reachyd/reachyd/perception/recognize"
	"github.com/reachyd/reachyd/perception/scene"
	"github.com/reachyd/reachyd/perception/sense"
	"github.com/reachyd/reachyd/perception/vision"
)

// sight opens camera and eyes. What is missing is said in the result.
func (w *senses) sight(context.Context) sense.Sight {
	s := sense.Sight{Photos: w.options.photos}
	source, err := w.camera()
	if err != nil {
		s.NoCamera = err.Error()
		source = absent{err}
	} else {
		s.Device = source.String()
	}
	cam := &camera.Camera{Source: source}
	e := &vision.Eyes{
		Camera: cam, Models: w.visionModels(), Table: w.options.simSocket != "", Log: w.log, Seen: w.server.OnView, Lost: w.server.OnLost,
	}
	if w.body != nil {
		e.Body = w.body
	}
	if err := e.Open(); err != nil {
		return sense.Sight{Off: err.Error()}
	}
	w.onClose(e.Close)
	if s.NoCamera == "" {
		s.Camera = cam
	}
	if w.options.faces && s.NoCamera == "" {
		w.attention = &attention{look: e.Glance}
	}
	s.Eyes, s.Detectors, s.Tracking, s.Followed = eyes{e}, e.Known(), e.Tracking, e.Followed
	return s
}

// camera finds the source of pictures: the one that was named, else the simulated robot's eye, else the robot's own.
func (w *senses) camera() (camera.Source, error) {
	o := w.options
	name := o.camera
	switch info, err := os.Stat(name); {
	case name == off:
		return nil, errors.New("the camera is switched off by the settings")
	case name != "" && err == nil && (info.Mode().IsRegular() || info.IsDir()):
		name = "file:" + name
	case name == "" && o.simSocket != "":
		name = "sim:" + o.simSocket
	case name == "":
		return ownCamera("/")
	}
	return camera.Parse(name)
}

// ownCamera is the robot's camera, else any: of what is there below root the first that gives a picture. The wireless robot has device files of which
// only libcamera, by way of rpicam-vid, makes pictures; a host that has rpicam-vid may have its camera on USB.
func ownCamera(root string) (camera.Source, error) {
	var found []camera.Source
	device := func(pattern string) {
		paths, err := filepath.Glob(filepath.Join(root, pattern))
		if err == nil && len(paths) > 0 && !slices.ContainsFunc(found, func(s camera.Source) bool { return s.String() == paths[0] }) {
			found = append(found, camera.Device{Path: paths[0]})
		}
	}
	device("dev/v4l/by-id/*Reachy*-index0")
	if _, err := exec.LookPath("rpicam-vid"); err == nil {
		found = append(found, camera.RPiCam(0, 0, 0))
	}
	device("dev/v4l/by-id/*-index0")
	device("dev/video0")
	switch len(found) {
	case 0:
		return nil, errors.New("there is no camera: neither /dev/video0 nor rpicam-vid is there")
	case 1:
		return found[0], nil
	}
	return &camera.Any{Sources: found}, nil
}

// visionModels is the directory in which the networks lie.
func (w *senses) visionModels() string {
	for _, name := range []string{"yolox-nano", "yunet-2022mar"} {
		if path, err := w.models.Find(name); err == nil {
			return filepath.Dir(path)
		}
	}
	return w.options.models
}

// eyes are vision.Eyes as the server wants them.
type eyes struct{ *vision.Eyes }

// View implements sense.Eyes.
func (e eyes) View(ctx context.Context, name string) (scene.View, error) {
	if name == "" {
		v, err := e.Eyes.View(ctx)
		return v, understood(err)
	}
	found, err := e.Detect(ctx, name)
	return scene.View{Detections: found}, understood(err)
}

// Examine implements sense.Eyes.
func (e eyes) Examine(ctx context.Context, picture []byte) (scene.View, error) {
	return e.Inspect(ctx, picture)
}

// Portraits implements sense.Eyes.
func (e eyes) Portraits(ctx context.Context, pictures int) ([][]recognize.Portrait, error) {
	all, err := e.Eyes.Portraits(ctx, pictures)
	return all, understood(err)
}

// LookAt implements sense.Eyes.
func (e eyes) LookAt(ctx context.Context, name string) (scene.Look, error) {
	l, err := e.Eyes.LookAt(ctx, name)
	return l, understood(err)
}

// Follow implements sense.Eyes.
func (e eyes) Follow(ctx context.Context, name string) error {
	return understood(e.Eyes.Follow(ctx, name))
}

// notThere is the error about a thing that is not known or not seen.
type notThere struct{ error }

func (e notThere) Is(target error) bool { return target == fs.ErrNotExist }
func (e notThere) Unwrap() error        { return e.error }

func understood(err error) error {
	if errors.Is(err, vision.ErrUnknownThing) || errors.Is(err, vision.ErrNotSeen) {
		return notThere{err}
	}
	return err
}

// absent is a camera that is not there.
type absent struct{ why error }

// Open implements camera.Source.
func (a absent) Open(context.Context) (camera.Stream, error) { return nil, a.why }

// Intrinsics implements camera.Source.
func (a absent) Intrinsics(width, height int) camera.Intrinsics {
	return camera.WebcamIntrinsics(width, height)
}

func (a absent) String() string { return strings.TrimSpace(a.why.Error()) }

var (
	_ sense.Eyes    = eyes{}
	_ camera.Source = absent{}
)
