package wake

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed wake.bin.gz
var packed string

// Own is the network that comes with the program.
var Own = sync.OnceValues(func() (*Network, error) { return Read(strings.NewReader(packed)) })
