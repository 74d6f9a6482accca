package worker

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Find returns the path of a program: beside our own executable, then on PATH, then in dir. A name with a slash is taken
// as it is. The error names the places that were searched and what can be done.
func Find(program, dir string) (string, error) {
	if strings.ContainsRune(program, '/') {
		if path, err := exec.LookPath(program); err == nil {
			return path, nil
		}
		return "", fmt.Errorf("%s is not there or cannot be executed", program)
	}
	beside := "(unknown)"
	if self, err := os.Executable(); err == nil {
		beside = filepath.Dir(self)
		if path, err := exec.LookPath(filepath.Join(beside, program)); err == nil {
			return path, nil
		}
	}
	if path, err := exec.LookPath(program); err == nil {
		return path, nil
	}
	searched := fmt.Sprintf("beside reachyd (%s), on PATH", beside)
	if dir != "" {
		if path, err := exec.LookPath(filepath.Join(dir, program)); err == nil {
			return path, nil
		}
		searched += ", in programs.dir (" + dir + ")"
	}
	return "", fmt.Errorf("program %s was not found %s; install it there, or set programs.dir to where it is", program, searched)
}
