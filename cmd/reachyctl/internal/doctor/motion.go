package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/reachyd/reachyd/hal/imu"
)

// checkMotion looks for the motion sensor of the wireless unit, which the Lite has not.
func checkMotion(_ context.Context, a commands) []Finding {
	d, err := imu.Open(a.Host.In(imu.Dir), false)
	if errors.Is(err, imu.ErrNone) {
		if _, err := os.Stat(a.Host.In(wirelessPort)); err != nil {
			return good("none; only the wireless unit has one")
		}
		return remark("Linux shows none: the robot does not notice that it is lifted or falls", "load its drivers: firmware-notes, check list, lines 13 to 17")
	}
	if err != nil {
		return remark(err.Error(), "firmware-notes, check list, lines 13 to 17")
	}
	defer d.Close()
	s, err := d.Read()
	if err != nil {
		return remark(err.Error(), "see dmesg, and the plug of the sensor")
	}
	return good(fmt.Sprintf("%s: acceleration %.1f %.1f %.1f m/s², turn %.2f %.2f %.2f rad/s",
		d.Name, s.Accel[0], s.Accel[1], s.Accel[2], s.Turn[0], s.Turn[1], s.Turn[2]))
}
