// Package cmd_test checks what the programs link.
package cmd_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// budget are the modules that reachy-body may use: its code should be readable in an evening. Whoever adds one says why.
var budget = []string{
	"github.com/reachyd/reachyd",
	"github.com/rs/zerolog",                                       // JSON lines
	"golang.org/x/sys",                                            // timerfd, mlockall, sched_setattr, ppoll
	"go.bug.st/serial",                                            // serial ports and their USB identity
	"github.com/mattn/go-isatty", "github.com/mattn/go-colorable", // by zerolog
}

func TestWhatProgramsLink(t *testing.T) {
	loop := []string{"hal/motion", "hal/body/server", "hal/servo", "hal/dynamixel"}
	for program, rule := range map[string]struct {
		ours    []string // all of our packages that it may link; nil: any
		never   []string // of our packages, and what is below them
		modules []string // all modules that it may link; nil: any
	}{
		"reachy-body": {
			ours: []string{
				"hal", "hal/body", "hal/body/server", "hal/catalog", "hal/local", "hal/motion", "hal/request", "hal/servo",
				"hal/kinematics", "hal/dynamixel", "hal/powerkey", "cmd/reachy-body", "cmd/internal/program", "cmd/internal/crash",
			},
			modules: budget,
		},
		// Who only asks the body, and checks what it asks for, needs no control loop.
		"reachyd": {never: append([]string{"hal/virtual", "hal/mujoco", "perception/sense"}, loop...)},
		// It rehearses conversations with a robot that is not there, whose poses are limited as those of the real one.
		"reachyctl": {never: append([]string{"hal/mujoco", "perception/sense", "daemon"}, loop...)},
	} {
		t.Run(program, func(t *testing.T) {
			const format = "{{if .Module}}{{.Module.Path}} {{.ImportPath}} {{len .CgoFiles}}{{end}}"
			out, err := exec.Command("go", "list", "-deps", "-f", format, "./"+program).Output()
			if err != nil {
				t.Fatalf("go list: %v", err)
			}
			n := 0
			for line := range strings.Lines(string(out)) {
				f := strings.Fields(line)
				if len(f) != 3 {
					continue // the standard library has no module
				}
				n++
				module, pkg, cgo := f[0], f[1], f[2]
				if rule.modules != nil && !slices.Contains(rule.modules, module) {
					t.Errorf("%s of module %s is not in the budget", pkg, module)
				}
				if cgo != "0" {
					t.Errorf("%s uses cgo", pkg)
				}
				own, is := strings.CutPrefix(pkg, "github.com/reachyd/reachyd/")
				if !is {
					continue
				}
				if rule.ours != nil && !slices.Contains(rule.ours, own) || slices.ContainsFunc(rule.never, func(no string) bool {
					return own == no || strings.HasPrefix(own, no+"/")
				}) {
					t.Errorf("%s should not be linked", own)
				}
			}
			if n < 10 {
				t.Errorf("only %d packages were looked at", n)
			}
		})
	}
}
