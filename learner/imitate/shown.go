package imitate

import "github.com/reachyd/reachyd/learner/env"

// passes is in how many simulations each movement that was shown is lived through: what varies there is no part of what was shown. In all but
// the first one the hand is pushed about, and begins anywhere in the first half of the movement.
const passes = 10

// pushed is by how much, as a part of what an action may be.
const pushed = 0.3

// FromShown makes examples of movements that a person showed. Those that do not move are left out.
func FromShown(e *env.Reach, all []env.Shown, seed uint64) *Set {
	s := &Set{}
	for i, shown := range all {
		if !shown.Moves() {
			continue
		}
		for pass := range uint64(passes) {
			from, noise := int(pass)*len(shown)/(2*passes), pushed
			if pass == 0 {
				noise = 0
			}
			e.Show(seed<<32|uint64(i)*passes+pass, shown[from:], noise, s.add)
		}
		s.Episodes++
	}
	return s
}
