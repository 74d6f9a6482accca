package dynamixel

import "time"

// Port carries bytes to and from the servos. It has one user at a time; only Close may be called from elsewhere.
//
// A zero or past deadline means: do what can be done now. When the deadline passes, Read and Write return an error for which
// errors.Is(err, os.ErrDeadlineExceeded) holds; any other error means that the line is gone and must be opened again.
type Port interface {
	// Read waits for at least one byte.
	Read(b []byte, deadline time.Time) (int, error)
	// Write sends all of b, or says how much it sent.
	Write(b []byte, deadline time.Time) (int, error)
	// Close may be called twice. A Read or Write that waits is over at its deadline; Close waits for it.
	Close() error
}
