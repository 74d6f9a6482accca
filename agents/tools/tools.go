// Package tools holds the predefined tools: what the robot can do without having written itself a tool.
//
// Tools speak degrees, metres and seconds, and turn them into the radians of package hal here. A tool that moves the
// robot answers when the movement is over.
package tools

import (
	"context"
	"fmt"
	"time"

	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/catalog"
)

// Body is the robot, as hal/body.Client offers it.
type Body interface {
	// Do asks for a change; a refusal is an Answer, an error means that no answer came.
	Do(ctx context.Context, req hal.Request) (hal.Answer, error)
	// State returns the present state.
	State(ctx context.Context) (hal.State, error)
	// Wait returns the end of a move.
	Wait(ctx context.Context, move string) (hal.Event, error)
}

// Camera takes photos.
type Camera interface {
	// Photo takes one and returns the name under which it was kept.
	Photo(ctx context.Context) (name string, err error)
}

// Vision understands what the camera sees.
type Vision interface {
	// Detect returns what is in view: everything that is known, or only things of that name.
	Detect(ctx context.Context, name string) ([]Detection, error)
	// Describe answers a prompt about a kept photo, or about what is in view when photo is empty.
	Describe(ctx context.Context, photo, prompt string) (string, error)
	// Track begins or ends following a face with the head.
	Track(ctx context.Context, on bool) error
}

// Detection is one thing in view.
type Detection struct {
	Name  string  `json:"name"`
	Score float64 `json:"score"` // 0…1
	// Yaw and Pitch are the direction in the world frame, degrees: + is left, + is down.
	Yaw   float64 `json:"yaw"`
	Pitch float64 `json:"pitch"`
	By    string  `json:"by,omitempty"` // the detector
	// Place is where it is, metres in the world frame, when that is known.
	Place *hal.Vec3 `json:"place,omitempty"`
}

// Looker turns the head to what the camera sees.
type Looker interface {
	// Look turns the head until the thing is in the middle of the view. The error says why it is not.
	Look(ctx context.Context, target string) error
	// Follow turns the head after the thing until Track(false), another Follow or Track, or until it is lost.
	Follow(ctx context.Context, target string) error
}

// Speaker is the robot's voice.
type Speaker interface {
	// Speak returns when the words have been said.
	Speak(ctx context.Context, text string) error
	// SetVolume sets the loudness, 0…100.
	SetVolume(ctx context.Context, level int) error
}

// Searcher searches the web.
type Searcher interface {
	// Search returns a short text that answers the query.
	Search(ctx context.Context, query string) (string, error)
}

// Options are what the tools work with. Body must be there. Of the others each may be nil; the tools that need it
// exist all the same and say what they lack.
type Options struct {
	Body     Body
	Camera   Camera
	Vision   Vision
	Looker   Looker
	Speaker  Speaker
	Searcher Searcher
	// Places remembers where things were seen; nil for a robot that does not.
	Places Places
	// Portraits looks at faces, which Faces remembers.
	Portraits Portraitist
	Faces     Faces
	Ears      Ears
	// NoCamera and so on say why these are nil; "no camera" and so on when empty.
	NoCamera, NoSpeaker, NoSearch, NoEars string

	// Moves are the recorded moves of play_move; nil when there are none.
	Moves Moves
	// MaxRepeat is how long one call of repeat may take; 10 minutes when 0.
	MaxRepeat time.Duration
	// After is the clock of wait and repeat; time.After when nil.
	After func(time.Duration) <-chan time.Time
}

// Register adds all predefined tools to the registry, in the place of those that it already has. It can be called
// again when a sense has been plugged in.
func Register(r *tool.Registry, o Options) error {
	if o.After == nil {
		o.After = time.After
	}
	if o.MaxRepeat == 0 {
		o.MaxRepeat = catalog.MaxRepeated
	}
	for _, why := range []struct {
		text  *string
		usual string
	}{{&o.NoCamera, "no camera"}, {&o.NoSpeaker, "no speaker"}, {&o.NoSearch, "no web search"}, {&o.NoEars, "no microphone"}} {
		if *why.text == "" {
			*why.text = why.usual
		}
	}
	if o.Places == nil {
		o.Places = nowhere{}
	}
	if o.Faces == nil {
		o.Faces = noFaces{}
	}
	m, f := mover{o.Body}, finder{o.Body, o.Vision, o.Places}
	all := []tool.Tool{
		moveHead(m), setAntennas(m), turnBody(m), gotoPose(m), lookAt(m, f, o.Looker, o.NoCamera),
		expressEmotion(m), gesture(m), playMove(m, o.Moves), wakeUp(m), goToSleep(m),
		stop(stopper{m, o.Vision, o.Speaker}), listen(o.Ears, o.NoEars), robotState(o.Body),
		trackFace(o.Vision, o.NoCamera), takePhoto(o.Camera, o.NoCamera), analyzeScene(o.Vision, o.NoCamera),
		detectObjects(f, o.NoCamera), findObject(f, o.NoCamera), followObject(f, o.Looker, o.NoCamera),
		describeImage(o.Vision, o.NoCamera),
		rememberFace(o.Portraits, o.Faces, o.NoCamera), recognizeFace(o.Portraits, o.Faces, o.NoCamera), forgetFace(o.Faces),
		speak(o.Speaker, o.NoSpeaker), setVolume(o.Speaker, o.NoSpeaker), searchWeb(o.Searcher, o.NoSearch),
		wait(o.After), repeat(r, o.After, o.MaxRepeat),
	}
	for _, t := range all {
		if err := r.Replace(t); err != nil {
			return fmt.Errorf("predefined tools: %w", err)
		}
	}
	return nil
}
