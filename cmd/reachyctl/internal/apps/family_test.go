package apps

import (
	"os/exec"
	"strings"
	"testing"
)

func TestKillAllTells(t *testing.T) {
	child := exec.Command("sleep", "600")
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	alive := func() []process {
		if p, there := processes()[child.Process.Pid]; there && p.state != 'Z' {
			return []process{p}
		}
		return nil
	}
	if err := killAll(alive); err != nil {
		t.Errorf("a process that can be ended: %v", err)
	}
	_ = child.Wait() // killAll may have reaped it

	const nobody = 1 << 30 // above any kernel's largest
	err := killAll(func() []process { return []process{{pid: nobody}} })
	if err == nil || !strings.Contains(err.Error(), "process 1073741824 of an app did not end") {
		t.Errorf("killAll = %v, want the process that is left", err)
	}
}
