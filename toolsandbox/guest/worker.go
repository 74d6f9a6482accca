package guest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// WorkerArg is the argument that makes a program a worker of the sandbox: it then must call WorkerMain and exit.
const WorkerArg = "sandbox-worker"

// The steps of a worker's life, one argument further.
const (
	stepPrepare  = "prepare"  // make the image and end; the configuration comes on standard input
	stepRepair   = "repair"   // the same, when the image that is there cannot be opened
	stepRestrict = "restrict" // give up rights and execute itself again
	stepServe    = "serve"    // load the image, seal, answer
)

// workerListener is the file descriptor of a worker's unix socket.
const workerListener = 3

// WorkerMain is the worker process, to be called before anything else when the first argument is WorkerArg. It
// returns the exit code.
func WorkerMain(args []string, stdin *os.File, stderr io.Writer) int {
	if err := workerMain(args, stdin); err != nil {
		fmt.Fprintln(stderr, err) //nolint:errcheck // there is nobody else to tell
		if errors.As(err, new(*imageError)) {
			return exitImage
		}
		return 1
	}
	return 0
}

// imageError says that an image cannot be opened, which a worker tells its parent by ending with exitImage.
type imageError struct{ err error }

func (e *imageError) Error() string { return e.err.Error() }
func (e *imageError) Unwrap() error { return e.err }

const exitImage = 3

func workerMain(args []string, stdin *os.File) error {
	if len(args) < 2 || args[0] != WorkerArg {
		return fmt.Errorf("usage: %s %s|%s|%s", WorkerArg, stepPrepare, stepRestrict, stepServe)
	}
	ctx := context.Background()
	switch {
	case args[1] == stepPrepare || args[1] == stepRepair:
		var c ImageConfig
		if err := json.NewDecoder(stdin).Decode(&c); err != nil {
			return fmt.Errorf("image configuration: %w", err)
		}
		if c.Language == WASI {
			if err := limitCompiling(); err != nil {
				return err
			}
		}
		return c.prepare(ctx, args[1] == stepRepair)
	case args[1] == stepRestrict && len(args) == 4:
		return workerRestrict(args[2], args[3])
	case args[1] == stepServe && len(args) == 5:
		return workerServe(ctx, args[2], args[3] == sealed, args[4], stdin)
	}
	return fmt.Errorf("%s: wrong arguments %q", WorkerArg, args[1:])
}

// limitCompiling bounds what a module that somebody brought may take to be compiled. Nothing of it runs meanwhile.
func limitCompiling() error {
	for what, most := range map[int]uint64{unix.RLIMIT_CPU: compileSeconds, unix.RLIMIT_CORE: 0} {
		if err := unix.Setrlimit(what, &unix.Rlimit{Cur: most, Max: most}); err != nil {
			return fmt.Errorf("resource limit %d: %w", what, err)
		}
	}
	debug.SetMemoryLimit(compileMemory)
	if raceEnabled { // the race detector reserves terabytes
		return nil
	}
	return unix.Setrlimit(unix.RLIMIT_AS, &unix.Rlimit{Cur: workerAddressSpace, Max: workerAddressSpace})
}

// A Go program of 3 MB takes 2 s and 200 MB.
const (
	compileSeconds = 60
	compileMemory  = 1 << 30
)

// sealed and unsealed say whether a worker must be confined.
const (
	sealed   = "sealed"
	unsealed = "unsealed"
)

// workerRestrict gives up rights on one thread and executes the program again from it.
func workerRestrict(dir, confinement string) error {
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	landlock := 0
	if confinement == sealed {
		libraries := []string{"/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache", "/proc/self"} // the last for its own pagemap
		if landlock, err = restrict(append(libraries, exe, dir, codeDir(dir))); err != nil {
			return fmt.Errorf("giving up rights: %w", err)
		}
	}
	return unix.Exec(exe, []string{exe, WorkerArg, stepServe, dir, confinement, strconv.Itoa(landlock)}, workerEnv)
}

// workerEnv is all that a worker has of an environment: one thread for the guest and one for its conversation.
var workerEnv = []string{"GOMAXPROCS=2", "GOTRACEBACK=none"}

func workerServe(ctx context.Context, dir string, walled bool, landlock string, lifeline *os.File) error {
	signal.Ignore(unix.SIGXFSZ) // writing a file is an error like others
	if err := errors.Join(private(dir), private(codeDir(dir)), complete(dir)); err != nil {
		return &imageError{err}
	}
	img, err := openImage(ctx, dir, imageName)
	if err != nil {
		return &imageError{err}
	}
	_ = shareNative(filepath.Join(codeDir(dir), nativeName())) // otherwise the worker has its code for itself
	file := os.NewFile(workerListener, "listener")
	listener, err := net.FileListener(file)
	if err != nil {
		return fmt.Errorf("listener: %w", err)
	}
	if err := file.Close(); err != nil {
		return fmt.Errorf("listener: %w", err)
	}
	w := &worker{image: img, next: make(chan readyInstance, 1)}
	if w.confinement.Landlock, err = strconv.Atoi(landlock); err != nil {
		return fmt.Errorf("landlock version: %w", err)
	}
	w.refill()
	_ = unix.Madvise(img.wasm, unix.MADV_DONTNEED) // it was read once; what is wanted again comes back
	// A collection stops the world, and a guest does not stop for it: collect between calls instead.
	debug.SetGCPercent(-1)
	debug.FreeOSMemory()
	if walled {
		if err := seal(); err != nil {
			return err
		}
		w.confinement.Seccomp = true
	}
	go func() { // the parent holds the other end as long as it lives
		_, _ = lifeline.Read(make([]byte, 1))
		os.Exit(0)
	}()
	server := &http.Server{Handler: w.handler(), ReadHeaderTimeout: 10 * time.Second}
	return server.Serve(listener)
}

// worker answers over HTTP, one call at a time:
//
//	GET /healthz   what it is and what confines it
//	GET /calls     an upgrade to lines of JSON both ways, for any number of calls: a Request, then workerLines from here
//	               and answers from there, up to the line with the result; one such connection at a time
type worker struct {
	image       *Image
	confinement Confinement
	next        chan readyInstance
	calls       int
	taken       atomic.Bool // the stream of calls is open
}

type readyInstance struct {
	in  *instance
	err error
}

// workerLine is one line from a worker to its parent: something printed, a host call, or the end.
type workerLine struct {
	Log  []byte          `json:"log,omitempty"`
	Call string          `json:"call,omitempty"`
	Args json.RawMessage `json:"args,omitempty"`
	At   time.Duration   `json:"at,omitempty"`
	Done *Result         `json:"done,omitempty"`
	Fail string          `json:"fail,omitempty"` // the request was refused
}

// collectEvery is how many calls' garbage a worker keeps: about 0.4 MB each.
const collectEvery = 8

// maxRequest bounds the first line of a call, in bytes: files of 50 MB in base64, source and arguments.
const maxRequest = 80 << 20

func (w *worker) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(rw).Encode(map[string]any{"pid": os.Getpid(), "confinement": w.confinement}) //nolint:errchkjson // a client that went away
	})
	mux.HandleFunc("GET /calls", w.upgrade)
	return mux
}

// The upgrade of a connection to the stream of calls.
const (
	streamName        = "reachyd-calls"
	confinementHeader = "Reachyd-Confinement"
	upgradeRequest    = "GET /calls HTTP/1.1\r\nHost: sandbox\r\nConnection: Upgrade\r\nUpgrade: " + streamName + "\r\n\r\n"
)

func (w *worker) upgrade(rw http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Upgrade") != streamName {
		rw.Header().Set("Upgrade", streamName)
		http.Error(rw, "calls come by an upgrade to "+streamName, http.StatusUpgradeRequired)
		return
	}
	if !w.taken.CompareAndSwap(false, true) {
		http.Error(rw, "the stream of calls is taken", http.StatusConflict)
		return
	}
	defer w.taken.Store(false)
	confinement, err := json.Marshal(w.confinement)
	if err != nil {
		http.Error(rw, err.Error(), http.StatusInternalServerError)
		return
	}
	conn, _, err := http.NewResponseController(rw).Hijack()
	if err != nil {
		http.Error(rw, err.Error(), http.StatusInternalServerError)
		return
	}
	defer conn.Close() //nolint:errcheck // the parent has what it needs
	if _, err := fmt.Fprintf(
		conn,
		"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: %s\r\n%s: %s\r\n\r\n",
		streamName,
		confinementHeader,
		confinement,
	); err != nil {
		return
	}
	unixConn, ok := conn.(*net.UnixConn)
	if !ok {
		return
	}
	stream, err := blockingFile(unixConn)
	if err != nil {
		return
	}
	defer stream.Close() //nolint:errcheck // the parent is gone
	in := lineReader{bufio.NewReaderSize(stream, 16<<10), maxRequest}
	for w.call(in, stream) == nil {
	}
}

// blockingFile is a connection that is read by waiting in the kernel, which wakes up sooner than Go's poller does. Only
// the end of the other process interrupts it.
func blockingFile(conn *net.UnixConn) (*os.File, error) {
	f, err := conn.File()
	if err != nil {
		return nil, err
	}
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	if err := unix.SetNonblock(fd, false); err != nil {
		return nil, errors.Join(err, unix.Close(fd))
	}
	return os.NewFile(uintptr(fd), "calls"), nil
}

func (w *worker) refill() {
	if w.calls++; w.calls%collectEvery == 0 {
		runtime.GC()
	}
	in, err := w.image.ready(context.Background())
	w.next <- readyInstance{in, err}
}

// call runs the next request of the stream. An error means that the stream is broken.
func (w *worker) call(in lineReader, out io.Writer) error {
	line, err := in.read()
	if err != nil {
		return err
	}
	var req Request
	if err := json.Unmarshal(line, &req); err != nil {
		return err
	}
	ready := <-w.next
	defer func() { go w.refill() }()
	var buf []byte
	send := func(l workerLine) error {
		var err error
		if buf, err = appendLine(buf[:0], l); err != nil {
			return err
		}
		_, err = out.Write(buf)
		return err
	}
	if ready.err != nil {
		return send(workerLine{Fail: ready.err.Error()})
	}
	defer ready.in.close()
	req.Host = func(_ context.Context, c HostCall) (json.RawMessage, error) {
		if err := send(workerLine{Call: c.Name, Args: c.Args, At: c.At}); err != nil {
			return nil, err
		}
		line, err := in.read()
		if err != nil {
			return nil, errors.New("the host is gone")
		}
		var a answer
		if err := json.Unmarshal(line, &a); err != nil {
			return nil, err
		}
		c.Pass(a.Pass)
		if a.Error != nil {
			return nil, a.Error
		}
		return a.Value, nil
	}
	log := func(p []byte) { _ = send(workerLine{Log: p}) } // a parent that went away is noticed at the end
	res, err := ready.in.run(context.Background(), &req, log)
	if err != nil {
		return send(workerLine{Fail: err.Error()})
	}
	res.Log = "" // was sent while it was printed
	return send(workerLine{Done: &res})
}

// lineReader reads lines of at most limit bytes.
type lineReader struct {
	r     *bufio.Reader
	limit int
}

var errLineTooLong = errors.New("line is too long")

func (l lineReader) read() ([]byte, error) {
	line, err := l.r.ReadSlice('\n')
	if err == nil {
		return line, nil // valid until the next read
	}
	whole := bytes.Clone(line)
	for errors.Is(err, bufio.ErrBufferFull) {
		if len(whole) > l.limit {
			return nil, errLineTooLong
		}
		line, err = l.r.ReadSlice('\n')
		whole = append(whole, line...)
	}
	if err != nil && (!errors.Is(err, io.EOF) || len(whole) == 0) {
		return nil, err
	}
	return whole, nil
}

// socketName is a worker's socket in its folder.
const socketName = "worker.sock"

// listenWorker makes the socket of a worker in a folder that only this user can enter.
func listenWorker(runDir string) (dir string, listener *net.UnixListener, err error) {
	if dir, err = os.MkdirTemp(runDir, folderPrefix); err != nil {
		return "", nil, err
	}
	path := filepath.Join(dir, socketName)
	if listener, err = net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"}); err != nil {
		return "", nil, errors.Join(err, os.RemoveAll(dir))
	}
	listener.SetUnlinkOnClose(false)
	return dir, listener, nil
}

// tail keeps the end of what a worker says on standard error.
type tail struct{ b []byte }

const tailSize = 4 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.b = append(t.b, p...)
	if len(t.b) > tailSize {
		t.b = append(t.b[:0], t.b[len(t.b)-tailSize:]...)
	}
	return len(p), nil
}

// ReadFrom is how package exec copies output: with less than the 32 KiB that it would keep while the worker lives.
func (t *tail) ReadFrom(r io.Reader) (int64, error) {
	return io.CopyBuffer(struct{ io.Writer }{t}, r, make([]byte, 1<<10))
}

func (t *tail) String() string { return strings.TrimSpace(string(t.b)) }
