package servo

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/hal"
	dxl "github.com/reachyd/reachyd/hal/dynamixel"
)

// What firmware-notes tells a technician of servos and limits is what the code holds them to.
func TestNotesHaveTheServos(t *testing.T) {
	data, err := os.ReadFile("../../firmware-notes/README.md")
	if err != nil {
		t.Fatal(err)
	}
	notes := strings.ReplaceAll(string(data), "−", "-")
	models := map[uint16]string{dxl.ModelXL330M288: "XL330-M288", dxl.ModelXC330M288: "XC330-M288", dxl.ModelXL330M077: "XL330-M077"}
	count := map[uint16]int{}
	for j, c := range ReachyMini() {
		offset := "0"
		if c.Homing != 0 {
			offset = fmt.Sprintf("%+d", c.Homing)
		}
		count[c.Model]++
		row := fmt.Sprintf("| %d | %v | %s | %s | %d…%d |", hal.Joint(j).ServoID(), hal.Joint(j), models[c.Model], offset, c.Min, c.Max)
		gains := fmt.Sprintf("| %d, %d, %d |\n", c.P, c.I, c.D)
		_, rest, found := strings.Cut(notes, row)
		if line, _, _ := strings.Cut(rest, "\n"); !found || !strings.HasSuffix(line+"\n", gains) {
			t.Errorf("the table of the bus has no row %s … %s", row, gains)
		}
	}
	o, err := Options{Port: "auto"}.complete()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		fmt.Sprintf("| temperature of a servo | %.0f °C |", o.WarmAt), fmt.Sprintf("| supply at the servos | %.1f…%.1f V |", o.MinVoltage, o.MaxVoltage),
		"XL330-M288-T (arms, six), XC330-M288-T (body), XL330-M077-T (antennas, two)",
	} {
		if !strings.Contains(notes, want) {
			t.Errorf("the notes lack %q", want)
		}
	}
	if count[dxl.ModelXL330M288] != 6 || count[dxl.ModelXC330M288] != 1 || count[dxl.ModelXL330M077] != 2 {
		t.Errorf("other servos than the spare parts: %v", count)
	}
}
