package doctor

import (
	"fmt"
	"path/filepath"
	"strconv"

	"github.com/reachyd/reachyd/cmd/reachyctl/internal/host"
)

// Where a Raspberry Pi's kernel tells what its firmware thinks of the supply: all flags, or only under-voltage of late.
const (
	throttledFile = "sys/devices/platform/soc/soc:firmware/get_throttled" // hexadecimal
	alarmFiles    = "sys/class/hwmon/*/in0_lcrit_alarm"
	alarmDriver   = "rpi_volt"
)

// supplyFlag is what a flag of the firmware means.
type supplyFlag struct {
	bit  uint
	what func(detail, do string) []Finding
	text string
	do   string
}

// The flags of which the first that is set is told, the worst first.
var supplyFlags = []supplyFlag{
	{0, wrong, "the Pi's supply is too weak now (under-voltage)", "charge, or use a supply of 7 V and 5 A; programs and files are at risk"},
	{16, remark, "the Pi's supply was too weak at least once since it started", "look at cable, supply and battery, under load, too"},
	{3, remark, "the Pi is too hot now and goes slower", "let air to it"},
	{2, remark, "the Pi is throttled now and goes slower", "let air to it, and look at its supply"},
	{1, remark, "the Pi's frequency is capped now", "let air to it, and look at its supply"},
	{19, remark, "the Pi was too hot at least once since it started", "let air to it"},
}

// supplyFindings are none on a host that is no Raspberry Pi.
func supplyFindings(h *host.Host) []Finding {
	if text, err := host.FirstLine(h.In(throttledFile)); err == nil {
		flags, err := strconv.ParseUint(text, 16, 32)
		if err != nil {
			return remark(fmt.Sprintf("/%s says %q, not flags in hexadecimal", throttledFile, text), "compare `vcgencmd get_throttled`")
		}
		for _, f := range supplyFlags {
			if flags>>f.bit&1 == 1 {
				return f.what(fmt.Sprintf("%s (flags 0x%x)", f.text, flags), f.do)
			}
		}
		return good(fmt.Sprintf("the Pi's supply was never too weak since it started (flags 0x%x)", flags))
	}
	alarms, err := filepath.Glob(h.In(alarmFiles))
	if err != nil {
		return nil // the pattern is a good one
	}
	for _, path := range alarms {
		name, err := host.FirstLine(filepath.Join(filepath.Dir(path), "name"))
		if err != nil || name != alarmDriver {
			continue
		}
		if alarm, err := host.FirstLine(path); err == nil && alarm == "1" {
			return supplyFlags[0].what(supplyFlags[0].text, supplyFlags[0].do)
		}
		return good("the Pi's supply is strong enough now")
	}
	return nil
}
