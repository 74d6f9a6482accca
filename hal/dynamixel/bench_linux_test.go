package dynamixel_test

import (
	"testing"

	dxl "github.com/reachyd/reachyd/hal/dynamixel"
)

var nine = []byte{10, 11, 12, 13, 14, 15, 16, 17, 18}

func BenchmarkEncodeSyncWrite(b *testing.B) {
	buf, data := make([]byte, 0, dxl.MaxPacket), make([]byte, 9*4)
	b.ReportAllocs()
	for b.Loop() {
		buf = dxl.AppendSyncWrite(buf[:0], dxl.AddrGoalPosition, 4, nine, data)
	}
}

// Nine answers of ten bytes: what one cycle brings.
func BenchmarkDecodeNineAnswers(b *testing.B) {
	var wire []byte
	for _, id := range nine {
		wire = dxl.AppendStatus(wire, id, 0, []byte{0xFF, 0xFF, 0xFD, 0xFF, 0xFF, 0xFF, 0, 8, 0, 0})
	}
	var p dxl.Parser
	b.ReportAllocs()
	b.SetBytes(int64(len(wire)))
	for b.Loop() {
		p.Feed(wire)
		n := 0
		for _, ok := p.Next(); ok; _, ok = p.Next() {
			n++
		}
		if n != len(nine) {
			b.Fatalf("%d packets", n)
		}
	}
}

// One cycle over a unix socket: sync write of nine goals, sync read of 9×10 bytes.
func BenchmarkBusCycle(b *testing.B) {
	for _, fast := range []bool{false, true} {
		name := "classical"
		if fast {
			name = "fast"
		}
		b.Run(name, func(b *testing.B) {
			bus, w, r := cycle(b)
			read := bus.SyncRead
			if fast {
				read = bus.FastSyncRead
			}
			b.ReportAllocs()
			for b.Loop() {
				if err := bus.SyncWrite(w, in(plenty)); err != nil {
					b.Fatal(err)
				}
				if err := read(r, in(plenty)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// cycle returns a bus whose servos answer without allocating, and the batches of a tick.
func cycle(t testing.TB) (*dxl.Bus, *dxl.Batch, *dxl.Batch) {
	out, data := make([]byte, 0, dxl.MaxPacket), make([]byte, 10)
	bus := startBus(t, func(p dxl.Packet) []byte {
		switch p.Instr {
		case dxl.SyncRead:
			out = out[:0]
			for _, id := range p.Params[4:] {
				out = dxl.AppendStatus(out, id, 0, data)
			}
			return out
		case dxl.FastSyncRead:
			out = dxl.BeginFastStatus(out[:0], len(p.Params)-4, len(data))
			for _, id := range p.Params[4:] {
				out = dxl.AppendFastPart(out, 0, id, 0, data)
			}
			return out
		}
		return nil
	})
	return bus, dxl.NewBatch(dxl.AddrGoalPosition, 4, nine...), dxl.NewBatch(dxl.AddrPresentCurrent, 10, nine...)
}

func TestCycleDoesNotAllocate(t *testing.T) {
	bus, w, r := cycle(t)
	step := func() {
		if err := bus.SyncWrite(w, in(plenty)); err != nil {
			t.Fatal(err)
		}
		if err := bus.SyncRead(r, in(plenty)); err != nil {
			t.Fatal(err)
		}
		if err := bus.FastSyncRead(r, in(plenty)); err != nil {
			t.Fatal(err)
		}
	}
	if n := testing.AllocsPerRun(100, step); n != 0 {
		t.Errorf("%v allocations per cycle, want 0", n)
	}
	// A servo that stays silent costs none either.
	r.Add(99)
	if n := testing.AllocsPerRun(3, func() { _ = bus.SyncRead(r, in(0)) }); n != 0 {
		t.Errorf("%v allocations per timeout, want 0", n)
	}
}
