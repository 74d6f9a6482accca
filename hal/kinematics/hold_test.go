package kinematics

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/reachyd/reachyd/hal"
)

// give is a feasible pose, or one that only lacks motors that hold it, in the body frame. ok says whether it is any of them.
func give(random *rand.Rand) (p hal.Pose, joints hal.Joints, det float64, ok bool) {
	u := func(most float64) float64 { return (2*random.Float64() - 1) * most }
	scale := random.Float64()
	h := hal.Head{
		X: scale * u(maxSide), Y: scale * u(maxSide), Z: scale * u(maxDown), Roll: scale * u(maxHeadTilt), Pitch: scale * u(maxHeadTilt), Yaw: u(maxHeadToBody),
	}
	p = toBody(h.Pose(), 0)
	failed, margin := solveArms(&p, &joints)
	if failed >= 0 || margin < minMargin {
		return p, joints, 0, false
	}
	for j := firstLeg; j < firstLeg+numLegs; j++ {
		if l := hal.JointLimits[j]; joints[j] < l.Min || joints[j] > l.Max {
			return p, joints, 0, false
		}
	}
	det = determinant(&p, &joints) / neutralDet
	return p, joints, det, det >= minDeterminant
}

// pushed is a pose that is moved by a random small push.
func pushed(p *hal.Pose, random *rand.Rand, size float64) hal.Pose {
	q := *p
	var turn hal.Vec3
	for i := range turn {
		q.T[i] += size * headRadius * random.NormFloat64()
		turn[i] = random.NormFloat64()
	}
	rotate(&q.R, turn, size)
	return q
}

// The energy of a head on six springs says the same, without any derivative: where the motors hold it, each small push takes energy;
// where half as stiff ones do not, some push gives it.
func TestHoldsIsWhatTheEnergySays(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 17))
	held, loose, folded := 0, 0, 0
	for held < 100 || loose < 30 {
		p, joints, det, ok := give(random)
		if !ok {
			continue
		}
		soft := !holds(&p, &joints, minStiffness)
		if soft && det >= surelyHeld {
			t.Errorf("%+v: a determinant of %.2f, and it is not held", p, det)
		}
		if soft && loose >= 30 || !soft && held >= 100 {
			continue
		}
		// The motors' goals are so much further as the weight turns them back: stiffness·(goal − angle) holds it.
		a, weight := turns(&p, &joints), pull(&p)
		var m system
		for i := range m {
			for k := range a {
				m[i][k] = a[k][i]
			}
			m[i][6] = weight[i]
		}
		m.solve()
		energy := func(p *hal.Pose, stiffness float64) float64 {
			var at hal.Joints
			solveArms(p, &at)
			e := headWeight * (p.T[2] + p.R.Apply(headCentre)[2])
			for k := range a {
				goal := joints[int(firstLeg)+k] + m[k][6]/stiffness
				e += stiffness / 2 * (goal - at[int(firstLeg)+k]) * (goal - at[int(firstLeg)+k])
			}
			return e
		}
		gives := func(stiffness float64) bool {
			for range 3000 {
				if q := pushed(&p, random, 1e-3); energy(&q, stiffness) < energy(&p, stiffness)-1e-9 {
					return true
				}
			}
			return false
		}
		if !soft {
			held++
			if gives(1.2 * minStiffness) {
				t.Errorf("%+v: held, and a push gives energy", p)
			}
			continue
		}
		loose++
		if gives(minStiffness / 2) {
			folded++
		}
	}
	if folded < loose*2/3 {
		t.Errorf("of %d poses that are not held only %d give energy when they are pushed", loose, folded)
	}
}

// Poses in which the simulated head folded over by its own weight, however slowly it went there; and what stays: one axis alone may go
// as far as is published.
func TestPosesThatFoldAreDrawnIn(t *testing.T) {
	at := func(roll, pitch, yaw, z float64) hal.Head {
		return hal.Head{Roll: roll * degree, Pitch: pitch * degree, Yaw: yaw * degree, Z: z}
	}
	for _, h := range []hal.Head{
		at(-26.3, -10.4, -61.7, 0), at(-27.9, -24.5, 61.6, 0), at(-7.1, 27.6, 64.7, 0), at(-28.6, 22.9, 63.5, 0),
	} {
		f, err := NearestHead(h, 0, hal.Antennas{})
		if err != nil || f.Scale == 1 || f.Changed()[0].Limit != LimitLoose {
			t.Errorf("%+v: given %+v, changes %+v, %v", h, f.Head, f.HalChanges(), err)
		}
		if math.Abs(f.Head.Yaw-h.Yaw) > negligible {
			t.Errorf("%+v: it is turned to %v", h, f.Head.Yaw)
		}
	}
	for _, h := range []hal.Head{
		at(40, 0, 0, 0), at(-40, 0, 0, 0), at(0, 40, 0, 0), at(0, -40, 0, 0), at(0, 0, 65, 0), at(0, 0, -65, 0), at(40, 0, 15, 0), at(0, -40, 30, 0),
		at(20, 0, 60, 0), at(0, 0, 0, 0.02), at(0, 0, 0, -0.05),
	} {
		if f, err := NearestHead(h, 0, hal.Antennas{}); err != nil || len(f.Changed()) > 0 {
			t.Errorf("%+v: changes %+v, %v", h, f.HalChanges(), err)
		}
	}
}
