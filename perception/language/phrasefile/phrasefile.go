// Package phrasefile reads files of phrases by name, for packages that have words of their own and need no grammar.
package phrasefile

import (
	"io/fs"
	"strings"
)

// MustRead reads lines of the form "name: phrase | phrase"; a line that begins with # is a comment. It panics when the file, which is
// part of the program, is not there.
func MustRead(from fs.FS, path string) map[string][]string {
	data, err := fs.ReadFile(from, path)
	if err != nil {
		panic(err)
	}
	out := map[string][]string{}
	for line := range strings.Lines(string(data)) {
		if name, rest, ok := strings.Cut(line, ":"); ok && line[0] != '#' {
			for phrase := range strings.SplitSeq(rest, "|") {
				out[name] = append(out[name], strings.TrimSpace(phrase))
			}
		}
	}
	return out
}
