package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/reachyd/reachyd/hal/local"
	"github.com/reachyd/reachyd/perception/recognize"
	"github.com/reachyd/reachyd/perception/scene"
)

// ErrUnavailable is wrapped by every error that means: reachy-sense could not be reached, or the connection broke.
var ErrUnavailable = errors.New("reachy-sense cannot be reached")

// maxPicture is the largest picture that is read, bytes.
const maxPicture = 32 << 20

// maxSound is the longest text as sound that is read, bytes.
const maxSound = 64 << 20

// Error is a refusal: the worker understood and cannot, or did not understand.
type Error struct {
	Status int    // of HTTP: 400 bad input, 404 unknown name, 413 too large, 409 interrupted, 500 failed, 501 no such sense here, 503 too much at once
	Reason string // for a person
}

func (e *Error) Error() string { return e.Reason }

// Client asks reachy-sense, over its unix socket. It may be used by many goroutines at once. It connects when it is
// used and again after the worker has restarted.
type Client struct{ local *local.Client }

// New returns a client of the worker that listens on socket. Nothing is contacted yet.
func New(socket string) *Client {
	return &Client{local.NewClient(socket, ErrUnavailable, func(status int, reason string) error { return &Error{status, reason} })}
}

// Close ends all calls of the client. It may be called more than once.
func (c *Client) Close() { c.local.Close() }

// State returns how the worker is.
func (c *Client) State(ctx context.Context) (State, error) {
	var s State
	err := c.local.Call(ctx, http.MethodGet, "/state", nil, &s)
	return s, err
}

// Watch calls fn with the state at once and then once a second, and with every event as it happens. It returns when
// ctx ends (its error) or when the connection breaks (ErrUnavailable). fn must be quick: a watcher that is a thousand
// events behind misses some, which shows as a gap in Event.Seq.
func (c *Client) Watch(ctx context.Context, fn func(Message)) error {
	return c.watch(ctx, "/watch", fn)
}

// Own is Watch by the owner of the worker, which is reachyd. When its last owner has been gone for long the worker
// ends, so that no microphone stays open behind a reachyd that was killed.
func (c *Client) Own(ctx context.Context, fn func(Message)) error {
	return c.watch(ctx, "/watch?owner=1", fn)
}

func (c *Client) watch(ctx context.Context, path string, fn func(Message)) error {
	return c.local.Lines(ctx, http.MethodGet, path, nil, local.Each(fn))
}

// Listen has the worker hear a recording (WAV) as if it came from the microphone, as fast as it can: nothing moves and
// nothing is stopped. fn, which may be nil, is called with the events as they come.
func (c *Client) Listen(ctx context.Context, wav io.Reader, fn func(Event)) (Hearings, error) {
	return c.listen(ctx, "/listen", wav, fn)
}

// Converse is Listen for sound that is being spoken: it tells also what was understood so far, as Partial.
func (c *Client) Converse(ctx context.Context, wav io.Reader, fn func(Event)) (Hearings, error) {
	return c.listen(ctx, "/listen?live", wav, fn)
}

func (c *Client) listen(ctx context.Context, path string, wav io.Reader, fn func(Event)) (Hearings, error) {
	var result *Hearings
	var refused *Error
	err := c.local.Lines(ctx, http.MethodPost, path, wav, func(line []byte) error {
		var answer struct {
			Event  *Event    `json:"event"`
			Result *Hearings `json:"result"`
			Error  string    `json:"error"`
		}
		if err := json.Unmarshal(line, &answer); err != nil {
			return err
		}
		switch {
		case answer.Error != "":
			refused = &Error{Status: http.StatusInternalServerError, Reason: answer.Error}
		case answer.Event != nil && fn != nil:
			fn(*answer.Event)
		case answer.Result != nil:
			result = answer.Result
		}
		return nil
	})
	switch { // after either the end of the connection is no error
	case refused != nil:
		return Hearings{}, refused
	case result != nil:
		return *result, nil
	}
	return Hearings{}, err
}

// Speak says text and returns when the words have been said, or were interrupted. Ending ctx ends the words. Texts of
// several callers are said one after the other.
func (c *Client) Speak(ctx context.Context, text string) (Spoken, error) {
	var s Spoken
	err := c.post(ctx, "/speak", speech{text, Rate(ctx)}, &s)
	return s, err
}

// speech is what is to be said, and at which rate: 1, or without one, is the voice's own.
type speech struct {
	Text string  `json:"text"`
	Rate float64 `json:"rate,omitempty"`
}

type rateKey struct{}

// WithRate returns a context in which Speak speaks at a rate, 0.5…2 of the voice's own.
func WithRate(ctx context.Context, rate float64) context.Context {
	return context.WithValue(ctx, rateKey{}, rate)
}

// Rate is the rate of such a context; 0 without one.
func Rate(ctx context.Context) float64 {
	rate, _ := ctx.Value(rateKey{}).(float64)
	return rate
}

// Play plays a sound file (WAV, up to 8 MiB), so that its first sample is heard at the moment begin, and returns when it has been
// heard, or was interrupted. Ending ctx ends the sound. While words are being said it is refused.
func (c *Client) Play(ctx context.Context, wav []byte, begin time.Time) (Spoken, error) {
	var s Spoken
	err := c.local.Call(ctx, http.MethodPost, "/play?begin="+strconv.FormatInt(begin.UnixNano(), 10), bytes.NewReader(wav), &s)
	return s, err
}

// PCM is the type of sound as 16-bit samples, little-endian, mono.
const PCM = "audio/pcm"

// MicrophoneRate is how many samples the microphone gives a second.
const MicrophoneRate = 16000

// Microphone returns what the microphone hears from now on, as PCM at MicrophoneRate, until ctx ends. It is silence while the robot is
// muted. The caller closes it.
func (c *Client) Microphone(ctx context.Context) (io.ReadCloser, error) {
	ctx, stop := c.local.Join(ctx)
	resp, err := c.local.Do(ctx, http.MethodGet, "/microphone", nil) //nolint:bodyclose // the caller of Microphone closes it
	if err != nil {
		stop()
		return nil, err
	}
	return &joined{resp.Body, stop}, nil
}

// joined is the body of a reply whose context ends with it.
type joined struct {
	io.ReadCloser
	stop func()
}

// Close ends the reply.
func (j *joined) Close() error {
	defer j.stop()
	return j.ReadCloser.Close()
}

// Pour plays PCM at a rate (8000 to 48000 samples per second) as it comes, until it ends or pauses for two seconds, and returns when it has
// been heard, or was interrupted. Ending ctx ends the sound. While words are being said it is refused.
func (c *Client) Pour(ctx context.Context, rate int, pcm io.Reader) (Spoken, error) {
	var s Spoken
	err := c.local.Call(ctx, http.MethodPost, "/pour?rate="+strconv.Itoa(rate), pcm, &s)
	return s, err
}

// VoiceHeader names the voice of a text that was made sound of.
const VoiceHeader = "X-Voice"

// Synthesize makes a WAV file of text, which is not said aloud, in the voice of that name or in the robot's own.
func (c *Client) Synthesize(ctx context.Context, text, voice string) ([]byte, error) {
	data, err := json.Marshal(map[string]string{"text": text, "voice": voice})
	if err != nil {
		return nil, fmt.Errorf("encode the call of /synthesize: %w", err)
	}
	return c.local.Fetch(ctx, http.MethodPost, "/synthesize", bytes.NewReader(data), maxSound)
}

// Hush silences the robot's voice at once and forgets what it was still to say.
func (c *Client) Hush(ctx context.Context) error { return c.post(ctx, "/hush", nil, nil) }

// SetVolume sets the loudness of the voice, 0…100.
func (c *Client) SetVolume(ctx context.Context, level int) error {
	return c.post(ctx, "/volume", map[string]int{"level": level}, nil)
}

// Mute makes the robot deaf, or hear again. What was being said is forgotten.
func (c *Client) Mute(ctx context.Context, on bool) error {
	return c.post(ctx, "/mute", map[string]bool{"on": on}, nil)
}

// SetEndpoint tells whether the text of a partial event is a complete sentence. It counts when it comes before the turn is
// decided, and then more than the worker's own rules.
func (c *Client) SetEndpoint(ctx context.Context, turn uint64, revision int, v Endpoint) error {
	return c.post(ctx, "/completeness", map[string]any{"turn": turn, "revision": revision, "verdict": v}, nil)
}

// Replied says that the robot has answered, so that for a while no wake phrase is needed.
func (c *Client) Replied(ctx context.Context) error { return c.post(ctx, "/replied", nil, nil) }

// Detect returns what is in view: everything that is known, or only things of that name.
func (c *Client) Detect(ctx context.Context, name string) (scene.View, error) {
	var v scene.View
	err := c.post(ctx, "/detect", map[string]string{"name": name}, &v)
	return v, err
}

// Describe answers a prompt about a kept photo, or about what is in view when photo is empty.
func (c *Client) Describe(ctx context.Context, photo, prompt string) (string, error) {
	var out struct {
		Description string `json:"description"`
	}
	err := c.post(ctx, "/describe", map[string]string{"photo": photo, "prompt": prompt}, &out)
	return out.Description, err
}

// Portraits takes so many pictures and returns the faces in each, from left to right, as they are told apart.
func (c *Client) Portraits(ctx context.Context, pictures int) ([][]recognize.Portrait, error) {
	var p Portraits
	err := c.post(ctx, "/portraits", map[string]int{"pictures": pictures}, &p)
	return p.Pictures, err
}

// TakePhoto takes a photo and keeps it.
func (c *Client) TakePhoto(ctx context.Context) (Photo, error) {
	var p Photo
	err := c.post(ctx, "/photo", nil, &p)
	return p, err
}

// Photo returns a kept photo as JPEG.
func (c *Client) Photo(ctx context.Context, name string) ([]byte, error) {
	return c.picture(ctx, "/photo/"+url.PathEscape(name))
}

// Frame returns what the camera sees now, as JPEG.
func (c *Client) Frame(ctx context.Context) ([]byte, error) { return c.picture(ctx, "/frame.jpg") }

// Track begins or ends following a face with the head.
func (c *Client) Track(ctx context.Context, on bool) error {
	return c.post(ctx, "/track", map[string]bool{"on": on}, nil)
}

// Follow begins following a thing by its name with the head, in the place of what was followed; Track(false) ends it.
func (c *Client) Follow(ctx context.Context, t Target) error {
	return c.post(ctx, "/track", map[string]any{"on": true, "name": t.Name}, nil)
}

// LookAt turns the head until the target is in the middle of the picture.
func (c *Client) LookAt(ctx context.Context, t Target) (scene.Look, error) {
	var l scene.Look
	err := c.post(ctx, "/look_at", t, &l)
	return l, err
}

// See has the worker look at a picture (JPEG or PNG) instead of through its camera. prompt may be empty.
func (c *Client) See(ctx context.Context, picture io.Reader, prompt string) (Seen, error) {
	var s Seen
	err := c.local.Call(ctx, http.MethodPost, "/see?prompt="+url.QueryEscape(prompt), picture, &s)
	return s, err
}

func (c *Client) post(ctx context.Context, path string, in, out any) error {
	data, err := json.Marshal(in)
	if err != nil {
		return fmt.Errorf("encode the call of %s: %w", path, err)
	}
	return c.local.Call(ctx, http.MethodPost, path, bytes.NewReader(data), out)
}

func (c *Client) picture(ctx context.Context, path string) ([]byte, error) {
	return c.local.Fetch(ctx, http.MethodGet, path, nil, maxPicture)
}
