package virtual

import (
	"bytes"
	"context"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/reachyd/reachyd/hal"
	dxl "github.com/reachyd/reachyd/hal/dynamixel"
)

// Indirect registers read and write what they stand for, in one go, and refuse what would be refused there.
func TestIndirectRegisters(t *testing.T) {
	c := newChain(t, Options{})
	const j = hal.LeftAntenna
	const goal = dxl.AddrGoalPosition
	for k, addr := range []int{dxl.AddrTorque, dxl.AddrLED, goal, goal + 1, goal + 2, goal + 3, dxl.AddrModel + 64} {
		mustWrite(t, c, j, indirectAddr+2*k, 2, int64(addr))
	}
	all := dxl.AppendWrite(nil, j.ServoID(), indirectData, []byte{1, 1, 0xB8, 0x0B, 0, 0})
	if got := ask(t, c, all); len(got) != 1 || got[0].Error != 0 {
		t.Fatalf("%+v", got)
	}
	if c.Peek(j, dxl.AddrTorque) != 1 || c.Peek(j, dxl.AddrLED) != 1 || c.Peek(j, dxl.AddrGoalPosition) != 3000 {
		t.Error("what was written indirectly is not there")
	}
	if got := ask(t, c, dxl.AppendRead(nil, j.ServoID(), indirectData, 6)); len(got) != 1 || !bytes.Equal(got[0].Params, []byte{1, 1, 0xB8, 0x0B, 0, 0}) {
		t.Errorf("%+v", got)
	}
	for name, c2 := range map[string]struct {
		addr uint16
		data []byte
		want dxl.StatusError
	}{
		"half an item":         {indirectData + 2, []byte{1}, dxl.ErrDataLength},
		"too far":              {indirectData + 2, []byte{0, 0, 0, 1}, dxl.ErrDataLimit},
		"torque of 2":          {indirectData, []byte{2}, dxl.ErrDataRange},
		"behind the end":       {indirectData + indirectCount - 1, []byte{1, 1}, dxl.ErrAccess},
		"an address of EEPROM": {indirectAddr, []byte{7, 0}, dxl.ErrDataRange},
	} {
		if got := ask(t, c, dxl.AppendWrite(nil, j.ServoID(), c2.addr, c2.data)); len(got) != 1 || got[0].Error != c2.want {
			t.Errorf("%s: %+v, want %v", name, got, c2.want)
		}
	}
	mustWrite(t, c, j, indirectData+10, 1, 77) // one that stands for itself is a plain byte
	if v := c.Peek(j, indirectData+10); v != 77 {
		t.Errorf("a plain byte is %d", v)
	}
	// rustypot's way: a sync read of the first indirect address and of the data.
	for _, addr := range []uint16{indirectAddr, indirectData} {
		ids := []byte{10, 18}
		if got := ask(t, c, dxl.AppendSyncRead(nil, dxl.SyncRead, addr, 2, ids)); len(got) != 2 || got[0].Error != 0 || got[1].Error != 0 {
			t.Errorf("%d: %+v", addr, got)
		}
	}
}

func TestFastBulkRead(t *testing.T) {
	c := newChain(t, Options{})
	params := []byte{10, dxl.AddrPresentPosition, 0, 4, 0, 18, dxl.AddrPresentVoltage, 0, 2, 0}
	var r replies
	c.answer(&dxl.Packet{ID: dxl.Broadcast, Instr: dxl.FastBulkRead, Params: params}, lineBaud, &r)
	// Header, length, instruction, then error, identifier, data and checksum of each.
	if len(r.ends) != 1 || len(r.buf) != 8+(2+4+2)+(2+2+2) || u16(r.buf[5:]) != len(r.buf)-7 || r.buf[9] != 10 || r.buf[17] != 18 {
		t.Fatalf("% X", r.buf)
	}
	if crc := dxl.CRC(0, r.buf[:len(r.buf)-2]); int(crc) != u16(r.buf[len(r.buf)-2:]) {
		t.Errorf("the checksum is wrong: % X", r.buf)
	}
	for name, params := range map[string][]byte{
		"nobody": {99, 132, 0, 4, 0}, "nothing": {10, 132, 0, 0, 0}, "behind the end": {10, 227, 0, 2, 0}, "empty": {},
	} {
		r.reset()
		if c.answer(&dxl.Packet{ID: dxl.Broadcast, Instr: dxl.FastBulkRead, Params: params}, lineBaud, &r); len(r.buf) != 0 {
			t.Errorf("%s: % X", name, r.buf)
		}
	}
}

func TestClear(t *testing.T) {
	c := newChain(t, Options{})
	for name, w := range map[string]struct {
		params []byte
		want   dxl.StatusError
	}{
		"right": {clearTurns[:], 0}, "short": {clearTurns[:4], dxl.ErrDataLength}, "wrong key": {[]byte{1, 2, 3, 4, 5}, dxl.ErrDataRange},
	} {
		var r replies
		c.answer(&dxl.Packet{ID: 10, Instr: dxl.Clear, Params: w.params}, lineBaud, &r)
		if len(r.buf) == 0 || dxl.StatusError(r.buf[8]) != w.want {
			t.Errorf("%s: % X, want %v", name, r.buf, w.want)
		}
	}
}

func TestVelocityAndPWMModes(t *testing.T) {
	c := newChain(t, Options{})
	const j = hal.LeftAntenna
	mustWrite(t, c, j, dxl.AddrOperatingMode, 1, modeVelocity)
	mustWrite(t, c, j, dxl.AddrTorque, 1, 1)
	steps(c, 100*time.Millisecond)
	if p := c.Peek(j, dxl.AddrPresentPosition); p != 2048 {
		t.Fatalf("no goal velocity, but it moved to %d", p)
	}
	mustWrite(t, c, j, dxl.AddrGoalVelocity, 4, 20) // 0.48 rad/s
	steps(c, time.Second)
	if got, want := c.Status().Motions[j].Position, 20*velocityUnit; math.Abs(got-want) > 0.1*want {
		t.Errorf("after a second at %.3f rad/s it is at %.3f rad", want, got)
	}
	mustWrite(t, c, j, dxl.AddrTorque, 1, 0)
	mustWrite(t, c, j, dxl.AddrOperatingMode, 1, modePWM)
	mustWrite(t, c, j, dxl.AddrTorque, 1, 1)
	mustWrite(t, c, j, dxl.AddrGoalPWM, 2, -300)
	steps(c, 300*time.Millisecond)
	if v := c.Status().Motions[j].Velocity; v >= 0 {
		t.Errorf("a negative voltage turns it at %.3f rad/s", v)
	}
	const k = hal.RightAntenna // in the other modes the goal is a limit
	mustWrite(t, c, k, dxl.AddrGoalPWM, 2, 354)
	mustWrite(t, c, k, dxl.AddrTorque, 1, 1)
	c.Step()
	if d := c.Status().Drives[k]; math.Abs(d.Limit-0.4) > 1e-9 {
		t.Errorf("a goal PWM of 40 %% is a limit of %v", d.Limit)
	}
}

// A servo that was set to another rate is silent at ours, and found at its own.
func TestBaudRatesOfATerminal(t *testing.T) {
	c := newChain(t, Options{})
	const j = hal.Stewart1
	if err := c.Poke(j, dxl.AddrBaud, 1); err != nil { // 57600
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "bus")
	ctx, cancel := context.WithCancel(t.Context())
	served, ready := make(chan error, 1), make(chan struct{})
	go func() { served <- c.ServePTY(ctx, link, func() { close(ready) }) }()
	defer func() {
		cancel()
		if err := <-served; err != nil {
			t.Error(err)
		}
	}()
	<-ready
	fd, err := unix.Open(link, unix.O_RDWR|unix.O_NOCTTY|unix.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	f := os.NewFile(uintptr(fd), link)
	defer f.Close()
	ping := func(id byte) bool {
		if _, err := f.Write(dxl.AppendPing(nil, id)); err != nil {
			t.Fatal(err)
		}
		var in dxl.Parser
		var b [256]byte
		for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
			n, _ := f.Read(b[:])
			in.Feed(b[:max(0, n)])
			if p, ok := in.Next(); ok {
				return p.ID == id
			}
		}
		return false
	}
	set := func(rate, speed uint32) { // by its code, or, as some libraries do, by its figure
		tio, err := unix.IoctlGetTermios(fd, unix.TCGETS2)
		if err != nil {
			t.Fatal(err)
		}
		tio.Cflag = tio.Cflag&^unix.CBAUD | rate
		tio.Ispeed, tio.Ospeed = speed, speed
		if err := unix.IoctlSetTermios(fd, unix.TCSETS2, tio); err != nil {
			t.Fatal(err)
		}
	}
	// The one that is asked first is silent, so the answer is the other's.
	ours, other := hal.Stewart2.ServoID(), j.ServoID()
	for _, c := range []struct {
		rate, speed    uint32
		silent, answer byte
	}{{unix.B1000000, 1_000_000, other, ours}, {unix.B57600, 57600, ours, other}, {unix.BOTHER, 1_000_000, other, ours}} {
		set(c.rate, c.speed)
		if _, err := f.Write(dxl.AppendPing(nil, c.silent)); err != nil {
			t.Fatal(err)
		}
		if !ping(c.answer) {
			t.Errorf("at %d bits/s servo %d answers, or %d does not", c.speed, c.silent, c.answer)
		}
	}
}
