package wake

import (
	"embed"
	"errors"
	"sync"
)

// The network may be missing in a program that was built before it was made.
//
//go:embed wake.*
var files embed.FS

// Own is the network that comes with the program.
var Own = sync.OnceValues(func() (*Network, error) {
	f, err := files.Open("wake.bin.gz")
	if err != nil {
		return nil, errors.New("this program has no network that hears a wake phrase")
	}
	defer f.Close() //nolint:errcheck // read only
	return Read(f)
})
