package tts

import (
	"context"
	"fmt"
	"unicode/utf8"
)

// Render makes sound of a text without a loudspeaker: mono, at rate samples per second. The voice is asked sentence by
// sentence. The error wraps ErrNothing, ErrTooLong or ErrVoice.
func Render(ctx context.Context, voice Voice, words string) (rate int, pcm []float32, err error) {
	if n := utf8.RuneCountInString(words); n > MaxText {
		return 0, nil, fmt.Errorf("%w: %d characters, at most %d", ErrTooLong, n, MaxText)
	}
	pieces := Split(Clean(words))
	if len(pieces) == 0 {
		return 0, nil, ErrNothing
	}
	for _, piece := range pieces {
		err := voice.Synthesize(ctx, piece, func(r int, sound []float32) error {
			if rate != 0 && r != rate {
				return fmt.Errorf("%w: it changed from %d to %d samples a second", ErrVoice, rate, r)
			}
			rate = r
			pcm = append(pcm, sound...)
			return nil
		})
		if err != nil {
			return 0, nil, err
		}
	}
	return rate, pcm, nil
}
