package files

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Limits of a child process.
const (
	workerTime   = 20 * time.Second
	workerMemory = 512 << 20 // bytes of data; the largest image and the largest table need about 300 MiB
	workerGC     = 256 << 20 // from where on the collector works harder
	workerGrace  = 5 * time.Second
)

// Worker does what Describe and Read do in a child process for each file, which is killed when it takes too long or
// too much. The zero Worker is not usable.
type Worker struct {
	// Command starts a program that calls WorkerMain with its standard input and output.
	Command []string
	// Time is how long a file may take; 0: 20 s.
	Time time.Duration
}

type request struct {
	Name     string `json:"name"`
	Describe bool   `json:"describe,omitempty"`
	Query    Query  `json:"query"`
}

type response struct {
	Info  *Info           `json:"info,omitempty"`
	Value json.RawMessage `json:"value,omitempty"`
	Error *Error          `json:"error,omitempty"`
	Other string          `json:"other,omitempty"` // an error that is not about the file
}

// Describe is like the function of that name.
func (w *Worker) Describe(ctx context.Context, f *File) (*Info, error) {
	r, err := w.ask(ctx, f, request{Name: f.Name, Describe: true})
	return r.Info, err
}

// Read is like the function of that name.
func (w *Worker) Read(ctx context.Context, f *File, q Query) (json.RawMessage, error) {
	r, err := w.ask(ctx, f, request{Name: f.Name, Query: q})
	return r.Value, err
}

// ask starts a child, gives it the file and waits for its answer or its end.
func (w *Worker) ask(ctx context.Context, f *File, q request) (response, error) {
	if len(w.Command) == 0 {
		return response{}, errors.New("read file: the worker has no command")
	}
	allowed := cmp.Or(w.Time, workerTime)
	limited, cancel := context.WithTimeout(ctx, allowed)
	defer cancel()
	head, err := json.Marshal(q)
	if err != nil {
		return response{}, fmt.Errorf("read file %.80q: %w", f.Name, err)
	}
	out := &limitedBuffer{&bytes.Buffer{}, MaxOutput + 1<<20}
	complaints := &limitedBuffer{&bytes.Buffer{}, 64 << 10}
	cmd := exec.CommandContext(limited, w.Command[0], w.Command[1:]...)
	cmd.Stdin = io.MultiReader(bytes.NewReader(append(head, '\n')), bytes.NewReader(f.Data))
	cmd.Stdout, cmd.Stderr = out, lenient{complaints}
	cmd.WaitDelay = time.Second
	cmd.SysProcAttr = &unix.SysProcAttr{Pdeathsig: unix.SIGKILL}
	runErr := cmd.Run()
	switch {
	case ctx.Err() != nil:
		return response{}, context.Cause(ctx)
	case limited.Err() != nil:
		return response{}, f.errorf(CodeLimit, "reading it takes longer than %v", allowed)
	case errors.Is(runErr, exec.ErrNotFound) || errors.Is(runErr, os.ErrNotExist) || errors.Is(runErr, os.ErrPermission):
		return response{}, fmt.Errorf("read file %.80q: %w", f.Name, runErr)
	}
	var r response
	if err := json.Unmarshal(out.b.Bytes(), &r); err != nil || runErr != nil {
		return response{}, f.died(runErr, complaints.b.String())
	}
	switch {
	case r.Error != nil:
		return response{}, r.Error
	case r.Other != "":
		return response{}, fmt.Errorf("read file %.80q: %.300s", f.Name, r.Other)
	}
	return r, nil
}

// died says why a child ended without an answer.
func (f *File) died(err error, complaint string) error {
	var exit *exec.ExitError
	switch {
	case strings.Contains(complaint, "out of memory") || strings.Contains(complaint, "failed to allocate"): // runtime, race detector
		return f.errorf(CodeLimit, "reading it takes more than %d bytes of memory", workerMemory)
	case errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signal() == unix.SIGXCPU:
		return f.errorf(CodeLimit, "reading it takes too much processor time")
	}
	return f.damaged(fmt.Errorf("its reader crashed (%w): %.200s", cmp.Or(err, io.ErrUnexpectedEOF), firstLine(errors.New(complaint))))
}

// lenient keeps the beginning of what is written and drops the rest.
type lenient struct{ b *limitedBuffer }

func (l lenient) Write(p []byte) (int, error) {
	_, _ = l.b.Write(p[:min(len(p), l.b.most-l.b.b.Len())])
	return len(p), nil
}

// WorkerMain serves one request of a Worker and returns the exit code of the process, whose limits it sets. confinement takes
// further rights from the process before it reads anything; guest.Seal is one.
func WorkerMain(in io.Reader, out io.Writer, confinement ...func() error) int {
	confinement = append([]func() error{func() error { return confine(workerMemory * raceFactor) }}, confinement...)
	for _, seal := range confinement {
		if err := seal(); err != nil {
			return reply(out, response{Other: err.Error()})
		}
	}
	r := bufio.NewReader(in)
	line, err := r.ReadSlice('\n')
	var q request
	if err == nil {
		err = json.Unmarshal(line, &q)
	}
	var data []byte
	if err == nil {
		data, err = io.ReadAll(io.LimitReader(r, MaxSize+1))
	}
	if err != nil {
		return reply(out, response{Other: "request: " + err.Error()})
	}
	return reply(out, serve(q, data))
}

func serve(q request, data []byte) (r response) {
	ctx := context.Background() // whoever waits kills the process
	f, err := Check(q.Name, data)
	if err == nil && q.Describe {
		r.Info, err = Describe(ctx, f)
	} else if err == nil {
		r.Value, err = Read(ctx, f, q.Query)
	}
	if err != nil && !errors.As(err, &r.Error) {
		r.Other = err.Error()
	}
	return r
}

func reply(out io.Writer, r response) int {
	if err := json.NewEncoder(out).Encode(r); err != nil {
		return 1
	}
	return 0
}

// confine limits this process for good: memory, processor time, no files written, no core.
func confine(memory uint64) error {
	debug.SetMemoryLimit(workerGC)
	debug.SetMaxStack(64 << 20)
	for _, l := range []struct {
		what  string
		which int
		most  uint64
	}{
		{"memory", unix.RLIMIT_DATA, memory},
		{"processor time", unix.RLIMIT_CPU, uint64((workerTime + workerGrace).Seconds())},
		{"size of files", unix.RLIMIT_FSIZE, 0},
		{"core", unix.RLIMIT_CORE, 0},
	} {
		if err := unix.Setrlimit(l.which, &unix.Rlimit{Cur: l.most, Max: l.most}); err != nil {
			return fmt.Errorf("limit %s of the reader: %w", l.what, err)
		}
	}
	return nil
}
