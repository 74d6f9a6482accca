package stt

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"math"
	"strings"
	"time"
	"unicode"
)

const (
	silenceRMS      = 0.001 // −60 dB: what the loudest 30 ms of a recording has to reach
	noSpeechAlone   = 0.9   // the model's own judgement, when it is this sure
	noSpeechUnsure  = 0.6   // … and when its words are improbable as well
	unsure          = 0.37  // geometric mean; e^−1, where Whisper itself gives up
	unsureSense     = 0.2   // … of words that make sense: whether they are believed is decided where it is known what else was heard
	noSpeechSure    = 0.75
	noSpeechSense   = 0.5  // … but for words that make sense
	phantomSure     = 0.55 // a phrase that is often invented must be this probable
	phantomNoise    = 0.4  // and somebody must rather have spoken
	compressible    = 2.4  // text that zlib shrinks so much repeats itself
	compressibleMin = 48   // bytes, below which that says nothing
	echoWords       = 8    // of the prompt in a row, which the model reads out when it hears nothing
	repeatsOfOne    = 5    // the same word in a row: "no no no no" is still human
	repeatsOfMany   = 3    // the same phrase in a row
	charsPerSecond  = 35   // nobody speaks faster
	charsAtLeast    = 24
	maxSample       = 8 // leaves room for filters that overshoot full scale
)

// part is what the model made of one piece of audio.
type part struct {
	start, end time.Duration
	text       string
	language   string
	detected   string
	sure       float64 // that it is that language
	logProb    float64 // of all tokens together
	tokens     int
	noSpeech   float64
	took       Timings

	share        float64
	behind       float64
	doubt        float64
	alternatives []Reading
}

// add appends a part to the result.
func (r *Result) add(p *part) {
	r.NoSpeech = max(r.NoSpeech, p.noSpeech)
	r.Tokens += p.tokens
	r.Took.Mel += p.took.Mel
	r.Took.Encode += p.took.Encode
	r.Took.Decode += p.took.Decode
	if r.Language == "" {
		r.Language = p.language
	}
	if r.Detected == "" {
		r.Detected, r.DetectedSure = p.detected, p.sure
	}
	r.Behind = max(r.Behind, p.behind)
	r.Doubt = max(r.Doubt, p.doubt)
	r.Alternatives = p.alternatives
	if r.Share == 0 || p.share < r.Share {
		r.Share = p.share
	}
	if p.start > 0 {
		r.Alternatives = nil
	}
	text := clean(p.text)
	if text == "" {
		if r.Raw == "" {
			r.Raw = strings.TrimSpace(p.text)
		}
		return
	}
	s := Segment{Start: p.start, End: p.end, Text: text, NoSpeech: p.noSpeech}
	if p.tokens > 0 {
		s.Confidence = math.Exp(p.logProb / float64(p.tokens))
	}
	r.Segments = append(r.Segments, s)
}

// finish puts the segments together and throws away what looks invented.
func (r *Result) finish(o *Options) {
	var kept []Segment
	var why Discard
	weight, sum := 0.0, 0.0
	var text, raw []string
	for i := range r.Segments {
		s := &r.Segments[i]
		raw = append(raw, s.Text)
		if !o.Unguarded {
			if d := s.suspicious(o.Prompt, o.Meaning != nil && o.Meaning(s.Text) != ""); d != "" {
				why = d
				continue
			}
		}
		kept = append(kept, *s)
		text = append(text, s.Text)
		w := float64(len(s.Text))
		weight += w
		sum += w * math.Log(max(s.Confidence, 1e-9))
	}
	r.Segments = kept
	r.Text = strings.Join(text, " ")
	if len(raw) > 0 {
		r.Raw = strings.Join(raw, " ")
	}
	if weight > 0 {
		r.Confidence = math.Exp(sum / weight)
	}
	if r.Text == "" {
		if r.Discarded = why; why == "" {
			r.Discarded = NoSpeech
		}
	}
}

// suspicious says why a segment is thrown away, or nothing. prompt is what the model was given to continue; sensible says that
// the text makes sense where it is said.
func (s *Segment) suspicious(prompt string, sensible bool) Discard {
	words := strings.Fields(normal(s.Text))
	switch {
	case len(words) == 0:
		return NoSpeech
	case s.NoSpeech > noSpeechAlone || s.NoSpeech > noSpeechUnsure && s.Confidence < noSpeechSure && !(sensible && s.Confidence > noSpeechSense):
		return NoSpeech
	case phantom(strings.Join(words, " "), s.Confidence < phantomSure || s.NoSpeech > phantomNoise):
		return Phantom
	case len(words) >= echoWords && strings.Contains(strings.Join(strings.Fields(normal(prompt)), " "), strings.Join(words, " ")):
		return Phantom
	case repeats(words) || squeezes(s.Text):
		return Repetition
	case float64(len(s.Text)) > charsAtLeast+charsPerSecond*(s.End-s.Start).Seconds():
		return Babble
	case s.Confidence < unsure && !(sensible && s.Confidence >= unsureSense):
		return Unsure
	}
	return ""
}

// silent reports whether nothing in the audio is louder than a quiet room.
func silent(samples []float32) bool {
	const frame = SampleRate * 3 / 100
	for len(samples) > 0 {
		n := min(frame, len(samples))
		sum := 0.0
		for _, s := range samples[:n] {
			sum += float64(s) * float64(s)
		}
		if sum > silenceRMS*silenceRMS*float64(n) {
			return false
		}
		samples = samples[n:]
	}
	return true
}

// finite refuses what would make nonsense of everything around it.
func finite(samples []float32) error {
	for i, s := range samples {
		if !(s >= -maxSample && s <= maxSample) { // as is NaN
			return fmt.Errorf("sample %d = %v: allowed is ±%d", i, s, maxSample)
		}
	}
	return nil
}

// clean removes what is not said: remarks in brackets, music signs, asterisks.
func clean(text string) string {
	var b strings.Builder
	depth := 0
	starred := false
	for _, c := range text {
		switch {
		case c == '[' || c == '(':
			depth++
		case (c == ']' || c == ')') && depth > 0:
			depth--
		case c == '*':
			starred = !starred
		case c == '♪' || c == '♫':
		case depth > 0 || starred:
		default:
			b.WriteRune(c)
		}
	}
	s := strings.Join(strings.Fields(b.String()), " ")
	if !strings.ContainsFunc(s, letterOrDigit) {
		return ""
	}
	return s
}

func letterOrDigit(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) }

// normal is text in small letters with blanks for everything but letters, digits and apostrophes.
func normal(text string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case unicode.IsLetter(c) || unicode.IsDigit(c):
			return unicode.ToLower(c)
		case c == '\'' || c == '’':
			return '\''
		}
		return ' '
	}, text)
}

// repeats reports whether the same words come again and again.
func repeats(words []string) bool {
	for size := 1; size <= len(words)/repeatsOfMany; size++ {
		limit := repeatsOfMany
		if size == 1 {
			limit = repeatsOfOne
		}
		run := 0 // words that equal the one size before them
		for i := size; i < len(words); i++ {
			if words[i] != words[i-size] {
				run = 0
				continue
			}
			if run++; run >= size*(limit-1) {
				return true
			}
		}
	}
	return false
}

// squeezes reports whether text is far more regular than language.
func squeezes(text string) bool {
	if len(text) < compressibleMin {
		return false
	}
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	_, _ = w.Write([]byte(text)) // into memory: cannot fail
	_ = w.Close()
	return float64(len(text)) > compressible*float64(b.Len())
}
