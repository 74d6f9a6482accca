//go:build whisper

package stt

/*
#cgo CFLAGS: -O2 -Wall
#cgo LDFLAGS: -lwhisper -lggml -lggml-cpu -lggml-base -lstdc++ -lm -lpthread
#include <stdlib.h>
#include "shim.h"
*/
import "C"

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"
	"unsafe"

	"github.com/reachyd/reachyd/perception/internal/ggml"
	"github.com/reachyd/reachyd/perception/internal/native"
)

// Built reports whether this program contains whisper.cpp.
const Built = true

const (
	languageDefault = "en"
	languageAuto    = "auto"
	maxPrompt       = 1000 // bytes; the model uses the last 224 tokens
)

// Recogniser understands speech with one model, which stays loaded. It may be used from any goroutine; one recognition
// runs at a time and the others wait.
type Recogniser struct {
	settings Settings
	info     Info
	model    *ggml.Whisper // without what was only needed for checking
	least    int           // positions of the encoder's shortest window

	remarks []C.int // tokens of what is no word

	spoken     *ngrams
	tokenForms []int32 // of every token of text, as form has it

	busy   chan struct{} // holds a token while nobody uses c
	c      *C.struct_whisper_context
	closed chan struct{}
	once   sync.Once
}

// Open loads a model file of whisper.cpp's format and warms it up. The file is checked before the library sees it.
func Open(path string, s Settings) (*Recogniser, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("speech model: %w", err)
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("speech model: %w", err)
	}
	return open(filepath.Base(path), path, nil, f, info.Size(), s)
}

// OpenBytes loads a model from memory, which may be changed afterwards. name is for messages.
func OpenBytes(name string, model []byte, s Settings) (*Recogniser, error) {
	return open(name, "", model, bytes.NewReader(model), int64(len(model)), s)
}

func open(name, path string, data []byte, src io.ReaderAt, size int64, s Settings) (*Recogniser, error) {
	model, err := ggml.ReadWhisper(src, size)
	if err != nil {
		return nil, fmt.Errorf("speech model %s: %w", name, err)
	}
	if s.Threads == 0 {
		s.Threads = max(1, min(runtime.GOMAXPROCS(0)-1, maxThreads))
	}
	if s.Threads < 1 || s.Threads > maxThreadsEver {
		return nil, fmt.Errorf("threads = %d: allowed is 1…%d", s.Threads, maxThreadsEver)
	}
	r := &Recogniser{
		settings: s,
		model:    &ggml.Whisper{Header: model.Header},
		info: Info{
			Name: name, Multilingual: model.Multilingual(), Window: time.Duration(model.Header.AudioCtx) * 20 * time.Millisecond,
			Threads: s.Threads, Size: model.Size(), Empty: len(model.Tensors) == 0,
		},
		busy:   make(chan struct{}, 1),
		closed: make(chan struct{}),
		least:  contextAtLeast,
	}
	if err := s.Defaults.check(&r.info); err != nil {
		return nil, err
	}
	if err := r.load(path, data, src, size, model); err != nil {
		return nil, err
	}
	r.remarks = r.marks()
	r.learn(s.Defaults.Spoken)
	r.busy <- struct{}{}
	// The first run touches all memory for the first time; the user shall not wait for that.
	warm := Options{Unguarded: true, MaxTokens: 1}
	if _, err := r.piece(context.Background(), make([]float32, SampleRate), &warm); err != nil {
		_ = r.Close()
		return nil, fmt.Errorf("warming up the speech model %s: %w", name, err)
	}
	return r, nil
}

// load hands the model to the library: from its file, or from memory where it comes from there or is tuned.
func (r *Recogniser) load(path string, data []byte, src io.ReaderAt, size int64, model *ggml.Whisper) error {
	var cpath *C.char
	var cdata unsafe.Pointer
	if !r.settings.Untuned {
		changed, err := tuned(src, size, model)
		if err != nil {
			return fmt.Errorf("speech model %s: %w", r.info.Name, err)
		}
		if changed != nil {
			defer C.free(changed) // the library has copied it
			cdata, r.info.Tuned, r.least = changed, true, tunedAtLeast
		}
	}
	switch {
	case r.info.Tuned:
	case data != nil:
		cdata = unsafe.Pointer(&data[0])
	default:
		cpath = C.CString(path)
		defer C.free(unsafe.Pointer(cpath))
	}
	return native.Complain("loading the speech model "+r.info.Name, func() bool {
		r.c = C.reachyd_stt_open(cpath, cdata, C.size_t(size))
		return r.c != nil
	})
}

// Threads: more of them spin while they wait for each other, which on a busy machine costs more than it brings.
const (
	maxThreads     = 3
	maxThreadsEver = 64
)

// Info describes the model.
func (r *Recogniser) Info() Info { return r.info }

// Transcribe writes down what is said in samples, with the options given to Open.
func (r *Recogniser) Transcribe(ctx context.Context, samples []float32) (Result, error) {
	return r.TranscribeWith(ctx, samples, r.settings.Defaults)
}

// TranscribeWith writes down what is said in samples, which must not change meanwhile. When ctx ends, it returns after
// the encoder's run or the token that is being computed. The error wraps ErrClosed, ErrTooLong, ctx's cause, or is
// whisper.cpp's.
func (r *Recogniser) TranscribeWith(ctx context.Context, samples []float32, o Options) (Result, error) {
	begin := time.Now()
	if err := o.check(&r.info); err != nil {
		return Result{}, err
	}
	if d := duration(len(samples)); d > MaxLength {
		return Result{}, fmt.Errorf("audio of %v is %w: allowed is %v", d.Round(time.Second), ErrTooLong, MaxLength)
	}
	if duration(len(samples)) < MinLength {
		return Result{Discarded: TooShort}, nil
	}
	if err := finite(samples); err != nil {
		return Result{}, err
	}
	if !o.Unguarded && silent(samples) {
		return Result{Discarded: Silence}, nil
	}
	select {
	case <-r.busy:
	case <-r.closed:
		return Result{}, ErrClosed
	case <-ctx.Done():
		return Result{}, context.Cause(ctx)
	}
	defer func() { r.busy <- struct{}{} }()
	if r.isClosed() {
		return Result{}, ErrClosed
	}

	res := Result{Took: Timings{Wait: time.Since(begin)}}
	for _, p := range pieces(samples, r.window()) {
		part, err := r.piece(ctx, samples[p.from:p.to], &o)
		switch {
		case ctx.Err() != nil:
			return Result{}, context.Cause(ctx)
		case r.isClosed():
			return Result{}, ErrClosed
		case err != nil:
			return Result{}, fmt.Errorf("recognising %v of speech: %w", duration(p.to-p.from).Round(10*time.Millisecond), err)
		}
		part.start, part.end = duration(p.from), duration(p.to)
		res.add(&part)
	}
	res.finish(&o)
	res.Took.Total = time.Since(begin)
	return res, nil
}

// window is how many samples the model listens to at once, with a little silence at the end of them.
func (r *Recogniser) window() int { return int(r.model.Header.AudioCtx)*samplesPerPosition - tail }

// Close gives the model back. A recognition under way is ended first. It may be called twice.
func (r *Recogniser) Close() error {
	r.once.Do(func() {
		close(r.closed)
		<-r.busy
		C.whisper_free(r.c)
		r.c = nil
		r.busy <- struct{}{}
	})
	return nil
}

func (o *Options) language(i *Info) string {
	if o.Language == "" || !i.Multilingual {
		return languageDefault
	}
	return o.Language
}

func (r *Recogniser) isClosed() bool {
	select {
	case <-r.closed:
		return true
	default:
		return false
	}
}

// knows reports whether whisper.cpp has that language.
func knows(lang string) bool {
	c := C.CString(lang)
	defer C.free(unsafe.Pointer(c))
	return C.whisper_lang_id(c) >= 0
}

func (o *Options) check(i *Info) error {
	lang := o.Language
	switch {
	case lang == "" || lang == languageDefault || lang == languageAuto:
	case !i.Multilingual:
		return fmt.Errorf("language = %q: the model %s knows English only", lang, i.Name)
	case !knows(lang):
		return fmt.Errorf("language = %q is unknown: allowed is auto or a code like en, de, fr", lang)
	}
	if len(o.Prompt) > maxPrompt {
		return fmt.Errorf("prompt of %d bytes: allowed is %d", len(o.Prompt), maxPrompt)
	}
	if o.MaxTokens < 0 {
		return errors.New("max tokens below 0")
	}
	return nil
}
