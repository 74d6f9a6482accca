// Package api is the contract of reachyd as types: the topics, the commands with their arguments, the events, the state,
// the telemetry and the replies, as they go over MQTT and HTTP. docs/topics.md is generated from it.
//
// Units are degrees, metres, seconds, volts, milliamperes and degrees Celsius; only State.Joints is in radians. The head's
// frame is x forward, y left, z up: +pitch looks down, +yaw looks left, +roll tilts to the robot's right. An antenna at 0
// points up. Times are RFC 3339 in UTC with milliseconds.
//
// The package imports nothing of ours, so that everybody may import it.
package api

//go:generate go run ../docs/topics . ../docs/topics.md
