// Package guesttest gives the tests of a package one sandbox: starting one takes a while under the race detector.
package guesttest

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/reachyd/reachyd/toolsandbox/guest"
)

// Main is the TestMain of tests that use sandboxes, whose workers are the test program itself. It closes the sandboxes after
// the last test, and then looks for leaks.
func Main(m *testing.M, boxes ...*Sandbox) {
	if len(os.Args) > 1 && os.Args[1] == guest.WorkerArg {
		os.Exit(guest.WorkerMain(os.Args[1:], os.Stdin, os.Stderr))
	}
	goleak.VerifyTestMain(closing{m, boxes})
}

// Sandbox is opened by the first test that asks for it.
type Sandbox struct {
	Config func() (guest.Config, error)

	once sync.Once
	box  *guest.Sandbox
	err  error
}

// With is a Sandbox of two workers for these modules.
func With(modules func() map[string]string) *Sandbox {
	return &Sandbox{Config: func() (guest.Config, error) {
		return guest.Config{Workers: 2, Image: guest.ImageConfig{Modules: modules()}}, nil
	}}
}

// Open returns the sandbox, which the test must not close.
func (s *Sandbox) Open(tb testing.TB) *guest.Sandbox {
	tb.Helper()
	s.once.Do(func() {
		var c guest.Config
		if c, s.err = s.Config(); s.err == nil {
			s.box, s.err = guest.Open(context.Background(), c)
		}
	})
	if s.err != nil {
		tb.Fatalf("run cross/python-wasm.sh in the repository first: %v", s.err)
	}
	return s.box
}

// closing implements goleak.TestingM.
type closing struct {
	*testing.M
	boxes []*Sandbox
}

func (c closing) Run() int {
	code := c.M.Run()
	for _, s := range c.boxes {
		if s.box == nil {
			continue
		}
		if err := s.box.Close(); err != nil {
			fmt.Fprintln(os.Stderr, "the sandbox:", err)
			code = 1
		}
	}
	return code
}
