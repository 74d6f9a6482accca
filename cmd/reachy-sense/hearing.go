package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"time"

	"github.com/reachyd/reachyd/hal/audio"
	"github.com/reachyd/reachyd/perception/client"
	"github.com/reachyd/reachyd/perception/models"
	"github.com/reachyd/reachyd/perception/sense"
	"github.com/reachyd/reachyd/perception/stt"
	"github.com/reachyd/reachyd/perception/stt/commandmodel"
	"github.com/reachyd/reachyd/perception/vad"
	"github.com/reachyd/reachyd/perception/voice"
)

// sileroModel is the model that tells speech from noise.
const sileroModel = "silero-v6.2.0"

// vocabulary biases the recogniser towards words that are rare elsewhere. It is short because every token of it is read
// before each sentence: 64 tokens double the time.
const vocabulary = "Reachy, antennas, croissant, duck, nod, degrees."

// speechModels are tried in this order.
var speechModels = map[bool][]string{
	true:  {"tiny.en-q8_0", "base.en-q8_0", "tiny.en", "base-q8_0", "tiny-q8_0"}, // English
	false: {"base-q8_0", "tiny-q8_0"},
}

// hearing opens microphone and models. What is missing is said in the result.
func (w *senses) hearing(ctx context.Context) sense.Hearing {
	o := w.options
	h := sense.Hearing{Language: o.language}
	recogniser, err := w.recogniser()
	if err != nil {
		h.Off = err.Error()
		return h
	}
	info := recogniser.Info()
	h.Recognizer = &transcriber{recogniser}
	h.Model, h.Threads = info.Name, info.Threads
	h.Settings = voice.Config{WakePhrase: o.wakePhrase}
	w.detector(&h)
	w.microphone(ctx, &h)
	return h
}

// detector chooses what tells speech from noise.
func (w *senses) detector(h *sense.Hearing) {
	path, err := w.models.Find(sileroModel)
	if err == nil {
		var d vad.Detector
		if d, err = vad.Open(path); err == nil {
			h.DetectorName = "silero"
			h.Detector = func() (voice.Detector, error) { return vad.Open(path) }
		}
		err = errors.Join(err, d.Close())
	}
	if err != nil {
		w.log.Warn().Err(err).Msg("speech is told from noise by its loudness only")
		h.DetectorName = "energy"
		h.Detector = func() (voice.Detector, error) { return vad.NewEnergy(), nil }
	}
}

// microphone opens the source of sound.
func (w *senses) microphone(ctx context.Context, h *sense.Hearing) {
	name := w.options.microphone
	h.Microphone = name
	switch {
	case name == off:
		h.NoMicrophone = "the microphone is switched off by the settings"
		h.Microphone = ""
	case isFile(name):
		f, err := audio.OpenWAV(name, audio.FileOptions{RealTime: true, Tail: 2 * time.Second})
		if err != nil {
			h.NoMicrophone = err.Error()
			return
		}
		h.Source = f
		h.Microphone = filepath.Base(name)
		w.onClose(f.Close)
	default:
		options := audio.Options{Device: name}
		if name == "null" {
			options = audio.Options{Backend: "null"}
		}
		m, err := audio.OpenMicrophone(ctx, options)
		if err != nil {
			h.NoMicrophone = "there is no microphone: " + err.Error()
			return
		}
		w.onClose(m.Close)
		h.Source = m
		h.There = func() (bool, string) { return connected(m.Status(), "microphone") }
		h.Microphone = m.Status().Device
		w.direction(ctx, h)
	}
}

func connected(s audio.Status, what string) (bool, string) {
	if s.Connected {
		return true, ""
	}
	if s.Err == "" {
		return false, "no " + what + " was found: plug one in"
	}
	return false, "no " + what + " was found (" + s.Err + "): plug one in"
}

// direction asks the robot's own board where a voice comes from, where there is one.
func (w *senses) direction(ctx context.Context, h *sense.Hearing) {
	usb, err := audio.OpenUSB()
	if err != nil {
		w.log.Debug().Err(err).Msg("the direction of a voice is not known")
		return
	}
	w.onClose(usb.Close)
	array, err := audio.NewArray(ctx, usb, nil)
	if err != nil {
		w.log.Warn().Err(err).Msg("the direction of a voice is not known")
		return
	}
	h.Settings.EchoCancelled = true // the board takes the robot's own voice out
	h.Direction = func(ctx context.Context) (float64, bool) {
		d, err := array.Direction(ctx)
		return degrees(d.Yaw), err == nil && d.Speech
	}
}

// recogniser is what writes down words: a Whisper model if there is one.
type recogniser interface {
	Transcribe(ctx context.Context, samples []float32) (stt.Result, error)
	Info() stt.Info
	Close() error
}

// recogniser opens the best speech model of this host.
func (w *senses) recogniser() (recogniser, error) {
	o := w.options
	settings := stt.Settings{Threads: o.threads, Defaults: stt.Options{Language: o.language, Prompt: vocabulary}}
	names := []string{o.speech}
	switch o.speech {
	case off:
		return nil, errors.New("hearing is switched off by the settings")
	case "":
		names = speechModels[o.language == "en" || o.language == ""]
	}
	name, path, err := w.models.First(names...)
	if err == nil {
		r, err := stt.Open(path, settings)
		if err == nil {
			w.onClose(r.Close)
			return r, nil
		}
		return nil, fmt.Errorf("speech model %s: %w", name, err)
	}
	if !errors.Is(err, models.ErrMissing) || o.speech != "" {
		return nil, err
	}
	return w.commandModel(settings, err)
}

// transcriber translates what a recogniser found into the words of a turn.
type transcriber struct{ recogniser }

func (t *transcriber) Transcribe(ctx context.Context, samples []float32) (voice.Transcript, error) {
	r, err := t.recogniser.Transcribe(ctx, samples)
	if err != nil {
		return voice.Transcript{}, err
	}
	out := voice.Transcript{Text: r.Text, Language: r.Language, Confidence: r.Confidence}
	if r.Discarded == "" {
		return out, nil
	}
	switch r.Discarded {
	case stt.TooShort:
		out.Reason, out.Message = client.ReasonTooShort, "it was too short to hold a word"
	case stt.Silence, stt.NoSpeech:
		out.Reason, out.Message = client.ReasonNoSpeech, "nobody spoke"
	case stt.Phantom, stt.Repetition, stt.Babble:
		out.Reason = client.ReasonHallucination
		out.Message = fmt.Sprintf("there are no words in it, although the recogniser wrote some (%s: %.80q)", r.Discarded, r.Raw)
	case stt.Unsure:
		out.Reason, out.Message = client.ReasonNotUnderstood, fmt.Sprintf("it is not certain that it was %.80q", r.Raw)
	case commandmodel.NotACommand:
		out.Reason, out.Message = client.ReasonNotUnderstood, "it was none of the commands that are understood without a larger speech model"
	default:
		out.Reason, out.Message = client.ReasonNotUnderstood, string(r.Discarded)
	}
	return out, nil
}

func degrees(rad float64) float64 { return rad * 180 / math.Pi }
