package reward

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/reachyd/reachyd/perception/meaning"
)

// idle is after how long without feedback the layer is forgotten.
const idle = time.Minute

// ErrNotFitted is wrapped by the error for a model of sentences that has no layer yet.
var ErrNotFitted = errors.New("the second layer is not fitted: 'reachyctl reward fit' does it")

// Judge says what sentences are worth by the lexical model, and by a second layer when it can be had. Its methods may be called by
// many goroutines at once.
type Judge struct {
	sentences Sentences // nil without a second layer
	path      string    // of the layer's file

	mu    sync.Mutex
	layer *Layer // nil when nobody has judged anything for a while
	timer *time.Timer
}

// OpenJudge returns a judge with the model of sentences of a file, which the caller closes, and the layer beside the file, which is
// read when it is wanted. Without a file there is the lexical model alone. The error wraps ErrNotFitted when the layer is not
// there; the judge can be used all the same.
func OpenJudge(model string, s Sentences) (*Judge, error) {
	if model == "" {
		return &Judge{}, nil
	}
	path, err := LayerFile(model)
	if err == nil {
		_, err = os.Stat(path)
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%s: %w", model, ErrNotFitted)
	}
	if err != nil {
		return &Judge{}, err
	}
	return &Judge{sentences: s, path: path}, nil
}

// Layered reports whether there is a second layer.
func (j *Judge) Layered() bool { return j.sentences != nil }

// Score says what a sentence is worth. What goes wrong with the second layer leaves the lexical model's word.
func (j *Judge) Score(text string) Score {
	m := Default()
	if j.sentences == nil || Plain(text) == "" {
		return m.Score(text)
	}
	l, err := j.read()
	if err != nil {
		return m.Score(text)
	}
	states, err := j.sentences.States(text)
	if err != nil || len(states) != len(l.mean) {
		return m.Score(text)
	}
	return m.score(text, func(p [numClasses]float64) [numClasses]float64 { return l.mix(p, states) })
}

// read returns the layer.
func (j *Judge) read() (*Layer, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.timer != nil {
		j.timer.Stop()
	}
	j.timer = time.AfterFunc(idle, j.rest)
	if j.layer != nil {
		return j.layer, nil
	}
	data, err := os.ReadFile(j.path)
	if err != nil {
		return nil, err
	}
	l, err := readLayer(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", j.path, err)
	}
	j.layer = l
	return l, nil
}

// rest forgets the layer until it is wanted again.
func (j *Judge) rest() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.layer = nil
}

// Check reads what is read when it is wanted, and says what is wrong with it.
func (j *Judge) Check() error {
	if j.sentences == nil {
		return nil
	}
	l, err := j.read()
	if err != nil {
		return err
	}
	states, err := j.sentences.States("good")
	if err == nil && len(states) != len(l.mean) {
		err = fmt.Errorf("%s: %w: it is for vectors of %d numbers; those of the model have %d", j.path, ErrLayer, len(l.mean), len(states))
	}
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

// Prepare fits the layer of a model of sentences and keeps it beside it; that takes a minute or so. progress is told of how many
// of the sentences the vectors are there; it may be nil.
func Prepare(ctx context.Context, model string, progress func(done, total int)) (path string, err error) {
	if path, err = LayerFile(model); err != nil {
		return "", err
	}
	m, err := meaning.Open(model)
	if err != nil {
		return "", err
	}
	defer m.Close() //nolint:errcheck // it was only read
	_, writers := Writers()
	examples := slices.Concat(writers...)
	states, err := AllStates(ctx, m, examples, progress)
	if err != nil {
		return "", err
	}
	return path, FitLayer(examples, states).write(path)
}

// AllStates are the vectors of examples.
func AllStates(ctx context.Context, of Sentences, examples []Example, progress func(done, total int)) ([][]float32, error) {
	states := make([][]float32, len(examples))
	for i := range examples {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		var err error
		if states[i], err = of.States(examples[i].Text); err != nil {
			return nil, err
		}
		if progress != nil {
			progress(i+1, len(examples))
		}
	}
	return states, nil
}

// ScoreWith says what a sentence is worth by a model and a layer, for whoever has its vectors.
func ScoreWith(m *Model, l *Layer, states []float32, text string) Score {
	return m.score(text, func(p [numClasses]float64) [numClasses]float64 { return l.mix(p, states) })
}
