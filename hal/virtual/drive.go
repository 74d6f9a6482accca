package virtual

import (
	"math"

	dxl "github.com/reachyd/reachyd/hal/dynamixel"
)

// drives reports whether a bit of the drive mode is set.
func (s *servo) drives(bit byte) bool { return s.mem[dxl.AddrDriveMode]&bit != 0 }

// sense is −1 when the servo counts the other way.
func (s *servo) sense() float64 {
	if s.drives(driveReverse) {
		return -1
	}
	return 1
}

// measure writes what the servo measures into its table.
func (s *servo) measure() {
	current := s.sense() * s.motion.Torque / s.spec.perAmpere * 1000
	current = max(-float64(s.spec.currentLimit), min(float64(s.spec.currentLimit), current))
	speed := int64(math.Round(s.sense() * s.motion.Velocity / velocityUnit))
	position := s.toTicks(s.motion.Position)
	s.put(dxl.AddrPresentCurrent, int64(math.Round(current)))
	s.put(dxl.AddrPresentVelocity, speed)
	s.put(dxl.AddrPresentPosition, position)
	s.put(dxl.AddrPresentPWM, int64(math.Round(current/float64(s.spec.currentLimit)*885)))
	s.put(dxl.AddrRealtimeTick, int64(math.Mod(s.time*1000, 32768)))
	s.put(dxl.AddrPositionTraject, s.toTicks(s.setpoint))
	s.put(dxl.AddrVelocityTraject, int64(math.Round(s.sense()*s.setSpeed/velocityUnit)))
	moving := int64(0)
	if speed > s.get(dxl.AddrMovingThreshold) || speed < -s.get(dxl.AddrMovingThreshold) {
		moving = 1
	}
	s.put(dxl.AddrMoving, moving)
	arrived := int64(0)
	if diff := s.get(dxl.AddrGoalPosition) - position; diff >= -10 && diff <= 10 {
		arrived = 1
	}
	s.put(dxl.AddrMovingStatus, arrived)
}

// watch lets the bus watchdog trip when nothing was heard for its time.
func (s *servo) watch(dt float64) {
	s.quiet += dt
	n := s.mem[dxl.AddrBusWatchdog]
	if n == 0 || n == watchdogTrip || !s.torque() || s.quiet < float64(n)*watchdogUnit {
		return
	}
	s.mem[dxl.AddrBusWatchdog] = watchdogTrip
	s.resetGoals() // it stops where it is
}

// drive advances the profile by dt and says what the servo does to its joint.
func (s *servo) drive(dt float64) Drive {
	if s.dead || s.boot > 0 || !s.torque() {
		s.setpoint, s.setSpeed, s.leg.begun = s.motion.Position, 0, false
		return Drive{}
	}
	d := Drive{On: true, Limit: float64(s.get(dxl.AddrCurrentLimit)) / float64(s.spec.currentLimit)}
	d.Stiff = float64(s.get(dxl.AddrPositionP)) / eeprom[s.joint].gain
	mode := s.get(dxl.AddrOperatingMode)
	if mode != modePWM {
		d.Limit = min(d.Limit, math.Abs(float64(s.get(dxl.AddrGoalPWM)))/fullPWM)
	}
	switch mode {
	case modePWM:
		d.ByTorque = true
		d.Torque = s.sense() * float64(s.get(dxl.AddrGoalPWM)) / fullPWM * s.spec.stall
		return d
	case modeVelocity:
		const lag = 0.2 // rad: a joint that is held back is not hurled when it is let go
		s.setSpeed = s.sense() * float64(s.get(dxl.AddrGoalVelocity)) * velocityUnit
		d.Stiff = 0 // the gains of the position are none of this mode
		s.setpoint = max(s.motion.Position-lag, min(s.motion.Position+lag, s.setpoint+s.setSpeed*dt))
		d.Position = s.setpoint
		return d
	case modeCurrent:
		d.ByTorque = true
		d.Torque = s.sense() * float64(s.get(dxl.AddrGoalCurrent)) / 1000 * s.spec.perAmpere
		return d
	case modeBoth:
		d.Limit = min(d.Limit, math.Abs(float64(s.get(dxl.AddrGoalCurrent)))/float64(s.spec.currentLimit))
	}
	if s.get(dxl.AddrPositionP) == 0 {
		d.Limit = 0 // without a gain it holds nothing
	}
	if s.drives(driveByTime) {
		s.timed(dt)
	} else {
		s.profile(dt)
	}
	d.Position = s.setpoint
	return d
}

// timed moves the set point to the goal in the profile's time, of which its acceleration takes a part at both ends.
func (s *servo) timed(dt float64) {
	goal := s.toRad(s.get(dxl.AddrGoalPosition))
	if !s.leg.begun || goal != s.leg.to {
		s.leg = leg{from: s.setpoint, to: goal, begun: true}
	}
	s.leg.gone += dt
	whole := float64(s.get(dxl.AddrProfileVelocity)) / 1000
	ramp := min(float64(s.get(dxl.AddrProfileAccel))/1000, whole/2)
	at, left := s.leg.gone, whole-s.leg.gone
	part := 1.0
	switch {
	case left <= 0:
	case at < ramp:
		part = at * at / (2 * ramp * (whole - ramp))
	case left < ramp:
		part = 1 - left*left/(2*ramp*(whole-ramp))
	default:
		part = (at - ramp/2) / (whole - ramp)
	}
	next := s.leg.from + (goal-s.leg.from)*part
	s.setSpeed, s.setpoint = (next-s.setpoint)/dt, next
}

// profile moves the set point to the goal within the profile's velocity and acceleration; zero is no limit.
func (s *servo) profile(dt float64) {
	goal := s.toRad(s.get(dxl.AddrGoalPosition))
	vmax := float64(s.get(dxl.AddrProfileVelocity)) * velocityUnit
	amax := float64(s.get(dxl.AddrProfileAccel)) * accelUnit
	if vmax == 0 {
		s.setSpeed, s.setpoint = 0, goal // acceleration alone has no effect, as in the servo
		return
	}
	left := goal - s.setpoint
	speed := min(vmax, math.Abs(left)/dt)
	if amax > 0 {
		// The speed from which the set point can still stop at the goal, one step from now.
		speed = min(speed, math.Sqrt(amax*amax*dt*dt/4+2*amax*math.Abs(left))-amax*dt/2)
	}
	speed = math.Copysign(speed, left)
	if amax > 0 {
		speed = max(s.setSpeed-amax*dt, min(s.setSpeed+amax*dt, speed))
	}
	s.setSpeed = speed
	s.setpoint += speed * dt
	if math.Abs(goal-s.setpoint) < tick/100 && math.Abs(speed) <= amax*dt+tick {
		s.setpoint = goal
	}
}

// moved takes in where the joint is after dt seconds.
func (s *servo) moved(dt float64, m Motion) {
	s.motion = m
	if s.dead {
		return
	}
	if s.boot > 0 {
		s.boot -= dt
		s.time = 0
		if s.boot <= 0 {
			s.measure()
			s.resetGoals()
		}
		return
	}
	s.time += dt
	s.watch(dt)
	s.measure()
}
