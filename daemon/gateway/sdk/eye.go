package sdk

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/reachyd/reachyd/hal/local"
)

const (
	// eyeRate is how many pictures a second scripts get at most.
	eyeRate = 15
	// maxEyes is how many may watch at the same time, and maxPending how many pictures one of them may hold.
	maxEyes, maxPending = 8, 4
	// eyePatience is how long one of them may take for a picture.
	eyePatience = 2 * time.Second
	// eyeMode lets in who may use the port, too: any program of this host.
	eyeMode = 0o666
	// eyeBytes is the size of a picture.
	eyeBytes = 3 * eyeWidth * eyeHeight
)

// The protocol of GStreamer's elements unixfdsink and unixfdsrc: an 8-byte head of type and length, native byte order, then what follows.
// Pictures lie in memory files that are passed along.
const (
	commandBuffer, commandRelease, commandCaps       = 0, 1, 2
	commandHead, bufferSize, memorySize, releaseSize = 8, 56, 16, 8 // bytes
	noTime                                           = ^uint64(0)
)

// eye serves the camera's pictures on a unix socket, as the official daemon does.
type eye struct {
	frame func(context.Context) ([]byte, error) // JPEG
	lens  lens
	fail  func(error)

	mu       sync.Mutex
	watchers map[*watcher]struct{}
	changed  chan struct{} // has an item when somebody came
	serial   uint64
}

// watcher is one that watches.
type watcher struct {
	conn *net.UnixConn
	held atomic.Int32 // pictures
}

// listenEye opens the socket. One on which somebody else serves is left to them.
func listenEye(path string) (net.Listener, error) {
	if conn, err := net.DialTimeout("unix", path, time.Second); err == nil { //nolint:noctx // it is over at once
		_ = conn.Close() // nothing was sent
		return nil, fmt.Errorf("listen on %s: %w", path, local.ErrInUse)
	}
	l, err := local.Listen(path)
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, eyeMode); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// run serves until ctx ends, and closes l.
func (e *eye) run(ctx context.Context, l net.Listener) {
	e.watchers, e.changed = map[*watcher]struct{}{}, make(chan struct{}, 1)
	var parts sync.WaitGroup
	defer parts.Wait()
	defer context.AfterFunc(ctx, func() {
		_ = l.Close() // Accept tells
		for _, w := range e.list() {
			e.drop(w)
		}
	})()
	parts.Go(func() { e.show(ctx) })
	for {
		conn, err := l.Accept()
		if err != nil {
			_ = l.Close() // it may be so already
			return
		}
		w := &watcher{}
		w.conn, _ = conn.(*net.UnixConn)
		if w.conn == nil || w.write(capsMessage(), nil) != nil || !e.add(ctx, w) {
			_ = conn.Close() // there is nothing to save
			continue
		}
		parts.Go(func() {
			defer e.drop(w)
			w.listen()
		})
	}
}

// add takes a watcher in, unless there are too many.
func (e *eye) add(ctx context.Context, w *watcher) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.watchers) >= maxEyes || ctx.Err() != nil {
		return false
	}
	e.watchers[w] = struct{}{}
	select {
	case e.changed <- struct{}{}:
	default:
	}
	return true
}

func (e *eye) list() []*watcher {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Collect(maps.Keys(e.watchers))
}

// drop ends a watcher. It may be called again.
func (e *eye) drop(w *watcher) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.watchers, w)
	_ = w.conn.Close() // it is gone in any case
}

// show sends pictures while somebody watches. Nobody asks the camera for any else.
func (e *eye) show(ctx context.Context) {
	tick := time.NewTicker(time.Second / eyeRate)
	defer tick.Stop()
	for failing := false; ; {
		list := e.list()
		if len(list) == 0 {
			e.lens = lens{simulated: e.lens.simulated} // its tables are large
			select {
			case <-e.changed:
				continue
			case <-ctx.Done():
				return
			}
		}
		err := e.send(ctx, list)
		if err != nil && !failing && ctx.Err() == nil {
			e.fail(err)
		}
		failing = err != nil
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// send takes a picture and passes it to those who have room for one. The error is the camera's, or that there is no memory.
func (e *eye) send(ctx context.Context, list []*watcher) error {
	list = slices.DeleteFunc(list, func(w *watcher) bool { return w.held.Load() >= maxPending })
	if len(list) == 0 {
		return nil
	}
	data, err := e.frame(ctx)
	if err != nil {
		return err
	}
	file, err := e.picture(data)
	if err != nil {
		return err
	}
	defer unix.Close(file) //nolint:errcheck // who was sent it has it
	e.serial++
	message, rights := bufferMessage(e.serial), unix.UnixRights(file)
	for _, w := range list {
		w.held.Add(1)
		if w.write(message, rights) != nil {
			e.drop(w)
		}
	}
	return nil
}

// picture unpacks a picture into a memory file.
func (e *eye) picture(data []byte) (file int, err error) {
	file, err = unix.MemfdCreate("reachyd-camera", unix.MFD_CLOEXEC)
	if err != nil {
		return 0, fmt.Errorf("memory for a picture: %w", err)
	}
	if err = unix.Ftruncate(file, eyeBytes); err == nil {
		var pixels []byte
		if pixels, err = unix.Mmap(file, 0, eyeBytes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED); err == nil {
			err = errors.Join(e.lens.look(data, pixels), unix.Munmap(pixels))
		}
	}
	if err != nil {
		return 0, errors.Join(err, unix.Close(file))
	}
	return file, nil
}

func (w *watcher) write(message, rights []byte) error {
	if err := w.conn.SetWriteDeadline(time.Now().Add(eyePatience)); err != nil {
		return err
	}
	_, _, err := w.conn.WriteMsgUnix(message, rights, nil)
	return err
}

// listen counts the pictures that a watcher has done with, until it goes or says something else.
func (w *watcher) listen() {
	var in [commandHead + releaseSize]byte
	for {
		if _, err := io.ReadFull(w.conn, in[:]); err != nil || binary.NativeEndian.Uint32(in[:]) != commandRelease ||
			binary.NativeEndian.Uint32(in[4:]) != releaseSize || w.held.Add(-1) < 0 {
			return
		}
	}
}

// command is one of the protocol, with room for what follows.
func command(kind, size int) []byte {
	message := make([]byte, 0, commandHead+size)
	message = binary.NativeEndian.AppendUint32(message, uint32(kind))
	return binary.NativeEndian.AppendUint32(message, uint32(size))
}

// capsMessage says what the pictures are.
func capsMessage() []byte {
	text := fmt.Sprintf("video/x-raw, format=(string)BGR, width=(int)%d, height=(int)%d, framerate=(fraction)0/1\x00", eyeWidth, eyeHeight)
	return append(command(commandCaps, len(text)), text...)
}

// bufferMessage says that a picture comes along, which is of now.
func bufferMessage(id uint64) []byte {
	message := command(commandBuffer, bufferSize+memorySize)
	for _, v := range []uint64{id, monotonic(), noTime, noTime, noTime, noTime} { // id, shown at, decoded at, duration, first, last
		message = binary.NativeEndian.AppendUint64(message, v)
	}
	message = binary.NativeEndian.AppendUint32(message, 0) // flags
	message = append(message, 0, 1, 0, 0)                  // plain memory, of one piece, and nothing else
	message = binary.NativeEndian.AppendUint64(message, eyeBytes)
	return binary.NativeEndian.AppendUint64(message, 0) // from its beginning
}

// monotonic is the system's own clock, ns, which GStreamer's is, too.
func monotonic() uint64 {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_MONOTONIC, &t) != nil {
		return noTime
	}
	return uint64(t.Nano())
}
