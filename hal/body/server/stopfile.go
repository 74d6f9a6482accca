package server

import (
	"errors"
	"os"
	"strings"

	"github.com/reachyd/reachyd/hal"
)

// recallStop latches the emergency stop again that was latched when an earlier process died.
func (s *Server) recallStop() {
	if s.StopFile == "" {
		return
	}
	data, err := os.ReadFile(s.StopFile)
	if errors.Is(err, os.ErrNotExist) {
		return
	}
	reason := strings.TrimSpace(string(data[:min(len(data), 200)]))
	s.Loop.Stop(1, "latched before the restart: "+reason)
	s.Log.Warn().Str("reason", reason).Msg("the emergency stop is still latched")
}

// noteStop writes a stop down after it was latched, and forgets it after a reset.
func (s *Server) noteStop(req *hal.Request, a *hal.Answer) {
	if s.StopFile == "" || a.Outcome == hal.Rejected {
		return
	}
	var err error
	switch req.Verb {
	case hal.VerbStop:
		err = os.WriteFile(s.StopFile, []byte(req.Reason+"\n"), 0o600)
	case hal.VerbReset:
		if err = os.Remove(s.StopFile); errors.Is(err, os.ErrNotExist) {
			err = nil
		}
	}
	if err != nil {
		s.Log.Error().Err(err).Msg("remember the emergency stop")
	}
}
