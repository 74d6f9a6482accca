package commandmodel

import (
	"math"

	"github.com/reachyd/reachyd/perception/wake"
)

// MinConfidence is the least Result.Confidence of a command: what is less likely than not to be right is none.
const MinConfidence = 0.5

// NoCommand is the confidence below which something else was said, or nothing.
const NoCommand = 0.1

// Candidate is a command that may have been said.
type Candidate struct {
	Text       string
	Fit        wake.Fit // how its sounds lie along the sound
	Confidence float64  // how likely it is to be the one that was said
}

// Features are what the confidence of a candidate is made of, each about −1…1. raw is what the model of words wrote, sure how sure it was.
func Features(text string, f wake.Fit, raw string, sure float64) [9]float64 {
	x := [9]float64{max(f.Mean, -8) / 8, max(f.Worst, -8) / 8, min(max(f.Ahead, -20), 20) / 20, 0, 0, 0, 1 / float64(f.Sounds), max(f.Beside, -20) / 20, 1}
	switch raw {
	case text:
		x[3], x[4] = sure, 1
	case Unknown: // tells nothing that the sounds do not
	default:
		x[5] = sure
	}
	return x
}

// weights of the features: a logistic regression by train/weigh.py.
var weights = [9]float64{6.43, 1.03, 2.54, 1.57, 0.03, -1.85, -1.05, 0.61, 1.41}

func confidence(text string, f wake.Fit, raw string, sure float64) float64 {
	sum := 0.0
	for i, x := range Features(text, f, raw, sure) {
		sum += weights[i] * x
	}
	return 1 / (1 + math.Exp(-sum))
}
