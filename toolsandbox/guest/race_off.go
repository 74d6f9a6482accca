//go:build !race

package guest

const (
	raceEnabled   = false
	startSlowdown = 1
)
