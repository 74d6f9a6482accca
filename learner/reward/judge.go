package reward

import (
	"fmt"
	"sync"
	"time"

	"github.com/reachyd/reachyd/perception/meaning"
)

// idle is after how long without feedback the layer is forgotten, before the daemon returns unused memory.
const idle = 20 * time.Second

// Judge says what sentences are worth by the words alone, and by a second layer where there is a model of sentences. Its methods may be
// called by many goroutines at once.
type Judge struct {
	sentences Sentences // nil without a second layer

	mu    sync.Mutex
	layer *Layer // nil when nobody has judged anything for a while
	timer *time.Timer
}

// NewJudge returns a judge with a model of sentences, which the caller closes; without one (nil) there are the words alone.
func NewJudge(s Sentences) *Judge { return &Judge{sentences: s} }

// Layered reports whether there is a second layer.
func (j *Judge) Layered() bool { return j.sentences != nil }

// Score says what a sentence is worth. What goes wrong with the second layer leaves what the words alone say.
func (j *Judge) Score(text string) Score {
	m := Default()
	if j.sentences == nil || Plain(text) == "" {
		return m.Score(text)
	}
	l, states, err := j.read(text)
	if err != nil {
		return m.Score(text)
	}
	return m.score(text, func(p []float64) { mix(p, l.apply(states), layerShare) })
}

// read returns the layer, and what the model of sentences makes of a text with it.
func (j *Judge) read(text string) (*Layer, []float32, error) {
	l, err := j.unpacked()
	if err != nil {
		return nil, nil, err
	}
	states, err := j.sentences.ChangedStates(text, &l.changes)
	if err == nil && len(states) != meaning.Layers*meaning.Size {
		err = fmt.Errorf("%w: it is for vectors of %d numbers; those of the model have %d", ErrWeights, meaning.Layers*meaning.Size, len(states))
	}
	return l, states, err
}

// unpacked returns the layer.
func (j *Judge) unpacked() (*Layer, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.timer != nil {
		j.timer.Stop()
	}
	j.timer = time.AfterFunc(idle, j.rest)
	if j.layer != nil {
		return j.layer, nil
	}
	w, err := readTables(layerFile)
	if err == nil {
		j.layer, err = w.layer()
	}
	return j.layer, err
}

// rest forgets the layer until it is wanted again.
func (j *Judge) rest() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.layer = nil
}

// Check says what is wrong with the model of sentences.
func (j *Judge) Check() error {
	if j.sentences == nil {
		return nil
	}
	_, _, err := j.read("good")
	return err
}

// Close gives the layer back. A closed judge can be used again.
func (j *Judge) Close() error {
	j.mu.Lock()
	if j.timer != nil {
		j.timer.Stop()
	}
	j.mu.Unlock()
	j.rest()
	return nil
}
