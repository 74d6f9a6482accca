package dynamixel_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/reachyd/reachyd/hal"
	dxl "github.com/reachyd/reachyd/hal/dynamixel"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	plenty = 20 * time.Second      // for answers that come
	brief  = 30 * time.Millisecond // for answers that do not
)

func in(d time.Duration) time.Time { return time.Now().Add(d) }

// startBus returns a Bus whose other end answers each instruction with what answer returns.
func startBus(t testing.TB, answer func(p dxl.Packet) []byte) *dxl.Bus {
	t.Helper()
	line, peer := socketPair(t)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		var parser dxl.Parser
		var b [512]byte
		for {
			n, err := peer.Read(b[:])
			if err != nil {
				return
			}
			parser.Feed(b[:n])
			for {
				p, ok := parser.Next()
				if !ok {
					break
				}
				if out := answer(p); len(out) > 0 {
					if _, err := peer.Write(out); err != nil {
						return
					}
				}
			}
		}
	}()
	t.Cleanup(func() {
		line.Close()
		<-ended
		peer.Close()
	})
	return dxl.NewBus(line)
}

func TestInstructionsAndAnswers(t *testing.T) {
	var seen []byte
	done := make(chan struct{}, 16)
	b := startBus(t, func(p dxl.Packet) []byte {
		seen = append(seen, byte(p.Instr))
		defer func() { done <- struct{}{} }()
		switch p.Instr {
		case dxl.Ping:
			return dxl.AppendStatus(nil, p.ID, 0, []byte{0xB0, 0x04, 52})
		case dxl.Read:
			return dxl.AppendStatus(nil, p.ID, dxl.Alert, []byte{0xFF, 0xFF, 0xFD, p.Params[0]})
		case dxl.Write:
			if p.Params[0] == 7 {
				return dxl.AppendStatus(nil, p.ID, dxl.Alert|dxl.ErrAccess, nil)
			}
			return dxl.AppendStatus(nil, p.ID, 0, nil)
		case dxl.Reboot:
			return dxl.AppendStatus(nil, p.ID, 0, nil)
		case dxl.SyncRead:
			var out []byte
			for _, id := range p.Params[4:] {
				out = dxl.AppendStatus(out, id, 0, []byte{id, 0xFF})
			}
			return out
		case dxl.FastSyncRead:
			ids := p.Params[4:]
			out := dxl.BeginFastStatus(nil, len(ids), 2)
			for _, id := range ids {
				out = dxl.AppendFastPart(out, 0, id, dxl.Alert, []byte{id, 0xFE})
			}
			return out
		}
		return nil
	})
	if model, fw, err := b.Ping(10, in(plenty)); model != dxl.ModelXL330M288 || fw != 52 || err != nil {
		t.Errorf("Ping = %d, %d, %v", model, fw, err)
	}
	var four [4]byte
	if alert, err := b.Read(10, 132, four[:], in(plenty)); !alert || err != nil || four != [4]byte{0xFF, 0xFF, 0xFD, 132} {
		t.Errorf("Read = %v, %v, % X", alert, err, four)
	}
	if err := b.Write(10, 64, []byte{1}, in(plenty)); err != nil {
		t.Errorf("Write: %v", err)
	}
	if err := b.Write(10, 7, []byte{1}, in(plenty)); !errors.Is(err, dxl.ErrAccess) {
		t.Errorf("refused Write = %v, want ErrAccess", err)
	}
	if err := b.Reboot(10, in(plenty)); err != nil {
		t.Errorf("Reboot: %v", err)
	}
	w := dxl.NewBatch(116, 4, 10, 11)
	copy(w.Data(1), []byte{1, 2, 3, 4})
	if err := b.SyncWrite(w, in(plenty)); err != nil {
		t.Errorf("SyncWrite: %v", err)
	}
	r := dxl.NewBatch(126, 2, 10, 12, 18)
	for _, read := range []func(*dxl.Batch, time.Time) error{b.SyncRead, b.FastSyncRead} {
		if err := read(r, in(plenty)); err != nil {
			t.Fatal(err)
		}
		for i, id := range []byte{10, 12, 18} {
			if !r.Got(i) || r.ID(i) != id || r.Data(i)[0] != id {
				t.Errorf("servo %d: got %v, % X", id, r.Got(i), r.Data(i))
			}
		}
	}
	if !r.Status(2).Alert() {
		t.Error("the fast answer lost its alert")
	}
	for range 8 {
		<-done
	}
	if want := []byte{0x01, 0x02, 0x03, 0x03, 0x08, 0x83, 0x82, 0x8A}; !bytes.Equal(seen, want) {
		t.Errorf("instructions % X, want % X", seen, want)
	}
	if c := b.Counters(); c != (hal.BusCounters{Packets: 9}) {
		t.Errorf("counters %+v, want 9 packets and no trouble", c)
	}
}

// Each kind of wrong answer comes before the right one; the right one is found and the wrong one counted.
func TestWrongAnswersAreSurvivedAndCounted(t *testing.T) {
	right := dxl.AppendStatus(nil, 10, 0, []byte{7, 7})
	broken := bytes.Clone(right)
	broken[9] ^= 1
	for _, c := range []struct {
		name  string
		wrong []byte
		want  hal.BusCounters
	}{
		{"nothing wrong", nil, hal.BusCounters{Packets: 1}},
		{"corrupt", broken, hal.BusCounters{Packets: 1, Corrupt: 1}},
		{"cut short", right[:8], hal.BusCounters{Packets: 1, Corrupt: 1}},
		{"noise", []byte{1, 2, 3}, hal.BusCounters{Packets: 1, Corrupt: 1}},
		{"of another servo", dxl.AppendStatus(nil, 11, 0, []byte{1, 1}), hal.BusCounters{Packets: 2, Foreign: 1}},
		{"of another length", dxl.AppendStatus(nil, 10, 0, []byte{1}), hal.BusCounters{Packets: 2, Foreign: 1}},
		{"an instruction (echo)", dxl.AppendRead(nil, 10, 132, 2), hal.BusCounters{Packets: 2, Foreign: 1}},
		{"a fast answer", dxl.AppendFastPart(dxl.BeginFastStatus(nil, 1, 2), 0, 10, 0, []byte{1, 1}), hal.BusCounters{Packets: 2, Foreign: 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := startBus(t, func(dxl.Packet) []byte { return append(bytes.Clone(c.wrong), right...) })
			var got [2]byte
			if _, err := b.Read(10, 144, got[:], in(plenty)); err != nil || got != [2]byte{7, 7} {
				t.Fatalf("Read = % X, %v", got, err)
			}
			if n := b.Counters(); n != c.want {
				t.Errorf("counters %+v, want %+v", n, c.want)
			}
		})
	}
}

// What arrives between instructions is read away before the next one and counted, a cut packet as well.
func TestStaleInputIsReadAway(t *testing.T) {
	line, peer := socketPair(t)
	defer peer.Close()
	defer line.Close()
	b := dxl.NewBus(line)
	stale := dxl.AppendStatus(nil, 10, 0, []byte{9, 9})
	if _, err := peer.Write(append(stale, stale[:6]...)); err != nil {
		t.Fatal(err)
	}
	var got [2]byte
	if _, err := b.Read(10, 144, got[:], in(brief)); !errors.Is(err, dxl.ErrTimeout) {
		t.Errorf("Read = % X, %v: took a stale answer", got, err)
	}
	if c := b.Counters(); c.Foreign != 1 || c.Corrupt != 1 || c.Timeouts != 1 {
		t.Errorf("counters %+v", c)
	}
}

// An answer that comes after its read was given up is not taken for the answer to the next read.
func TestLateAnswerIsNotTakenForTheNext(t *testing.T) {
	n := byte(0)
	b := startBus(t, func(dxl.Packet) []byte {
		n++
		switch n {
		case 1:
			return nil // late …
		case 2:
			return append(dxl.AppendStatus(nil, 10, 0, []byte{1}), dxl.AppendStatus(nil, 10, 0, []byte{2})...)
		}
		return dxl.AppendStatus(nil, 10, 0, []byte{n})
	})
	var got [1]byte
	if _, err := b.Read(10, 70, got[:], in(brief)); !errors.Is(err, dxl.ErrTimeout) {
		t.Fatalf("first Read = %v", err)
	}
	if _, err := b.Read(10, 64, got[:], in(50*time.Millisecond)); err != nil || got[0] != 2 {
		t.Errorf("second Read = %d, %v; want 2: the late answer must not count", got[0], err)
	}
	if _, err := b.Read(10, 64, got[:], in(plenty)); err != nil || got[0] != 3 {
		t.Errorf("third Read = %d, %v", got[0], err)
	}
}

// A servo that lost one answer costs one more question, not all that follow.
func TestLostAnswerIsForgiven(t *testing.T) {
	n := byte(0)
	b := startBus(t, func(dxl.Packet) []byte {
		if n++; n == 1 {
			return nil
		}
		return dxl.AppendStatus(nil, 10, 0, []byte{n})
	})
	var got [1]byte
	if _, err := b.Read(10, 70, got[:], in(brief)); !errors.Is(err, dxl.ErrTimeout) {
		t.Fatalf("the question whose answer was lost: %v", err)
	}
	_, err := b.Read(10, 70, got[:], in(brief)) // its answer may be taken for the late one
	if err != nil {
		_, err = b.Read(10, 70, got[:], in(plenty))
	}
	if err != nil {
		t.Fatalf("three questions without an answer: %v", err)
	}
}

// A servo that got a garbled instruction says so: that is no refusal, it has to be asked again.
func TestGarbledInstructionIsLikeNone(t *testing.T) {
	b := startBus(t, func(p dxl.Packet) []byte { return dxl.AppendStatus(nil, p.ID, dxl.ErrCRC, nil) })
	if err := b.Write(10, 64, []byte{1}, in(plenty)); !errors.Is(err, dxl.ErrTimeout) {
		t.Errorf("Write = %v, want ErrTimeout", err)
	}
	if c := b.Counters(); c != (hal.BusCounters{Packets: 1, Corrupt: 1}) {
		t.Errorf("counters %+v", c)
	}
}

// A second copy that comes together with the answer is counted by the next instruction.
func TestDuplicateIsForeign(t *testing.T) {
	answer := dxl.AppendStatus(nil, 10, 0, []byte{5})
	b := startBus(t, func(dxl.Packet) []byte { return append(bytes.Clone(answer), answer...) })
	var got [1]byte
	for range 3 {
		if _, err := b.Read(10, 70, got[:], in(plenty)); err != nil {
			t.Fatal(err)
		}
	}
	if c := b.Counters(); c != (hal.BusCounters{Packets: 5, Foreign: 2}) {
		t.Errorf("counters %+v, want 5 packets, 2 of them foreign", c)
	}
}

func TestSyncRead(t *testing.T) {
	status := func(id, v byte) []byte { return dxl.AppendStatus(nil, id, 0, []byte{v}) }
	for _, c := range []struct {
		name    string
		answers [][]byte
		want    map[byte]byte
		foreign uint64
		err     error
	}{
		{"all", [][]byte{status(10, 1), status(11, 2), status(12, 3)}, map[byte]byte{10: 1, 11: 2, 12: 3}, 0, nil},
		{"one mute", [][]byte{status(10, 1), status(12, 3)}, map[byte]byte{10: 1, 12: 3}, 0, dxl.ErrTimeout},
		{"none", nil, map[byte]byte{}, 0, dxl.ErrTimeout},
		{"twice", [][]byte{status(10, 1), status(10, 9), status(11, 2), status(12, 3)}, map[byte]byte{10: 1, 11: 2, 12: 3}, 1, nil},
		{"late from the last cycle", [][]byte{status(12, 9), status(10, 1), status(11, 2), status(12, 3)}, map[byte]byte{10: 1, 11: 2, 12: 3}, 1, nil},
		{"stranger", [][]byte{status(10, 1), status(99, 9), status(11, 2), status(12, 3)}, map[byte]byte{10: 1, 11: 2, 12: 3}, 1, nil},
		{
			"one refuses",
			[][]byte{status(10, 1), dxl.AppendStatus(nil, 11, dxl.ErrDataRange, nil), status(12, 3)},
			map[byte]byte{10: 1, 12: 3},
			0, nil,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := startBus(t, func(dxl.Packet) []byte { return bytes.Join(c.answers, nil) })
			r := dxl.NewBatch(146, 1, 10, 11, 12)
			deadline := in(plenty)
			switch {
			case len(c.answers) == 0:
				deadline = in(brief)
			case c.err != nil: // on a busy host those that answer may take longer than brief
				deadline = in(time.Second)
			}
			if err := b.SyncRead(r, deadline); !errors.Is(err, c.err) {
				t.Fatalf("SyncRead = %v, want %v", err, c.err)
			}
			for i := range r.Len() {
				v, want := c.want[r.ID(i)]
				if r.Got(i) != want || want && r.Data(i)[0] != v {
					t.Errorf("servo %d: got %v % X, want %v %d", r.ID(i), r.Got(i), r.Data(i), want, v)
				}
			}
			if n := b.Counters(); n.Foreign != c.foreign {
				t.Errorf("%d foreign, want %d", n.Foreign, c.foreign)
			}
		})
	}
}

func TestFastSyncReadRefusesOthers(t *testing.T) {
	chain := func(ids ...byte) []byte {
		out := dxl.BeginFastStatus(nil, len(ids), 1)
		for _, id := range ids {
			out = dxl.AppendFastPart(out, 0, id, 0, []byte{id})
		}
		return out
	}
	for _, c := range []struct {
		name   string
		answer []byte
	}{
		{"wrong servos", chain(10, 12)},
		{"too few", chain(10)},
		{"chain broken off", chain(10, 11)[:10]},
		{"classical answer", dxl.AppendStatus(nil, 10, 0, []byte{1})},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := startBus(t, func(dxl.Packet) []byte { return c.answer })
			r := dxl.NewBatch(146, 1, 10, 11)
			if err := b.FastSyncRead(r, in(brief)); !errors.Is(err, dxl.ErrTimeout) || r.Got(0) || r.Got(1) {
				t.Errorf("FastSyncRead = %v, got %v %v", err, r.Got(0), r.Got(1))
			}
		})
	}
}

// babbler is a line that never falls silent.
type babbler struct{ bytes []byte }

func (b babbler) Read(p []byte, _ time.Time) (int, error) { return copy(p, b.bytes), nil }
func (babbler) Write(p []byte, _ time.Time) (int, error)  { return len(p), nil }
func (babbler) Close() error                              { return nil }

func TestBabblingLineEndsAtTheDeadline(t *testing.T) {
	for _, noise := range [][]byte{{0x00}, {0xFF}, dxl.AppendStatus(nil, 99, 0, []byte{1})} {
		b := dxl.NewBus(babbler{noise})
		var got [1]byte
		if _, err := b.Read(10, 70, got[:], in(time.Millisecond)); !errors.Is(err, dxl.ErrTimeout) {
			t.Errorf("Read = %v, want ErrTimeout", err)
		}
	}
}

func TestLostLine(t *testing.T) {
	line, peer := socketPair(t)
	b := dxl.NewBus(line)
	peer.Close()
	_, _, err := b.Ping(10, in(plenty))
	if !errors.Is(err, dxl.ErrLine) || !errors.Is(err, io.EOF) {
		t.Errorf("Ping = %v, want ErrLine and io.EOF", err)
	}
	line.Close()
	if _, _, err = b.Ping(10, in(plenty)); !errors.Is(err, dxl.ErrLine) || !errors.Is(err, os.ErrClosed) {
		t.Errorf("Ping on a closed line = %v", err)
	}
}

// An instruction that is sent before a fast answer was collected waits for it: no two meet on the line, and the answer is
// not lost.
func TestAnInstructionWaitsForWhatWasAsked(t *testing.T) {
	b := startBus(t, func(p dxl.Packet) []byte {
		if p.Instr == dxl.Ping {
			return dxl.AppendStatus(nil, p.ID, 0, []byte{0xB0, 0x04, 52})
		}
		time.Sleep(5 * time.Millisecond) // the answer is still on its way
		return dxl.AppendFastPart(dxl.BeginFastStatus(nil, 1, 2), 0, 10, 0, []byte{7, 8})
	})
	r := dxl.NewBatch(126, 2, 10)
	for range 3 {
		if err := b.Ask(r, in(plenty)); err != nil {
			t.Fatal(err)
		}
		if _, _, err := b.Ping(10, in(plenty)); err != nil {
			t.Fatal(err)
		}
		for range 2 { // as often as one likes
			if err := b.Collect(r, in(plenty)); err != nil || !r.Got(0) || r.Data(0)[1] != 8 {
				t.Fatalf("Collect: %v, got %v, % X", err, r.Got(0), r.Data(0))
			}
		}
	}
	if c := b.Counters(); c != (hal.BusCounters{Packets: 6}) {
		t.Errorf("counters %+v, want 6 packets and no trouble", c)
	}
}

func TestAskedInVain(t *testing.T) {
	b := startBus(t, func(dxl.Packet) []byte { return nil })
	r := dxl.NewBatch(126, 2, 10)
	if err := b.Ask(r, in(plenty)); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := b.Collect(r, in(brief)); !errors.Is(err, dxl.ErrTimeout) || r.Got(0) {
			t.Errorf("Collect: %v, got %v", err, r.Got(0))
		}
	}
	if c := b.Counters(); c.Timeouts != 1 {
		t.Errorf("counters %+v, want 1 timeout", c)
	}
}
