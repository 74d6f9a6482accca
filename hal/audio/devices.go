package audio

import (
	"slices"
	"strings"
)

// Device is a sound device of this host.
type Device struct {
	Name    string `json:"name"`
	Capture bool   `json:"capture"` // a microphone; otherwise a loudspeaker
	Default bool   `json:"default"` // of the system
	Robot   bool   `json:"robot"`   // the robot's own microphone array and loudspeaker
	id      any    // of the library
}

// Names that are not names of devices.
const (
	Auto    = "auto"    // the robot's own if it is there, else the system's default
	Default = "default" // the system's default
)

// robotNames are parts of the names under which the robot's audio board is known, the best first: its shared ALSA
// devices, the board itself, and the development board it was made from.
var robotNames = []string{"reachymini_audio", "reachy mini audio", "respeaker", "xvf3800", "pollen"}

// robotRank is the index of the first of robotNames that name contains, or -1.
func robotRank(name string) int {
	name = strings.ToLower(name)
	return slices.IndexFunc(robotNames, func(part string) bool { return strings.Contains(name, part) })
}

// choose picks the device that is meant by want: Auto, Default, a name, or part of a name in any case. Among several,
// an exact name wins, then the first. It returns nil when there is none.
func choose(devices []Device, want string) *Device {
	best, rank := -1, len(robotNames)
	for i := range devices {
		d := &devices[i]
		switch r := robotRank(d.Name); {
		case want == Auto || want == "":
			if r >= 0 && r < rank {
				best, rank = i, r
			}
			if best < 0 && d.Default {
				best = i
			}
		case want == Default:
			if d.Default {
				return d
			}
		case d.Name == want:
			return d
		case best < 0 && strings.Contains(strings.ToLower(d.Name), strings.ToLower(want)):
			best = i
		}
	}
	if best < 0 && (want == Auto || want == Default || want == "") && len(devices) > 0 {
		best = 0
	}
	if best < 0 {
		return nil
	}
	return &devices[best]
}
