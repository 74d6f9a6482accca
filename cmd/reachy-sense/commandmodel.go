package main

import (
	"fmt"

	"github.com/reachyd/reachyd/perception/stt"
)

// commandModel is what the robot understands without any model file.
func (w *senses) commandModel(_ stt.Settings, missing error) (recogniser, error) {
	return nil, fmt.Errorf("there is no speech model: %w; 'reachyctl models pull tiny.en-q8_0' gets one", missing)
}
