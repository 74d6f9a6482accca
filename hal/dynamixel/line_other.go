//go:build !linux

package dynamixel

import (
	"errors"
	"time"
)

// Line is the Port of this system. Outside Linux it cannot be opened.
type Line struct{}

var errNoLine = errors.New("the bus driver runs on Linux only")

// Path returns the device or socket that was opened.
func (*Line) Path() string { return "" }

// Warning says what could not be set up.
func (*Line) Warning() string { return "" }

// Read implements Port.
func (*Line) Read([]byte, time.Time) (int, error) { return 0, errNoLine }

// Write implements Port.
func (*Line) Write([]byte, time.Time) (int, error) { return 0, errNoLine }

// Close implements Port.
func (*Line) Close() error { return nil }

func (*Line) setBaud(int) error { return errNoLine }

func detect() (string, error)          { return "", errNoLine }
func openSerial(string) (*Line, error) { return nil, errNoLine }
func openPTY(string) (*Line, error)    { return nil, errNoLine }
func openSocket(string) (*Line, error) { return nil, errNoLine }

var _ Port = (*Line)(nil)
