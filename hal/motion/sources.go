package motion

import "sync"

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
	if s.list == nil || len(s.list) >= maxSources {
		s.list = map[string]*Streamer{}
	}
	st := l.NewStreamer(name)
	s.list[name] = st
	return st
}
