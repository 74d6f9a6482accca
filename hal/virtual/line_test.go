package virtual

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/reachyd/reachyd/hal"
	dxl "github.com/reachyd/reachyd/hal/dynamixel"
	"github.com/reachyd/reachyd/hal/waittest"
)

// fakeClock jumps to whatever is slept for.
type fakeClock struct {
	mu  sync.Mutex
	now time.Duration
	// late is added once to the next sleep.
	late  time.Duration
	slept int
}

func (c *fakeClock) Now() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *fakeClock) SleepUntil(t time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.slept++
	c.now = max(c.now, t) + c.late
	c.late = 0
}

func TestWireTime(t *testing.T) {
	ids := []byte{10, 11, 12, 13, 14, 15, 16, 17, 18}
	request := dxl.AppendSyncRead(nil, dxl.SyncRead, dxl.AddrPresentCurrent, 10, ids)
	for _, tc := range []struct {
		name  string
		delay int64
		want  time.Duration
	}{
		// 23 bytes out, 9 answers of 21 bytes back, 10 µs each.
		{"return delay 0", 0, (23 + 9*21) * 10 * time.Microsecond},
		{"return delay of the factory", 250, (23+9*21)*10*time.Microsecond + 9*500*time.Microsecond},
	} {
		t.Run(tc.name, func(t *testing.T) {
			clock := &fakeClock{}
			c := newChain(t, Options{WireTime: true, Clock: clock})
			for j := range c.servos {
				c.servos[j].put(dxl.AddrReturnDelay, tc.delay)
			}
			a, b := net.Pipe()
			l := line{c: c, rw: b}
			go io.Copy(io.Discard, a)
			if err := l.take(request); err != nil {
				t.Fatal(err)
			}
			a.Close()
			b.Close()
			if got := clock.Now(); got != tc.want {
				t.Errorf("the answer was there after %v, want %v", got, tc.want)
			}
		})
	}
}

func TestPacketsCutAnywhere(t *testing.T) {
	c := newChain(t, Options{})
	conn := connect(t, c)
	stream := append([]byte{0xFF, 0xFF, 0x01}, dxl.AppendPing(nil, 10)...)
	stream = append(stream, dxl.AppendWrite(nil, 11, dxl.AddrLED, []byte{1})...)
	for _, b := range stream {
		conn.send(t, []byte{b})
	}
	for _, id := range []byte{10, 11} {
		if p, ok := conn.receive(t, 5*time.Second); !ok || p.ID != id || p.Error != 0 {
			t.Fatalf("from %d: %+v %v", id, p, ok)
		}
	}
	if c.Peek(hal.Stewart1, dxl.AddrLED) != 1 {
		t.Error("the write did not arrive")
	}
}

func TestSecondClientIsRefused(t *testing.T) {
	c := newChain(t, Options{})
	first := connect(t, c)
	first.send(t, dxl.AppendPing(nil, 10))
	if _, ok := first.receive(t, 5*time.Second); !ok {
		t.Fatal("the first is not served")
	}
	second, err := net.Dial("unix", first.RemoteAddr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	second.SetReadDeadline(time.Now().Add(10 * time.Second))
	if _, err := second.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
		t.Fatalf("the second read %v, want to be disconnected", err)
	}
	first.send(t, dxl.AppendPing(nil, 10))
	if _, ok := first.receive(t, 5*time.Second); !ok {
		t.Error("the first lost the line to the second")
	}
	if n := c.Status().Clients; n != 1 {
		t.Errorf("%d clients", n)
	}
}

func TestNextClientIsServedAtOnce(t *testing.T) {
	c := newChain(t, Options{})
	conn := connect(t, c)
	path := conn.RemoteAddr().String()
	for i := range 20 {
		conn.send(t, dxl.AppendPing(nil, 10))
		if _, ok := conn.receive(t, 5*time.Second); !ok {
			t.Fatalf("client %d is not served", i)
		}
		conn.Close()
		next, err := net.Dial("unix", path)
		if err != nil {
			t.Fatal(err)
		}
		conn = &client{Conn: next}
	}
	conn.Close()
	waittest.Until(t, "no client", func() bool { return c.Status().Clients == 0 })
}

func TestUnplugAndBack(t *testing.T) {
	c := newChain(t, Options{})
	conn := connect(t, c)
	path := conn.RemoteAddr().String()
	mustWrite(t, c, hal.BodyYaw, dxl.AddrTorque, 1, 1)
	set(t, c, Faults{Unplug: true})
	conn.SetReadDeadline(time.Now().Add(10 * time.Second))
	// Reset instead of closed when the line was not yet taken over from the socket's queue.
	if _, err := conn.Read(make([]byte, 1)); !errors.Is(err, io.EOF) && !errors.Is(err, unix.ECONNRESET) {
		t.Errorf("read on an unplugged line: %v", err)
	}
	waittest.Until(t, "the socket to go", func() bool { _, err := os.Lstat(path); return errors.Is(err, os.ErrNotExist) })
	if err := c.Serve(context.Background(), nopCloser{}); !errors.Is(err, errUnplugged) {
		t.Errorf("serve while unplugged: %v", err)
	}
	set(t, c, Faults{})
	var back net.Conn
	waittest.Until(t, "the socket to come back", func() bool {
		var err error
		back, err = net.Dial("unix", path)
		return err == nil
	})
	defer back.Close()
	again := &client{Conn: back}
	again.send(t, dxl.AppendRead(nil, 10, dxl.AddrTorque, 1))
	if p, ok := again.receive(t, 5*time.Second); !ok || p.Params[0] != 1 {
		t.Errorf("after the plug came back: %+v %v; the servos never lost their power", p, ok)
	}
}

type nopCloser struct{ io.ReadWriter }

func (nopCloser) Close() error { return nil }

func TestListenTakesOverADeadSocketOnly(t *testing.T) {
	dir := t.TempDir()
	ctx := context.Background()
	dead := filepath.Join(dir, "dead")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: dead})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	l.Close()
	again, err := ListenUnix(ctx, dead)
	if err != nil {
		t.Fatalf("socket of a dead owner: %v", err)
	}
	defer again.Close()
	if _, err := ListenUnix(ctx, dead); err == nil {
		t.Error("took a live socket away")
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ListenUnix(ctx, file); err == nil {
		t.Error("took a file's place")
	}
	if b, _ := os.ReadFile(file); string(b) != "mine" {
		t.Error("the file is gone")
	}
}

func TestPTY(t *testing.T) {
	c := newChain(t, Options{})
	link := filepath.Join(t.TempDir(), "tty")
	ctx, cancel := context.WithCancel(context.Background())
	ready, done := make(chan struct{}), make(chan error, 1)
	go func() { done <- c.ServePTY(ctx, link, func() { close(ready) }) }()
	<-ready
	payload := []byte{0x0A, 0x0D, 0x03, 0x11} // what a terminal in line mode would swallow
	for i := range 3 {
		tty, err := os.OpenFile(link, os.O_RDWR|unix.O_NOCTTY, 0)
		if err != nil {
			t.Fatal(err)
		}
		port := &tty0{File: tty}
		if p := port.call(t, dxl.AppendPing(nil, 10)); p.ID != 10 {
			t.Fatalf("open %d: %+v", i, p)
		}
		port.call(t, dxl.AppendWrite(nil, 10, dxl.AddrPositionD, payload))
		if p := port.call(t, dxl.AppendRead(nil, 10, dxl.AddrPositionD, 4)); string(p.Params) != string(payload) {
			t.Fatalf("open %d: bytes changed on the way: % X", i, p.Params)
		}
		if n := c.Status().Clients; n != 1 {
			t.Errorf("%d clients while it is open", n)
		}
		if i == 2 {
			set(t, c, Faults{Unplug: true})
			if _, err := tty.Read(make([]byte, 1)); err == nil {
				t.Error("read from an unplugged terminal")
			}
			waittest.Until(t, "the link to go", func() bool { _, err := os.Lstat(link); return err != nil })
			set(t, c, Faults{})
			waittest.Until(t, "the link to come back", func() bool { _, err := os.Lstat(link); return err == nil })
		}
		tty.Close()
		waittest.Until(t, "the client to be gone", func() bool { return c.Status().Clients == 0 })
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(link); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the link is still there: %v", err)
	}
}

type tty0 struct {
	*os.File
	parser dxl.Parser
}

func (p *tty0) call(t testing.TB, packet []byte) dxl.Packet {
	t.Helper()
	if _, err := p.Write(packet); err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 256)
	for {
		if got, ok := p.parser.Next(); ok {
			return got
		}
		n, err := p.Read(buf)
		if err != nil {
			t.Fatal(err)
		}
		p.parser.Feed(buf[:n])
	}
}

func TestPTYLinkReplacesLinksOnly(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := newChain(t, Options{}).ServePTY(context.Background(), file, nil); err == nil {
		t.Error("a file was replaced by a link")
	}
}

// counting is a plant that stops a run after n steps.
type counting struct {
	*Simple
	n    int
	stop context.CancelFunc
	hook func(n int)
}

func (p *counting) Step(dt float64, d *Drives, m *Motions) {
	p.Simple.Step(dt, d, m)
	if p.n--; p.n == 0 {
		p.stop()
	}
	if p.hook != nil {
		p.hook(p.n)
	}
}

func TestRunKeepsAbsoluteDeadlines(t *testing.T) {
	for _, tc := range []struct {
		name    string
		factor  float64
		late    time.Duration
		want    time.Duration // on the clock after 100 steps
		resyncs uint64
		lost    time.Duration
	}{
		{"real time", 1, 0, 1000 * time.Millisecond, 0, 0},
		{"ten times faster", 10, 0, 100 * time.Millisecond, 0, 0},
		{"half a tick late is caught up", 1, 5 * time.Millisecond, 1000 * time.Millisecond, 0, 0},
		{"nine ticks late are caught up", 1, 90 * time.Millisecond, 1000 * time.Millisecond, 0, 0},
		{"a second late is given up", 1, time.Second, 2000 * time.Millisecond, 1, time.Second},
	} {
		t.Run(tc.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			clock := &fakeClock{}
			p := &counting{Simple: NewSimple(hal.Joints{}), n: 100, stop: cancel}
			p.hook = func(left int) {
				if left == 50 {
					clock.mu.Lock()
					clock.late = tc.late
					clock.mu.Unlock()
				}
			}
			c := newChain(t, Options{Plant: p, Clock: clock})
			c.Run(ctx, tc.factor)
			if got := c.Status(); got.Steps != 100 || got.Resyncs != tc.resyncs || got.Lost != tc.lost {
				t.Errorf("status %+v", got)
			}
			if now := clock.Now(); now != tc.want {
				t.Errorf("the clock shows %v, want %v", now, tc.want)
			}
		})
	}
}

func TestIdleTime(t *testing.T) {
	clock := &fakeClock{}
	c := newChain(t, Options{Clock: clock})
	clock.SleepUntil(3 * time.Second)
	if idle := c.Status().Idle; idle != 3*time.Second {
		t.Errorf("idle for %v", idle)
	}
	c.clientCame()
	clock.SleepUntil(5 * time.Second)
	if idle := c.Status().Idle; idle != 0 {
		t.Errorf("idle for %v with a client", idle)
	}
	c.clientLeft()
	clock.SleepUntil(6 * time.Second)
	if idle := c.Status().Idle; idle != time.Second {
		t.Errorf("idle for %v after it left", idle)
	}
}

// TestBusDoesNotWaitForPhysics stops the plant in the middle of a step and asks the servos meanwhile.
func TestBusDoesNotWaitForPhysics(t *testing.T) {
	inside, release := make(chan struct{}), make(chan struct{})
	p := &counting{Simple: NewSimple(hal.Joints{}), n: -1}
	p.hook = func(int) { close(inside); <-release }
	c := newChain(t, Options{Plant: p})
	done := make(chan struct{})
	go func() { defer close(done); c.Step() }()
	<-inside
	conn := connect(t, c)
	conn.send(t, dxl.AppendPing(nil, 10))
	if _, ok := conn.receive(t, 10*time.Second); !ok {
		t.Error("no answer while the physics was busy")
	}
	close(release)
	<-done
}

// While a tick lasts longer than it should, the status says how late it is.
func TestLatenessIsTold(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	clock := &fakeClock{}
	p := &counting{Simple: NewSimple(hal.Joints{}), n: 3, stop: cancel}
	var c *Chain
	var late []time.Duration
	p.hook = func(left int) {
		if left == 1 {
			clock.SleepUntil(clock.Now() + 70*time.Millisecond)
		}
		late = append(late, c.Status().Late)
	}
	c = newChain(t, Options{Plant: p, Clock: clock})
	c.Run(ctx, 1)
	if want := []time.Duration{0, 70 * time.Millisecond, 60 * time.Millisecond}; !slices.Equal(late, want) {
		t.Errorf("late by %v, want %v", late, want)
	}
}
