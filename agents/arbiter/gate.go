package arbiter

import "context"

// Gate lets one in at a time, in the order of arrival: a channel queues its waiting senders first in, first out.
type Gate chan struct{}

// NewGate returns a gate that nobody has entered.
func NewGate() Gate { return make(Gate, 1) }

// Enter waits for its turn and reports whether it came before ctx ended. A gate that is free is entered even then.
func (g Gate) Enter(ctx context.Context) bool {
	select {
	case g <- struct{}{}:
		return true
	default:
	}
	select {
	case g <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

// Leave lets the next one in.
func (g Gate) Leave() { <-g }
