package cli

import (
	"context"
	"errors"
	"io"
	"strings"
)

// Confirm asks at the terminal whether something is meant; anything but yes is no.
func (a *App) Confirm(ctx context.Context, question string) (bool, error) {
	a.Printf("%s [y/N] ", question)
	answer := make(chan string, 1)
	failed := make(chan error, 1)
	go func() { // a terminal that is read cannot be interrupted
		text, err := a.line()
		if err != nil {
			failed <- err
			return
		}
		answer <- text
	}()
	select {
	case text := <-answer:
		text = strings.ToLower(strings.TrimSpace(text))
		return text == "y" || text == "yes", nil
	case err := <-failed:
		return false, err
	case <-ctx.Done():
		a.Printf("\n")
		return false, ctx.Err()
	}
}

// line reads one line of the input and no more.
func (a *App) line() (string, error) {
	var text []byte
	for b := make([]byte, 1); ; {
		n, err := a.Stdin.Read(b)
		if n == 1 {
			if b[0] == '\n' {
				return string(text), nil
			}
			text = append(text, b[0])
		}
		if errors.Is(err, io.EOF) {
			return string(text), nil
		}
		if err != nil {
			return "", err
		}
	}
}
