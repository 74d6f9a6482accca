package main

import (
	"bytes"
	"testing"

	"github.com/reachyd/reachyd/learner/reward"
)

// What is printed by make eval-reward does not become worse unseen: 80.3 % and 0.186 with nine writers.
func TestSentencesThatNothingWasLearnedFrom(t *testing.T) {
	aside, err := reward.ReadExamples(bytes.NewReader(unseen))
	if err != nil {
		t.Fatal(err)
	}
	r := reward.Evaluate(aside, reward.NewJudge(nil).Score)
	if r.Agreement < 0.77 || r.MAE > 0.21 {
		t.Errorf("%s", r)
	}
	surest, least := (r.Deciles[0]+r.Deciles[1])/2, (r.Deciles[8]+r.Deciles[9])/2
	if surest < 0.9 || least > 0.6 {
		t.Errorf("what it is sure of is right in %.2f, what it is not in %.2f", surest, least)
	}
}
