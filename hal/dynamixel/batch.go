package dynamixel

// Batch is the same block of the control table in several servos: what SyncWrite sends and SyncRead fills.
// It is made once and used in every cycle; it may have up to 32 servos.
type Batch struct {
	addr, size int
	ids        []byte
	data       []byte
	got        []bool
	status     []StatusError
}

// NewBatch makes a batch of size bytes at addr for the given servos.
func NewBatch(addr, size int, ids ...byte) *Batch {
	b := &Batch{
		addr: addr, size: size,
		ids: make([]byte, 0, len(ids)), data: make([]byte, 0, size*len(ids)),
		got: make([]bool, 0, len(ids)), status: make([]StatusError, 0, len(ids)),
	}
	for _, id := range ids {
		b.Add(id)
	}
	return b
}

// Clear empties the batch and keeps its memory.
func (b *Batch) Clear() {
	b.ids, b.data, b.got, b.status = b.ids[:0], b.data[:0], b.got[:0], b.status[:0]
}

// Add appends a servo and returns its block of zeros for the caller to fill.
func (b *Batch) Add(id byte) []byte {
	b.ids = append(b.ids, id)
	b.got = append(b.got, false)
	b.status = append(b.status, 0)
	n := len(b.data)
	for range b.size {
		b.data = append(b.data, 0)
	}
	return b.data[n:]
}

// Len returns the number of servos.
func (b *Batch) Len() int { return len(b.ids) }

// ID returns the identifier of servo i.
func (b *Batch) ID(i int) byte { return b.ids[i] }

// Data returns the block of servo i.
func (b *Batch) Data(i int) []byte { return b.data[i*b.size : (i+1)*b.size] }

// Got reports whether servo i answered the last SyncRead without an error.
func (b *Batch) Got(i int) bool { return b.got[i] }

// Status returns the error byte of the last answer of servo i; it means nothing when there was none.
func (b *Batch) Status(i int) StatusError { return b.status[i] }

// find returns the index of a servo, or -1.
func (b *Batch) find(id byte) int {
	for i, v := range b.ids {
		if v == id {
			return i
		}
	}
	return -1
}
