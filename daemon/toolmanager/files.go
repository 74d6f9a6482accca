package toolmanager

import (
	"os"

	"github.com/reachyd/reachyd/toolsandbox/files"
	"github.com/reachyd/reachyd/toolsandbox/pipeline"
)

// ReaderArg is the argument that makes a program a reader of files: it then must call files.WorkerMain and exit.
const ReaderArg = "file-reader"

// reader is a child process for every file, without rights.
func (t *Manager) reader() pipeline.Reader {
	command := t.o.Reader
	if len(command) == 0 {
		command = []string{"/proc/self/exe", ReaderArg}
		if exe, err := os.Executable(); err == nil {
			command[0] = exe
		}
	}
	return &files.Worker{Command: command}
}
