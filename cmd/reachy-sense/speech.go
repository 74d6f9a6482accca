package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/audio"
	"github.com/reachyd/reachyd/hal/body"
	"github.com/reachyd/reachyd/perception/sense"
	"github.com/reachyd/reachyd/perception/tts"
)

// speech opens loudspeaker and voice. What is missing is said in the result.
func (w *senses) speech(ctx context.Context) sense.Speech {
	o := w.options
	if o.speaker == off {
		return sense.Speech{Off: "the loudspeaker is switched off by the settings"}
	}
	voice, err := tts.Open(ctx, w.voiceOptions(o.voice))
	if err != nil {
		return sense.Speech{Off: err.Error()}
	}
	w.onClose(voice.Close)
	sp := sense.Speech{Engine: "espeak-ng", Voice: voice.Name(), Level: o.volume, Synthesize: w.synthesize}
	if strings.HasPrefix(voice.Name(), "piper") {
		sp.Engine = "piper"
	}
	player, err := w.loudspeaker(ctx, &sp)
	if err != nil {
		return sense.Speech{Off: "there is no loudspeaker: " + err.Error(), Synthesize: w.synthesize}
	}
	w.onClose(player.Close)
	speaker := &tts.Speaker{Voice: voice, OnEvent: w.server.OnSpeech}
	meter := sense.NewMeter(player, player, func() { speaker.Hush() })
	if err := meter.SetVolume(o.volume); err != nil {
		return sense.Speech{Off: err.Error()}
	}
	speaker.Sink, speaker.Volume = meter, meter
	if w.body != nil {
		speaker.Mover = mover{w.body}
	}
	run, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- speaker.Run(run) }()
	w.onClose(func() error { stop(); return <-done })
	sp.Speaker, sp.Volume, sp.Loudspeaker = speaker, meter, meter
	return sp
}

// voiceName is what a voice may be called by others: never a path.
var voiceName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_+-]{0,63}$`)

// synthesize makes a WAV file of a text, in a voice of its own: the robot may speak meanwhile.
func (w *senses) synthesize(ctx context.Context, text, voice string) (wav []byte, name string, err error) {
	piper := strings.HasPrefix(voice, piperVoices)
	if piper {
		_, err = w.models.Find(voice)
	}
	if err != nil || voice != "" && !voiceName.MatchString(voice) {
		return nil, "", w.noVoice(ctx)
	}
	v, err := tts.Open(ctx, w.voiceOptions(cmp.Or(voice, w.options.voice)))
	if err != nil {
		if voice != "" && !piper {
			err = errors.Join(w.noVoice(ctx), err)
		}
		return nil, "", err
	}
	defer v.Close() //nolint:errcheck // its process has ended, or is killed
	rate, pcm, err := tts.Render(ctx, v, text)
	if err != nil {
		return nil, "", err
	}
	return audio.EncodeWAV(rate, pcm), v.Name(), nil
}

// piperVoices is how the names of Piper's voices begin.
const piperVoices = "piper-"

// noVoice says which voices there are.
func (w *senses) noVoice(ctx context.Context) error {
	names, err := tts.EspeakVoices(ctx)
	if err != nil {
		return err
	}
	for _, m := range w.models.List() {
		if strings.HasPrefix(m.Name, piperVoices) && m.Path != "" {
			names = append(names, m.Name)
		}
	}
	const none = "%w: there is none of that name; allowed are %s, and those of espeak-ng with a variant such as en+f3"
	return fmt.Errorf(none, sense.ErrNoVoice, strings.Join(names, ", "))
}

// voiceOptions say which voice: the one that is named, else one that fits the language, Piper's where it is there.
func (w *senses) voiceOptions(voice string) tts.Options {
	o := w.options
	out := tts.Options{OnFailure: func(err error) { w.log.Warn().Err(err).Msg("Piper is not used") }}
	switch {
	case strings.HasSuffix(voice, ".onnx") && voice == o.voice: // a path is the owner's to give
		out.Piper.Model = voice
	case strings.HasPrefix(voice, piperVoices):
		path, err := w.models.Find(voice)
		if err != nil {
			w.log.Warn().Err(err).Msg("Piper is not used")
		}
		out.Piper.Model = path
	case voice != "":
		out.Espeak.Voice = voice
	case o.language != "en" && o.language != "auto":
		out.Espeak.Voice = o.language
	}
	return out
}

// loudspeaker opens where the sound goes.
func (w *senses) loudspeaker(ctx context.Context, sp *sense.Speech) (*audio.Player, error) {
	name := w.options.speaker
	switch {
	case name == "null":
		sp.Device = name
		return audio.NewNull(audio.PumpOptions{})
	case strings.HasSuffix(strings.ToLower(name), ".wav"):
		f, err := os.OpenFile(name, os.O_CREATE|os.O_TRUNC|os.O_RDWR, 0o600)
		if err != nil {
			return nil, err
		}
		sp.Device = filepath.Base(name)
		w.onClose(f.Close)
		return audio.NewWAVPlayer(f, audio.PumpOptions{})
	}
	l, err := audio.OpenLoudspeaker(ctx, audio.Options{Device: name})
	if err != nil {
		return nil, err
	}
	sp.Device = l.Status().Device
	sp.There = func() (bool, string) { return connected(l.Status(), "loudspeaker") }
	return l, nil
}

// mover lets the head move with the words.
type mover struct{ body *body.Client }

// Offset implements tts.Mover.
func (m mover) Offset(ctx context.Context, head hal.Head, antennas hal.Antennas) error {
	a, err := m.body.Do(ctx, hal.Request{Verb: hal.VerbOffset, Source: "speech", Head: head.Goal(), Antennas: antennas.Goal()})
	if err == nil && a.Outcome == hal.Rejected {
		return fmt.Errorf("the body refuses to move along: %s", a.Reason)
	}
	return err
}

var _ tts.Mover = mover{}
