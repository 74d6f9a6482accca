// Package commandmodel holds a small speech model of our own, so that a fresh machine without any download understands
// the robot's core commands.
//
// It has Whisper's architecture and is read by whisper.cpp like any other model, but it knows only the sentences of
// Commands; for all other speech and for noise it writes Unknown. It was trained on synthetic voices by
// perception/stt/train ('make command-model'). A second opinion is that of the network of the wake phrase, which knows the sounds of
// English: the commands are laid along them, and what both make of it is a confidence. Where a real Whisper model is present, that one
// is to be used instead.
package commandmodel

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/reachyd/reachyd/perception/stt"
	"github.com/reachyd/reachyd/perception/wake"
)

// Name is what the model is called where models are named.
const Name = "command-model"

// Unknown is what the model writes for everything that is no command of its own. Package stt drops what stands in
// brackets, so there it shows in Result.Raw only.
const Unknown = "[unknown]"

//go:embed command-model.bin.gz
var packed []byte

//go:embed commands.txt
var commands string

// Bytes unpacks the model file. It is 14 MB large, mostly rows of one number for tokens that are never used.
func Bytes() ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("the embedded %s: %w", Name, err)
	}
	b, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("the embedded %s: %w", Name, err)
	}
	return b, nil
}

var known = sync.OnceValue(func() []string { return strings.Split(strings.TrimSpace(commands), "\n") })

// Commands are all sentences that the model can write, in alphabetical order. The caller must not change them.
func Commands() []string { return known() }

// NotACommand is the reason why a Result has no text: something else was said, or nothing.
const NotACommand stt.Discard = "no command"

// Window is the longest audio that can hold a command; of longer audio the model says nothing.
const Window = 5 * time.Second

// Recogniser understands the commands. It may be used from any goroutine.
type Recogniser struct {
	whisper *stt.Recogniser
	sounds  *wake.Aligner
}

// Open loads the model. Of the settings only the threads matter: a prompt or a second try would confuse it.
func Open(s stt.Settings) (*Recogniser, error) {
	b, err := Bytes()
	if err != nil {
		return nil, err
	}
	s.Defaults = stt.Options{}
	sounds, err := newAligner()
	if err != nil {
		return nil, err
	}
	r, err := stt.OpenBytes(Name, b, s)
	if err != nil {
		return nil, err
	}
	return &Recogniser{whisper: r, sounds: sounds}, nil
}

// Transcribe returns the command that is said in samples; a Result without text says in Discarded why there is none.
// The errors are those of stt.Recogniser.
func (r *Recogniser) Transcribe(ctx context.Context, samples []float32) (stt.Result, error) {
	if len(samples) > int(Window.Seconds()*stt.SampleRate) {
		return stt.Result{Discarded: NotACommand}, nil
	}
	res, candidates, err := r.Candidates(ctx, samples)
	if err != nil || len(candidates) == 0 {
		return res, err
	}
	best := slices.MaxFunc(candidates, func(a, b Candidate) int { return cmp.Compare(a.Confidence, b.Confidence) })
	if raw := res.Raw; isKnown(raw) {
		res.Alternatives = append(res.Alternatives, stt.Reading{Text: raw, Confidence: res.Confidence})
	}
	res.Text, res.Raw, res.Confidence, res.Discarded, res.Segments = best.Text, best.Text, best.Confidence, "", nil
	switch {
	case best.Confidence < NoCommand:
		res.Text, res.Discarded = "", NotACommand
	case best.Confidence < MinConfidence:
		res.Text, res.Discarded = "", stt.Unsure
	}
	return res, nil
}

// Candidates returns the commands that may be said in samples, with what the model of words made of it. There are none where it heard nobody.
func (r *Recogniser) Candidates(ctx context.Context, samples []float32) (stt.Result, []Candidate, error) {
	res, err := r.whisper.Transcribe(ctx, samples)
	if err != nil || res.Discarded == stt.TooShort || res.Discarded == stt.Silence {
		return res, nil, err
	}
	var written []int
	if i, found := slices.BinarySearch(Commands(), res.Raw); found {
		written = append(written, i)
	}
	fits := r.sounds.Fits(samples, 2, written...)
	candidates := make([]Candidate, len(fits))
	for i, f := range fits {
		text := Commands()[f.Sentence]
		candidates[i] = Candidate{text, f, confidence(text, f, res.Raw, res.Confidence)}
	}
	return res, candidates, nil
}

// Info describes the model.
func (r *Recogniser) Info() stt.Info { return r.whisper.Info() }

// Close gives the model back. A recognition under way is ended first. It may be called twice.
func (r *Recogniser) Close() error { return r.whisper.Close() }

func isKnown(text string) bool {
	_, found := slices.BinarySearch(Commands(), text)
	return found
}
