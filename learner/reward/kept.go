package reward

import (
	"sync/atomic"
	"weak"
)

// spare is what goes with the garbage when nobody uses it, and is read again in milliseconds: sentences that are judged are rare.
type spare[T any] struct {
	read func() *T
	kept atomic.Pointer[weak.Pointer[T]]
}

func (s *spare[T]) get() *T {
	if kept := s.kept.Load(); kept != nil {
		if v := kept.Value(); v != nil {
			return v
		}
	}
	v := s.read()
	kept := weak.Make(v)
	s.kept.Store(&kept)
	return v
}
