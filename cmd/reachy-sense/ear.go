package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/perception/client"
	"github.com/reachyd/reachyd/perception/language"
	"github.com/reachyd/reachyd/perception/models"
	"github.com/reachyd/reachyd/perception/stt"
	"github.com/reachyd/reachyd/perception/stt/commandmodel"
	"github.com/reachyd/reachyd/perception/voice"
)

// vocabulary biases the recogniser towards words that are rare elsewhere. It is short because every token of it is read
// before each sentence: 64 tokens double the time.
const vocabulary = "Reachy, antennas, croissant, duck, nod, degrees."

// speechModels are tried in this order.
var speechModels = map[bool][]string{
	true:  {"tiny.en-q8_0", "base.en-q8_0", "tiny.en", "base-q8_0", "tiny-q8_0"}, // English
	false: {"base-q8_0", "tiny-q8_0"},
}

// builtIn is the command model alone: on a small processor it answers ten times as fast as any other.
const builtIn = "built-in"

// How sure the command model must be. It is asked first because it answers in a tenth of the time.
const (
	commandAlone  = 0.95 // for its word to count without asking the other
	commandAgreed = 0.75 // … when the other has the same among its readings
	commandElse   = 0.85 // … when the other has understood nothing
	stopSure      = 0.5  // that it was a stop: it takes no other word for one
	meantSure     = 0.6  // that a command was heard which nobody has addressed to the robot
)

// recogniser is what writes down words.
type recogniser interface {
	Transcribe(ctx context.Context, samples []float32) (stt.Result, error)
	Info() stt.Info
	Close() error
}

// ear writes down what is said with two models: the built-in one, which knows commands only, and one that knows all words.
type ear struct {
	commands, all recogniser // either may be nil
	planner       *planner.Planner
}

// ear opens the speech models of this host.
func (w *senses) ear() (*ear, error) {
	o := w.options
	if o.speech == off {
		return nil, errors.New("hearing is switched off by the settings")
	}
	e := &ear{planner: planner.New()}
	english := o.language == "en" || o.language == ""
	settings := stt.Settings{Threads: o.threads, Defaults: stt.Options{Language: o.language}}
	if english {
		settings.Defaults.Prompt, settings.Defaults.Sense, settings.Defaults.Favour = vocabulary, e.command, favoured
	}
	names := []string{o.speech}
	switch o.speech {
	case "":
		names = speechModels[english]
	case builtIn:
		names = nil
	}
	missing := models.ErrMissing
	for i, name := range names {
		path, err := w.models.Find(name)
		if err == nil {
			r, bad := stt.Open(path, settings)
			if bad == nil {
				w.onClose(r.Close)
				e.all = r
				break
			}
			err = fmt.Errorf("speech model %s: %w", name, bad)
		}
		if o.speech != "" {
			return nil, err
		}
		if i == 0 {
			missing = err
		}
		if !errors.Is(err, models.ErrMissing) {
			w.log.Warn().Err(err).Msg("it is not used")
		}
	}
	if english || e.all == nil {
		if err := w.commandModel(e, settings, missing); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// commandModel adds what the robot understands without any model file: its core commands.
func (w *senses) commandModel(e *ear, s stt.Settings, missing error) error {
	r, err := commandmodel.Open(s)
	switch {
	case err == nil:
		w.onClose(r.Close)
		e.commands = r
	case e.all == nil:
		return fmt.Errorf("there is no speech model: %w, and of the built-in one: %w", missing, err)
	default:
		w.log.Warn().Err(err).Msg("the built-in speech model is not used")
	}
	if e.all == nil && w.options.speech != builtIn {
		w.log.Warn().Msg("only the core commands are understood: there is no larger speech model; 'reachyctl models pull tiny.en-q8_0' gets one")
	}
	return nil
}

// Info describes the model that knows more.
func (e *ear) Info() stt.Info {
	if e.all != nil {
		return e.all.Info()
	}
	return e.commands.Info()
}

// command reports whether a text asks the robot to do something.
func (e *ear) command(text string) bool {
	return voice.IsStop(text) || e.planner.Plan(text).Outcome == planner.OutcomePlan
}

// meant reports whether a sentence that nobody has addressed to the robot is for it: its name is in it, it asks a question, it
// greets, or it is a command that was heard well.
func (e *ear) meant(text string, confidence float64) bool {
	u := language.Analyse(text)
	if u.TooLong || len(u.Raw) > longestAside {
		return false
	}
	if u.Address.Len() > 0 || u.Question || slices.ContainsFunc(language.HeardWords(text), func(w string) bool { return names[w] }) {
		return true
	}
	if w := language.HeardWords(text); len(w) == 1 && greetings[w[0]] {
		return true
	}
	return confidence >= meantSure && e.planner.PlanFor(u).Outcome != planner.OutcomeNone
}

// longestAside is how many words and marks a sentence may have that is meant for the robot without its name: who reads or
// talks to somebody else says longer ones.
const longestAside = 25

var (
	// names are what the robot is called, as recognisers write it.
	names = language.Words("own-names")
	// greetings need no name.
	greetings = language.Words("whole-sentences")
	// favoured are words that are more likely here than elsewhere.
	favoured = slices.Sorted(maps.Keys(language.Words("heard-here")))
)

// Transcribe asks the command model first, and the other when that is not sure.
func (e *ear) Transcribe(ctx context.Context, samples []float32) (voice.Transcript, error) {
	var quick stt.Result
	var heard []string
	if e.commands != nil {
		var err error
		if quick, err = e.commands.Transcribe(ctx, samples); err != nil {
			return voice.Transcript{}, err
		}
		if quick.Confidence >= stopSure {
			heard = append(heard, quick.Raw)
		}
		if e.all == nil || quick.Text != "" && quick.Confidence >= commandAlone || len(heard) > 0 && voice.IsStop(quick.Raw) {
			return transcript(&quick, heard), nil
		}
	}
	slow, err := e.all.Transcribe(ctx, samples)
	if err != nil {
		return voice.Transcript{}, err
	}
	heard = append(heard, slow.Raw, slow.Text)
	if quick.Text != "" && (slow.Text == "" && quick.Confidence >= commandElse || quick.Confidence >= commandAgreed && among(quick.Text, &slow)) {
		return transcript(&quick, heard), nil
	}
	return transcript(&slow, heard), nil
}

// among reports whether a text is one of the readings.
func among(text string, r *stt.Result) bool {
	same := func(other string) bool { return slices.Equal(language.HeardWords(text), language.HeardWords(other)) }
	return same(r.Text) || slices.ContainsFunc(r.Alternatives, func(a stt.Reading) bool { return same(a.Text) })
}

// discards says why a text was thrown away, in words for the reason.
var discards = map[stt.Discard]struct{ reason, message string }{
	stt.TooShort: {client.ReasonTooShort, "it was too short to hold a word"},
	stt.Silence:  {client.ReasonNoSpeech, "nobody spoke"}, stt.NoSpeech: {client.ReasonNoSpeech, "nobody spoke"},
	stt.Phantom: {client.ReasonHallucination, ""}, stt.Repetition: {client.ReasonHallucination, ""}, stt.Babble: {client.ReasonHallucination, ""},
	stt.Unsure: {client.ReasonNotUnderstood, "it is not certain that it was %.80q"},
	commandmodel.NotACommand: {
		client.ReasonNotUnderstood, "it was none of the commands that are understood without a larger speech model",
	},
}

// transcript translates what a recogniser found into the words of a turn.
func transcript(r *stt.Result, heard []string) voice.Transcript {
	out := voice.Transcript{Text: r.Text, Language: r.Language, Confidence: r.Confidence, Heard: heard}
	if r.Discarded == "" {
		return out
	}
	d, known := discards[r.Discarded]
	switch {
	case !known:
		d.reason, d.message = client.ReasonNotUnderstood, string(r.Discarded)
	case d.message == "":
		d.message = fmt.Sprintf("there are no words in it, although the recogniser wrote some (%s: %.80q)", r.Discarded, r.Raw)
	case strings.Contains(d.message, "%"):
		d.message = fmt.Sprintf(d.message, r.Raw)
	}
	out.Reason, out.Message = d.reason, d.message
	return out
}
