package server

import (
	"errors"
	"os"
	"strings"

	"github.com/reachyd/reachyd/hal"
)

// recalled is before the reason of a stop that is older than the process.
const recalled = "latched before the restart: "

// recallStop latches the emergency stop again that was latched when an earlier process died.
func (s *Server) recallStop() {
	if s.StopFile == "" {
		return
	}
	data, err := os.ReadFile(s.StopFile)
	if errors.Is(err, os.ErrNotExist) {
		return
	}
	reason, by, _ := strings.Cut(strings.TrimSpace(string(data[:min(len(data), 400)])), "\n")
	reason = strings.TrimPrefix(reason, recalled)
	s.Loop.Stop(1, strings.TrimSpace(by), recalled+reason)
	s.Log.Warn().Str("reason", reason).Str("by", by).Msg("the emergency stop is still latched")
}

// noteStop writes down, after a stop, why and by whom the robot is stopped, a line each, and forgets it after a reset.
func (s *Server) noteStop(req *hal.Request, a *hal.Answer) {
	if s.StopFile == "" || a.Outcome == hal.Rejected {
		return
	}
	var err error
	switch req.Verb {
	case hal.VerbStop:
		now := s.Loop.State()
		reason := strings.Join(strings.Fields(now.EStopReason), " ") // one line
		err = os.WriteFile(s.StopFile, []byte(reason+"\n"+now.EStopBy+"\n"), 0o600)
	case hal.VerbReset:
		if err = os.Remove(s.StopFile); errors.Is(err, os.ErrNotExist) {
			err = nil
		}
	}
	if err != nil {
		s.Log.Error().Err(err).Msg("remember the emergency stop")
	}
}
