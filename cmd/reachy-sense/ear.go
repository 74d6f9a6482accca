package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

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

// How sure the models must be, by what they made of recordings of the sets tune and calibrate (RATIONALE.md).
const (
	commandFirst = 0.99 // of the command model, which is asked first because it answers in a tenth of the time, not to ask the other
	commandAlone = 0.72 // … to be believed where there is no other
	commandAsk   = 0.5  // … to be asked about
	// commandInstead is that where the other wrote something that is thrown away.
	commandInstead = 0.8
	// commandAskAlone is that where there is no other, and perhaps nobody who tells speech from noise.
	commandAskAlone = 0.7
	stopSure        = 0.5  // … that it was a stop: it takes no other word for one
	stopNearly      = 0.4  // … of the other, where it has another reading as well
	stopLikely      = 0.67 // of its readings that ask for something, for a stop that it alone has heard: twice as likely as all else
	nobodySure      = 0.9  // … that nobody spoke, for what it wrote all the same to be no stop
	wordsSure       = 0.55 // of the other, for a command to be done
	wordsAsk        = 0.4  // … to be asked about
	talkSure        = 0.6  // … for other words to be taken as they are, and not to be asked for again
	behindSure      = 4    // logarithm by which the sound alone may speak for other words
	shareSure       = 0.96 // of the readings that ask for something, for the deed that is done
	shareAsk        = 0.4  // … to be asked about
	doubtSure       = 0.2  // of all readings by the sound alone, that may be for something else than the deed, or for nothing
	wordsSurer      = 0.75 // of the other, from which on they do not count
	doubtNone       = 0.1  // of all readings, up to which a share of shareNoDoubt will do
	shareNoDoubt    = 0.85
	strangeSure     = 0.85 // of the other, for a command to be done that came with words which nobody says to the robot
	foreignSure     = 0.8  // that it was another language than the one that is understood
	foreignSpeak    = 0.5  // … where it is at most so likely that nobody spoke
	meantSure       = 0.6  // that a command was heard which nobody has addressed to the robot
)

// A sentence of the command model takes about so long to say; one of another length it has only taken for its own.
const (
	sentenceLead  = 0.2  // s
	letterTime    = 0.07 // s
	fastest       = 0.62 // of that
	slowest       = 1.3
	aroundSpeech  = 0.4 // s: what stands before and behind the speech of a turn
	shortSentence = 8   // letters: whose length says nothing
	shortTime     = 1.3 // s: what such a sentence takes at most
)

// spoken is what people say to the robot.
func spoken() []stt.Spoken {
	all := language.Spoken()
	out := make([]stt.Spoken, len(all))
	for i, s := range all {
		out[i] = stt.Spoken(s)
	}
	return out
}

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
	looked        func(since time.Time) bool // somebody looks at the robot, and has for a while; nil: it is not known
}

// ear opens the speech models of this host.
func (w *senses) ear() (*ear, error) {
	o := w.options
	if o.speech == off {
		return nil, errors.New("hearing is switched off by the settings")
	}
	e := &ear{planner: planner.New()}
	english := o.language == "en" || o.language == ""
	settings := stt.Settings{Threads: o.threads, Untuned: o.untuned, Defaults: stt.Options{Language: o.language}}
	if english {
		settings.Defaults.Prompt, settings.Defaults.Meaning, settings.Defaults.Spoken = vocabulary, e.meaning, spoken()
		settings.Defaults.Detect = true
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

// meaning is what a text asks the robot to do, the same for all texts that ask for the same; empty when it asks for nothing.
func (e *ear) meaning(text string) string {
	if voice.IsStop(text) {
		return "stop"
	}
	p := e.planner.Plan(text)
	if p.Outcome != planner.OutcomePlan {
		return ""
	}
	return p.Deed()
}

// meant reports whether a sentence that nobody has addressed to the robot is for it: its name is in it, it asks a question, it
// greets, or it is a command that was heard well. To a face that looks at the robot any request will do.
func (e *ear) meant(s voice.Said) bool {
	u := language.Analyse(s.Text)
	if u.TooLong || len(u.Raw) > longestAside {
		return false
	}
	words := language.HeardWords(s.Text)
	switch {
	case u.Address.Len() > 0, slices.ContainsFunc(words, func(w string) bool { return names[w] }):
		return true
	case s.Foreign: // its words are guesses
		return e.faced(s)
	case u.Question, len(words) == 1 && greetings[words[0]]:
		return true
	}
	command := e.planner.PlanFor(u).Outcome != planner.OutcomeNone
	return command && s.Confidence >= meantSure || (command || request(words)) && e.faced(s)
}

// faced reports whether a sentence was said to the robot's face: by whom looks at it, and as no part of other talk, which a
// television and two people who talk to each other are.
func (e *ear) faced(s voice.Said) bool {
	return e.looked != nil && s.Alone && !s.Aside && e.looked(s.Start)
}

// request reports whether words ask somebody to do something: "tell me about whales".
func request(words []string) bool {
	for i, w := range words {
		if requests[w] {
			return true
		}
		if i >= mostLeadIns || !leadIns[w] {
			return false
		}
	}
	return false
}

// mostLeadIns is how many words may stand before a request: "okay, now please".
const mostLeadIns = 4

// foreign is the language that somebody has surely spoken in instead of the one that is understood, where that is known and the words
// ask for nothing.
func (e *ear) foreign(r *stt.Result) string {
	text := cmp.Or(r.Text, r.Raw)
	noted := r.Text == "" && slices.ContainsFunc(language.HeardWords(text), func(w string) bool { return speakingNotes[w] })
	switch {
	case !otherLanguage(r), r.Discarded != "" && r.Discarded != stt.Unsure && !noted:
	case onlyEnglish[r.Detected] == "", len(language.HeardWords(text)) < 2, e.meaning(text) != "":
	default:
		return r.Detected
	}
	return ""
}

// otherLanguage reports whether somebody has surely spoken in another language than the one that is understood.
func otherLanguage(r *stt.Result) bool {
	return r.Detected != r.Language && r.DetectedSure >= foreignSure && r.NoSpeech <= foreignSpeak
}

// endpoint judges a sentence as far as it was said: by its last words, and where these say nothing a command that is understood is complete.
func (e *ear) endpoint(text string) client.Endpoint {
	judged := voice.Endpoint(text)
	if judged == client.Unknown && e.meaning(text) != "" {
		return client.Complete
	}
	return judged
}

// longestAside is how many words and marks a sentence may have that is meant for the robot without its name: who reads or
// talks to somebody else says longer ones.
const longestAside = 25

var (
	// names are what the robot is called, as recognisers write it.
	names = language.Words("own-names")
	// greetings need no name.
	greetings = language.Words("whole-sentences")
	// requests are the first words of what somebody is asked to do, leadIns what may stand before them.
	requests = language.Words("imperatives")
	leadIns  = language.Words("sentence-lead-ins")
	// onlyEnglish is what is said to whom speaks another language, speakingNotes what a recogniser notes of it instead of words.
	onlyEnglish   = language.Texts("only-english")
	speakingNotes = language.Words("speaking-notes")
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
		for _, r := range append(quick.Alternatives, stt.Reading{Text: quick.Raw, Confidence: quick.Confidence}) {
			if r.Confidence >= stopSure {
				heard = append(heard, r.Text)
			}
		}
		needed := commandFirst
		if e.all == nil {
			needed = commandAlone
		}
		stops := slices.DeleteFunc(slices.Clone(heard), func(text string) bool { return !voice.IsStop(text) })
		switch sure := quick.Confidence >= needed && lasts(quick.Text, samples); {
		case len(stops) > 0 && e.all != nil && !slices.ContainsFunc(stops, ofNothing):
			return e.stopOf(ctx, &quick, stops, samples)
		case len(stops) > 0, quick.Text != "" && sure:
			return transcript(&quick, heard), nil
		case e.all == nil:
			out := transcript(&quick, heard)
			if out.Unsure = out.Text != ""; out.Unsure && quick.Confidence < commandAskAlone { // noise is taken for "hello" with less
				out.Text, out.Unsure, out.Reason = "", false, client.ReasonNotUnderstood
				out.Message = fmt.Sprintf("it is not certain that it was %.80q", quick.Text)
			}
			return out, nil
		}
	}
	slow, err := e.all.Transcribe(ctx, samples)
	if err != nil {
		return voice.Transcript{}, err
	}
	also := append([]string{slow.Text}, e.nearly(&slow)...)
	if slow.NoSpeech <= nobodySure {
		also = append(also, slow.Raw)
	}
	perhaps := ""
	if i := slices.IndexFunc(also, voice.IsStop); i >= 0 && slow.Share < stopLikely {
		perhaps = also[i]
		also = slices.DeleteFunc(also, voice.IsStop)
	}
	heard = append(heard, also...)
	if lang := e.foreign(&slow); lang != "" {
		return voice.Transcript{Text: cmp.Or(slow.Text, slow.Raw), Language: slow.Language, Foreign: lang, Confidence: slow.Confidence, Heard: heard}, nil
	}
	out := e.both(&quick, &slow, heard, lasts(quick.Text, samples))
	if out.Perhaps = perhaps; perhaps != "" && e.stops(out.Text) { // the conversation would latch
		out.Text, out.Unsure, out.Reason = "", false, client.ReasonNotUnderstood
		out.Message = fmt.Sprintf("it is not certain that it was %.80q: the robot has braked, and stops when it is said again", perhaps)
	}
	return out, nil
}

// stops reports whether a text is a stop to the conversation, plain or in other words.
func (e *ear) stops(text string) bool {
	stop := e.planner.Plan("stop")
	return voice.IsStop(text) || text != "" && e.meaning(text) == stop.Deed()
}

// ofNothing reports whether a stop is of nothing that is being done: it is no "stop moving".
func ofNothing(stop string) bool {
	return !slices.ContainsFunc(language.HeardWords(stop), func(w string) bool { return strings.HasSuffix(w, "ing") })
}

// stopOf judges a stop of what is being done, of which the command model knows one: its "stop moving" may be "stop dancing", which ends the
// dance and latches nothing, or "stop and look left". What the other is sure of is done where a stop is none of its readings.
func (e *ear) stopOf(ctx context.Context, quick *stt.Result, stops []string, samples []float32) (voice.Transcript, error) {
	slow, err := e.all.Transcribe(ctx, samples)
	isStop := func(r stt.Reading) bool { return voice.IsStop(r.Text) }
	if err == nil && sure(&slow) && !voice.IsStop(slow.Text) && e.meaning(slow.Text) != "" && !slices.ContainsFunc(slow.Alternatives, isStop) {
		return transcript(&slow, []string{slow.Text}), nil
	}
	return transcript(quick, stops), nil
}

// nearly are the other readings that a stop may be looked for in: where the text asks for nothing or is one itself, in other words.
func (e *ear) nearly(r *stt.Result) (readings []string) {
	stop := e.planner.Plan("stop")
	if deed := e.meaning(r.Text); deed != "" && deed != stop.Deed() {
		return nil
	}
	for _, a := range r.Alternatives {
		if a.Confidence >= stopNearly {
			readings = append(readings, a.Text)
		}
	}
	return readings
}

// both judges what the two models made of a sentence: what is sure is done, what is likely is asked about, and nothing else.
// lasts says that the sentence was as long as that of the command model.
func (e *ear) both(quick, slow *stt.Result, heard []string, lasts bool) voice.Transcript {
	command := ""
	if quick.Text != "" && quick.Confidence >= stopSure {
		command = e.meaning(quick.Text)
	}
	out := transcript(slow, heard)
	deed := e.meaning(slow.Text)
	switch {
	case slow.Text == "" && quick.Text != "" && lasts && quick.Confidence >= commandInstead:
		out = transcript(quick, heard)
		out.Unsure = true
	case slow.Text == "":
	case deed != "" && otherLanguage(slow): // it was translated
		out.Unsure = true
	case deed != "" && deed == command: // both have heard the same
	case deed == "":
		if command != "" && lasts && quick.Confidence >= commandAsk && e.among(command, slow) {
			out = transcript(quick, heard)
			out.Unsure = true
		} else {
			out.Unsure = slow.Confidence < talkSure
		}
	case sure(slow) && (slow.Confidence >= strangeSure || !e.strange(slow.Text)):
	case slow.Confidence >= wordsAsk && slow.Share >= shareAsk:
		out.Unsure = true
	default:
		out.Text, out.Reason = "", client.ReasonNotUnderstood
		out.Message = fmt.Sprintf("it is not certain that it was %.80q", slow.Text)
	}
	return out
}

// sure reports whether a command was heard so well that it is done. In babble readings that ask for nothing often sound as likely as a
// command that nobody said.
func sure(r *stt.Result) bool {
	alone := r.Share >= shareSure || r.Share >= shareNoDoubt && r.Doubt <= doubtNone
	return r.Confidence >= wordsSure && r.Behind <= behindSure && alone && (r.Doubt <= doubtSure || r.Confidence >= wordsSurer)
}

// strange reports whether a part of a command, between its marks, is nothing that people say around one, and nothing to do:
// "Ask, nod." may be what was heard of something else.
func (e *ear) strange(text string) bool {
	parts := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(".,;:!?", r) })
	for i, part := range parts {
		if around(language.Analyse(part).Tokens) {
			continue
		}
		if rest := slices.Delete(slices.Clone(parts), i, i+1); e.meaning(strings.Join(rest, ", ")) == e.meaning(text) {
			return true
		}
	}
	return false
}

// around reports whether words are such as stand before and behind commands.
func around(words language.Tokens) bool {
	for i := 0; i < len(words); {
		n := 0
		if fillers[words[i].Word] || names[words[i].Word] {
			n = 1
		}
		for _, table := range aroundCommands {
			n = max(n, table.Len(words, i))
		}
		if n == 0 {
			return false
		}
		i += n
	}
	return true
}

var fillers = language.Words("fillers")

var aroundCommands = []*language.Trie{
	language.Phrases("addresses"), language.Phrases("lead-ins"), language.Phrases("tails"),
}

// lasts reports whether it takes about as long to say a text as somebody has spoken.
func lasts(text string, samples []float32) bool {
	letters := len(strings.Join(strings.Fields(text), ""))
	takes := sentenceLead + letterTime*float64(letters)
	spoke := float64(len(samples))/stt.SampleRate - aroundSpeech
	return letters < shortSentence && spoke < shortTime || spoke >= fastest*takes && spoke <= slowest*takes
}

// among reports whether one of the readings asks for a deed.
func (e *ear) among(deed string, r *stt.Result) bool {
	return slices.ContainsFunc(r.Alternatives, func(a stt.Reading) bool { return e.meaning(a.Text) == deed })
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
