package access

import (
	"crypto/rand"
	"encoding/base64"
	"sync"
	"time"
)

const (
	// SessionLife is how long a login in a browser lasts.
	SessionLife = 12 * time.Hour
	maxSessions = 256
)

// Sessions are logins of browsers. They end with reachyd, and with their tokens.
type Sessions struct {
	Now func() time.Time // time.Now when nil

	mu  sync.Mutex
	all map[string]session // by the hash of the cookie
}

type session struct {
	token Token
	until time.Time
}

func (s *Sessions) now() time.Time {
	if s.Now == nil {
		return time.Now()
	}
	return s.Now()
}

// Begin returns the cookie of a new login.
func (s *Sessions) Begin(of Token) string {
	random := make([]byte, 32)
	_, _ = rand.Read(random) // never fails, says its documentation
	cookie := base64.RawURLEncoding.EncodeToString(random)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all == nil {
		s.all = map[string]session{}
	}
	var first string
	for k, v := range s.all {
		if !s.now().Before(v.until) {
			delete(s.all, k)
		} else if first == "" || v.until.Before(s.all[first].until) {
			first = k
		}
	}
	if len(s.all) >= maxSessions {
		delete(s.all, first)
	}
	s.all[hash(cookie)] = session{of, s.now().Add(SessionLife)}
	return cookie
}

// Check returns the token of a login.
func (s *Sessions) Check(cookie string) (Token, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v, ok := s.all[hash(cookie)]
	return v.token, ok && s.now().Before(v.until)
}

// End ends a login.
func (s *Sessions) End(cookie string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.all, hash(cookie))
}
