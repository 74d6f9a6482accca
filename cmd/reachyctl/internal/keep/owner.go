package keep

import (
	"os"

	"github.com/reachyd/reachyd/cmd/reachyctl/internal/host"
)

// ownerOf returns what gives a file to the owner of a directory, or of the one above it where that is not there yet: root restores what
// the user of the service must be able to read.
func ownerOf(dir string) func(path string) error {
	uid, gid := host.Owner(dir)
	return func(path string) error { return os.Lchown(path, uid, gid) }
}
