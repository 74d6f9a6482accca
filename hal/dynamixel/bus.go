package dynamixel

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/reachyd/reachyd/hal"
)

var (
	// ErrTimeout says that no, or not every, answer came in time, or that the servo could not make out the instruction.
	ErrTimeout = errors.New("no answer from the servo in time")
	// ErrLine says that the port failed: it has to be opened again.
	ErrLine = errors.New("the bus line is gone")
)

// lateness is for how long after a timeout an answer of the same form may still be the one that was given up.
const lateness = 100 * time.Millisecond

// Bus is the client's end of the line: it sends an instruction and takes the answers that belong to it.
//
// One goroutine at a time may use it. An answer counts only when its identifier and its length are what was asked
// for. What arrived unasked is read away before each instruction, and counted. Nothing is retried here.
// Apart from errors of the line itself no method allocates.
type Bus struct {
	port   Port
	parser Parser
	tx     []byte
	held   int // bytes of tx that go with the next instruction
	rx     [512]byte

	asked    *Batch // whose fast answer has not been collected yet
	askedErr error  // of its answer, when that was taken before Collect: see send

	reads                  int // since the last instruction
	timeouts, foreign, cut uint64
	stale                  [256]staleReply
}

// babble is how many reads of a line that never falls silent are worth it: then the deadline rules.
const babble = 32

// staleReply remembers an answer that did not come in time.
type staleReply struct {
	size  int
	until time.Time
}

// NewBus returns a Bus on p. The caller keeps the port and closes it.
func NewBus(p Port) *Bus { return &Bus{port: p, tx: make([]byte, 0, 2*MaxPacket)} }

// Counters returns what was met since the start. Cycles and Reconnects are left to the caller.
func (b *Bus) Counters() hal.BusCounters {
	return hal.BusCounters{
		Packets: b.parser.Packets(), Timeouts: b.timeouts,
		Corrupt: b.parser.Corrupt() + b.cut, Foreign: b.foreign,
	}
}

// Ping asks a servo for its model number and firmware version.
func (b *Bus) Ping(id byte, deadline time.Time) (model uint16, firmware byte, err error) {
	b.tx = AppendPing(b.tx[:b.held], id)
	p, err := b.ask(id, 3, deadline)
	if err != nil {
		return 0, 0, err
	}
	return uint16(p.Params[0]) | uint16(p.Params[1])<<8, p.Params[2], nil
}

// Read fills dst from addr. alert says that the servo has latched a hardware error. An error that the servo
// reports is a StatusError.
func (b *Bus) Read(id byte, addr int, dst []byte, deadline time.Time) (alert bool, err error) {
	b.tx = AppendRead(b.tx[:b.held], id, uint16(addr), uint16(len(dst)))
	p, err := b.ask(id, len(dst), deadline)
	if err != nil {
		return false, err
	}
	copy(dst, p.Params)
	return p.Error.Alert(), nil
}

// Write writes data to addr and waits for the confirmation.
func (b *Bus) Write(id byte, addr int, data []byte, deadline time.Time) error {
	b.tx = AppendWrite(b.tx[:b.held], id, uint16(addr), data)
	_, err := b.ask(id, 0, deadline)
	return err
}

// Reboot restarts a servo and waits for the confirmation, not for the end of the restart.
func (b *Bus) Reboot(id byte, deadline time.Time) error {
	b.tx = AppendReboot(b.tx[:b.held], id)
	_, err := b.ask(id, 0, deadline)
	return err
}

// SyncWrite sends the blocks of all servos in one instruction; nobody answers.
func (b *Bus) SyncWrite(w *Batch, deadline time.Time) error {
	b.tx = AppendSyncWrite(b.tx[:b.held], uint16(w.addr), w.size, w.ids, w.data)
	return b.send(deadline)
}

// Hold is SyncWrite, but the blocks are sent together with the next instruction, or by Flush: that saves two system calls.
func (b *Bus) Hold(w *Batch) {
	b.tx = AppendSyncWrite(b.tx[:0], uint16(w.addr), w.size, w.ids, w.data)
	b.held = len(b.tx)
}

// Flush sends what is still held.
func (b *Bus) Flush(deadline time.Time) error {
	if b.held == 0 {
		return nil
	}
	b.tx = b.tx[:b.held]
	return b.send(deadline)
}

// SyncRead asks all servos of the batch; each answers with a packet of its own. It returns ErrTimeout when some did not:
// Got tells which did.
func (b *Bus) SyncRead(r *Batch, deadline time.Time) error {
	if err := b.sendSyncRead(SyncRead, r, deadline); err != nil || len(r.ids) == 0 {
		return err
	}
	answered := 0 // bit i: servo i has answered, well or not
	for answered != 1<<len(r.ids)-1 {
		p, err := b.receive(deadline)
		if err != nil {
			return err
		}
		i := r.find(p.ID)
		if i < 0 || p.Instr != Status || p.Fast || !fits(&p, r.size) || answered&(1<<i) != 0 {
			b.foreign++
			continue
		}
		// Servos answer in the order of the request: one that came before its turn was late from an earlier cycle.
		for k := i + 1; k < len(r.ids); k++ {
			if answered&(1<<k) != 0 {
				answered &^= 1 << k
				r.got[k] = false
				b.foreign++
			}
		}
		answered |= 1 << i
		r.status[i] = p.Error
		r.got[i] = p.Error.Number() == 0
		if r.got[i] {
			copy(r.Data(i), p.Params)
		}
	}
	return nil
}

// FastSyncRead asks all servos of the batch, which answer with one common packet. When one servo is silent there is
// no packet at all: SyncRead finds out which.
func (b *Bus) FastSyncRead(r *Batch, deadline time.Time) error {
	if err := b.Ask(r, deadline); err != nil {
		return err
	}
	return b.Collect(r, deadline)
}

// Ask sends the question of a FastSyncRead and does not wait; Collect takes the answer. The caller must not change the
// batch in between. An instruction that is sent before that takes the answer first, so that no two ever meet on the line.
func (b *Bus) Ask(r *Batch, deadline time.Time) error {
	err := b.sendSyncRead(FastSyncRead, r, deadline)
	if err == nil {
		b.asked, b.askedErr = r, nil
	}
	return err
}

// Collect waits for the answer to Ask.
func (b *Bus) Collect(r *Batch, deadline time.Time) error {
	if b.asked == r {
		b.settle(deadline)
	}
	return b.askedErr
}

// settle takes the answer that is still to come, if there is one.
func (b *Bus) settle(deadline time.Time) {
	r := b.asked
	b.asked = nil
	for r != nil && len(r.ids) > 0 {
		p, err := b.receive(deadline)
		if err != nil {
			b.askedErr = err
			return
		}
		if p.Fast && len(p.Params) == len(r.ids)*(r.size+4)-3 && b.takeFast(r, &p) {
			return
		}
		b.foreign++
	}
}

// sendSyncRead forgets what the batch has got and asks all of its servos, if there are any.
func (b *Bus) sendSyncRead(instr Instruction, r *Batch, deadline time.Time) error {
	b.settle(deadline)
	clear(r.got)
	if len(r.ids) == 0 {
		return nil
	}
	b.tx = AppendSyncRead(b.tx[:b.held], instr, uint16(r.addr), uint16(r.size), r.ids)
	return b.send(deadline)
}

func (b *Bus) takeFast(r *Batch, p *Packet) bool {
	for i, id := range r.ids {
		if got, _, _, ok := p.FastPart(i, r.size); !ok || got != id {
			return false
		}
	}
	for i := range r.ids {
		_, e, data, _ := p.FastPart(i, r.size)
		r.status[i] = e
		r.got[i] = e.Number() == 0
		if r.got[i] {
			copy(r.Data(i), data)
		}
	}
	return true
}

// ask sends what is in tx and waits for the answer of one servo with size bytes of parameters.
func (b *Bus) ask(id byte, size int, deadline time.Time) (Packet, error) {
	late := &b.stale[id]
	if late.size != size || !time.Now().Before(late.until) {
		*late = staleReply{}
	}
	if err := b.send(deadline); err != nil {
		return Packet{}, err
	}
	skip := !late.until.IsZero()
	suspect := skip
	*late = staleReply{}
	for {
		p, err := b.receive(deadline)
		if err != nil {
			if errors.Is(err, ErrTimeout) && !suspect {
				*late = staleReply{size, time.Now().Add(lateness)}
			}
			return Packet{}, err
		}
		if p.ID != id || p.Instr != Status || p.Fast || !fits(&p, size) {
			b.foreign++
			continue
		}
		if skip {
			// This may answer the question that was given up: only the next one surely answers ours.
			skip = false
			b.foreign++
			continue
		}
		switch e := p.Error.Number(); e {
		case 0:
		case ErrCRC: // our instruction was garbled on its way: the same as none
			b.cut++
			return Packet{}, ErrTimeout
		default:
			return Packet{}, e
		}
		return p, nil
	}
}

// fits reports whether p has the length that an answer must have: size, or none when it reports an error.
func fits(p *Packet, size int) bool {
	return len(p.Params) == size || p.Error.Number() != 0 && len(p.Params) == 0
}

// send waits for the answer that is still to come, drains the line and writes tx.
func (b *Bus) send(deadline time.Time) error {
	b.held = 0
	b.settle(deadline)
	if err := b.drain(); err != nil {
		return err
	}
	if _, err := b.port.Write(b.tx, deadline); err != nil {
		if errors.Is(err, os.ErrDeadlineExceeded) {
			b.timeouts++
			return ErrTimeout
		}
		return fmt.Errorf("%w: write: %w", ErrLine, err)
	}
	return nil
}

// drain reads away and counts what came unasked.
func (b *Bus) drain() error {
	b.reads = 0
	for range babble {
		for _, ok := b.parser.Next(); ok; _, ok = b.parser.Next() { // some may have come with the last answer
			b.foreign++
		}
		n, err := b.port.Read(b.rx[:], time.Time{})
		if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
			return fmt.Errorf("%w: read: %w", ErrLine, err)
		}
		if n == 0 {
			break
		}
		b.parser.Feed(b.rx[:n])
	}
	if b.parser.Pending() > 0 {
		b.cut++ // the end of a packet never came
	}
	b.parser.Reset()
	return nil
}

// receive returns the next packet.
func (b *Bus) receive(deadline time.Time) (Packet, error) {
	for {
		if p, ok := b.parser.Next(); ok {
			return p, nil
		}
		n, err := b.port.Read(b.rx[:], deadline)
		if b.reads++; b.reads > babble && !time.Now().Before(deadline) {
			err = os.ErrDeadlineExceeded
		}
		if err != nil {
			if errors.Is(err, os.ErrDeadlineExceeded) {
				b.timeouts++
				return Packet{}, ErrTimeout
			}
			return Packet{}, fmt.Errorf("%w: read: %w", ErrLine, err)
		}
		b.parser.Feed(b.rx[:n])
	}
}
