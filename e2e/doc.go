// Package e2e tests the whole robot: every program as its own process, the servos simulated.
package e2e
