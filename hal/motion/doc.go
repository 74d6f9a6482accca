// Package motion is the control loop of the robot: it alone owns the servos, turns requests into joint goals a hundred
// times a second, and keeps every goal inside the safety envelope.
package motion
