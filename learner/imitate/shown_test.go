package imitate

import (
	"math/rand/v2"
	"testing"

	"github.com/reachyd/reachyd/learner/env"
)

// Twenty moves that a hand guided, as they were recorded by the joints, are worth something where nobody has shown anything.
func TestGuidedMovesTeach(t *testing.T) {
	shown, err := GuidedMoves(rand.New(rand.NewPCG(11, 12)), 20)
	if err != nil {
		t.Fatal(err)
	}
	e := env.NewReach(env.Options{Random: 0.3})
	s := FromShown(e, append(shown, env.Shown{{}, {}}), 1)
	if s.Episodes != 20 || len(s.Obs) < 20*passes*5 {
		t.Fatalf("%d examples of %d movements", len(s.Obs), s.Episodes)
	}
	untrained, clone := score(e, Clone(e.Spec(), s, 1, 0)), score(e, Clone(e.Spec(), s, 1, 40))
	t.Logf("return of unseen episodes: untrained %.2f, cloned %.2f", untrained, clone)
	if clone < untrained+2 || clone < -2 {
		t.Errorf("the clone's return is %.2f, that of an untrained policy %.2f", clone, untrained)
	}
}
