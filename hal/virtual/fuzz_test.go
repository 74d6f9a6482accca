package virtual

import (
	"bytes"
	"testing"

	"github.com/reachyd/reachyd/hal"
	dxl "github.com/reachyd/reachyd/hal/dynamixel"
)

// FuzzLine feeds arbitrary bytes to the servos: nothing panics, every answer is a well-formed status.
func FuzzLine(f *testing.F) {
	for _, seed := range instructions() {
		f.Add(seed)
	}
	f.Add([]byte{0xFF, 0xFF, 0xFD, 0x00, 0xFE, 0xFF, 0xFF})
	f.Add(bytes.Repeat([]byte{0xFF}, 3000))
	f.Fuzz(func(t *testing.T, in []byte) {
		var out bytes.Buffer
		c := newChain(t, Options{})
		l := line{c: c, rw: &out}
		for rest := in; len(rest) > 0; {
			n := min(len(rest), dxl.MaxPacket)
			if err := l.take(rest[:n]); err != nil {
				t.Fatal(err)
			}
			rest = rest[n:]
		}
		c.Step()
		var p dxl.Parser
		for rest := out.Bytes(); len(rest) > 0; {
			rest = rest[p.Feed(rest):]
			for {
				got, ok := p.Next()
				if !ok {
					break
				}
				if got.Instr != dxl.Status {
					t.Fatalf("a servo said %#x", got.Instr)
				}
			}
		}
	})
}

// FuzzCorruptNeverActs flips bits of a good packet: a servo acts on it only if nothing was changed.
func FuzzCorruptNeverActs(f *testing.F) {
	for i := range instructions() {
		f.Add(uint8(i), uint16(37), uint16(0))
		f.Add(uint8(i), uint16(60), uint16(75))
	}
	f.Fuzz(func(t *testing.T, which uint8, first, second uint16) {
		all := instructions()
		packet := all[int(which)%len(all)]
		// Two flipped bits less than 2¹⁵ apart are always seen by the CRC.
		for _, bit := range [...]int{int(first) % (8 * len(packet)), int(second) % (8 * len(packet))} {
			packet[bit/8] ^= 1 << (bit % 8)
		}
		intact := false
		for _, good := range instructions() {
			intact = intact || bytes.Equal(good, packet)
		}
		c := newChain(t, Options{})
		for j := range c.servos {
			c.servos[j].put(dxl.AddrTorque, 1)
		}
		before := tables(c)
		l := line{c: c, rw: &bytes.Buffer{}}
		if err := l.take(packet); err != nil {
			t.Fatal(err)
		}
		if !intact && tables(c) != before {
			t.Errorf("a corrupt packet changed a servo: % X", packet)
		}
	})
}

func tables(c *Chain) (all [hal.NumJoints][tableEnd]byte) {
	for j := range c.servos {
		all[j] = c.servos[j].mem
	}
	return all
}

// instructions are packets of every kind, most of which change something.
func instructions() [][]byte {
	goal := []byte{0x60, 0x08, 0, 0}
	return [][]byte{
		dxl.AppendWrite(nil, 10, dxl.AddrGoalPosition, goal),
		dxl.AppendSyncWrite(nil, dxl.AddrGoalPosition, 4, []byte{10, 11}, append(bytes.Clone(goal), goal...)),
		dxl.AppendWrite(nil, dxl.Broadcast, dxl.AddrTorque, []byte{0}),
		dxl.AppendInstruction(nil, 10, dxl.RegWrite, append([]byte{dxl.AddrGoalPosition, 0}, goal...)),
		dxl.AppendInstruction(nil, 10, dxl.FactoryReset, []byte{1}),
		dxl.AppendInstruction(nil, dxl.Broadcast, dxl.BulkWrite, []byte{11, 65, 0, 1, 0, 1, 12, 84, 0, 2, 0, 7, 0}),
		dxl.AppendReboot(nil, 12),
		dxl.AppendPing(nil, dxl.Broadcast),
		dxl.AppendRead(nil, 10, 0, tableEnd),
		dxl.AppendSyncRead(nil, dxl.SyncRead, dxl.AddrPresentCurrent, 10, []byte{10, 18}),
		dxl.AppendSyncRead(nil, dxl.FastSyncRead, dxl.AddrPresentCurrent, 10, []byte{10, 18}),
		dxl.AppendInstruction(nil, dxl.Broadcast, dxl.BulkRead, []byte{11, 132, 0, 4, 0}),
	}
}
