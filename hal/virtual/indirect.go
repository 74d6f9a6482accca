package virtual

import (
	dxl "github.com/reachyd/reachyd/hal/dynamixel"
)

// The indirect registers: each of the data registers stands for the byte whose address is in the address register of its number.
const (
	indirectAddr  = 168 // 2 bytes each
	indirectData  = 208 // 1 byte each
	indirectCount = 20
	ramBegin      = 64
)

func indirectItems() []item {
	list := make([]item, 0, 2*indirectCount)
	for k := range indirectCount {
		list = append(list, item{indirectAddr + 2*k, 2, false, ramBegin, tableEnd - 1, int64(indirectData + k)})
	}
	for k := range indirectCount {
		list = append(list, item{indirectData + k, 1, false, 0, 255, 0})
	}
	return list
}

// real returns the address that one byte stands for.
func (s *servo) real(addr int) int {
	if addr < indirectData || addr >= tableEnd {
		return addr
	}
	to := int(s.get(indirectAddr + 2*(addr-indirectData)))
	if to >= indirectData { // one that stands for another, or for itself, is a plain byte
		return addr
	}
	return to
}

// run is a piece of a write that lies in one piece.
type run struct {
	addr int
	data []byte
}

// runs splits a write where the bytes that are meant do not lie side by side.
func (s *servo) runs(addr int, data []byte) []run {
	var list []run
	for i := range data {
		at := s.real(addr + i)
		if n := len(list); n > 0 && list[n-1].addr+len(list[n-1].data) == at {
			list[n-1].data = data[i-len(list[n-1].data) : i+1]
			continue
		}
		list = append(list, run{at, data[i : i+1]})
	}
	return list
}

// fastBulkRead is one packet to which each servo adds its part, of the block that it is asked for. Where one is missing or too
// old for it, the packet ends.
func (c *Chain) fastBulkRead(params []byte, r *replies) {
	type part struct {
		s          *servo
		addr, size int
	}
	const perPart = 5
	var parts []part
	total := 0
	for rest := params; len(rest) >= perPart; rest = rest[perPart:] {
		p := part{c.find(rest[0]), u16(rest[1:]), u16(rest[3:])}
		if p.size == 0 || p.addr+p.size > tableEnd {
			return
		}
		total += p.size
		parts = append(parts, p)
	}
	start := len(r.buf)
	for i, p := range parts {
		if p.s == nil || !p.s.knowsFastReads() {
			break
		}
		if i == 0 { // the length of the answer is that of one part of this size
			const around = 4 // of each part: error, identifier, checksum
			r.buf = dxl.BeginFastStatus(r.buf, 1, total+around*(len(parts)-1))
			r.quiet += 2 * int(p.s.mem[dxl.AddrReturnDelay])
		}
		data, _ := p.s.read(p.addr, p.size)
		r.buf = dxl.AppendFastPart(r.buf, start, p.s.id(), p.s.status(0), data)
	}
	if len(r.buf) > start {
		r.ends = append(r.ends, len(r.buf))
	}
}

func (s *servo) knowsFastReads() bool {
	return s.mem[dxl.AddrFirmware] >= dxl.FirmwareFastSyncRead && s.mem[dxl.AddrStatusReturn] >= levelRead
}

// clearTurns is the key of the instruction that forgets whole turns.
var clearTurns = [...]byte{0x01, 0x44, 0x58, 0x4C, 0x22}

// clear forgets how many whole turns the joint has made; it is refused while the joint moves or is held.
func (s *servo) clear(params []byte) dxl.StatusError {
	switch {
	case len(params) != len(clearTurns):
		return dxl.ErrDataLength
	case [len(clearTurns)]byte(params) != clearTurns:
		return dxl.ErrDataRange
	case s.torque() || s.mem[dxl.AddrMoving] != 0:
		return dxl.ErrAccess
	}
	return 0 // no joint of this robot makes whole turns
}
