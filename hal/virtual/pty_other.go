//go:build !linux

package virtual

import (
	"context"
	"errors"
)

// ServePTY fails: pseudo-terminals are made on Linux only.
func (c *Chain) ServePTY(context.Context, string, func()) error {
	return errors.New("pseudo-terminals are made on Linux only; use the unix socket")
}
