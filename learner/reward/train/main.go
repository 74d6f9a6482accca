// Train prepares what train.py learns from: line by line of standard input it writes the words of a sentence, what they do and what they
// are worth, as the network sees them.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"

	"github.com/reachyd/reachyd/learner/reward"
)

func main() {
	in, out := bufio.NewScanner(os.Stdin), bufio.NewWriter(os.Stdout)
	enc := json.NewEncoder(out)
	for in.Scan() {
		words, roles, levels := reward.Words(in.Text())
		if err := enc.Encode([]any{words, roles, levels}); err != nil {
			fail(err)
		}
	}
	if err := in.Err(); err != nil {
		fail(err)
	}
	if err := out.Flush(); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "train:", err)
	os.Exit(1)
}
