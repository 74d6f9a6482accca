package mqtt

import (
	"slices"
	"sync"
)

const (
	window      = 64 // messages that may be on their way without an acknowledgement
	maxFailures = 5  // connections that may be lost while a message is the only one on its way, before it is given up
)

// ack is the broker's acknowledgement to come; a paho.Token is one.
type ack interface {
	Done() <-chan struct{}
	Error() error
}

// entry is a message that must arrive: at least once (QoS 1), and in order.
type entry struct {
	topic   string
	payload []byte
	ack     ack  // nil: not yet sent in this session
	urgent  bool // it waits neither for those before it nor for room in the window
	lost    int  // connections that were lost while it was the oldest on its way
	alone   int  // and the only one
}

// outbox keeps events and replies until the broker has acknowledged them. When it is full the oldest is dropped.
type outbox struct {
	ready chan struct{} // there is something new to send

	maxEntries, maxBytes int

	mu      sync.Mutex
	entries []*entry
	sent    int // so many from the front are on their way
	sending int // 1 while the next one is handed over
	bytes   int
	dropped uint64
	suspect int // so many from the front were on their way when connections were lost again: they are sent one by one
}

func newOutbox(maxEntries, maxBytes int) *outbox {
	return &outbox{ready: make(chan struct{}, 1), maxEntries: maxEntries, maxBytes: maxBytes}
}

// push appends a message. It never waits.
func (o *outbox) push(topic string, payload []byte) { o.add(&entry{topic: topic, payload: payload}) }

// overtake puts a message before all that are not on their way yet: the answer to a stop does not wait for a slow disk.
func (o *outbox) overtake(topic string, payload []byte) {
	o.add(&entry{topic: topic, payload: payload, urgent: true})
}

func (o *outbox) add(e *entry) {
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
	at := len(o.entries)
	if e.urgent {
		at = min(at, o.sent+o.sending)
		for at < len(o.entries) && o.entries[at].urgent {
			at++
		}
		if at < o.suspect {
			o.suspect++
		}
	}
	o.entries = slices.Insert(o.entries, at, e)
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
	o.sent, o.suspect = max(0, o.sent-1), max(0, o.suspect-1)
}

// restart makes everything unsent: a new session knows nothing of the one before. A broker may have ended that one because
// it does not take one of the messages; restart returns the message that is given up for that reason, or nil.
func (o *outbox) restart() (givenUp *entry) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.sent > 0 {
		first := o.entries[0]
		if first.lost++; first.lost > 1 {
			o.suspect = max(o.suspect, o.sent)
		}
		if o.sent == 1 {
			first.alone++
		}
		if first.alone >= maxFailures {
			givenUp = first
			o.dropped++
			o.pop()
		}
	}
	for _, e := range o.entries {
		e.ack = nil
	}
	o.sent = 0
	return givenUp
}

// send hands unsent messages to publish as long as the window has room.
func (o *outbox) send(publish func(topic string, payload []byte) ack) {
	for {
		o.mu.Lock()
		most := window
		if o.suspect > 0 {
			most = 1
		} else if o.sent < len(o.entries) && o.entries[o.sent].urgent {
			most += maxStops
		}
		if o.sent >= min(most, len(o.entries)) {
			o.mu.Unlock()
			return
		}
		e := o.entries[o.sent]
		o.sending = 1
		o.mu.Unlock()
		a := publish(e.topic, e.payload) // may wait for the network: not under the lock
		o.mu.Lock()
		o.sending = 0
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
