package tts

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Time limits of voice processes.
const (
	firstSound = 5 * time.Second // from the sentence to its first sound
	nextSound  = 5 * time.Second // between two pieces of it
)

// Words per minute that espeak-ng speaks.
const minSpeed, maxSpeed = 80, 450

// EspeakOptions are the settings of espeak-ng.
type EspeakOptions struct {
	Program string // file name or path, "espeak-ng"
	Voice   string // as of espeak-ng --voices, "en-us"
	Speed   int    // words per minute 80…450, 160
	Pitch   int    // 0…99, 55
}

// Espeak is espeak-ng, a process for each sentence. The next process is started ahead and has read its data when the
// sentence comes: the first sound then comes within a few milliseconds instead of twenty.
type Espeak struct {
	o    EspeakOptions
	path string

	mu     sync.Mutex
	spare  *child
	speed  int // words per minute of spare, as those of the latest sentence
	closed bool
}

// NewEspeak finds espeak-ng and checks that it has the voice.
func NewEspeak(ctx context.Context, o EspeakOptions) (*Espeak, error) {
	set(&o.Program, "espeak-ng")
	set(&o.Voice, "en-us")
	set(&o.Speed, 160)
	set(&o.Pitch, 55)
	switch {
	case o.Speed < minSpeed || o.Speed > maxSpeed:
		return nil, fmt.Errorf("speed %d is not within %d…%d words per minute", o.Speed, minSpeed, maxSpeed)
	case o.Pitch < 0 || o.Pitch > 99:
		return nil, fmt.Errorf("pitch %d is not within 0…99", o.Pitch)
	}
	path, err := exec.LookPath(o.Program)
	if err != nil {
		return nil, fmt.Errorf("%w: espeak-ng is missing (apt install espeak-ng): %w", ErrVoice, err)
	}
	e := &Espeak{o: o, path: path, speed: o.Speed}
	ctx, cancel := context.WithTimeout(ctx, firstSound)
	defer cancel()
	if out, err := exec.CommandContext(ctx, path, "-q", "-v", o.Voice, "a").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: espeak-ng with voice %q: %w: %s", ErrVoice, o.Voice, err, strings.TrimSpace(string(out)))
	}
	e.prepare()
	return e, nil
}

// EspeakVoices lists the voices of espeak-ng.
func EspeakVoices(ctx context.Context) ([]string, error) {
	out, err := exec.CommandContext(ctx, "espeak-ng", "--voices").Output()
	if err != nil {
		return nil, fmt.Errorf("%w: the voices of espeak-ng: %w", ErrVoice, err)
	}
	var names []string
	for i, line := range strings.Split(string(out), "\n") {
		if f := strings.Fields(line); i > 0 && len(f) > 1 { // behind the head of the table
			names = append(names, f[1])
		}
	}
	return names, nil
}

func set[T comparable](v *T, d T) {
	var zero T
	if *v == zero {
		*v = d
	}
}

// Name implements Voice.
func (e *Espeak) Name() string { return "espeak-ng " + e.o.Voice }

func (e *Espeak) start(speed int) (*child, error) {
	return startChild(e.path, "--stdin", "--stdout", "-v", e.o.Voice, "-s", strconv.Itoa(speed), "-p", strconv.Itoa(e.o.Pitch))
}

// prepare starts the process of the next sentence; when that fails, the sentence will say so.
func (e *Espeak) prepare() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed || e.spare != nil {
		return
	}
	if c, err := e.start(e.speed); err == nil {
		e.spare = c
	}
}

// take returns the process that waits, or a new one when it waits for another speed.
func (e *Espeak) take(speed int) (*child, error) {
	e.mu.Lock()
	c := e.spare
	fits := e.speed == speed
	e.spare, e.speed = nil, speed
	closed := e.closed
	e.mu.Unlock()
	switch {
	case closed:
		if c != nil {
			c.kill()
		}
		return nil, ErrClosed
	case c != nil && fits && c.alive():
		return c, nil
	case c != nil:
		c.kill()
	}
	return e.start(speed)
}

// Synthesize implements Voice.
func (e *Espeak) Synthesize(ctx context.Context, sentence string, emit func(rate int, pcm []float32) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	defer e.prepare() // when this sentence is done, so that the two do not share the processor
	c, err := e.take(max(minSpeed, min(maxSpeed, int(math.Round(rateOf(ctx)*float64(e.o.Speed))))))
	if err != nil {
		return voiceError("espeak-ng", err)
	}
	defer c.kill()
	defer context.AfterFunc(ctx, c.kill)()
	// "[[" begins phonemes.
	if err := c.send(strings.ReplaceAll(sentence, "[[", " ")); err != nil {
		return ended(ctx, "espeak-ng", err)
	}
	c.finish()
	rate, err := c.wavHead(firstSound)
	if err != nil {
		return ended(ctx, "espeak-ng", fmt.Errorf("no sound: %w%s", err, c.complaint()))
	}
	for {
		pcm, err := c.read(nextSound)
		if len(pcm) > 0 {
			if err := emit(rate, pcm); err != nil {
				return err
			}
		}
		switch {
		case errors.Is(err, errEnd):
			if err := c.wait(); err != nil {
				return ended(ctx, "espeak-ng", fmt.Errorf("%w%s", err, c.complaint()))
			}
			return nil
		case err != nil:
			return ended(ctx, "espeak-ng", err)
		}
	}
}

// ended tells the end of ctx from a failure of the voice.
func ended(ctx context.Context, voice string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return voiceError(voice, err)
}

func voiceError(voice string, err error) error {
	if errors.Is(err, ErrClosed) {
		return err
	}
	return fmt.Errorf("%w: %s: %w", ErrVoice, voice, err)
}

// Close implements Voice.
func (e *Espeak) Close() error {
	e.mu.Lock()
	c := e.spare
	e.spare, e.closed = nil, true
	e.mu.Unlock()
	if c != nil {
		c.kill()
	}
	return nil
}

var _ Voice = (*Espeak)(nil)
