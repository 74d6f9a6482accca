package dynamixel

// MaxPacket is the longest packet, in bytes on the wire, that the Parser accepts. A longer length field is noise.
const MaxPacket = 1024

// Packet is one packet as it came from the line, without stuffing.
type Packet struct {
	ID     byte
	Instr  Instruction
	Error  StatusError // Status only
	Params []byte      // without the error byte; valid until the parser is fed or asked again
	Fast   bool        // the answer to a fast sync read: Params are walked with FastPart
}

// FastPart returns part i of the answer to a fast sync read of size bytes per servo; ok is false behind the last one.
func (p *Packet) FastPart(i, size int) (id byte, e StatusError, data []byte, ok bool) {
	// Params are ID DATA (CRC CRC ERR ID DATA)…: the first error byte and the last CRC are cut off by the parser.
	at := i * (size + 4)
	if !p.Fast || i < 0 || at+1+size > len(p.Params) {
		return 0, 0, nil, false
	}
	e = p.Error
	if i > 0 {
		e = StatusError(p.Params[at-1])
	}
	return p.Params[at], e, p.Params[at+1 : at+1+size], true
}

// Parser finds packets in a stream of bytes that may be cut anywhere and mixed with noise. The zero value is ready.
//
// Feed it with what was read, then call Next until it reports false. Neither allocates. After a corrupt packet the
// search goes on one byte behind its beginning, so a good packet swallowed by a wrong length is still found.
type Parser struct {
	packets uint64
	corrupt uint64

	buf        [2 * MaxPacket]byte
	start, end int  // unread bytes are buf[start:end]
	checked    int  // bytes of the packet at start whose stuffing is known to be right
	lost       bool // noise since the last good packet was counted already
	out        [MaxPacket]byte
}

// Packets counts the well-formed packets found.
func (p *Parser) Packets() uint64 { return p.packets }

// Corrupt counts the packets with a wrong CRC, length or stuffing, and the runs of noise between packets.
func (p *Parser) Corrupt() uint64 { return p.corrupt }

// Reset forgets the bytes of an unfinished packet. The counters stay.
func (p *Parser) Reset() {
	p.start, p.end, p.checked, p.lost = 0, 0, 0, false
}

// Pending returns the number of bytes that were fed and do not yet make a packet.
func (p *Parser) Pending() int { return p.end - p.start }

// Feed takes bytes in and returns how many it took: all of them when Next was called until false and
// there are no more than MaxPacket.
func (p *Parser) Feed(b []byte) int {
	if p.start > 0 {
		copy(p.buf[:], p.buf[p.start:p.end])
		p.end -= p.start
		p.start = 0
	}
	n := copy(p.buf[p.end:], b)
	p.end += n
	return n
}

// Next returns the next packet, or false when more bytes are needed.
func (p *Parser) Next() (Packet, bool) {
	for p.seek() {
		b := p.buf[p.start:p.end]
		if len(b) < headerLen {
			return Packet{}, false
		}
		n := int(b[5]) | int(b[6])<<8
		total := headerLen + n
		if n < minLen || total > MaxPacket || b[4] > Broadcast {
			p.reject()
			continue
		}
		if len(b) > headerLen && Instruction(b[7]) == Status && n < minLen+1 {
			p.reject() // a status without its error byte
			continue
		}
		fast := b[4] == Broadcast && len(b) > headerLen && Instruction(b[7]) == Status
		if !fast && !p.checkStuffing(b[:min(len(b), total-crcLen)], len(b) >= total-crcLen) {
			p.reject()
			continue
		}
		if len(b) < total {
			return Packet{}, false
		}
		if crc := CRC(0, b[:total-crcLen]); byte(crc) != b[total-2] || byte(crc>>8) != b[total-1] {
			p.reject()
			continue
		}
		pkt, ok := p.unpack(b[headerLen:total-crcLen], b[4], fast)
		if !ok {
			p.reject()
			continue
		}
		p.start += total
		p.checked = 0
		p.lost = false
		p.packets++
		return pkt, true
	}
	return Packet{}, false
}

// unpack turns instruction and parameters into a Packet in p.out.
func (p *Parser) unpack(body []byte, id byte, fast bool) (Packet, bool) {
	out := p.out[:0]
	if fast {
		out = append(out, body...)
	} else {
		out = unstuff(out, body)
	}
	pkt := Packet{ID: id, Instr: Instruction(out[0]), Params: out[1:], Fast: fast}
	if pkt.Instr == Status {
		if len(pkt.Params) == 0 {
			return Packet{}, false
		}
		pkt.Error, pkt.Params = StatusError(pkt.Params[0]), pkt.Params[1:]
	}
	return pkt, true
}

// seek moves start to the next thing that is, or may become, a header.
func (p *Parser) seek() bool {
	for ; p.start < p.end; p.start++ {
		if startsHeader(p.buf[p.start:p.end]) {
			return true
		}
		if !p.lost {
			p.lost = true
			p.corrupt++
		}
		p.checked = 0
	}
	p.start, p.end = 0, 0
	return false
}

func startsHeader(b []byte) bool {
	header := [4]byte{0xFF, 0xFF, 0xFD, 0x00}
	for i := range min(len(b), len(header)) {
		if b[i] != header[i] {
			return false
		}
	}
	return true
}

// reject gives the packet at start up.
func (p *Parser) reject() {
	p.corrupt++
	p.lost = true
	p.start++
	p.checked = 0
}

// checkStuffing reports whether every FF FF FD in b is followed by FD. A header inside a packet means that the
// rest of the packet never came; noticing it at once saves waiting for a length that may be wrong.
func (p *Parser) checkStuffing(b []byte, whole bool) bool {
	for i := max(p.checked, headerLen+2); i < len(b); i++ {
		if !isMark(b, i) || i-2 < headerLen {
			p.checked = i + 1
			continue
		}
		if i+1 == len(b) {
			p.checked = i // look again when the next byte is here
			return !whole
		}
		if b[i+1] != 0xFD {
			return false
		}
		i++
		p.checked = i + 1
	}
	return true
}

// unstuff appends b to dst without the FD behind each FF FF FD.
func unstuff(dst, b []byte) []byte {
	for i := 0; i < len(b); i++ {
		dst = append(dst, b[i])
		if i >= 2 && isMark(b, i) {
			i++
		}
	}
	return dst
}
