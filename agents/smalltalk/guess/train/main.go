// Train writes the words of each line of standard input as the network of package guess reads them, as JSON.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"

	"github.com/reachyd/reachyd/agents/smalltalk/guess"
	"github.com/reachyd/reachyd/perception/language"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "train:", err)
		os.Exit(1)
	}
}

func run() error {
	in, enc := bufio.NewScanner(os.Stdin), json.NewEncoder(os.Stdout)
	for in.Scan() {
		if err := enc.Encode(guess.Words(language.Analyse(in.Text()))); err != nil {
			return err
		}
	}
	return in.Err()
}
