package hostrobot

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/catalog"
	"github.com/reachyd/reachyd/toolsandbox/guest"
	"github.com/reachyd/reachyd/toolsandbox/host"
)

// The sandbox imports nothing of ours: its own limits of a motion are compared with the catalogue's here.
func TestTheSandboxKnowsTheSameLimits(t *testing.T) {
	laws := []string{string(hal.EasingMinJerk), string(hal.EasingLinear), string(hal.EasingEaseInOut), string(hal.EasingCartoon)}
	if !slices.Equal(host.Laws, laws) {
		t.Errorf("laws %v, those of the body are %v", host.Laws, laws)
	}
	for seconds, want := range map[float64]string{catalog.MaxMoveTime: host.CodeUnavailable, catalog.MaxMoveTime + 1: host.CodeInvalid} {
		_, err := host.New(host.Config{Robot: Robot{Tools: tool.NewRegistry(nil)}}).Call(t.Context(), guest.HostCall{
			Name: host.CapMove, Args: json.RawMessage(fmt.Sprintf(`{"body_yaw":0,"duration":%g}`, seconds)),
		})
		he, ok := err.(*guest.HostError) //nolint:errorlint // the sandbox wants this very type
		if !ok || he.Code != want {
			t.Errorf("a move of %g s: %v, want %s", seconds, err, want)
		}
	}
}

func TestFunctionsHaveTheArgumentsInOrder(t *testing.T) {
	all := Functions()
	if len(all) != len(catalog.Tools) {
		t.Fatalf("%d functions of %d tools", len(all), len(catalog.Tools))
	}
	for i, f := range all {
		if f.Name != catalog.Tools[i].Name || len(f.Parameters) != len(catalog.Tools[i].Arguments) {
			t.Errorf("%+v", f)
		}
	}
	if f := all[0]; f.Name != "move_head" || !slices.Equal(f.Parameters, []string{"pitch", "yaw", "roll", "duration"}) {
		t.Errorf("%+v", f)
	}
}
