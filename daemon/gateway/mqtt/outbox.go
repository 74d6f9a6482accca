package mqtt

import "sync"

// window is how many messages may be on their way without an acknowledgement.
const window = 64

// ack is the broker's acknowledgement to come; a paho.Token is one.
type ack interface {
	Done() <-chan struct{}
	Error() error
}

// entry is a message that must arrive: at least once (QoS 1), and in order.
type entry struct {
	topic   string
	payload []byte
	ack     ack // nil: not yet sent in this session
}

// outbox keeps events and replies until the broker has acknowledged them. When it is full the oldest is dropped.
type outbox struct {
	ready chan struct{} // there is something new to send

	maxEntries, maxBytes int

	mu      sync.Mutex
	entries []*entry
	sent    int // so many from the front are on their way
	bytes   int
	dropped uint64
}

func newOutbox(maxEntries, maxBytes int) *outbox {
	return &outbox{ready: make(chan struct{}, 1), maxEntries: maxEntries, maxBytes: maxBytes}
}

// push appends a message. It never waits.
func (o *outbox) push(topic string, payload []byte) {
	e := &entry{topic: topic, payload: payload}
	o.mu.Lock()
	if e.size() > o.maxBytes {
		o.dropped++
		o.mu.Unlock()
		return
	}
	for len(o.entries) >= o.maxEntries || o.bytes+e.size() > o.maxBytes {
		if o.entries[0].ack == nil { // what is on its way may still arrive
			o.dropped++
		}
		o.pop()
	}
	o.entries = append(o.entries, e)
	o.bytes += e.size()
	o.mu.Unlock()
	select {
	case o.ready <- struct{}{}:
	default:
	}
}

func (e *entry) size() int { return len(e.topic) + len(e.payload) }

// pop removes the oldest; o.mu is held.
func (o *outbox) pop() {
	o.bytes -= o.entries[0].size()
	o.entries[0] = nil
	o.entries = o.entries[1:]
	o.sent = max(0, o.sent-1)
}

// restart makes everything unsent: a new session knows nothing of the one before.
func (o *outbox) restart() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, e := range o.entries {
		e.ack = nil
	}
	o.sent = 0
}

// send hands unsent messages to publish as long as the window has room.
func (o *outbox) send(publish func(topic string, payload []byte) ack) {
	for {
		o.mu.Lock()
		if o.sent >= min(window, len(o.entries)) {
			o.mu.Unlock()
			return
		}
		e := o.entries[o.sent]
		o.mu.Unlock()
		a := publish(e.topic, e.payload) // may wait for the network: not under the lock
		o.mu.Lock()
		if o.sent < len(o.entries) && o.entries[o.sent] == e { // it may have been dropped meanwhile
			e.ack = a
			o.sent++
		}
		o.mu.Unlock()
	}
}

// first returns the acknowledgement that the oldest message waits for, nil when none is on its way.
func (o *outbox) first() ack {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.sent == 0 {
		return nil
	}
	return o.entries[0].ack
}

// done removes the oldest message if it is still the one that waited for a.
func (o *outbox) done(a ack) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.sent > 0 && o.entries[0].ack == a {
		o.pop()
	}
}

// lost returns how many messages were dropped.
func (o *outbox) lost() uint64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.dropped
}
