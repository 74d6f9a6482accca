package speechtest

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// Recording is a line of an index.tsv, which says what lies in a directory of recordings.
type Recording struct{ File, Voice, Condition, Kind, Text string }

// ReadIndex reads such a file, in which a recording is of one of these kinds.
func ReadIndex(path string, kinds ...string) ([]Recording, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var all []Recording
	n := 0
	for line := range strings.Lines(string(b)) {
		n++
		f := strings.Split(strings.TrimRight(line, "\n"), "\t")
		if len(f) != 5 {
			return nil, fmt.Errorf("%s:%d: %.80q has %d columns; allowed are file, voice, condition, kind and text, with tabs between them", path, n, line, len(f))
		}
		if !slices.Contains(kinds, f[3]) {
			return nil, fmt.Errorf("%s:%d: kind %.80q; allowed are %s", path, n, f[3], strings.Join(kinds, ", "))
		}
		all = append(all, Recording{f[0], f[1], f[2], f[3], f[4]})
	}
	return all, nil
}
