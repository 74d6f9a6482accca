package main

import (
	"os/exec"
	"strings"
	"testing"
)

// The budget: reachy-body's code should be readable in an evening. Whoever adds a module here says why.
var budget = map[string]bool{
	"github.com/reachyd/reachyd":    true,
	"github.com/rs/zerolog":         true, // JSON lines
	"golang.org/x/sys":              true, // clock_nanosleep, mlockall, sched_setattr, ppoll
	"go.bug.st/serial":              true, // serial ports and their USB identity
	"github.com/mattn/go-isatty":    true, // by zerolog
	"github.com/mattn/go-colorable": true, // by zerolog
}

func TestDependencyBudget(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "-f", "{{if .Module}}{{.Module.Path}} {{.ImportPath}} {{len .CgoFiles}}{{end}}", ".").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	ours := []string{"hal", "hal/body", "hal/local", "hal/motion", "hal/servo", "hal/kinematics", "hal/dynamixel", "cmd/reachy-body"}
	used := map[string]int{}
	for line := range strings.Lines(string(out)) {
		mod, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		pkg, cgo, _ := strings.Cut(rest, " ")
		if mod == "" {
			continue // the standard library has no module
		}
		used[mod]++
		if !budget[mod] {
			t.Errorf("%s of module %s is not in the budget", pkg, mod)
		}
		if cgo != "0" {
			t.Errorf("%s uses cgo", pkg)
		}
		if own, is := strings.CutPrefix(pkg, "github.com/reachyd/reachyd/"); is {
			known := false
			for _, o := range ours {
				known = known || o == own
			}
			if !known {
				t.Errorf("%s should not be linked", own)
			}
		}
	}
	t.Logf("packages per module: %v", used)
}
