// Command kinds measures how well small talk tells the kind of a sentence: go run ./agents/eval/kinds FILE…, with lines
// "kind<TAB>sentence" (agents/smalltalk/guess/sentences); other and move are what no kind is for. It counts what the templates understand
// whole, and what is guessed. With -v it shows what is answered wrongly.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/reachyd/reachyd/agents/smalltalk"
	"github.com/reachyd/reachyd/agents/smalltalk/guess"
	"github.com/reachyd/reachyd/perception/language"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "kinds:", err)
		os.Exit(1)
	}
}

// count is of sentences that are answered.
type count struct{ all, right, none int } // none: no kind is for them

func (c count) String() string {
	return fmt.Sprintf("%d, right %.1f %%, for %d of which there is no kind", c.all, 100*float64(c.right)/float64(max(1, c.all)), c.none)
}

func run(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("kinds", flag.ContinueOnError)
	verbose := flags.Bool("v", false, "show what is answered wrongly")
	if err := flags.Parse(args); err != nil {
		return err
	}
	talk, all := smalltalk.New(smalltalk.Options{Seed: 1}), 0
	var sure, guessed count
	for _, name := range flags.Args() {
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		in := bufio.NewScanner(f)
		for in.Scan() {
			want, text, ok := strings.Cut(in.Text(), "\t")
			if !ok {
				_ = f.Close()
				return fmt.Errorf("%s: %q is no line; allowed is a kind, a tab and a sentence", name, in.Text())
			}
			all++
			m := talk.Match("eval", language.Analyse(text))
			if m == nil {
				continue
			}
			c := &guessed
			if m.Sure {
				c = &sure
			}
			c.all++
			switch right := slices.Contains(m.Kinds(), want); {
			case right:
				c.right++
			case want == guess.Other || want == guess.Move:
				c.none++
				fallthrough
			case *verbose:
				if *verbose {
					_, _ = fmt.Fprintf(out, "%v\t%s\t%s\t%s\n", m.Sure, strings.Join(m.Kinds(), " "), want, text)
				}
			}
		}
		if err := f.Close(); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(out, "sentences  %d\ntemplates  %s\nguesses    %s\n", all, sure, guessed)
	return err
}
