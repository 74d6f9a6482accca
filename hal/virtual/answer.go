package virtual

import (
	dxl "github.com/reachyd/reachyd/hal/dynamixel"
)

// replies collects what the servos say to one instruction.
type replies struct {
	buf   []byte
	ends  []int // where each packet ends in buf
	quiet int   // sum of the answering servos' return delays, µs
}

func (r *replies) reset() { r.buf, r.ends, r.quiet = r.buf[:0], r.ends[:0], 0 }

// status lets s answer, if its status return level allows it for an answer of that kind.
func (r *replies) status(s *servo, level byte, e dxl.StatusError, params []byte) {
	if s.mem[dxl.AddrStatusReturn] < level {
		return
	}
	r.buf = dxl.AppendStatus(r.buf, s.id(), s.status(e), params)
	r.end(s)
}

func (r *replies) end(s *servo) {
	r.ends = append(r.ends, len(r.buf))
	r.quiet += 2 * int(s.mem[dxl.AddrReturnDelay])
}

// The status return levels at which an answer is given.
const (
	levelPing  = 0
	levelRead  = 1
	levelWrite = 2
)

// answer lets the servos act on one instruction that came at a rate, a value of the register of baud rates. Their answers are
// appended to r.
func (c *Chain) answer(p *dxl.Packet, baud byte, r *replies) {
	if p.Instr == dxl.Status {
		return // the echo of an answer
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.baud = baud
	for j := range c.servos {
		c.servos[j].quiet = 0
	}
	switch p.Instr {
	case dxl.SyncRead:
		c.syncRead(p.Params, r)
	case dxl.FastSyncRead:
		c.fastSyncRead(p.Params, r)
	case dxl.SyncWrite:
		c.syncWrite(p.Params)
	case dxl.FastBulkRead:
		c.fastBulkRead(p.Params, r)
	case dxl.BulkRead:
		c.bulkRead(p.Params, r)
	case dxl.BulkWrite:
		c.bulkWrite(p.Params)
	default:
		for j := range c.servos {
			s := &c.servos[j]
			if c.listens(s) && (p.ID == s.id() || p.ID == dxl.Broadcast) {
				c.single(s, p, r)
			}
		}
	}
}

// crcError lets the servo that a corrupt packet seems to name complain.
func (c *Chain) crcError(id, baud byte, r *replies) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.baud = baud
	if s := c.find(id); s != nil {
		r.status(s, levelWrite, dxl.ErrCRC, nil)
	}
}

func (c *Chain) listens(s *servo) bool { return s.hears(c.baud) && !c.faults.mute.Has(s.joint) }

// find returns the servo that listens to id, or nil.
func (c *Chain) find(id byte) *servo {
	for j := range c.servos {
		if s := &c.servos[j]; s.id() == id && c.listens(s) {
			return s
		}
	}
	return nil
}

// single is an instruction to one servo, or to each by broadcast.
func (c *Chain) single(s *servo, p *dxl.Packet, r *replies) {
	broadcast := p.ID == dxl.Broadcast
	reply := func(level byte, e dxl.StatusError, params []byte) {
		if !broadcast || p.Instr == dxl.Ping {
			r.status(s, level, e, params)
		}
	}
	switch p.Instr {
	case dxl.Ping:
		reply(levelPing, 0, []byte{s.mem[0], s.mem[1], s.mem[dxl.AddrFirmware]})
	case dxl.Read:
		if len(p.Params) != 4 {
			reply(levelRead, dxl.ErrDataLength, nil)
			return
		}
		data, e := s.read(u16(p.Params), u16(p.Params[2:]))
		reply(levelRead, e, data)
	case dxl.Write, dxl.RegWrite:
		if len(p.Params) < 3 {
			reply(levelWrite, dxl.ErrDataLength, nil)
			return
		}
		act := s.write
		if p.Instr == dxl.RegWrite {
			act = s.register
		}
		before := s.status(0)
		id := s.id()
		e := act(u16(p.Params), p.Params[2:])
		if s.mem[dxl.AddrStatusReturn] >= levelWrite && !broadcast {
			// It answers as the one that was asked, even when the write changed its identifier.
			r.buf = dxl.AppendStatus(r.buf, id, e|before, nil)
			r.end(s)
		}
	case dxl.Action:
		reply(levelWrite, s.action(), nil)
	case dxl.Reboot:
		reply(levelWrite, 0, nil)
		s.restart(c.bootTime)
		s.suffer(&c.faults, c.bootTime)
	case dxl.Clear:
		reply(levelWrite, s.clear(p.Params), nil)
	case dxl.FactoryReset:
		c.factoryReset(s, p, reply)
	default:
		reply(levelWrite, dxl.ErrInstruction, nil)
	}
}

// factoryReset keeps identifier (01, 02) and baud rate (02). All (FF) is refused by broadcast, as all servos would become 1.
func (c *Chain) factoryReset(s *servo, p *dxl.Packet, reply func(byte, dxl.StatusError, []byte)) {
	if len(p.Params) != 1 {
		reply(levelWrite, dxl.ErrDataLength, nil)
		return
	}
	id, baud := s.mem[dxl.AddrID], s.mem[dxl.AddrBaud]
	switch what := p.Params[0]; {
	case what == 0xFF && p.ID != dxl.Broadcast:
		id, baud = 1, 1
	case what == 0x01:
		baud = 1
	case what == 0x02:
	default:
		reply(levelWrite, dxl.ErrDataRange, nil)
		return
	}
	reply(levelWrite, 0, nil)
	s.factory(s.mem[dxl.AddrFirmware])
	s.put(dxl.AddrID, int64(id))
	s.put(dxl.AddrBaud, int64(baud))
	s.restart(c.bootTime)
	s.suffer(&c.faults, c.bootTime)
}

// syncRead is answered servo by servo in the order of the request. Servos that are not there are passed over.
func (c *Chain) syncRead(params []byte, r *replies) {
	if len(params) < 4 {
		return
	}
	addr, size := u16(params), u16(params[2:])
	for _, id := range params[4:] {
		if s := c.find(id); s != nil {
			data, e := s.read(addr, size)
			r.status(s, levelRead, e, data)
		}
	}
}

// fastSyncRead is one packet to which each servo adds its part. Where one is missing or too old for it, the packet ends.
func (c *Chain) fastSyncRead(params []byte, r *replies) {
	if len(params) < 5 {
		return
	}
	addr, size, ids := u16(params), u16(params[2:]), params[4:]
	if size == 0 || addr+size > tableEnd {
		return
	}
	start := len(r.buf)
	for i, id := range ids {
		s := c.find(id)
		if s == nil || !s.knowsFastReads() {
			break
		}
		if i == 0 {
			r.buf = dxl.BeginFastStatus(r.buf, len(ids), size)
			r.quiet += 2 * int(s.mem[dxl.AddrReturnDelay])
		}
		data, _ := s.read(addr, size)
		r.buf = dxl.AppendFastPart(r.buf, start, id, s.status(0), data)
	}
	if len(r.buf) > start {
		r.ends = append(r.ends, len(r.buf))
	}
}

// syncWrite has no answer: what a servo refuses is refused in silence.
func (c *Chain) syncWrite(params []byte) {
	if len(params) < 5 {
		return
	}
	addr, size := u16(params), u16(params[2:])
	for rest := params[4:]; size > 0 && len(rest) >= 1+size; rest = rest[1+size:] {
		if s := c.find(rest[0]); s != nil {
			_ = s.write(addr, rest[1:1+size]) // refused in silence
		}
	}
}

func (c *Chain) bulkRead(params []byte, r *replies) {
	for ; len(params) >= 5; params = params[5:] {
		if s := c.find(params[0]); s != nil {
			data, e := s.read(u16(params[1:]), u16(params[3:]))
			r.status(s, levelRead, e, data)
		}
	}
}

func (c *Chain) bulkWrite(params []byte) {
	for len(params) >= 5 {
		size := u16(params[3:])
		if len(params) < 5+size {
			return
		}
		if s := c.find(params[0]); s != nil {
			_ = s.write(u16(params[1:]), params[5:5+size]) // refused in silence
		}
		params = params[5+size:]
	}
}

func u16(b []byte) int { return int(b[0]) | int(b[1])<<8 }
