package dynamixel

// A packet on the wire is FF FF FD 00, id, length (2), instruction, parameters, CRC (2), little-endian.
const (
	headerLen = 7 // up to and including the length
	crcLen    = 2
	minLen    = 3 // smallest value of the length field: instruction and CRC
)

// Begin appends the head of a packet to dst. The caller appends the parameters and calls Finish with the length
// that dst had before Begin.
func Begin(dst []byte, id byte, instr Instruction) []byte {
	return append(dst, 0xFF, 0xFF, 0xFD, 0x00, id, 0, 0, byte(instr))
}

// Finish completes the packet that begins at dst[start]: it stuffs the parameters, sets the length and appends the CRC.
func Finish(dst []byte, start int) []byte {
	dst = stuff(dst, start+headerLen)
	setLength(dst, start, len(dst)-start-headerLen+crcLen)
	return appendCRC(dst, start)
}

// stuff inserts an FD behind every FF FF FD in dst[from:], so that no header can appear inside a packet.
func stuff(dst []byte, from int) []byte {
	n := 0
	for i := from + 2; i < len(dst); i++ {
		if isMark(dst, i) {
			n++
		}
	}
	if n == 0 {
		return dst
	}
	src := len(dst) - 1
	for range n {
		dst = append(dst, 0)
	}
	for out := len(dst) - 1; out > src; src-- {
		if src >= from+2 && isMark(dst, src) {
			dst[out] = 0xFD
			out--
		}
		dst[out] = dst[src]
		out--
	}
	return dst
}

// isMark reports whether FF FF FD ends at b[i].
func isMark(b []byte, i int) bool { return b[i] == 0xFD && b[i-1] == 0xFF && b[i-2] == 0xFF }

func setLength(dst []byte, start, n int) {
	dst[start+5], dst[start+6] = byte(n), byte(n>>8)
}

func appendCRC(dst []byte, start int) []byte {
	crc := CRC(0, dst[start:])
	return append(dst, byte(crc), byte(crc>>8))
}

// AppendInstruction appends an instruction packet with the given parameters.
func AppendInstruction(dst []byte, id byte, instr Instruction, params []byte) []byte {
	start := len(dst)
	dst = Begin(dst, id, instr)
	dst = append(dst, params...)
	return Finish(dst, start)
}

// AppendPing appends a ping of one servo, or of all with Broadcast.
func AppendPing(dst []byte, id byte) []byte { return AppendInstruction(dst, id, Ping, nil) }

// AppendReboot appends the instruction that restarts a servo.
func AppendReboot(dst []byte, id byte) []byte { return AppendInstruction(dst, id, Reboot, nil) }

// AppendRead appends a read of size bytes from addr.
func AppendRead(dst []byte, id byte, addr, size uint16) []byte {
	start := len(dst)
	dst = Begin(dst, id, Read)
	dst = append(dst, byte(addr), byte(addr>>8), byte(size), byte(size>>8))
	return Finish(dst, start)
}

// AppendWrite appends a write of data to addr.
func AppendWrite(dst []byte, id byte, addr uint16, data []byte) []byte {
	start := len(dst)
	dst = Begin(dst, id, Write)
	dst = append(dst, byte(addr), byte(addr>>8))
	dst = append(dst, data...)
	return Finish(dst, start)
}

// AppendSyncRead appends a read of the same block from all of ids; instr is SyncRead or FastSyncRead.
func AppendSyncRead(dst []byte, instr Instruction, addr, size uint16, ids []byte) []byte {
	start := len(dst)
	dst = Begin(dst, Broadcast, instr)
	dst = append(dst, byte(addr), byte(addr>>8), byte(size), byte(size>>8))
	dst = append(dst, ids...)
	return Finish(dst, start)
}

// AppendSyncWrite appends a write of size bytes to addr of each of ids. data holds len(ids)·size bytes, servo by servo.
func AppendSyncWrite(dst []byte, addr uint16, size int, ids, data []byte) []byte {
	start := len(dst)
	dst = Begin(dst, Broadcast, SyncWrite)
	dst = append(dst, byte(addr), byte(addr>>8), byte(size), byte(size>>8))
	for i, id := range ids {
		dst = append(dst, id)
		dst = append(dst, data[i*size:(i+1)*size]...)
	}
	return Finish(dst, start)
}

// AppendStatus appends a servo's answer.
func AppendStatus(dst []byte, id byte, e StatusError, params []byte) []byte {
	start := len(dst)
	dst = Begin(dst, id, Status)
	dst = append(dst, byte(e))
	dst = append(dst, params...)
	return Finish(dst, start)
}

// BeginFastStatus appends the head of the one answer to a fast sync read of size bytes from count servos. Each
// servo then adds its part with AppendFastPart, in the order of the request. The answer is never stuffed.
func BeginFastStatus(dst []byte, count, size int) []byte {
	start := len(dst)
	dst = Begin(dst, Broadcast, Status)
	setLength(dst, start, 1+count*(size+4))
	return dst
}

// AppendFastPart appends one servo's part to the fast answer that begins at dst[start]. Its CRC covers everything
// from the header on, the CRCs of the earlier parts included.
func AppendFastPart(dst []byte, start int, id byte, e StatusError, data []byte) []byte {
	dst = append(dst, byte(e), id)
	dst = append(dst, data...)
	return appendCRC(dst, start)
}
