//go:build !cgo || !linux

package audio

// OpusEncoder packs sound with the system's libopus; not in this program.
type OpusEncoder struct{}

// NewOpusEncoder refuses.
func NewOpusEncoder() (*OpusEncoder, error) { return nil, ErrNotBuilt }

// Encode refuses.
func (*OpusEncoder) Encode([]float32) ([]byte, error) { return nil, ErrNotBuilt }

// Close does nothing.
func (*OpusEncoder) Close() {}
