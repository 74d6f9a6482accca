package main

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/hal/audio"
	"github.com/reachyd/reachyd/perception/client"
	"github.com/reachyd/reachyd/perception/sense"
	"github.com/reachyd/reachyd/perception/stt"
	"github.com/reachyd/reachyd/perception/stt/commandmodel"
	"github.com/reachyd/reachyd/perception/voice"
)

// written is a recogniser with a fixed result.
type written struct {
	stt.Result
	err error
}

func (w written) Transcribe(context.Context, []float32) (stt.Result, error) { return w.Result, w.err }
func (written) Info() stt.Info                                              { return stt.Info{} }
func (written) Close() error                                                { return nil }

func TestWhyThereAreNoWordsIsSaid(t *testing.T) {
	for _, c := range []struct {
		discarded stt.Discard
		reason    string
	}{
		{"", ""},
		{stt.TooShort, client.ReasonTooShort},
		{stt.Silence, client.ReasonNoSpeech},
		{stt.NoSpeech, client.ReasonNoSpeech},
		{stt.Phantom, client.ReasonHallucination},
		{stt.Repetition, client.ReasonHallucination},
		{stt.Babble, client.ReasonHallucination},
		{stt.Unsure, client.ReasonNotUnderstood},
		{commandmodel.NotACommand, client.ReasonNotUnderstood},
		{"something new", client.ReasonNotUnderstood},
	} {
		all := written{Result: stt.Result{Text: "look left", Confidence: 0.9, Share: 1, Discarded: c.discarded}}
		got, err := (&ear{planner: planner.New(), all: all}).Transcribe(t.Context(), nil)
		if err != nil || got.Reason != c.reason || (got.Message == "") != (c.reason == "") || got.Confidence != 0.9 {
			t.Errorf("%q: %+v, %v", c.discarded, got, err)
		}
	}
	broken := errors.New("broken")
	if _, err := (&ear{all: written{err: broken}}).Transcribe(t.Context(), nil); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
}

// command is what the command model makes of something.
func command(text string, confidence float64) written {
	return written{Result: stt.Result{Text: text, Raw: text, Confidence: confidence}}
}

func TestTwoModelsHearTogether(t *testing.T) {
	other := func(text string, confidence, share float64, alternatives ...string) written {
		w := command(text, confidence)
		w.Share = share
		for _, a := range alternatives {
			w.Alternatives = append(w.Alternatives, stt.Reading{Text: a, Confidence: confidence})
		}
		return w
	}
	among := func(text, alternative string) written {
		w := command(text, 0.05)
		w.Alternatives = []stt.Reading{{Text: alternative, Confidence: 0.7}}
		return w
	}
	aside := func(w written, behind float64) written {
		w.Behind = behind
		return w
	}
	discarded := func(why stt.Discard, raw string, confidence float64) written {
		return written{Result: stt.Result{Discarded: why, Raw: raw, Confidence: confidence, Share: 1}}
	}
	doubted := func(w written, doubt float64) written {
		w.Doubt = doubt
		return w
	}
	nobody := discarded(stt.NoSpeech, "Stop.", 0)
	nobody.NoSpeech = 0.97
	nothing := discarded(stt.Unsure, "gnarl", 0)
	for name, c := range map[string]struct {
		quick, slow   written
		spoke         float64 // s
		want          string
		unsure, stops bool
	}{
		"the command model is sure":               {command("nod", 0.995), other("head on", 0.9, 1), 0.5, "nod", false, false},
		"… nearly":                                {command("raise your head", 0.98), other("Wave your head.", 0.9, 1), 1, "Wave your head.", false, false},
		"it is, but it took too long to say":      {command("look left", 0.995), other("It is left to you.", 0.9, 1), 2, "It is left to you.", false, false},
		"it is, but it was said too fast":         {command("look at the banana", 0.995), other("Look at Anna.", 0.9, 1), 0.7, "Look at Anna.", false, false},
		"it is not, and nobody agrees":            {command("nod", 0.95), other("It is fine.", 0.9, 1), 0.5, "It is fine.", false, false},
		"the other has it as well":                {command("nod twice", 0.8), other("Nod twice.", 0.5, 0.5), 0.9, "Nod twice.", false, false},
		"the other has it among them":             {command("nod twice", 0.8), other("It is fine.", 0.6, 1, "Nod twice."), 0.9, "nod twice", true, false},
		"the other understands nothing":           {command("look left", 0.85), nothing, 0.9, "look left", true, false},
		"… and the command model hardly more":     {command("look left", 0.75), nothing, 0.9, "", false, false},
		"it was too long, and nobody knows":       {command("look left", 0.85), nothing, 2, "", false, false},
		"neither understands it":                  {nothing, nothing, 0.5, "", false, false},
		"a clear command":                         {command("", 0), other("Look left.", 0.7, 0.97), 1, "Look left.", false, false},
		"a command that was probably said":        {command("", 0), other("Look left.", 0.5, 0.97), 1, "Look left.", true, false},
		"one of two commands":                     {command("", 0), other("Start following me.", 0.7, 0.6), 1, "Start following me.", true, false},
		"one of many commands":                    {command("", 0), other("Start following me.", 0.7, 0.3), 1, "", false, false},
		"… which sounds a little like others":     {command("", 0), aside(other("Look left.", 0.7, 1), 2), 1, "Look left.", false, false},
		"… which sounds more like others":         {command("", 0), aside(other("Look left.", 0.7, 1), 5), 1, "Look left.", true, false},
		"… whose sound is likelier another's":     {command("", 0), doubted(other("Look left.", 0.7, 1), 0.5), 1, "Look left.", true, false},
		"… that was heard well all the same":      {command("", 0), doubted(other("Look left.", 0.76, 1), 0.5), 1, "Look left.", false, false},
		"another deed is usual, not likely":       {command("", 0), other("Look left.", 0.7, 0.9), 1, "Look left.", false, false},
		"another deed is both":                    {command("", 0), doubted(other("Look left.", 0.7, 0.9), 0.15), 1, "Look left.", true, false},
		"… which both have heard":                 {command("look left", 0.6), doubted(other("Look left.", 0.7, 1), 0.5), 1, "Look left.", false, false},
		"a command behind a strange word":         {command("", 0), other("Ask, nod.", 0.77, 1), 1, "Ask, nod.", true, false},
		"… that was heard well":                   {command("", 0), other("Ask, nod.", 0.9, 1), 1, "Ask, nod.", false, false},
		"a command behind a name":                 {command("", 0), other("Reachy, please, look left.", 0.7, 1), 1, "Reachy, please, look left.", false, false},
		"a command in two parts":                  {command("", 0), other("Look left, nod twice.", 0.7, 1), 3, "Look left, nod twice.", false, false},
		"a command that was hardly heard":         {command("", 0), other("Look left.", 0.38, 1), 1, "", false, false},
		"talk that was hardly heard is asked for": {command("", 0), other("It is fine.", 0.59, 1), 1, "It is fine.", true, false},
		"talk that was heard":                     {command("", 0), other("It is fine.", 0.61, 1), 1, "It is fine.", false, false},
		"a stop of one thing":                     {command("stop moving", 0.8), other("Stop dancing.", 0.7, 1), 0.8, "Stop dancing.", false, false},
		"… that has another word":                 {among("nod", "stop moving"), other("Stop looking at me.", 0.7, 1), 1, "Stop looking at me.", false, false},
		"… with something behind it":              {command("stop moving", 0.8), other("Stop and look left.", 0.9, 1), 1, "Stop and look left.", false, false},
		"… that is another deed":                  {command("stop moving", 0.8), other("Look left.", 0.9, 1), 0.8, "Look left.", false, false},
		"… or perhaps a stop":                     {command("stop moving", 0.8), other("Look left.", 0.9, 1, "Stop."), 0.8, "stop moving", false, true},
		"… that is none":                          {command("stop moving", 0.8), other("It is moving.", 0.7, 1), 0.8, "stop moving", false, true},
		"… that was hardly heard":                 {command("stop moving", 0.8), other("Stop dancing.", 0.4, 1), 0.8, "stop moving", false, true},
		"a stop at a low confidence":              {discarded(stt.Unsure, "halt", 0.55), other("Hold.", 0.9, 1), 0.5, "", false, true},
		"a stop that nearly was heard":            {command("", 0), other("Stop it out.", 0.5, 0.7, "Stop it now."), 1, "Stop it out.", true, true},
		"a stop within another command":           {command("", 0), other("Stop following me.", 0.7, 1, "Stop."), 1, "Stop following me.", false, false},
		"a stop that hardly was":                  {command("", 0), other("It is out.", 0.38, 1, "Stop it now."), 1, "It is out.", true, false},
		"a stop where nobody spoke":               {command("", 0), nobody, 1, "", false, false},
		"a stop that a guard throws out":          {command("", 0), discarded(stt.Repetition, "Stop. Stop. Stop.", 0), 1, "", false, true},
	} {
		samples := make([]float32, int((c.spoke+aroundSpeech)*stt.SampleRate))
		got, err := (&ear{commands: c.quick, all: c.slow, planner: planner.New()}).Transcribe(t.Context(), samples)
		stops := slices.ContainsFunc(got.Heard, voice.IsStop)
		if err != nil || got.Text != c.want || got.Unsure != c.unsure || stops != c.stops || got.Text == "" && got.Reason == "" {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

// A stop that Whisper alone has heard latches where it is twice as likely as all else that may have been asked for; else the robot brakes.
func TestAStopThatMayBeSomethingElseBrakes(t *testing.T) {
	heard := func(text string, confidence, share float64) written {
		w := command(text, confidence)
		w.Share = share
		return w
	}
	for name, c := range map[string]struct {
		quick, slow   written
		perhaps, text string
		stops         bool
	}{
		"likely":                         {command("", 0), heard("Stop.", 0.52, 0.7), "", "Stop.", true},
		"as likely as another":           {command("", 0), heard("Stop.", 0.52, 0.54), "Stop.", "", false},
		"however well it was heard":      {command("", 0), heard("Stop.", 0.9, 0.54), "Stop.", "", false},
		"the command model has heard it": {command("stop", 0.6), heard("Stop.", 0.52, 0.54), "", "stop", true},
		"hardly heard, and no other":     {command("", 0), heard("Stop.", 0.21, 1), "", "", true},
		"no stop":                        {command("", 0), heard("Look left.", 0.7, 0.54), "", "Look left.", false},
	} {
		got, err := (&ear{commands: c.quick, all: c.slow, planner: planner.New()}).Transcribe(t.Context(), make([]float32, stt.SampleRate))
		stops := slices.ContainsFunc(got.Heard, voice.IsStop)
		if err != nil || got.Perhaps != c.perhaps || got.Text != c.text || stops != c.stops || got.Text == "" && got.Reason == "" {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func TestTheCommandModelAloneAsksWhenItIsNotSure(t *testing.T) {
	for _, c := range []struct {
		text       string
		confidence float64
		unsure     bool
	}{{"look left", 0.95, false}, {"look left", 0.75, false}, {"look left", 0.71, true}, {"look at the banana", 0.95, true}} {
		samples := make([]float32, int((0.7+aroundSpeech)*stt.SampleRate)) // too short for the banana
		got, err := (&ear{commands: command(c.text, c.confidence), planner: planner.New()}).Transcribe(t.Context(), samples)
		if err != nil || got.Text != c.text || got.Unsure != c.unsure {
			t.Errorf("%+v: %+v, %v", c, got, err)
		}
	}
	for _, c := range []struct {
		confidence float64
		asks       bool
	}{{commandAskAlone - 0.01, false}, {commandAskAlone, true}} { // noise is taken for "louder" at 0.59
		got, err := (&ear{commands: command("louder", c.confidence), planner: planner.New()}).Transcribe(t.Context(), make([]float32, 4*stt.SampleRate))
		if err != nil || got.Unsure != c.asks || (got.Text != "") != c.asks || !c.asks && got.Reason != client.ReasonNotUnderstood {
			t.Errorf("noise at %g: %+v, %v", c.confidence, got, err)
		}
	}
}

func TestWhatIsMeantForTheRobot(t *testing.T) {
	e := &ear{planner: planner.New()}
	for text, want := range map[string]bool{
		"look left": true, "Robot, tell me a story.": true, "Hello!": true, "What do you see?": true, "Reachy": true,
		"the beach is lovely in the morning": false, "it was the best of times": false,
		"and we went on to the coast where the boats come in with all the fish that they have caught that night out on the sea with nets": false,
	} {
		if got := e.meant(voice.Said{Text: text, Confidence: 0.9, Alone: true}); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
	if e.meant(voice.Said{Text: "look left", Confidence: 0.3, Alone: true}) {
		t.Error("a command that is not certain")
	}
}

// A request is for the robot where a face looks at it, and else no more than without a camera: what is part of other talk, or comes
// from the side, is not, nor is what asks for nothing.
func TestARequestToAFaceThatLooksIsForTheRobot(t *testing.T) {
	const tale, talk = "Okay, tell me a story about whales.", "I was at the beach in the morning."
	e := &ear{planner: planner.New()}
	for name, c := range map[string]struct {
		said  voice.Said
		looks bool
		want  bool
	}{
		"a request":                       {voice.Said{Text: tale, Confidence: 0.9, Alone: true}, true, true},
		"a command that was hardly heard": {voice.Said{Text: "look left", Confidence: 0.5, Alone: true}, true, true},
		"nobody looks":                    {voice.Said{Text: tale, Confidence: 0.9, Alone: true}, false, false},
		"hardly heard, nobody looks":      {voice.Said{Text: "look left", Confidence: 0.5, Alone: true}, false, false},
		"in the middle of a conversation": {voice.Said{Text: tale, Confidence: 0.9}, true, false},
		"from the side":                   {voice.Said{Text: tale, Confidence: 0.9, Alone: true, Aside: true}, true, false},
		"a remark":                        {voice.Said{Text: talk, Confidence: 0.9, Alone: true}, true, false},
		"German to the robot's face":      {voice.Said{Text: "Viga it is the", Foreign: true, Alone: true}, true, true},
		"German elsewhere":                {voice.Said{Text: "Viga it is the?", Foreign: true, Alone: true}, false, false},
		"German with its name":            {voice.Said{Text: "Reachy, viga it is the", Foreign: true}, false, true},
	} {
		e.looked = func(time.Time) bool { return c.looks }
		if got := e.meant(c.said); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
		e.looked = nil
		if got := e.meant(c.said); got && !c.want || got && c.looks && name != "German with its name" {
			t.Errorf("%s, without a camera: %v", name, got)
		}
	}
}

func TestAFaceThatLooks(t *testing.T) {
	start := time.Now()
	for name, c := range map[string]struct {
		seen string // at every glance: nobody, one that looks, one that looks elsewhere, two
		want bool
	}{
		"one that looks":           {"11111", true},
		"one that was missed once": {"11011", true},
		"one that passes by":       {"00110", false},
		"one that only glances":    {"111", false},
		"one that looks away":      {"1xx1x1", false},
		"two":                      {"112111", false},
		"nobody":                   {"00000", false},
		"nothing was seen":         {"", false},
		"one, before the sentence": {"....11111", true},
		"one that has looked":      {"1111100000", false},
	} {
		a := &attention{}
		for i, s := range c.seen {
			g := glance{at: start.Add(time.Duration(i+1) * glanceEvery)}
			switch s {
			case '1':
				g.faces, g.facing = 1, 1
			case 'x':
				g.faces = 1
			case '2':
				g.faces, g.facing = 2, 2
			case '.':
				g.at = start.Add(-time.Second)
			}
			a.note(g, false)
		}
		if got := a.looked(start); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// It looks while somebody speaks, and not at other times.
func TestAttentionLooksWhileSomebodySpeaks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var looks atomic.Int64
		a := &attention{look: func(context.Context) (int, int, error) { looks.Add(1); return 1, 1, nil }}
		time.Sleep(time.Hour)
		a.begin(t.Context())
		start := time.Now()
		time.Sleep(time.Second)
		a.begin(t.Context()) // another sentence
		time.Sleep(time.Second)
		if !a.looked(start) {
			t.Error("who looks is not seen")
		}
		time.Sleep(time.Hour)
		if n, most := looks.Load(), int64((glanceFor+time.Second)/glanceEvery)+2; n < most/2 || n > most {
			t.Errorf("%d looks, at most %d", n, most)
		}
		if a.looked(time.Now().Add(-time.Minute)) {
			t.Error("it is seen an hour later")
		}
		a.look = func(context.Context) (int, int, error) { looks.Add(1); return 0, 0, errors.New("no camera") }
		looks.Store(0)
		a.begin(t.Context())
		time.Sleep(time.Hour)
		if n := looks.Load(); n != 1 {
			t.Errorf("without a camera %d looks", n)
		}
	})
}

// What is surely another language, and asks for nothing, is told as that; all else is as it was.
func TestAnotherLanguageIsTold(t *testing.T) {
	german := func(r stt.Result, sure float64) written {
		r.Language, r.Detected, r.DetectedSure = "en", "de", sure
		return written{Result: r}
	}
	guess := stt.Result{Text: "Vee gate is the hoy-ta?", Raw: "Vee gate is the hoy-ta?", Confidence: 0.5, Share: 1}
	unsure := stt.Result{Discarded: stt.Unsure, Raw: "Vee gate is the hoy-ta?"}
	for name, c := range map[string]struct {
		slow written
		want string
	}{
		"surely German":                      {german(guess, 0.98), "de"},
		"German, and nothing written":        {german(unsure, 0.98), "de"},
		"perhaps German":                     {german(guess, 0.7), ""},
		"one word":                           {german(stt.Result{Text: "Gnarl.", Share: 1, Confidence: 0.6}, 0.98), ""},
		"German of which a command was made": {german(stt.Result{Text: "Look left.", Share: 1, Confidence: 0.9}, 0.98), ""},
		"nobody spoke":                       {german(stt.Result{Discarded: stt.NoSpeech, Raw: "Thank you for", NoSpeech: 0.95}, 0.98), ""},
		"a model for English alone":          {written{Result: guess}, ""},
	} {
		got, err := (&ear{all: c.slow, planner: planner.New()}).Transcribe(t.Context(), make([]float32, stt.SampleRate))
		if err != nil || got.Foreign != c.want || c.want != "" && (got.Text == "" || got.Reason != "") {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	for text, noted := range map[string]string{"(speaking in German)": "de", "[SPEAKING FOREIGN LANGUAGE]": "de", "(footsteps on gravel)": ""} {
		w := german(stt.Result{Discarded: stt.NoSpeech, Raw: text}, 0.98)
		if got, err := (&ear{all: w, planner: planner.New()}).Transcribe(t.Context(), make([]float32, stt.SampleRate)); err != nil || got.Foreign != noted {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	left := german(stt.Result{Text: "Look left.", Share: 1, Confidence: 0.9}, 0.98) // may be a translation that is wrong
	if got, err := (&ear{all: left, planner: planner.New()}).Transcribe(t.Context(), make([]float32, stt.SampleRate)); err != nil || !got.Unsure {
		t.Errorf("a translated command is not asked about: %+v, %v", got, err)
	}
	other := german(guess, 0.98)
	other.Detected = "yo" // for which there are no words
	if got, err := (&ear{all: other, planner: planner.New()}).Transcribe(t.Context(), make([]float32, stt.SampleRate)); err != nil || got.Foreign != "" {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestACommandThatIsUnderstoodIsComplete(t *testing.T) {
	e := &ear{planner: planner.New()}
	for text, want := range map[string]client.Endpoint{
		"Would you shake your head for me": client.Complete, "Nod three times quickly.": client.Complete, // the last words do not tell
		"look left and": client.Incomplete, "could you please": client.Unknown, "the weather is nice": client.Unknown,
	} {
		if got := e.endpoint(text); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func TestANamedPipeIsAMicrophone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "microphone")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	w := &senses{options: &options{microphone: path}}
	defer w.close()
	var h sense.Hearing
	w.microphone(t.Context(), &h)
	if _, ok := h.Source.(*audio.Pipe); !ok || h.NoMicrophone != "" || h.Microphone != "microphone" {
		t.Errorf("%+v", h)
	}
}
