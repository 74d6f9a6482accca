package tts

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

const (
	maxComplaint = 4 << 10 // bytes of standard error that are kept
	pieceBytes   = 4096    // of sound that are read at a time: 93 ms at 22050 samples per second
)

// errEnd is the end of a process's output.
var errEnd = errors.New("end of sound")

// child is a voice process: text goes in, 16-bit mono sound comes out.
type child struct {
	cmd *exec.Cmd
	in  *os.File
	out *os.File

	raw  [pieceBytes]byte
	odd  int // 1 when the first byte of raw is half a sample
	pcm  [pieceBytes / 2]float32
	done chan struct{} // closed when the process has ended
	err  error         // how; only after done

	mu   sync.Mutex
	said bytes.Buffer // the end of standard error
	hear func(line string)
}

func startChild(path string, args ...string) (*child, error) {
	return startListening(nil, path, args...)
}

// startListening starts a process; hear gets each line of its standard error and may be nil.
func startListening(hear func(string), path string, args ...string) (*child, error) {
	c := &child{done: make(chan struct{}), hear: hear}
	inR, inW, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	outR, outW, err := os.Pipe()
	if err != nil {
		_, _ = inR.Close(), inW.Close()
		return nil, err
	}
	c.in, c.out = inW, outR
	c.cmd = exec.Command(path, args...) //nolint:noctx // ended by kill
	c.cmd.Stdin, c.cmd.Stdout, c.cmd.Stderr = inR, outW, &complaints{c: c}
	c.cmd.WaitDelay = 100 * time.Millisecond                // a grandchild may hold standard error open
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // Ctrl-C is for us to handle
	err = c.cmd.Start()
	_, _ = inR.Close(), outW.Close()
	if err != nil {
		_, _ = inW.Close(), outR.Close()
		return nil, fmt.Errorf("start %s: %w", path, err)
	}
	go func() {
		c.err = c.cmd.Wait()
		close(c.done)
	}()
	return c, nil
}

// complaints keeps the end of standard error and passes on its lines.
type complaints struct {
	c    *child
	line []byte
}

func (w *complaints) Write(b []byte) (int, error) {
	w.c.mu.Lock()
	w.c.said.Write(b)
	if extra := w.c.said.Len() - maxComplaint; extra > 0 {
		w.c.said.Next(extra)
	}
	w.c.mu.Unlock()
	if w.c.hear == nil {
		return len(b), nil
	}
	for rest := b; len(rest) > 0; {
		part, after, whole := bytes.Cut(rest, []byte{'\n'})
		if len(w.line) < maxComplaint {
			w.line = append(w.line, part...)
		}
		if whole {
			w.c.hear(string(w.line))
			w.line = w.line[:0]
		}
		rest = after
	}
	return len(b), nil
}

// complaint is the last line of standard error that is no mere information, for an error message.
func (c *child) complaint() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	lines := strings.Split(strings.TrimSpace(c.said.String()), "\n")
	for _, line := range slices.Backward(lines) {
		if line != "" && !strings.Contains(line, "[info]") {
			return ": " + line
		}
	}
	return ""
}

// end tells how the process ended, and its last complaint. It may be called after done.
func (c *child) end() string { return c.cmd.ProcessState.String() + c.complaint() }

func (c *child) alive() bool {
	select {
	case <-c.done:
		return false
	default:
		return true
	}
}

// send writes text to the process, which must take it in time.
func (c *child) send(text string) error {
	if err := c.in.SetWriteDeadline(time.Now().Add(firstSound)); err != nil {
		return err
	}
	_, err := c.in.WriteString(text)
	return err
}

// finish tells the process that there is no more text.
func (c *child) finish() { _ = c.in.Close() }

// wavHead skips the head of a WAV file of 16-bit mono sound and returns its rate. espeak-ng writes the plain one.
func (c *child) wavHead(within time.Duration) (rate int, err error) {
	if err := c.out.SetReadDeadline(time.Now().Add(within)); err != nil {
		return 0, err
	}
	var head [44]byte
	if n, err := io.ReadFull(c.out, head[:]); err != nil {
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return 0, fmt.Errorf("silent for %v", within)
		}
		return 0, fmt.Errorf("its output ends after %d bytes", n)
	}
	le := binary.LittleEndian
	if string(head[:4]) != "RIFF" || string(head[36:40]) != "data" || le.Uint16(head[22:]) != 1 || le.Uint16(head[34:]) != 16 {
		return 0, fmt.Errorf("its output begins with %q and not with 16-bit mono WAV", head[:])
	}
	return int(le.Uint32(head[24:])), nil
}

// read returns the next piece of sound, valid until the next call, or errEnd; after kill os.ErrClosed.
func (c *child) read(within time.Duration) ([]float32, error) {
	if err := c.out.SetReadDeadline(time.Now().Add(within)); err != nil { // os leaves this one as it is: "use of closed file"
		return nil, fmt.Errorf("%w: %w", os.ErrClosed, err)
	}
	n, err := c.out.Read(c.raw[c.odd:])
	n += c.odd
	for i := range n / 2 {
		c.pcm[i] = float32(int16(binary.LittleEndian.Uint16(c.raw[2*i:]))) / (1 << 15)
	}
	if c.odd = n % 2; c.odd == 1 {
		c.raw[0] = c.raw[n-1]
	}
	switch {
	case errors.Is(err, io.EOF):
		err = errEnd
	case errors.Is(err, os.ErrDeadlineExceeded):
		err = fmt.Errorf("silent for %v: %w", within, err)
	}
	return c.pcm[:n/2], err
}

// wait returns how the process ended, which it must do soon.
func (c *child) wait() error {
	timer := time.NewTimer(nextSound)
	defer timer.Stop()
	select {
	case <-c.done:
		return c.err
	case <-timer.C:
		return errors.New("closed its output but does not end")
	}
}

// kill ends the process and waits for it. It may be called twice and at any time.
func (c *child) kill() {
	_ = c.cmd.Process.Kill() // it may have ended
	<-c.done
	_, _ = c.in.Close(), c.out.Close()
}
