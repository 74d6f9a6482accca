// Command cmd prints how soon the robot behaves as simulated people like it. `make eval-preferences` runs it.
package main

import (
	"flag"
	"fmt"

	"github.com/reachyd/reachyd/learner/preference/people"
)

func main() {
	n := flag.Int("people", 200, "how many")
	flag.Parse()
	fmt.Print(people.Run(*n))
}
