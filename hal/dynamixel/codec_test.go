package dynamixel_test

import (
	"bytes"
	"encoding/hex"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	dxl "github.com/reachyd/reachyd/hal/dynamixel"
)

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// parsed is a Packet that owns its bytes.
type parsed struct {
	id     byte
	instr  dxl.Instruction
	err    dxl.StatusError
	params []byte
	fast   bool
}

// feed pushes b through the parser in pieces of the given sizes (all at once when none) and collects the packets.
func feed(p *dxl.Parser, b []byte, cuts ...int) []parsed {
	var out []parsed
	for i := 0; len(b) > 0; i++ {
		n := len(b)
		if len(cuts) > 0 {
			n = max(1, min(n, cuts[i%len(cuts)]))
		}
		piece := b[:n]
		b = b[n:]
		for len(piece) > 0 {
			piece = piece[p.Feed(piece):]
			for {
				pkt, ok := p.Next()
				if !ok {
					break
				}
				out = append(out, parsed{pkt.ID, pkt.Instr, pkt.Error, bytes.Clone(pkt.Params), pkt.Fast})
			}
		}
	}
	return out
}

func TestCRCOfManual(t *testing.T) {
	if got := dxl.CRC(0, unhex(t, "FF FF FD 00 2A 03 00 01")); got != 0xD216 {
		t.Fatalf("CRC = %04X, want D216", got)
	}
}

func TestGoldenFrames(t *testing.T) {
	for _, c := range []struct {
		name, want string
		got        []byte
	}{
		{"ping 1", "FF FF FD 00 01 03 00 01 19 4E", dxl.AppendPing(nil, 1)},
		{"ping 2", "FF FF FD 00 02 03 00 01 19 72", dxl.AppendPing(nil, 2)},
		{"ping 0x2A", "FF FF FD 00 2A 03 00 01 16 D2", dxl.AppendPing(nil, 0x2A)},
		{"ping all", "FF FF FD 00 FE 03 00 01 31 42", dxl.AppendPing(nil, dxl.Broadcast)},
		{"ping status", "FF FF FD 00 01 07 00 55 00 06 04 26 65 5D", dxl.AppendStatus(nil, 1, 0, []byte{0x06, 0x04, 0x26})},
		{"reboot 2", "FF FF FD 00 02 03 00 08 2F 72", dxl.AppendReboot(nil, 2)},
		{"read 43", "FF FF FD 00 01 07 00 02 2B 00 02 00 2E CD", dxl.AppendRead(nil, 1, 0x2B, 2)},
		{"read 132", "FF FF FD 00 01 07 00 02 84 00 04 00 1D 15", dxl.AppendRead(nil, 1, dxl.AddrPresentPosition, 4)},
		{"read status", "FF FF FD 00 01 08 00 55 00 A6 00 00 00 8C C0", dxl.AppendStatus(nil, 1, 0, []byte{0xA6, 0, 0, 0})},
		{"write 116", "FF FF FD 00 01 09 00 03 74 00 00 02 00 00 CA 89", dxl.AppendWrite(nil, 1, dxl.AddrGoalPosition, []byte{0, 2, 0, 0})},
		{"write status", "FF FF FD 00 01 04 00 55 00 A1 0C", dxl.AppendStatus(nil, 1, 0, nil)},
		{"sync read", "FF FF FD 00 FE 09 00 82 84 00 04 00 01 02 CE FA", dxl.AppendSyncRead(nil, dxl.SyncRead, dxl.AddrPresentPosition, 4, []byte{1, 2})},
		{"sync read status", "FF FF FD 00 02 08 00 55 00 1F 08 00 00 BA BE", dxl.AppendStatus(nil, 2, 0, []byte{0x1F, 8, 0, 0})},
		{
			"sync write", "FF FF FD 00 FE 11 00 83 74 00 04 00 01 96 00 00 00 02 AA 00 00 00 82 87",
			dxl.AppendSyncWrite(nil, dxl.AddrGoalPosition, 4, []byte{1, 2}, []byte{0x96, 0, 0, 0, 0xAA, 0, 0, 0}),
		},
	} {
		if want := unhex(t, c.want); !bytes.Equal(c.got, want) {
			t.Errorf("%s\n got % X\nwant % X", c.name, c.got, want)
		}
		var p dxl.Parser
		if got := feed(&p, c.got, 1); len(got) != 1 || p.Corrupt() != 0 {
			t.Errorf("%s: parsed as %v, %d corrupt", c.name, got, p.Corrupt())
		}
	}
}

func TestStuffing(t *testing.T) {
	for _, c := range []struct{ name, params, wire string }{
		{"none", "FF FF FC", "FF FF FC"},
		{"one", "FF FF FD", "FF FF FD FD"},
		{"one, then FD", "FF FF FD FD", "FF FF FD FD FD"},
		{"two", "FF FF FD FF FF FD 01", "FF FF FD FD FF FF FD FD 01"},
		{"long run of FF", "FF FF FF FF FD 00", "FF FF FF FF FD FD 00"},
		{"header inside", "FF FF FD 00 01", "FF FF FD FD 00 01"},
		{"current -1, velocity -3", "FF FF FD FF FF FF 00 08 00 00", "FF FF FD FD FF FF FF 00 08 00 00"},
		{"creeping back to 0x..FD", "00 00 FF FF FF FF FD 07 00 00", "00 00 FF FF FF FF FD FD 07 00 00"},
	} {
		t.Run(c.name, func(t *testing.T) {
			wire := dxl.AppendStatus([]byte("before"), 3, dxl.Alert, unhex(t, c.params))[len("before"):]
			if got, want := wire[9:len(wire)-2], unhex(t, c.wire); !bytes.Equal(got, want) {
				t.Errorf("on the wire % X, want % X", got, want)
			}
			for cut := 1; cut <= len(wire); cut++ {
				var p dxl.Parser
				got := feed(&p, wire, cut)
				if len(got) != 1 || !bytes.Equal(got[0].params, unhex(t, c.params)) || !got[0].err.Alert() || p.Corrupt() != 0 {
					t.Fatalf("cut every %d bytes: %+v, %d corrupt", cut, got, p.Corrupt())
				}
			}
		})
	}
}

// The answer to a fast sync read is one packet, never stuffed, in which each CRC covers all bytes before it.
func TestFastStatus(t *testing.T) {
	ids := []byte{10, 11, 12}
	data := [][]byte{{1, 2, 3, 4}, {0xFF, 0xFF, 0xFD, 0x00}, {9, 8, 7, 6}}
	wire := dxl.BeginFastStatus(nil, len(ids), 4)
	for i, id := range ids {
		wire = dxl.AppendFastPart(wire, 0, id, dxl.StatusError(i), data[i])
	}
	if want := 8 + len(ids)*(4+4); len(wire) != want {
		t.Fatalf("%d bytes, want %d", len(wire), want)
	}
	for end := 8 + 8; end <= len(wire); end += 8 {
		if crc := dxl.CRC(0, wire[:end-2]); wire[end-2] != byte(crc) || wire[end-1] != byte(crc>>8) {
			t.Errorf("the CRC before byte %d does not cover everything from the header on", end)
		}
	}
	var p dxl.Parser
	for b := wire; len(b) > 0; {
		b = b[p.Feed(b):]
	}
	pkt, ok := p.Next()
	if !ok || !pkt.Fast {
		t.Fatalf("not parsed as a fast answer: %+v", pkt)
	}
	for i := range ids {
		id, e, d, ok := pkt.FastPart(i, 4)
		if !ok || id != ids[i] || e != dxl.StatusError(i) || !bytes.Equal(d, data[i]) {
			t.Errorf("part %d = %d %d % X %v", i, id, e, d, ok)
		}
	}
	if _, _, _, ok := pkt.FastPart(3, 4); ok {
		t.Error("there is no fourth part")
	}
}

func TestParserSurvives(t *testing.T) {
	good := dxl.AppendStatus(nil, 10, 0, []byte{1, 2, 3})
	broken := slices.Clone(good)
	broken[9] ^= 0x40
	long := slices.Clone(good)
	long[6] = 2 // claims 512 bytes more
	for _, c := range []struct {
		name    string
		wire    []byte
		want    int
		corrupt uint64
	}{
		{"clean", good, 1, 0},
		{"two", slices.Concat(good, good), 2, 0},
		{"noise before", slices.Concat([]byte{1, 2, 0xFF, 0xFF}, good), 1, 1},
		{"noise between", slices.Concat(good, []byte{0x55}, good), 2, 1},
		{"wrong CRC", slices.Concat(broken, good), 1, 1},
		{"two wrong", slices.Concat(broken, broken, good), 1, 2},
		{"cut short", slices.Concat(good[:9], good), 1, 1},
		{"cut in the header", slices.Concat(good[:3], good), 1, 1},
		{"cut before the instruction", slices.Concat(good[:7], good), 1, 1},
		{"wrong length swallows the next", slices.Concat(long, good), 1, 1},
		{"length 0", slices.Concat(unhex(t, "FF FF FD 00 01 00 00"), good), 1, 1},
		{"length beyond MaxPacket", slices.Concat(unhex(t, "FF FF FD 00 01 FF FF"), good), 1, 1},
		{"status without its error", slices.Concat(unhex(t, "FF FF FD 00 01 03 00 55 A1 0C"), good), 1, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, cut := range []int{1, 2, 3, 7, 1000} {
				var p dxl.Parser
				got := feed(&p, c.wire, cut)
				if len(got) != c.want || p.Corrupt() != c.corrupt || p.Packets() != uint64(c.want) {
					t.Errorf("cut %d: %d packets, %d corrupt, want %d, %d", cut, len(got), p.Corrupt(), c.want, c.corrupt)
				}
			}
		})
	}
}

func TestParserReset(t *testing.T) {
	var p dxl.Parser
	good := dxl.AppendPing(nil, 1)
	feed(&p, good[:8])
	if p.Pending() != 8 {
		t.Errorf("pending %d, want 8", p.Pending())
	}
	p.Reset()
	if got := feed(&p, good); len(got) != 1 || p.Corrupt() != 0 {
		t.Errorf("after Reset: %d packets, %d corrupt", len(got), p.Corrupt())
	}
}

// adversarial draws bytes that are rich in what stuffing is about.
func adversarial() *rapid.Generator[[]byte] {
	b := rapid.OneOf(rapid.SampledFrom([]byte{0xFF, 0xFF, 0xFD, 0x00, 0x55}), rapid.Byte())
	return rapid.SliceOfN(b, 0, 200)
}

// Whatever is encoded, however it is cut and whatever noise precedes it, comes out as it went in.
func TestRoundTripProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type sent struct {
			id     byte
			status bool
			params []byte
		}
		var wire []byte
		var want []sent
		for range rapid.IntRange(1, 6).Draw(t, "packets") {
			s := sent{
				id: rapid.ByteRange(0, dxl.MaxID).Draw(t, "id"), status: rapid.Bool().Draw(t, "status"),
				params: adversarial().Draw(t, "params"),
			}
			if s.status {
				wire = dxl.AppendStatus(wire, s.id, 0x81, s.params)
			} else {
				wire = dxl.AppendInstruction(wire, s.id, dxl.Write, s.params)
			}
			want = append(want, s)
		}
		noise := rapid.SliceOfN(rapid.ByteRange(0, 0xFC), 0, 20).Draw(t, "noise")
		var p dxl.Parser
		got := feed(&p, slices.Concat(noise, wire), rapid.SliceOfN(rapid.IntRange(1, 40), 1, 8).Draw(t, "cuts")...)
		if len(got) != len(want) {
			t.Fatalf("%d packets, want %d", len(got), len(want))
		}
		for i, w := range want {
			g := got[i]
			if g.id != w.id || (g.instr == dxl.Status) != w.status || !bytes.Equal(g.params, w.params) {
				t.Fatalf("packet %d: %+v, want %+v", i, g, w)
			}
		}
	})
}

// FuzzParser: no input panics the parser, it always ends, and a good packet after whatever came is found
// within the length that the noise may claim.
func FuzzParser(f *testing.F) {
	good := dxl.AppendStatus(nil, 10, 0, []byte{0xFF, 0xFF, 0xFD, 1})
	f.Add([]byte{}, uint8(1))
	f.Add(good, uint8(3))
	f.Add(good[:9], uint8(255))
	f.Add(unhexMust("FFFFFD00FE0A005500"), uint8(2))
	f.Add(bytes.Repeat([]byte{0xFF}, 300), uint8(7))
	f.Fuzz(func(t *testing.T, b []byte, cut uint8) {
		var p dxl.Parser
		got := feed(&p, b, int(cut)+1)
		for _, g := range got {
			if g.fast || g.id == dxl.Broadcast {
				continue
			}
			params := g.params
			if g.instr == dxl.Status {
				params = append([]byte{byte(g.err)}, params...)
			}
			again := dxl.AppendInstruction(nil, g.id, g.instr, params)
			if !bytes.Contains(b, again) {
				t.Fatalf("packet %+v is not in the input when encoded: % X", g, again)
			}
		}
		// Noise may begin a packet of up to MaxPacket bytes, so that much later the parser must be in step again.
		before := p.Packets()
		for n := 0; n < 2*dxl.MaxPacket; n += len(good) {
			feed(&p, good, int(cut)+1)
		}
		if p.Packets() == before {
			t.Fatalf("no good packet found after % X", b)
		}
	})
}

func unhexMust(s string) []byte {
	b, err := hex.DecodeString(s)
	if err != nil {
		panic(err)
	}
	return b
}

// FuzzRoundTrip: encode → noise and random cuts → decode.
func FuzzRoundTrip(f *testing.F) {
	f.Add(byte(10), byte(0), []byte{0xFF, 0xFF, 0xFD}, []byte{0xFF, 0xFF, 0xFD, 0x00}, uint8(3))
	f.Add(byte(1), byte(0x87), []byte{0xFF, 0xFD, 0xFD, 0xFF, 0xFF, 0xFD, 0xFD}, []byte{}, uint8(1))
	f.Fuzz(func(t *testing.T, id, e byte, params, noise []byte, cut uint8) {
		if len(params) > 400 || len(noise) > dxl.MaxPacket {
			return
		}
		id %= dxl.MaxID + 1
		wire := dxl.AppendStatus(nil, id, dxl.StatusError(e), params)
		var p dxl.Parser
		got := feed(&p, wire, int(cut)+1)
		if len(got) != 1 || got[0].id != id || got[0].err != dxl.StatusError(e) || !bytes.Equal(got[0].params, params) {
			t.Fatalf("clean: %+v", got)
		}
		// With noise before it, the packet is found at the latest when what the noise claimed to be has passed.
		p.Reset()
		stream := slices.Concat(noise, wire, make([]byte, dxl.MaxPacket))
		for _, g := range feed(&p, stream, int(cut)+1) {
			if g.id == id && bytes.Equal(g.params, params) {
				return
			}
		}
		// Only a packet that is itself well-formed may hide ours: then the whole noise was no noise.
		if p.Packets() < 2 {
			t.Fatalf("lost behind noise % X", noise)
		}
	})
}
