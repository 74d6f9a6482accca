//go:build race

package guest

const (
	raceEnabled   = true
	startSlowdown = 10
)
