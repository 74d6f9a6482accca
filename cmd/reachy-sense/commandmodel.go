package main

import (
	"fmt"

	"github.com/reachyd/reachyd/perception/stt"
	"github.com/reachyd/reachyd/perception/stt/commandmodel"
)

// commandModel is what the robot understands without any model file: its core commands.
func (w *senses) commandModel(s stt.Settings, missing error) (recogniser, error) {
	r, err := commandmodel.Open(s)
	if err != nil {
		return nil, fmt.Errorf("there is no speech model: %w, and of the built-in one: %w", missing, err)
	}
	w.log.Warn().Msg("only the core commands are understood: there is no larger speech model; 'reachyctl models pull tiny.en-q8_0' gets one")
	w.onClose(r.Close)
	return r, nil
}
