//go:build !(linux && (amd64 || arm64))

package camera

import (
	"context"
	"errors"
)

// Open implements Source.
func (d Device) Open(context.Context) (Stream, error) {
	return nil, errors.New("cameras on USB can only be read on Linux with 64 bits")
}
