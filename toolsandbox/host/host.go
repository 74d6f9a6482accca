// Package host answers what self-made tools ask of their host: the robot, its camera, pictures, a scratch folder and
// the web, each a bounded function behind an interface, granted by name.
package host

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"io"
	"net/http"
	"slices"
	"time"

	"github.com/reachyd/reachyd/toolsandbox/guest"
)

// The capabilities, which are the names of host calls. Every other name is a tool of the robot.
const (
	CapMove    = "robot.move"  // start a motion of head, body and antennas
	CapState   = "robot.state" // measured pose and mode
	CapCamera  = "camera"      // one frame of the robot's camera
	CapImage   = "image"       // pictures: decode, encode, resize, draw … on handles
	CapScratch = "scratch"     // files of this call, in memory
	CapHTTP    = "http"        // GET and POST to hosts that the owner allowed
)

// Capabilities are all of them.
var Capabilities = []string{CapCamera, CapHTTP, CapImage, CapScratch, CapMove, CapState}

// Codes of the errors that tools see.
const (
	CodeInvalid     = "invalid"        // the arguments are wrong: field, value and what is allowed are in the message
	CodeLimit       = "limit_exceeded" // a limit of this package
	CodeNotFound    = "not_found"      // no such file or picture
	CodeForbidden   = "forbidden"      // the owner did not allow this host, or the address is a private one
	CodeUnavailable = "unavailable"    // this robot has no such thing
	CodeTimeout     = "timeout"        // the other side did not answer in time
	CodeFailed      = "failed"         // it was tried and did not work
)

// Robot is the robot and its tools. Errors that are a *guest.HostError keep their code.
type Robot interface {
	// Call runs a tool by its name and waits for it. The value is what the tool's caller gets: the data of its result.
	Call(ctx context.Context, tool string, args json.RawMessage) (json.RawMessage, error)
	// Move starts a motion and says how long it takes; the guest waits for that on its own clock.
	Move(ctx context.Context, m Motion) (time.Duration, error)
	State(ctx context.Context) (State, error)
}

// Camera is the robot's eye.
type Camera interface {
	Frame(ctx context.Context) (image.Image, error)
}

// HTTPClient does one request to the web. *Web is one.
type HTTPClient interface {
	Do(r *http.Request) (*http.Response, error)
}

// Config is what a Set is made of. What is nil is not available.
type Config struct {
	Robot  Robot
	Camera Camera
	HTTP   HTTPClient
	Limits Limits
}

// Limits are what one call of a tool may use of the host; a zero field means the one of DefaultLimits.
type Limits struct {
	Images       int           // pictures held at a time
	ImageBytes   int64         // bytes of all pictures held
	ImageSide    int           // pixels of width or height
	ImageOps     int64         // pixels touched by all operations together
	Files        int           // files in the scratch folder
	FileBytes    int64         // bytes of all of them
	Requests     int           // web requests
	RequestBody  int64         // bytes sent by one
	ResponseBody int64         // bytes received by one
	HTTPTimeout  time.Duration // of one, redirects included
}

// DefaultLimits are for a robot with 4 GB.
var DefaultLimits = Limits{
	Images: 64, ImageBytes: 48 << 20, ImageSide: 4096, ImageOps: 256 << 20, Files: 100, FileBytes: 16 << 20,
	Requests: 20, RequestBody: 256 << 10, ResponseBody: 1 << 20, HTTPTimeout: 10 * time.Second,
}

func (l Limits) withDefaults() Limits {
	d := DefaultLimits
	fill(&l.Images, d.Images)
	fill(&l.ImageBytes, d.ImageBytes)
	fill(&l.ImageSide, d.ImageSide)
	fill(&l.ImageOps, d.ImageOps)
	fill(&l.Files, d.Files)
	fill(&l.FileBytes, d.FileBytes)
	fill(&l.Requests, d.Requests)
	fill(&l.RequestBody, d.RequestBody)
	fill(&l.ResponseBody, d.ResponseBody)
	fill(&l.HTTPTimeout, d.HTTPTimeout)
	return l
}

func fill[T int | int64 | time.Duration](v *T, d T) {
	if *v <= 0 {
		*v = d
	}
}

// Set is the host of one call of one tool: Set.Call goes into guest.Request.Host. It is not for use by several
// goroutines at a time; a guest makes one host call after the other.
type Set struct {
	robot    Robot
	camera   Camera
	client   HTTPClient
	limits   Limits
	images   images
	scratch  scratch
	requests int
}

var _ guest.HostFunc = (*Set)(nil).Call

// New makes the host of one call.
func New(c Config) *Set {
	l := c.Limits.withDefaults()
	return &Set{
		robot: c.Robot, camera: c.Camera, client: c.HTTP, limits: l,
		images: images{limits: l, held: map[int]*picture{}}, scratch: scratch{limits: l, files: map[string][]byte{}},
	}
}

// Files are what the tool left in its scratch folder: name to content.
func (s *Set) Files() map[string][]byte { return s.scratch.files }

type callKey struct{}

// At is the time on the tool's clock, since its call began, of the host call that ctx belongs to.
func At(ctx context.Context) time.Duration {
	c, _ := ctx.Value(callKey{}).(guest.HostCall)
	return c.At
}

// Pass lets time pass on the tool's clock, if that is virtual, while it waits for the host call that ctx belongs to.
func Pass(ctx context.Context, d time.Duration) {
	if c, ok := ctx.Value(callKey{}).(guest.HostCall); ok {
		c.Pass(d)
	}
}

// Call answers one host call.
func (s *Set) Call(ctx context.Context, c guest.HostCall) (json.RawMessage, error) {
	ctx = context.WithValue(ctx, callKey{}, c)
	value, err := s.call(ctx, c)
	if err != nil {
		return nil, coded(ctx, err)
	}
	if raw, ok := value.(json.RawMessage); ok {
		return raw, nil
	}
	return json.Marshal(value)
}

func (s *Set) call(ctx context.Context, c guest.HostCall) (any, error) {
	switch c.Name {
	case CapImage:
		return s.imageCall(c.Args)
	case CapScratch:
		return s.scratch.call(c.Args)
	case CapHTTP:
		return s.web(ctx, c.Args)
	case CapCamera:
		return s.frame(ctx, c.Args)
	case CapMove:
		return s.move(ctx, c.Args)
	case CapState:
		return s.state(ctx, c.Args)
	}
	if s.robot == nil {
		return nil, unavailable("robot")
	}
	value, err := s.robot.Call(ctx, c.Name, c.Args)
	return value, err
}

func coded(ctx context.Context, err error) error {
	var he *guest.HostError
	if errors.As(err, &he) {
		return he
	}
	code := CodeFailed
	if errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil {
		code = CodeTimeout
	}
	return &guest.HostError{Code: code, Message: err.Error()}
}

func fail(code, format string, args ...any) error {
	return &guest.HostError{Code: code, Message: fmt.Sprintf(format, args...)}
}

func invalid(format string, args ...any) error { return fail(CodeInvalid, format, args...) }

func unavailable(what string) error { return fail(CodeUnavailable, "there is no %s", what) }

// decode reads the arguments of a host call. Unknown fields are errors.
func decode(args json.RawMessage, v any) error {
	d := json.NewDecoder(bytes.NewReader(args))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return invalid("arguments: %v", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return invalid("arguments: more than one value")
	}
	return nil
}

// needs says which capabilities a module that a tool imports makes use of.
var needs = map[string][]string{
	"reachy_mini": {CapMove, CapState, CapCamera, CapImage, "wake_up", "go_to_sleep", "play_move"},
	"cv2":         {CapCamera, CapImage, CapScratch},
	"PIL":         {CapImage, CapScratch},
	"requests":    {CapHTTP},
}

// shorthands are functions of the module reachy that stand for other host calls.
var shorthands = map[string][]string{
	"frame":      {CapCamera, CapImage},
	"detections": {"detect_objects"},
	"state":      {"get_robot_state"},
}

// Grants lists what to grant to a tool that imports these modules and calls these tools of the robot, sorted. Both
// lists are those of lang.Report; submodules count as their package.
func Grants(imports, calls []string) []string {
	all := []string{}
	for _, name := range calls {
		if means, ok := shorthands[name]; ok {
			all = append(all, means...)
		} else {
			all = append(all, name)
		}
	}
	for _, name := range imports {
		for i := range len(name) {
			if name[i] == '.' {
				name = name[:i]
				break
			}
		}
		all = append(all, needs[name]...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}
