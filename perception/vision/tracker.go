package vision

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/reachyd/reachyd/perception/scene"
)

// How faces are told apart over time. Angles are degrees in the world, so that the head's own movement does not matter.
const (
	confirmHits = 2                      // sightings before a face is believed
	loseAfter   = 800 * time.Millisecond // without a sighting it is lost
	forgetAfter = 10 * time.Second       // until then it gets its number back
	gateSizes   = 1.2                    // it may have moved so many times its size between two sightings
	ghostGate   = 15.0                   // and a lost one so far
	leastLike   = 0.5                    // ratio of sizes
	smooth      = 0.6                    // weight of a new sighting's size
	unconfirmed = 300 * time.Millisecond // a single sighting is forgotten
	oldestTrack = 1<<31 - 1              // bound of numbers
	maxTracks   = 32                     // remembered at most
)

// track is a face over time.
type track struct {
	id         int // 0 until it is confirmed
	yaw, pitch float64
	size       float64 // angle across, degrees
	hits       int
	seen       time.Time
	last       scene.Detection
}

// tracker gives faces numbers that stay.
type tracker struct {
	tracks []track
	lastID int
}

// update takes in the faces of one picture, with the angle that each spans, and returns the confirmed ones with their
// numbers, the largest first.
func (t *tracker) update(found []scene.Detection, sizes []float64, at time.Time) []scene.Detection {
	t.forget(at)
	type pair struct {
		track, found int
		cost         float64
	}
	var pairs []pair
	for i := range t.tracks {
		for j := range found {
			if cost, ok := t.tracks[i].like(&found[j], sizes[j], at); ok {
				pairs = append(pairs, pair{i, j, cost})
			}
		}
	}
	slices.SortFunc(pairs, func(a, b pair) int { return cmp.Compare(a.cost, b.cost) })
	taken, used := make([]bool, len(t.tracks)), make([]bool, len(found))
	for _, p := range pairs {
		if !taken[p.track] && !used[p.found] {
			taken[p.track], used[p.found] = true, true
			t.tracks[p.track].see(&found[p.found], sizes[p.found], at)
		}
	}
	for j := range found {
		if !used[j] && len(t.tracks) < maxTracks {
			n := track{size: sizes[j]}
			n.see(&found[j], sizes[j], at)
			t.tracks = append(t.tracks, n)
		}
	}
	var out []scene.Detection
	for i := range t.tracks {
		k := &t.tracks[i]
		if !k.seen.Equal(at) || k.hits < confirmHits {
			continue
		}
		if k.id == 0 {
			t.lastID = t.lastID%oldestTrack + 1
			k.id = t.lastID
		}
		k.last.ID = k.id
		out = append(out, k.last)
	}
	slices.SortStableFunc(out, func(a, b scene.Detection) int { return cmp.Compare(b.Box.W, a.Box.W) })
	return out
}

// forget drops what was not seen for too long.
func (t *tracker) forget(at time.Time) {
	t.tracks = slices.DeleteFunc(t.tracks, func(k track) bool {
		gone := at.Sub(k.seen)
		return gone > forgetAfter || k.id == 0 && gone > unconfirmed
	})
}

// like says how little a sighting differs from a track, and whether it can be the same face.
func (k *track) like(d *scene.Detection, size float64, at time.Time) (cost float64, ok bool) {
	off := angleBetween(rayTo(k.yaw, k.pitch), rayTo(d.Yaw, d.Pitch))
	ratio := min(size, k.size) / max(size, k.size)
	gate, penalty := gateSizes*max(size, k.size), 0.0
	if at.Sub(k.seen) > loseAfter {
		gate, penalty = max(gate, ghostGate), 1000 // a face that is being followed comes first
	}
	return penalty + off/max(1, k.size) + 1 - ratio, off <= gate && ratio >= leastLike
}

func (k *track) see(d *scene.Detection, size float64, at time.Time) {
	if k.hits > 0 && k.id == 0 && at.Sub(k.seen) > unconfirmed {
		k.hits = 0
	}
	k.yaw, k.pitch, k.seen, k.last = d.Yaw, d.Pitch, at, *d
	k.size += smooth * (size - k.size)
	k.hits++
}

// lost says whether the face of a number is not in view any more.
func (t *tracker) lost(id int, at time.Time) bool {
	for _, k := range t.tracks {
		if k.id == id {
			return at.Sub(k.seen) > loseAfter
		}
	}
	return true
}

// choose returns the face to look at: the one before as long as it is there, else the largest one.
func (t *tracker) choose(present int, found []scene.Detection, at time.Time) (scene.Detection, bool) {
	for _, d := range found {
		if d.ID == present {
			return d, true
		}
	}
	if present != 0 && !t.lost(present, at) || len(found) == 0 {
		return scene.Detection{}, false // it may be back in the next picture
	}
	return found[0], true
}

// Follower turns sightings of a face into smooth goals for the head. Angles are degrees in the world. It never goes on
// by itself: without sightings it comes to rest where the last one was, and ends.
type Follower struct {
	yaw, pitch   axis1
	aimed        bool
	sighted      time.Time
	stepped      time.Time
	wasYaw, wasP float64 // filtered sighting
	rateY, rateP float64 // degrees/s, of the face
}

// axis1 is one angle on its way to another.
type axis1 struct{ goal, at, speed float64 }

// How the follower moves.
const (
	followQuick = 12.0                   // rad/s, of the critically damped way to the goal
	followSpeed = 150.0                  // degrees/s at most
	followBlend = 0.4                    // weight of a new sighting
	followJump  = 5.0                    // degrees from which on a sighting is believed at once
	followDead  = 0.8                    // degrees by which the sighting may wander before the goal follows
	followSkew  = 0.04                   // s by which the time of a picture may be wrong: moving, the error is speed times that
	followLearn = 0.12                   // weight of a new sighting in the speed of the face
	followStill = 6.0                    // degrees/s below which a face sits still
	followRate  = 40.0                   // degrees/s that a face is believed to have at most
	followLead  = 350 * time.Millisecond // s by which the goal is ahead of a moving face: what pictures and head are late
	followRest  = 1 * time.Second        // without sightings the follower ends
	maxFollow   = 35.0                   // degrees of pitch
	maxTurn     = 150.0                  // degrees of yaw
)

// Start begins at the head's present direction.
func (f *Follower) Start(yaw, pitch float64, now time.Time) {
	*f = Follower{yaw: axis1{yaw, yaw, 0}, pitch: axis1{pitch, pitch, 0}, sighted: now, stepped: now, wasYaw: yaw, wasP: pitch}
}

// See takes in a sighting: the direction of the face, now.
func (f *Follower) See(yaw, pitch float64, now time.Time) {
	if math.IsNaN(yaw) || math.IsNaN(pitch) {
		return
	}
	dt := max(0.05, min(0.5, now.Sub(f.sighted).Seconds()))
	f.sighted = now
	moving := followSkew * math.Hypot(f.yaw.speed, f.pitch.speed)
	offY, offP := yaw-f.wasYaw-f.rateY*dt, pitch-f.wasP-f.rateP*dt
	if math.Hypot(offY, offP) > followJump+2*moving || !f.aimed {
		f.wasYaw, f.wasP, f.rateY, f.rateP = yaw, pitch, 0, 0
	} else {
		f.wasYaw += f.rateY*dt + followBlend*offY
		f.wasP += f.rateP*dt + followBlend*offP
		if moving < followSkew*followRate { // else the head's own movement would be taken for the face's
			f.rateY = clamp(f.rateY+followLearn*offY/dt, followRate)
			f.rateP = clamp(f.rateP+followLearn*offP/dt, followRate)
		}
	}
	aimY, aimP := f.wasYaw, f.wasP
	if math.Hypot(f.rateY, f.rateP) > followStill {
		aimY += followLead.Seconds() * f.rateY
		aimP += followLead.Seconds() * f.rateP
	}
	if math.Hypot(aimY-f.yaw.goal, aimP-f.pitch.goal) > followDead+moving || !f.aimed {
		f.yaw.goal, f.pitch.goal = clamp(aimY, maxTurn), clamp(aimP, maxFollow)
		f.aimed = true
	}
}

// Step returns where the head should point now. It reports false when there is nothing to follow any more.
func (f *Follower) Step(now time.Time) (yaw, pitch float64, ok bool) {
	dt := max(0, min(0.2, now.Sub(f.stepped).Seconds()))
	f.stepped = now
	if f.aimed && now.Sub(f.sighted) > followLead {
		f.yaw.goal, f.pitch.goal = clamp(f.wasYaw, maxTurn), clamp(f.wasP, maxFollow)
		f.rateY, f.rateP = 0, 0
	}
	f.yaw.step(dt)
	f.pitch.step(dt)
	return f.yaw.at, f.pitch.at, f.aimed && now.Sub(f.sighted) < followRest
}

// clamp keeps an angle within ± a limit.
func clamp(a, limit float64) float64 { return max(-limit, min(limit, a)) }

// step moves an angle toward its goal, exactly for a critically damped spring, and not too fast.
func (a *axis1) step(dt float64) {
	x, decay := a.at-a.goal, math.Exp(-followQuick*dt)
	b := a.speed + followQuick*x
	next := (x + b*dt) * decay
	speed := (a.speed - followQuick*b*dt) * decay
	if most := followSpeed * dt; math.Abs(next-x) > most {
		next = x + math.Copysign(most, next-x)
		speed = clamp(speed, followSpeed)
	}
	a.at, a.speed = a.goal+next, speed
}
