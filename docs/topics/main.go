// Command topics writes docs/topics.md from package api: go generate ./api.
package main

import (
	"fmt"
	"os"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: topics DIRECTORY_OF_PACKAGE_API FILE")
		os.Exit(2)
	}
	text, err := reference(os.Args[1])
	if err == nil {
		err = os.WriteFile(os.Args[2], text, 0o644) //nolint:gosec // a document that everybody may read
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "topics:", err)
		os.Exit(1)
	}
}
