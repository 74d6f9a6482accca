package reward

import (
	"fmt"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/reachyd/reachyd/perception/meaning"
)

// Sentences makes vectors of sentences, such as *meaning.Model.
type Sentences interface {
	// ChangedStates are the means of a transformer's layers, one after the other, each of length one.
	ChangedStates(text string, changes *meaning.Changes) ([]float32, error)
}

// layerShare is that of the layer in the probabilities; the rest is that of the words alone.
const layerShare = 0.55

// stateScale is what the layer multiplies states with.
const stateScale = 8

// Layer says what a sentence is worth by what a model of sentences makes of it, which is changed for that. It does not change once it is
// made; any number of goroutines may use it.
type Layer struct {
	changes meaning.Changes
	head    dense
}

// layer makes the layer of a file.
func (w *tables) layer() (*Layer, error) {
	l := &Layer{head: w.dense("head", outputs, meaning.Layers*meaning.Size)}
	in, out := meaning.ChangeSizes()
	for i := range l.changes {
		for k := range l.changes[i] {
			name := fmt.Sprintf("%d.%d.", i, k)
			a := w.table(name+"in", 0, in[k])
			l.changes[i][k] = meaning.Change{In: a, Out: w.table(name+"out", out[k], a.Rows)}
		}
	}
	return l, w.err
}

// apply returns the probabilities by the states of a sentence.
func (l *Layer) apply(states []float32) []float64 {
	scaled := make([]float32, len(states))
	blas32.Axpy(stateScale, vec(states), vec(scaled))
	return probabilities(l.head.logits(scaled))
}
