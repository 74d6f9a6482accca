package tts

import (
	"context"
	"errors"
)

// Fallback speaks with the first voice, and with the second when the first fails.
type Fallback struct {
	First, Second Voice
	// OnFailure is told why the first voice failed; it must be quick and may be nil.
	OnFailure func(error)
}

// Synthesize implements Voice. A sentence in whose middle the first voice fails is said again from its beginning:
// better twice than half.
func (f *Fallback) Synthesize(ctx context.Context, sentence string, emit func(rate int, pcm []float32) error) error {
	err := f.First.Synthesize(ctx, sentence, emit)
	if err == nil || !errors.Is(err, ErrVoice) || ctx.Err() != nil {
		return err
	}
	if f.OnFailure != nil {
		f.OnFailure(err)
	}
	return f.Second.Synthesize(ctx, sentence, emit)
}

// Name implements Voice.
func (f *Fallback) Name() string { return f.First.Name() + ", else " + f.Second.Name() }

// Close implements Voice.
func (f *Fallback) Close() error { return errors.Join(f.First.Close(), f.Second.Close()) }

// Options say which voice to speak with.
type Options struct {
	Espeak EspeakOptions
	Piper  PiperOptions // used when Model is set
	// OnFailure is told why Piper is not used, at the start and later; it may be nil.
	OnFailure func(error)
}

// Open returns the best voice there is: Piper with espeak-ng behind it, or one of the two.
func Open(ctx context.Context, o Options) (Voice, error) {
	espeak, failed := NewEspeak(ctx, o.Espeak)
	if o.Piper.Model != "" {
		piper, err := NewPiper(o.Piper)
		switch {
		case err == nil && failed == nil:
			return &Fallback{First: piper, Second: espeak, OnFailure: o.OnFailure}, nil
		case err == nil:
			return piper, nil
		case o.OnFailure != nil:
			o.OnFailure(err)
		}
	}
	if failed != nil {
		return nil, failed
	}
	return espeak, nil
}

var _ Voice = (*Fallback)(nil)
