// Fit fits the linear model of reward to all sentences and writes it to a file: fit FILE. `make reward-linear` runs it.
package main

import (
	"bytes"
	"fmt"
	"os"
	"slices"

	"github.com/reachyd/reachyd/learner/reward"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "fit: name the file to write")
		os.Exit(2)
	}
	if err := fit(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "fit:", err)
		os.Exit(1)
	}
}

func fit(file string) error {
	_, writers := reward.Writers()
	var out bytes.Buffer
	if err := reward.Fit(slices.Concat(writers...)).WriteLinear(&out); err != nil {
		return err
	}
	return os.WriteFile(file, out.Bytes(), 0o644) //nolint:gosec // as every file of the repository
}
