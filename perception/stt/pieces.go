package stt

import (
	"math"
	"time"
)

const (
	samplesPerPosition = 320 // of the encoder: 20 ms
	contextStep        = 256 // positions: whisper.cpp attends to zeros when the window is no multiple of it

	tail       = 4000 // samples, 250 ms: silence that the model wants after the last word
	minSamples = SampleRate / 4

	tokensAtLeast   = 12
	tokensPerSecond = 8 // of a fast speaker
)

func duration(samples int) time.Duration {
	return time.Duration(samples) * (time.Second / SampleRate)
}

// contextFor is how many encoder positions that much audio needs, and at least so many.
func contextFor(samples, most, least int, full bool) int {
	if full {
		return most
	}
	need := max(least, (samples+tail+samplesPerPosition-1)/samplesPerPosition)
	return min(most, (need+contextStep-1)/contextStep*contextStep)
}

// tokens is how many the decoder may make for that much audio.
func (o *Options) tokens(samples int) int {
	if o.MaxTokens > 0 {
		return o.MaxTokens
	}
	return tokensAtLeast + int(duration(samples).Seconds()*tokensPerSecond)
}

// span is a part of the audio.
type span struct{ from, to int }

// pieces cuts audio into parts of at most window samples, where it is quietest.
func pieces(samples []float32, window int) []span {
	var all []span
	from := 0
	for len(samples)-from > window {
		cut := from + quietest(samples[from:from+window], window/2)
		all = append(all, span{from, cut})
		from = cut
	}
	return append(all, span{from, len(samples)})
}

// quietest finds the middle of the quietest tenth of a second that begins at least at start.
func quietest(samples []float32, start int) int {
	const width, step = SampleRate / 10, SampleRate / 100
	best, at := math.Inf(1), len(samples)
	for i := start; i+width <= len(samples); i += step {
		sum := 0.0
		for _, s := range samples[i : i+width] {
			sum += float64(s) * float64(s)
		}
		if sum < best {
			best, at = sum, i+width/2
		}
	}
	return at
}
