package camera

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Process is a child that writes JPEG pictures to its standard output, one after the other. It runs as long as
// somebody looks.
type Process struct {
	Args []string
	// Latency is how old a picture is when its last byte comes: exposure, compression and the pipe.
	Latency time.Duration
	// Of is how pixels and directions belong together; RobotIntrinsics if nil.
	Of func(width, height int) Intrinsics
}

// rpicamLatency is how old a picture of rpicam-vid is when it has been read: two frames at 30 Hz and its compression.
const rpicamLatency = 70 * time.Millisecond

// RPiCam is the camera of the wireless robot, which only libcamera can read: rpicam-vid (Debian: rpicam-apps) does,
// and compresses in hardware. What is 0 becomes 1280×720 at 15 a second.
func RPiCam(width, height, fps int) Process {
	n := func(n, otherwise int) string { return strconv.Itoa(orNumber(n, otherwise)) }
	return Process{
		Args: []string{
			"rpicam-vid", "--nopreview", "--timeout", "0", "--codec", "mjpeg", "--flush",
			"--width", n(width, 1280), "--height", n(height, 720), "--framerate", n(fps, DefaultFPS), "--output", "-",
		},
		Latency: rpicamLatency,
	}
}

// Intrinsics implements Source.
func (p Process) Intrinsics(width, height int) Intrinsics {
	if p.Of != nil {
		return p.Of(width, height)
	}
	return RobotIntrinsics(width, height)
}

// String implements Source.
func (p Process) String() string {
	if len(p.Args) == 0 {
		return "no program"
	}
	return p.Args[0]
}

// Open implements Source.
func (p Process) Open(context.Context) (Stream, error) {
	if len(p.Args) == 0 {
		return nil, errors.New("no program is given")
	}
	// The child outlives Open: its end is Close, not a context's.
	cmd := exec.CommandContext(context.Background(), p.Args[0], p.Args[1:]...)
	cmd.WaitDelay = time.Second // for a child of the child that keeps the pipe
	said := &tail{}
	cmd.Stderr = said
	die(cmd)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		if errors.Is(err, exec.ErrNotFound) {
			return nil, fmt.Errorf("%w (on the robot: apt install rpicam-apps)", err)
		}
		return nil, err
	}
	return &child{cmd: cmd, out: out, split: NewSplitter(out), said: said, latency: p.Latency}, nil
}

type child struct {
	cmd     *exec.Cmd
	out     io.ReadCloser
	split   *Splitter
	said    *tail
	latency time.Duration
}

// Next implements Stream.
func (c *child) Next() (Frame, error) {
	for {
		data, err := c.split.Next()
		if err != nil {
			return Frame{}, fmt.Errorf("%s ended: %w%s", c.cmd.Args[0], err, c.said)
		}
		if f, bad := asFrame(data); bad == nil {
			f.Time = time.Now().Add(-c.latency)
			return f, nil
		}
	}
}

// Close implements Stream: the child is killed, since it holds nothing that it would have to put in order.
func (c *child) Close() error {
	c.cmd.Process.Kill() //nolint:errcheck // it may be gone already
	c.out.Close()        //nolint:errcheck // Wait closes it too
	c.cmd.Wait()         //nolint:errcheck // it was killed
	return nil
}

// tail keeps the last of what a child complains about.
type tail struct {
	mu   sync.Mutex
	text []byte
}

const tailSize = 400

// Write implements io.Writer.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if n := len(t.text) - tailSize; n > 0 {
		t.text = bytes.Clone(t.text[n:])
	}
	return len(p), nil
}

// String is what was said last, as the end of an error's text.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if text := strings.TrimSpace(string(t.text)); text != "" {
		return "; it said: " + text
	}
	return ""
}
