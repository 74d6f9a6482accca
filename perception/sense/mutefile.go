package sense

import (
	"errors"
	"io/fs"
	"os"
)

// recallMute makes the ear deaf again that was muted when an earlier process died: nobody expects a microphone to open
// by itself.
func (s *Server) recallMute() {
	if s.MuteFile == "" {
		return
	}
	if _, err := os.Stat(s.MuteFile); err == nil {
		s.audio.engine.Mute(true)
		s.Log.Warn().Msg("the microphone is still muted")
	}
}

// noteMute remembers that the microphone is muted, or forgets it.
func (s *Server) noteMute(on bool) error {
	if s.MuteFile == "" {
		return nil
	}
	if on {
		return os.WriteFile(s.MuteFile, nil, 0o600)
	}
	if err := os.Remove(s.MuteFile); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
