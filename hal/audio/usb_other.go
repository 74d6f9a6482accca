//go:build !linux

package audio

// USB is the audio board on USB; only Linux has it.
type USB struct{}

// OpenUSB returns ErrNoBoard.
func OpenUSB() (*USB, error) { return nil, ErrNoBoard }

// Transfer returns ErrNoBoard.
func (*USB) Transfer([8]byte, []byte) (int, error) { return 0, ErrNoBoard }

// Close does nothing.
func (*USB) Close() error { return nil }

var _ Control = (*USB)(nil)
