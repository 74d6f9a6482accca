package tts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	pollSound    = 50 * time.Millisecond  // how often a silent process is looked after
	sentenceOver = 700 * time.Millisecond // a process that does not tell the end of a sentence is done after so much silence
	throwAway    = 3 * time.Second        // for the rest of a sentence that was interrupted; then the process is ended

	minRestart = 200 * time.Millisecond // pause before a dead process is started again, doubling
	maxRestart = 30 * time.Second
	stableFor  = 30 * time.Second // a process that lived for so long starts with a clean record
)

// PiperOptions are the settings of Piper.
type PiperOptions struct {
	Program string   // file name or path, "piper"
	Model   string   // path of the voice, NAME.onnx; its description NAME.onnx.json lies beside it
	Args    []string // more arguments, e.g. --length_scale 1.1
}

// Piper is the neural voice of that name: one process that has its model in memory, gets a sentence a line and answers
// with raw sound. It is started again when it dies; meanwhile Synthesize fails at once.
type Piper struct {
	path string
	args []string
	name string
	rate int

	turn chan struct{}   // holds an item while a sentence is being made
	life context.Context // ends with Close
	end  context.CancelFunc
	wait sync.WaitGroup
	slow time.Duration // firstSound, less in tests

	tells atomic.Bool // this Piper tells the end of a sentence

	mu       sync.Mutex
	now      *speaking // nil while it is being restarted
	why      error     // why now is nil
	restarts int
}

// speaking is a process and the sentences that it has told the end of.
type speaking struct {
	*child
	over chan struct{}
}

// NewPiper reads the voice's description and starts the process, which then loads the voice.
func NewPiper(o PiperOptions) (*Piper, error) {
	set(&o.Program, "piper")
	path, err := exec.LookPath(o.Program)
	if err != nil {
		return nil, fmt.Errorf("%w: piper is missing: %w", ErrVoice, err)
	}
	rate, err := piperRate(o.Model)
	if err != nil {
		return nil, err
	}
	p := &Piper{
		path: path, rate: rate, name: "piper " + strings.TrimSuffix(filepath.Base(o.Model), ".onnx"),
		args: append([]string{"--model", o.Model, "--output-raw"}, o.Args...),
		turn: make(chan struct{}, 1), slow: firstSound,
	}
	p.life, p.end = context.WithCancel(context.Background())
	first, err := p.start()
	if err != nil {
		p.end()
		return nil, voiceError("piper", err)
	}
	p.now = first
	p.wait.Go(func() { p.supervise(first) })
	return p, nil
}

// piperRate reads the rate of a voice from its description.
func piperRate(model string) (int, error) {
	if _, err := os.Stat(model); err != nil {
		return 0, fmt.Errorf("%w: piper's voice: %w", ErrVoice, err)
	}
	b, err := os.ReadFile(model + ".json")
	if err != nil {
		return 0, fmt.Errorf("%w: description of piper's voice: %w", ErrVoice, err)
	}
	var d struct {
		Audio struct {
			Rate int `json:"sample_rate"`
		} `json:"audio"`
	}
	if err := json.Unmarshal(b, &d); err != nil {
		return 0, fmt.Errorf("%w: description of piper's voice %s.json: %w", ErrVoice, model, err)
	}
	if d.Audio.Rate < 8000 || d.Audio.Rate > 48000 {
		return 0, fmt.Errorf("%w: %s.json: audio.sample_rate %d is not within 8000…48000", ErrVoice, model, d.Audio.Rate)
	}
	return d.Audio.Rate, nil
}

// Name implements Voice.
func (p *Piper) Name() string { return p.name }

// Restarts is how often the process had to be started again.
func (p *Piper) Restarts() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.restarts
}

func (p *Piper) start() (*speaking, error) {
	s := &speaking{over: make(chan struct{}, 1)}
	c, err := startListening(func(line string) {
		// The line that it logs when all sound of a sentence is written.
		if !strings.Contains(line, "Real-time factor") {
			return
		}
		p.tells.Store(true)
		select {
		case s.over <- struct{}{}:
		default:
		}
	}, p.path, p.args...)
	s.child = c
	return s, err
}

// supervise starts the process again whenever it has ended.
func (p *Piper) supervise(s *speaking) {
	for failures := 0; ; {
		born := time.Now()
		if s != nil {
			select {
			case <-s.done:
			case <-p.life.Done():
				s.kill()
				return
			}
			s.kill() // closes its pipes
			p.set(nil, errors.New("it ended: "+s.end()))
		}
		if time.Since(born) >= stableFor {
			failures = 0
		}
		select {
		case <-time.After(min(maxRestart, minRestart<<min(failures, 10))):
		case <-p.life.Done():
			return
		}
		failures++
		var err error
		if s, err = p.start(); err != nil {
			s = nil
		}
		p.set(s, err)
	}
}

func (p *Piper) set(s *speaking, why error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now, p.why = s, why
	if s != nil {
		p.restarts++
	}
}

// Synthesize implements Voice.
func (p *Piper) Synthesize(ctx context.Context, sentence string, emit func(rate int, pcm []float32) error) error {
	select {
	case p.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	case <-p.life.Done():
	}
	if p.life.Err() != nil {
		return ErrClosed
	}
	given := false
	defer func() {
		if !given {
			<-p.turn
		}
	}()
	p.mu.Lock()
	s, why := p.now, p.why
	p.mu.Unlock()
	if s == nil {
		return voiceError("piper is being restarted", why)
	}
	select { // told by a process that had no sentence
	case <-s.over:
	default:
	}
	if err := s.send(strings.Join(strings.Fields(sentence), " ") + "\n"); err != nil {
		s.kill()
		return ended(ctx, "piper", err)
	}
	err := p.listen(ctx, s, emit)
	switch {
	case err == nil:
	case errors.Is(err, ErrVoice):
		s.kill() // whatever it still says belongs to no sentence
	default: // interrupted: the rest of the sentence must not be heard with the next one
		given = true
		p.wait.Go(func() {
			defer func() { <-p.turn }()
			p.discard(s)
		})
	}
	return err
}

// listen passes on the sound of one sentence.
func (p *Piper) listen(ctx context.Context, s *speaking, emit func(rate int, pcm []float32) error) error {
	limit, heard := p.slow, false
	for last := time.Now(); ; {
		pcm, err := s.read(pollSound)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if len(pcm) > 0 {
			if err := emit(p.rate, pcm); err != nil {
				return err
			}
			limit, heard, last = nextSound, true, time.Now() // emit may have taken its time
			continue
		}
		switch {
		case errors.Is(err, errEnd), errors.Is(err, os.ErrClosed): // supervise may close the pipe of the dead one first
			<-s.done
			return voiceError("piper", errors.New("died in the middle of a sentence: "+s.end()))
		case err != nil && !errors.Is(err, os.ErrDeadlineExceeded):
			return voiceError("piper", err)
		}
		select {
		case <-s.over:
			return nil
		default:
		}
		silent := time.Since(last)
		if heard && silent > sentenceOver && !p.tells.Load() {
			return nil
		}
		if silent > limit {
			return voiceError("piper", fmt.Errorf("silent for %v", silent.Round(time.Millisecond)))
		}
	}
}

// discard reads the rest of an interrupted sentence, or ends the process when that takes long.
func (p *Piper) discard(s *speaking) {
	ctx, cancel := context.WithTimeout(p.life, min(throwAway, p.slow))
	defer cancel()
	if p.listen(ctx, s, func(int, []float32) error { return nil }) != nil {
		s.kill()
	}
}

// Close implements Voice.
func (p *Piper) Close() error {
	p.end()
	p.wait.Wait()
	return nil
}

var _ Voice = (*Piper)(nil)
