package main

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"time"

	"github.com/reachyd/reachyd/hal/audio"
	"github.com/reachyd/reachyd/perception/sense"
	"github.com/reachyd/reachyd/perception/vad"
	"github.com/reachyd/reachyd/perception/voice"
	"github.com/reachyd/reachyd/perception/wake"
)

// sileroModel is the model that tells speech from noise.
const sileroModel = "silero-v6.2.0"

// hearing opens microphone and models. What is missing is said in the result.
func (w *senses) hearing(ctx context.Context) sense.Hearing {
	o := w.options
	h := sense.Hearing{Language: o.language}
	ear, err := w.ear()
	if err != nil {
		h.Off = err.Error()
		return h
	}
	info := ear.Info()
	h.Recognizer = ear
	h.Model, h.Tuned, h.Threads = info.Name, info.Tuned, info.Threads
	h.Settings = voice.Config{WakePhrase: o.wakePhrase, Meant: ear.meant, Complete: ear.endpoint}
	if w.attention != nil {
		ear.looked = w.attention.looked
		h.Began = func() { w.attention.begin(ctx) }
	}
	if o.wakePhrase != "" {
		w.spotter(ctx, &h, ear.all != nil)
	}
	w.detector(&h)
	w.microphone(ctx, &h)
	return h
}

// spotter has the wake phrase found in the sound itself. Where that cannot be, a model that knows all words may find it in what it writes.
func (w *senses) spotter(ctx context.Context, h *sense.Hearing, words bool) {
	s, err := newSpotter(ctx, w.options.wakePhrase)
	switch {
	case err == nil:
		h.Settings.Spotter = s
		return
	case words:
		w.log.Warn().Err(err).Msg("the wake phrase is found in the words alone")
	default:
		w.log.Error().Err(err).Msg("the wake phrase cannot be found, so nothing but a stop will be understood")
	}
	h.NoSpotter = err.Error()
}

func newSpotter(ctx context.Context, phrase string) (*wake.Spotter, error) {
	n, err := wake.Own()
	if err != nil {
		return nil, err
	}
	ways, err := n.Sounds(ctx, phrase)
	if err != nil {
		return nil, err
	}
	return n.NewSpotter(phrase, ways)
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
	case isPipe(name):
		p, err := audio.OpenPipe(name)
		if err != nil {
			h.NoMicrophone = err.Error()
			return
		}
		h.Source = p
		h.Microphone = filepath.Base(name)
		w.onClose(p.Close)
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

func degrees(rad float64) float64 { return rad * 180 / math.Pi }
