package perception

import (
	"context"
	"errors"
	"fmt"

	"github.com/reachyd/reachyd/agents/tools"
	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/perception/client"
	"github.com/reachyd/reachyd/perception/recognize"
	"github.com/reachyd/reachyd/perception/scene"
)

// Caller is what the robot's tools need of reachy-sense; *client.Client is one.
type Caller interface {
	Eye
	Gaze
	Voice
	tools.Ears
}

// Eye is how reachy-sense sees.
type Eye interface {
	Detect(ctx context.Context, name string) (scene.View, error)
	Describe(ctx context.Context, photo, prompt string) (string, error)
	TakePhoto(ctx context.Context) (client.Photo, error)
	Portraits(ctx context.Context, pictures int) ([][]recognize.Portrait, error)
}

// Gaze is how it turns the head to what it sees.
type Gaze interface {
	Track(ctx context.Context, on bool) error
	Follow(ctx context.Context, t client.Target) error
	LookAt(ctx context.Context, t client.Target) (scene.Look, error)
}

// Voice is how it speaks.
type Voice interface {
	Speak(ctx context.Context, text string) (client.Spoken, error)
	SetVolume(ctx context.Context, level int) error
	Hush(ctx context.Context) error
}

// Tools returns the options of the robot's tools for what the senses can do now: what is off is nil, with the reason.
func Tools(c Caller, events Publisher, now client.State) tools.Options {
	var o tools.Options
	if o.NoCamera = now.Sight.Off; o.NoCamera == "" {
		e := eye{c, c, events}
		o.Camera, o.Vision, o.Looker, o.Portraits = e, e, e, e
	}
	if o.NoSpeaker = now.Speech.Off; o.NoSpeaker == "" {
		o.Speaker = speaker{c}
	}
	if o.NoEars = now.Hearing.Off; o.NoEars == "" {
		o.Ears = c
	}
	return o
}

type eye struct {
	sense  Eye
	gaze   Gaze
	events Publisher
}

func (e eye) Photo(ctx context.Context) (string, error) {
	p, err := e.sense.TakePhoto(ctx)
	if err != nil {
		return "", plain(err)
	}
	e.events.Publish("", api.Photo{Name: p.Name, Width: p.View.Width, Height: p.View.Height})
	return p.Name, nil
}

func (e eye) Detect(ctx context.Context, name string) ([]tools.Detection, error) {
	view, err := e.sense.Detect(ctx, name)
	if err != nil {
		return nil, plain(err)
	}
	out := make([]tools.Detection, len(view.Detections))
	for i, d := range view.Detections {
		out[i] = tools.Detection{Name: d.Name, By: d.By, Score: d.Score, Yaw: d.Yaw, Pitch: d.Pitch, Place: d.Place}
	}
	return out, nil
}

func (e eye) Describe(ctx context.Context, photo, prompt string) (string, error) {
	text, err := e.sense.Describe(ctx, photo, prompt)
	return text, plain(err)
}

// Portraits implements tools.Portraitist.
func (e eye) Portraits(ctx context.Context, pictures int) ([][]recognize.Portrait, error) {
	all, err := e.sense.Portraits(ctx, pictures)
	return all, plain(err)
}

// Tracking reports whether the head follows a face.
func (e eye) Tracking(ctx context.Context) (bool, error) {
	now, err := stateOf(ctx, e.gaze)
	return now.Sight.Tracking, err
}

func (e eye) Track(ctx context.Context, on bool) error { return plain(e.gaze.Track(ctx, on)) }

// Follow implements tools.Looker.
func (e eye) Follow(ctx context.Context, target string) error {
	return plain(e.gaze.Follow(ctx, client.Target{Name: target}))
}

// Look implements tools.Looker.
func (e eye) Look(ctx context.Context, target string) error {
	l, err := e.gaze.LookAt(ctx, client.Target{Name: target})
	if err != nil {
		return plain(err)
	}
	switch {
	case l.Centred:
		return nil
	case l.Reason != "":
		return errors.New(l.Reason)
	}
	return fmt.Errorf("it is still %.0f° away from the middle of my view", l.Error)
}

type speaker struct{ sense Voice }

func (v speaker) Speak(ctx context.Context, text string) error {
	s, err := v.sense.Speak(ctx, text)
	if err == nil && s.Reason == client.ReasonInterrupted {
		return errInterrupted
	}
	return plain(err)
}

func (v speaker) SetVolume(ctx context.Context, level int) error {
	return plain(v.sense.SetVolume(ctx, level))
}

// Hush ends what is being said.
func (v speaker) Hush(ctx context.Context) error { return plain(v.sense.Hush(ctx)) }

// Speaking reports whether something is being said.
func (v speaker) Speaking(ctx context.Context) (bool, error) {
	now, err := stateOf(ctx, v.sense)
	return now.Speech.Speaking, err
}

// Volume is how loud the voice is, 0…100.
func (v speaker) Volume(ctx context.Context) (int, error) {
	now, err := stateOf(ctx, v.sense)
	return now.Speech.Volume, err
}

// errSilent is that a sense does not say how it is.
var errSilent = errors.New("the state is not known")

// stateOf is the state of a sense that knows it.
func stateOf(ctx context.Context, sense any) (client.State, error) {
	s, ok := sense.(interface {
		State(ctx context.Context) (client.State, error)
	})
	if !ok {
		return client.State{}, errSilent
	}
	now, err := s.State(ctx)
	return now, plain(err)
}

var errInterrupted = errors.New("somebody interrupted me")

// errAway is what a person reads while the worker is being restarted.
var errAway = errors.New("my senses are being restarted; please try again in a moment")

// plain turns an error of the client into words for a person.
func plain(err error) error {
	if errors.Is(err, client.ErrUnavailable) {
		return errAway
	}
	return err
}

var (
	_ tools.Camera      = eye{}
	_ tools.Vision      = eye{}
	_ tools.Looker      = eye{}
	_ tools.Portraitist = eye{}
	_ tools.Speaker     = speaker{}
	_ Worker            = (*client.Client)(nil)
	_ Caller            = (*client.Client)(nil)
)
