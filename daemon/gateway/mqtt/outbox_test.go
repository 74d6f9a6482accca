package mqtt

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// fakeAck is an acknowledgement that can be given.
type fakeAck struct{ done chan struct{} }

func (a fakeAck) Done() <-chan struct{} { return a.done }
func (a fakeAck) Error() error          { return nil }

func TestOutboxKeepsTheWindow(t *testing.T) {
	o := newOutbox(1000, 1<<20)
	for i := range window + 10 {
		o.push(fmt.Sprint(i), nil)
	}
	var sent []string
	publish := func(topic string, _ []byte) ack {
		sent = append(sent, topic)
		return fakeAck{make(chan struct{})}
	}
	o.send(publish)
	if len(sent) != window {
		t.Fatalf("%d on their way, want %d", len(sent), window)
	}
	o.done(o.first())
	o.send(publish)
	if len(sent) != window+1 || sent[window] != fmt.Sprint(window) {
		t.Errorf("after one acknowledgement: %v", sent[window:])
	}
	o.restart() // a new session sends again what was not acknowledged, the oldest first
	sent = nil
	o.send(publish)
	if len(sent) != window || sent[0] != "1" {
		t.Errorf("after a restart: %d, the first is %s", len(sent), sent[0])
	}
}

// The answer to a stop waits neither for events nor for room in the window; stops stay in order.
func TestOutboxLetsStopsOvertake(t *testing.T) {
	o := newOutbox(1000, 1<<20)
	for i := range window + 10 {
		o.push(fmt.Sprint(i), nil)
	}
	var sent []string
	publish := func(topic string, _ []byte) ack {
		if topic == fmt.Sprint(window-1) { // while this one is handed over
			o.overtake("stop 1", nil)
		}
		sent = append(sent, topic)
		return fakeAck{make(chan struct{})}
	}
	o.send(publish)
	o.overtake("stop 2", nil)
	o.push("event", nil)
	o.send(publish)
	if want := []string{fmt.Sprint(window - 1), "stop 1", "stop 2"}; len(sent) != window+2 || !slices.Equal(sent[window-1:], want) {
		t.Fatalf("on their way: %v, want at the end %v", sent, want)
	}
	for range window + 2 {
		o.done(o.first())
	}
	o.send(publish)
	if len(sent) != window+13 || sent[window+2] != fmt.Sprint(window) || sent[window+12] != "event" {
		t.Errorf("afterwards: %v", sent[window+2:])
	}
	for i := range 2 * maxStops {
		o.overtake(fmt.Sprint("more ", i), nil)
	}
	for i := range window {
		o.push(fmt.Sprint(i), nil)
	}
	o.send(publish)
	if n := len(sent) - (window + 2); n != window {
		t.Errorf("%d are on their way, want %d: stops count, too", n, window)
	}
	for i := range 2 * maxStops {
		o.overtake(fmt.Sprint("too many ", i), nil)
	}
	o.send(publish)
	if n := len(sent) - (window + 2); n != window+maxStops {
		t.Errorf("%d are on their way, want %d", n, window+maxStops)
	}
}

func TestOutboxLimits(t *testing.T) {
	o := newOutbox(3, 100)
	for i := range 5 {
		o.push(fmt.Sprint(i), []byte("x"))
	}
	if o.lost() != 2 || o.entries[0].topic != "2" {
		t.Errorf("lost %d, oldest %s", o.lost(), o.entries[0].topic)
	}
	o.push("big", []byte(strings.Repeat("x", 97)))
	if o.lost() != 5 || len(o.entries) != 1 || o.bytes != 100 {
		t.Errorf("lost %d, %d left with %d bytes", o.lost(), len(o.entries), o.bytes)
	}
	o.push("huge", []byte(strings.Repeat("x", 97)))
	if o.lost() != 6 || len(o.entries) != 1 {
		t.Errorf("a message above the limit: lost %d, %d left", o.lost(), len(o.entries))
	}
}

// A message on its way that is pushed out by newer ones must not confuse what its acknowledgement belongs to.
func TestOutboxDropsWhatIsOnItsWay(t *testing.T) {
	o := newOutbox(2, 1000)
	o.push("a", nil)
	o.push("b", nil)
	o.send(func(string, []byte) ack { return fakeAck{make(chan struct{})} })
	first := o.first()
	o.push("c", nil)
	if o.lost() != 0 {
		t.Error("it was handed over, hence is not lost")
	}
	o.done(first)
	if len(o.entries) != 2 || o.entries[0].topic != "b" || o.sent != 1 {
		t.Errorf("oldest %s, sent %d", o.entries[0].topic, o.sent)
	}
}

// A message over which the broker ends the connection is found among those that were on their way with it, and given up.
func TestOutboxGivesUpWhatTheBrokerDoesNotTake(t *testing.T) {
	o := newOutbox(1000, 1<<20)
	for i := range 5 {
		o.push(fmt.Sprint(i), nil)
	}
	var arrived []string
	var givenUp *entry
	connections := 0
	for ; len(o.entries) > 0 && connections < 20; connections++ {
		if e := o.restart(); e != nil {
			givenUp = e
		}
		// The broker takes everything up to message 2, over which it ends the connection, and acknowledges only one by one.
		for lost := false; !lost && len(o.entries) > 0; {
			var sent []string
			o.send(func(topic string, _ []byte) ack { sent = append(sent, topic); return fakeAck{make(chan struct{})} })
			if lost = slices.Contains(sent, "2"); !lost {
				arrived = append(arrived, sent...)
				o.done(o.first())
			}
		}
	}
	if givenUp == nil || givenUp.topic != "2" || o.lost() != 1 || fmt.Sprint(arrived) != "[0 1 3 4]" {
		t.Errorf("given up: %+v, lost %d, arrived %v", givenUp, o.lost(), arrived)
	}
	if connections != 2+maxFailures+1 { // two with all on their way, so many with it alone, and the one for the others
		t.Errorf("%d connections", connections)
	}
}
