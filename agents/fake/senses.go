package fake

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"math"
	"slices"
	"sync/atomic"

	"github.com/reachyd/reachyd/agents/tools"
	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/perception/recognize"
	"github.com/reachyd/reachyd/toolsandbox/tester"
)

// scene is what is in view when nobody says otherwise.
const scene = "A person sits at a desk with a laptop and a red cup. It is bright."

// things are where they are in the room: these are in view when the robot looks ahead, and some of them only when it looks
// to the side.
var things = []tools.Detection{
	{Name: "person", Score: 0.91, Yaw: 8, Pitch: -3},
	{Name: "laptop", Score: 0.83, Yaw: -12, Pitch: 14},
	{Name: "cup", Score: 0.77, Yaw: -21, Pitch: 16},
	{Name: "duck", Score: 0.88, Yaw: 62, Pitch: 18},
	{Name: "apple", Score: 0.86, Yaw: -70, Pitch: 20},
	{Name: "croissant", Score: 0.81, Yaw: 104, Pitch: 17},
}

// The picture of the camera.
const (
	frameWidth  = 640
	frameHeight = 480
	fieldOfView = 80.0 // degrees, of the width
	fieldHeight = fieldOfView * frameHeight / frameWidth
)

// lookDuration is how long it takes to look at a thing, s.
const lookDuration = 0.6

// seen are the things of a test, which gives their boxes in the picture.
func seen(objects []tester.Object) []tools.Detection {
	if objects == nil {
		return things
	}
	found := make([]tools.Detection, 0, len(objects))
	const perPixel = fieldOfView / frameWidth
	for _, o := range objects {
		found = append(found, tools.Detection{
			Name: o.Name, Score: o.Confidence,
			Yaw:   (frameWidth/2 - o.Box[0] - o.Box[2]/2) * perPixel,
			Pitch: (o.Box[1] + o.Box[3]/2 - frameHeight/2) * perPixel,
		})
	}
	return found
}

// eyes are camera and vision.
type eyes struct {
	body   Moving
	things []tools.Detection
	room   bool // things are at places in the room; otherwise they are in every picture
	photos int
	after  atomic.Bool // it follows something
}

var (
	_ tools.Camera      = (*eyes)(nil)
	_ tools.Vision      = (*eyes)(nil)
	_ tools.Looker      = (*eyes)(nil)
	_ tools.Portraitist = (*eyes)(nil)
)

// Photo implements tools.Camera.
func (e *eyes) Photo(context.Context) (string, error) {
	e.photos++
	return fmt.Sprintf("photo-%04d.jpg", e.photos), nil
}

// Detect implements tools.Vision.
func (e *eyes) Detect(_ context.Context, name string) ([]tools.Detection, error) {
	found := []tools.Detection{}
	head := e.body.Snapshot().Head
	for _, d := range e.things {
		if (name == "" || name == d.Name) && (!e.room || inView(head, d)) {
			found = append(found, d)
		}
	}
	return found, nil
}

// inView reports whether a thing is in the picture that is taken with the head so.
func inView(head hal.Head, d tools.Detection) bool {
	const degree = math.Pi / 180
	return math.Abs(math.Remainder(d.Yaw-head.Yaw/degree, 360)) <= fieldOfView/2 && math.Abs(d.Pitch-head.Pitch/degree) <= fieldHeight/2
}

// Portraits implements tools.Portraitist: who is in view has always the same face.
func (e *eyes) Portraits(ctx context.Context, pictures int) ([][]recognize.Portrait, error) {
	people, err := e.Detect(ctx, "person")
	faces := make([]recognize.Portrait, len(people))
	for i := range faces {
		faces[i].Descriptor = make(recognize.Descriptor, recognize.Size)
		faces[i].Descriptor[0] = 'b'
		for k := 1 + i; k < recognize.Size; k += 59 { // all of a cell has one pattern
			faces[i].Descriptor[k] = 144
		}
	}
	return slices.Repeat([][]recognize.Portrait{faces}, pictures), err
}

// Describe implements tools.Vision.
func (e *eyes) Describe(context.Context, string, string) (string, error) { return scene, nil }

// Track implements tools.Vision.
func (e *eyes) Track(_ context.Context, on bool) error {
	e.after.Store(on)
	return nil
}

// Tracking says whether something is followed.
func (e *eyes) Tracking(context.Context) (bool, error) { return e.after.Load(), nil }

// Mute implements tools.Ears.
func (voice) Mute(context.Context, bool) error { return nil }

// Look implements tools.Looker.
func (e *eyes) Look(ctx context.Context, target string) error {
	found, err := e.Detect(ctx, target)
	if err != nil || len(found) == 0 {
		return cmp.Or(err, errors.New("I do not see it")) //nolint:staticcheck // the robot says it
	}
	if !e.room {
		return nil
	}
	const degree = math.Pi / 180
	head := hal.Head{Yaw: found[0].Yaw * degree, Pitch: found[0].Pitch * degree}
	a, err := e.body.Do(ctx, hal.Request{Verb: hal.VerbGoto, Head: head.Goal(), Duration: lookDuration})
	if err == nil && a.Outcome == hal.Rejected {
		err = errors.New(a.Reason)
	}
	if err == nil {
		_, err = e.body.Wait(ctx, a.Move)
	}
	return err
}

// Follow implements tools.Looker: the things here do not move.
func (e *eyes) Follow(ctx context.Context, target string) error {
	if err := e.Look(ctx, target); err != nil {
		return err
	}
	e.after.Store(true)
	return nil
}

// frame is a room that moves when the head turns, and a red ball that goes round once in ten seconds.
func (e *eyes) frame() image.Image {
	s := e.body.Snapshot()
	img := image.NewNRGBA(image.Rect(0, 0, frameWidth, frameHeight))
	const pixels = frameWidth / (fieldOfView * math.Pi / 180)
	turn, tilt := s.Head.Yaw*pixels, s.Head.Pitch*pixels
	phase := 2 * math.Pi * e.body.Now().Seconds() / 10
	ballX, ballY := frameWidth/2+turn+120*math.Cos(phase), frameHeight/2-tilt+60*math.Sin(phase)
	for v := range frameHeight {
		for u := range frameWidth {
			c := [3]byte{byte(150 + 60*v/frameHeight), 170, byte(190 - 60*v/frameHeight)}
			if column := int(math.Floor((float64(u) - turn) / 40)); column%4 == 0 {
				c = [3]byte{120, 110, 100}
			}
			if dx, dy := float64(u)-ballX, float64(v)-ballY; dx*dx+dy*dy < 35*35 {
				c = [3]byte{215, 30, 35}
			}
			copy(img.Pix[4*(v*frameWidth+u):], []byte{c[0], c[1], c[2], 255})
		}
	}
	return img
}

// voice is a loudspeaker that nobody hears.
type voice struct{}

// Speak implements tools.Speaker.
func (voice) Speak(context.Context, string) error { return nil }

// SetVolume implements tools.Speaker.
func (voice) SetVolume(context.Context, int) error { return nil }

// web is one that knows nothing.
type web struct{}

// Search implements tools.Searcher.
func (web) Search(_ context.Context, query string) (string, error) {
	return "I cannot look that up, because I am not connected to the internet: " + query, nil
}
