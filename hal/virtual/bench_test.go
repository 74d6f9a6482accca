package virtual

import (
	"io"
	"testing"

	"github.com/reachyd/reachyd/hal"
	dxl "github.com/reachyd/reachyd/hal/dynamixel"
)

var nine = []byte{10, 11, 12, 13, 14, 15, 16, 17, 18}

// BenchmarkSyncRead is the servos' share of one cycle: sync read of current, velocity and position.
func BenchmarkSyncRead(b *testing.B) {
	for name, instr := range map[string]dxl.Instruction{"classical": dxl.SyncRead, "fast": dxl.FastSyncRead} {
		b.Run(name, func(b *testing.B) {
			l := line{c: newChain(b, Options{}), rw: struct {
				io.Reader
				io.Writer
			}{nil, io.Discard}}
			packet := dxl.AppendSyncRead(nil, instr, dxl.AddrPresentCurrent, 10, nine)
			b.ReportAllocs()
			for b.Loop() {
				if err := l.take(packet); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkSyncReadRoundTrip is the same over a unix socket, with a client on the other end.
func BenchmarkSyncReadRoundTrip(b *testing.B) {
	conn := connect(b, newChain(b, Options{}))
	packet := dxl.AppendSyncRead(nil, dxl.SyncRead, dxl.AddrPresentCurrent, 10, nine)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := conn.Write(packet); err != nil {
			b.Fatal(err)
		}
		for n := 0; n < len(nine); {
			if _, ok := conn.parser.Next(); ok {
				n++
				continue
			}
			k, err := conn.Read(conn.buf[:])
			if err != nil {
				b.Fatal(err)
			}
			conn.parser.Feed(conn.buf[:k])
		}
	}
}

// BenchmarkStep is one tick of the nine servos with the simple plant.
func BenchmarkStep(b *testing.B) {
	c := newChain(b, Options{Plant: NewSimple(hal.Joints{})})
	b.ReportAllocs()
	for b.Loop() {
		c.Step()
	}
}
