package audio

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"
)

// In a synctest bubble the real time is a fake one that passes when everybody waits.

func newNull(t *testing.T, o PumpOptions) *Player {
	t.Helper()
	n, err := NewNull(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { n.Close() })
	return n
}

func heardOf(s *Player) time.Duration { heard, _ := s.Progress(); return heard }

func pendingOf(s *Player) time.Duration { _, pending := s.Progress(); return pending }

func write(t *testing.T, s *Player, rate int, pcm []float32) {
	t.Helper()
	if err := s.Write(t.Context(), rate, pcm); err != nil {
		t.Fatal(err)
	}
}

func TestProgressIsWhatIsHeard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNull(t, PumpOptions{})
		write(t, n, 16000, sine(16000, 16000, 440, 0.5))
		start := time.Now()
		for _, d := range []time.Duration{0, 3, 104, 500, 987} {
			time.Sleep(time.Until(start.Add(d * time.Millisecond)))
			heard, pending := n.Progress()
			if off := (heard - time.Since(start)).Abs(); off > 200*time.Microsecond {
				t.Errorf("after %v %v is heard", time.Since(start), heard)
			}
			if sum := heard + pending; sum < 999*time.Millisecond || sum > time.Second { // the filter holds the last 1 ms until Drain
				t.Errorf("after %v: %v and %v make %v", time.Since(start), heard, pending, sum)
			}
		}
		if err := n.Drain(t.Context()); err != nil {
			t.Fatal(err)
		}
		if d := time.Since(start); d < time.Second || d > 1001*time.Millisecond {
			t.Errorf("1 s of sound took %v", d)
		}
		if heard, pending := n.Progress(); heard != time.Second || pending != 0 {
			t.Errorf("at the end %v, %v", heard, pending)
		}
		if s := n.Status(); s.Underruns != 0 {
			t.Errorf("%d under-runs", s.Underruns)
		}
	})
}

func TestWriteWaitsForRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNull(t, PumpOptions{})
		start := time.Now()
		write(t, n, 22050, make([]float32, 5*22050))
		if d := time.Since(start); d < 5*time.Second-Queue-20*time.Millisecond || d > 5*time.Second-Queue+patience {
			t.Errorf("writing 5 s took %v with a queue of %v", d, Queue)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		if err := n.Write(ctx, 22050, make([]float32, 5*22050)); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a write whose context ends: %v", err)
		}
	})
}

func TestFlushIsSilenceAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNull(t, PumpOptions{})
		failed := make(chan error)
		go func() { failed <- n.Write(t.Context(), 16000, sine(160000, 16000, 440, 0.5)) }()
		time.Sleep(505 * time.Millisecond)
		n.Flush()
		at := time.Now()
		if err := <-failed; !errors.Is(err, ErrFlushed) {
			t.Errorf("the writer was told %v", err)
		}
		if d := time.Since(at); d > patience {
			t.Errorf("the writer was told after %v", d)
		}
		time.Sleep(time.Second)
		before, pending := n.Progress()
		if over := before - 505*time.Millisecond; over < 0 || over > period+fadeTime || pending != 0 {
			t.Errorf("%v was heard after the flush; %v is pending", over, pending)
		}
		// The next sound is only what is written now.
		write(t, n, 16000, make([]float32, 1600))
		if err := n.Drain(t.Context()); err != nil {
			t.Fatal(err)
		}
		if d := heardOf(n) - before; d != 100*time.Millisecond {
			t.Errorf("after the flush 100 ms became %v", d)
		}
	})
}

// A flush between the pieces of a sound throws away the tail that the converter still holds.
func TestFlushEmptiesTheConverter(t *testing.T) {
	p := newPlayout(systemClock{}, 48000)
	loud := make([]float32, 1000)
	for i := range loud {
		loud[i] = 1
	}
	write2 := func(s []float32) {
		if err := p.Write(t.Context(), 16000, s); err != nil {
			t.Fatal(err)
		}
	}
	write2(loud)
	p.Flush()
	out := make([]float32, 480)
	p.pull(out, time.Now())
	for i, v := range out {
		if limit := 1.01 * (1 - float32(i)/144); v > max(0, limit) {
			t.Fatalf("sample %d after a flush is %v", i, v)
		}
	}
	write2(make([]float32, 1000))
	p.pull(out, time.Now())
	if l := rms(out); l != 0 {
		t.Errorf("silence after a flush has %v", l)
	}
}

func TestUnderruns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNull(t, PumpOptions{})
		for range 3 { // two gaps in one sound
			write(t, n, 48000, make([]float32, 4800))
			time.Sleep(300 * time.Millisecond)
		}
		if s := n.Status(); s.Underruns != 3 {
			t.Errorf("%d under-runs, want 3: the third gap is the end that nobody told", s.Underruns)
		}
		if err := n.Drain(t.Context()); err != nil {
			t.Fatal(err)
		}
		write(t, n, 48000, make([]float32, 4800))
		if err := n.Drain(t.Context()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		if s := n.Status(); s.Underruns != 3 {
			t.Errorf("%d under-runs after an end that was told, want 3", s.Underruns)
		}
		if h := heardOf(n); h != 400*time.Millisecond {
			t.Errorf("%v were heard, gaps must not count", h)
		}
	})
}

func TestVolume(t *testing.T) {
	for _, bad := range []int{-1, 101} {
		if err := newPlayout(systemClock{}, 48000).SetVolume(bad); err == nil {
			t.Errorf("volume %d was accepted", bad)
		}
	}
	for _, c := range []struct {
		level int
		gain  float64
	}{{100, 1}, {50, 0.25}, {10, 0.01}, {0, 0}} {
		p := newPlayout(systemClock{}, 48000)
		loud := make([]float32, 4800)
		for i := range loud {
			loud[i] = 1
		}
		if err := p.Write(t.Context(), 48000, loud); err != nil {
			t.Fatal(err)
		}
		if err := p.SetVolume(c.level); err != nil {
			t.Fatal(err)
		}
		out := make([]float32, 480)
		before := float32(1)
		p.pull(out, time.Now())
		for _, v := range out {
			if math.Abs(float64(v-before)) > 0.005 {
				t.Fatalf("level %d: the volume jumps from %v to %v", c.level, before, v)
			}
			before = v
		}
		if math.Abs(float64(before)-c.gain) > 1e-6 {
			t.Errorf("level %d: %v after 10 ms, want %v", c.level, before, c.gain)
		}
	}
}

func TestCloseEndsWriters(t *testing.T) {
	n := newNull(t, PumpOptions{})
	failed := make(chan error)
	go func() { failed <- n.Write(t.Context(), 48000, make([]float32, 20*48000)) }()
	for pendingOf(n) < Queue/2 {
		time.Sleep(time.Millisecond)
	}
	n.Close()
	if err := <-failed; !errors.Is(err, ErrClosed) && !errors.Is(err, ErrFlushed) {
		t.Error(err)
	}
	if err := n.Write(t.Context(), 48000, make([]float32, 1)); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
	if err := n.Drain(t.Context()); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
}

func TestSinkRates(t *testing.T) {
	if _, err := NewNull(PumpOptions{Rate: 1}); err == nil {
		t.Error("a sink of 1 Hz was opened")
	}
	n := newNull(t, PumpOptions{Fast: true})
	if err := n.Write(t.Context(), 1, make([]float32, 1)); err == nil {
		t.Error("sound of 1 Hz was taken")
	}
}

// A sound through a WAVSink as fast as possible comes out as it went in.
func TestWAVSink(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "a.wav"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s, err := NewWAVPlayer(f, PumpOptions{Rate: 16000, Fast: true})
	if err != nil {
		t.Fatal(err)
	}
	write(t, s, 22050, sine(3*22050, 22050, 440, 0.5))
	if err := s.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	if heard, pending := s.Progress(); heard != 3*time.Second || pending != 0 {
		t.Errorf("%v, %v", heard, pending)
	}
	if err := errors.Join(s.Close(), s.Close()); err != nil {
		t.Fatal(err)
	}
	in, err := OpenWAV(f.Name(), FileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	want, n := sine(3*16000, 16000, 440, 0.5), 0
	for {
		var frame Frame
		if err := in.Read(t.Context(), &frame); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		for i, v := range frame.Samples {
			if at := n + i; at > 500 && at < len(want)-500 && math.Abs(float64(v-want[at])) > 2e-3 {
				t.Fatalf("sample %d: %v, want %v", at, v, want[at])
			}
		}
		n += FrameSize
	}
	if n != (len(want)+FrameSize-1)/FrameSize*FrameSize {
		t.Errorf("%d samples", n)
	}
}

// A full disk must not let the speaker wait for ever.
func TestWAVSinkFails(t *testing.T) {
	full := errors.New("disk full")
	s, err := NewWAVPlayer(&failing{left: 1000, err: full}, PumpOptions{Fast: true})
	if err != nil {
		t.Fatal(err)
	}
	err = s.Write(t.Context(), 48000, make([]float32, 10*48000))
	if !errors.Is(err, full) {
		t.Errorf("write: %v", err)
	}
	if err := s.Close(); !errors.Is(err, full) {
		t.Errorf("close: %v", err)
	}
}

type failing struct {
	left int
	err  error
}

func (f *failing) Write(b []byte) (int, error) {
	if f.left -= len(b); f.left < 0 {
		return 0, f.err
	}
	return len(b), nil
}

func (f *failing) Seek(int64, int) (int64, error) { return 0, nil }

func TestFileRealTime(t *testing.T) {
	file := wavFile(wavPCM, 2, 44100, 16, false, make([]byte, 4*44100))
	synctest.Test(t, func(t *testing.T) {
		s, err := NewFile(bytes.NewReader(file), FileOptions{RealTime: true, Lead: 100 * time.Millisecond, Tail: 500 * time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		var f Frame
		for i := 0; ; i++ {
			err := s.Read(t.Context(), &f)
			if errors.Is(err, io.EOF) {
				if i != 50 { // 1.6 s
					t.Errorf("%d frames", i)
				}
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if f.At != start.Add(time.Duration(i)*FrameTime) || time.Since(start) != time.Duration(i+1)*FrameTime {
				t.Fatalf("frame %d of %v came at %v", i, f.At.Sub(start), time.Since(start))
			}
		}
		if err := errors.Join(s.Close(), s.Close()); err != nil {
			t.Fatal(err)
		}
		if err := s.Read(t.Context(), &f); !errors.Is(err, ErrClosed) {
			t.Errorf("after Close: %v", err)
		}
	})
}

func TestFileReadEnds(t *testing.T) {
	file := wavFile(wavPCM, 1, 16000, 16, false, make([]byte, 32000))
	synctest.Test(t, func(t *testing.T) {
		s, err := NewFile(bytes.NewReader(file), FileOptions{RealTime: true})
		if err != nil {
			t.Fatal(err)
		}
		var f Frame
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		defer cancel()
		if err := s.Read(ctx, &f); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("context ends: %v", err)
		}
		ended := make(chan error)
		go func() { ended <- s.Read(t.Context(), &f) }()
		synctest.Wait()
		s.Close()
		if err := <-ended; !errors.Is(err, ErrClosed) {
			t.Errorf("Close while reading: %v", err)
		}
	})
	if _, err := OpenWAV(filepath.Join(t.TempDir(), "none.wav"), FileOptions{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no such file: %v", err)
	}
}

func TestIntake(t *testing.T) {
	clock := systemClock{}
	in := newIntake(clock)
	end := time.Now()
	stereo := make([]float32, 2*700)
	for i := range 700 {
		stereo[2*i], stereo[2*i+1] = 0.5, float32(i)/1000
	}
	in.push(stereo, 2, 1, end)
	var f Frame
	if err := in.Read(t.Context(), &f); err != nil {
		t.Fatal(err)
	}
	if want := end.Add(-700 * time.Second / Rate); f.At != want || f.Lost != 0 || f.Samples[500] != 0.5 {
		t.Errorf("frame at %v, want %v; lost %d, sample 500 is %v", f.At, want, f.Lost, f.Samples[500])
	}
	// The device goes away for a second; what was begun is lost with it.
	in.gap(time.Second)
	in.push(stereo[:2*FrameSize], 2, -1, end)
	if err := in.Read(t.Context(), &f); err != nil {
		t.Fatal(err)
	}
	if f.Lost != 700-FrameSize+Rate || f.Samples[100] != 0.3 {
		t.Errorf("lost %d, mean of 0.5 and 0.1 is %v", f.Lost, f.Samples[100])
	}
	// Nobody reads for three seconds: the oldest second is lost, and told before the first frame that is left.
	for range 94 {
		in.push(stereo[:2*FrameSize], 2, 0, end)
	}
	read, lost := 0, 0
	for in.len > 0 {
		if err := in.Read(t.Context(), &f); err != nil {
			t.Fatal(err)
		}
		if read++; read > 1 && f.Lost != 0 {
			t.Errorf("frame %d: lost %d", read, f.Lost)
		}
		lost += f.Lost
	}
	if read != waiting-1 || lost != (94-read)*FrameSize || in.total != uint64(lost) {
		t.Errorf("%d frames, %d samples lost, %d counted", read, lost, in.total)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := in.Read(ctx, &f); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// A device that calls late and for several periods at once does not spoil the times of its sound.
func TestTimesDoNotJitter(t *testing.T) {
	in, start := newIntake(systemClock{}), time.Now()
	p := newPlayout(systemClock{}, Rate)
	p.slack = 2 * period
	if err := p.Write(t.Context(), Rate, make([]float32, 2*Rate)); err != nil {
		t.Fatal(err)
	}
	samples := make([]float32, 160)
	for i := range 150 {
		late := time.Duration(i*7%19) * time.Millisecond
		if i == 0 {
			late = 0
		}
		in.push(samples, 1, -1, start.Add(time.Duration(i+1)*period+late))
		p.pull(samples, start.Add(time.Duration(i)*period+late))
	}
	for i := 0; in.len > 0; i++ {
		var f Frame
		if err := in.Read(t.Context(), &f); err != nil {
			t.Fatal(err)
		}
		if off := f.At.Sub(start.Add(time.Duration(i) * FrameTime)); off < 0 || off > time.Millisecond {
			t.Errorf("frame %d is off by %v", i, off)
		}
	}
	if off := p.latest[p.newest].at.Sub(start.Add(149 * period)); off != 0 {
		t.Errorf("the last period is off by %v", off)
	}
	// Half a second in which the device left something out is no jitter.
	in.push(samples, 1, -1, start.Add(2*time.Second+period))
	if off := in.start.Add(lengthOf(in.taken, Rate)).Sub(start.Add(2*time.Second + period)); off != 0 {
		t.Errorf("after a hole off by %v", off)
	}
}

func TestNoAllocationInTheCallbacks(t *testing.T) {
	in := newIntake(systemClock{})
	samples, at := make([]float32, 2*160), time.Now()
	if n := testing.AllocsPerRun(500, func() { in.push(samples, 2, 0, at) }); n != 0 {
		t.Errorf("push: %v", n)
	}
	p := newPlayout(systemClock{}, 16000)
	if err := p.Write(t.Context(), 16000, make([]float32, 16000)); err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(500, func() { p.pull(samples[:160], at) }); n != 0 {
		t.Errorf("pull: %v", n)
	}
}

func BenchmarkCallback(b *testing.B) {
	b.Run("playback", func(b *testing.B) {
		p := newPlayout(systemClock{}, 48000)
		out, at := make([]float32, 480), time.Now()
		b.ReportAllocs()
		for b.Loop() {
			p.len = len(p.ring)
			p.pull(out, at)
		}
	})
	b.Run("capture", func(b *testing.B) {
		in := newIntake(systemClock{})
		s, at := make([]float32, 2*160), time.Now()
		b.ReportAllocs()
		for b.Loop() {
			in.push(s, 2, 0, at)
		}
	})
}
