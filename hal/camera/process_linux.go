package camera

import (
	"os/exec"
	"syscall"
)

// die makes a child end with us, however we end.
func die(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
