package imitate

import "github.com/reachyd/reachyd/learner/env"

// passes is in how many simulations each movement that was shown is lived through: what varies there is no part of what was shown.
const passes = 5

// FromShown makes examples of movements that a person showed. Those that do not move are left out.
func FromShown(e *env.Reach, all []env.Shown, seed uint64) *Set {
	s := &Set{}
	for i, shown := range all {
		if !shown.Moves() {
			continue
		}
		for pass := range uint64(passes) {
			e.Show(seed<<32|uint64(i)*passes+pass, shown, s.add)
		}
		s.Episodes++
	}
	return s
}
