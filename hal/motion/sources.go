package motion

import (
	"maps"
	"sync"
)

// maxSources bounds the names under which single targets have come.
const maxSources = 64

// sources are the streamers of single targets, one per name.
type sources struct {
	mu   sync.Mutex
	list map[string]*Streamer
}

func (s *sources) get(l *Loop, name string) *Streamer {
	s.mu.Lock()
	defer s.mu.Unlock()
	if st := s.list[name]; st != nil {
		return st
	}
	if s.list == nil {
		s.list = map[string]*Streamer{}
	}
	if len(s.list) >= maxSources { // forgotten names begin anew; only the one with the lease matters
		owner := l.slot.owner.Load()
		maps.DeleteFunc(s.list, func(_ string, st *Streamer) bool { return st != owner })
	}
	st := l.NewStreamer(name)
	s.list[name] = st
	return st
}
