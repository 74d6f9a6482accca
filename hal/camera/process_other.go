//go:build !linux

package camera

import "os/exec"

func die(*exec.Cmd) {}
