// Train prepares what train.py learns from, line by line of standard input: `tokens` writes the tokens of a sentence as the reader sees
// them, as JSON; `vectors MODEL` writes what the model of sentences (minilm) makes of a word, as float32s. `read` writes what the network
// makes of a sentence.
package main

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"

	"github.com/reachyd/reachyd/perception/language"
	"github.com/reachyd/reachyd/perception/language/frames"
	"github.com/reachyd/reachyd/perception/meaning"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "train:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	in, out := bufio.NewScanner(os.Stdin), bufio.NewWriter(os.Stdout)
	switch {
	case len(args) == 1 && args[0] == "tokens":
		enc := json.NewEncoder(out)
		for in.Scan() {
			words, numbers := frames.Tokens(language.Analyse(in.Text()).Tokens)
			if err := enc.Encode(map[string]any{"words": words, "numbers": numbers}); err != nil {
				return err
			}
		}
	case len(args) == 1 && args[0] == "read":
		for in.Scan() {
			r := frames.Read(language.Analyse(in.Text()), "")
			if _, err := fmt.Fprintf(out, "%.2f %v %v\n", r.Sure, r.Frames, r.Numbers); err != nil {
				return err
			}
		}
	case len(args) == 2 && args[0] == "vectors":
		m, err := meaning.Open(args[1])
		if err != nil {
			return err
		}
		for in.Scan() {
			v, err := m.Vector(in.Text())
			if err != nil {
				return err
			}
			if err := binary.Write(out, binary.LittleEndian, v); err != nil {
				return err
			}
		}
	default:
		return fmt.Errorf("usage: train tokens | train read | train vectors MODEL, got %q", args)
	}
	if err := in.Err(); err != nil {
		return err
	}
	return out.Flush()
}
