//go:build !cgo || !linux

package audio

// Built reports whether this program can use sound cards.
const Built = false

type library struct{}

func openLibrary(string) (*library, error) { return nil, ErrNotBuilt }

func (*library) close() {}

func (*library) capture(string, func([]float32, int, int), func()) (stream, error) {
	return nil, ErrNotBuilt
}

func (*library) playback(string, int, func([]float32), func()) (stream, error) {
	return nil, ErrNotBuilt
}
