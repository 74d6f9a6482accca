package worker

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"
)

// maxHealth is the most that is read of an answer, bytes.
const maxHealth = 64 << 10

// asksPerConnection is after how many answers a new connection is made: one on an old one does not show that the socket still
// leads to the worker, and to open one, several times a second for ever, costs both sides more than the answer.
const asksPerConnection = 8

// health asks a worker how it is. It does without http.Client, which would cost four times as much.
type health struct {
	socket  net.UnixAddr
	request []byte
	timeout time.Duration

	conn  *net.UnixConn // nil: there is none
	lines *bufio.Reader
	asked int // over conn
}

func newHealth(socket, path string, timeout time.Duration) *health {
	return &health{
		socket:  net.UnixAddr{Name: socket, Net: "unix"},
		request: []byte("GET " + path + " HTTP/1.1\r\nHost: worker\r\n\r\n"),
		timeout: timeout,
		lines:   bufio.NewReaderSize(nil, 1<<10),
	}
}

// check returns the worker's process number as it says, 0 when it does not, or why it is not healthy. Only one goroutine may call it.
func (h *health) check(ctx context.Context) (pid int, err error) {
	if h.asked >= asksPerConnection {
		h.close()
	}
	if h.conn != nil {
		pid, err = h.ask(ctx)
		if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, syscall.EPIPE) && !errors.Is(err, syscall.ECONNRESET) {
			return pid, err
		}
		// The worker may have closed it, or be another one by now.
	}
	h.conn, err = net.DialUnix("unix", nil, &h.socket)
	if err != nil {
		h.conn = nil
		return 0, err
	}
	h.lines.Reset(h.conn)
	return h.ask(ctx)
}

// close ends the connection, if there is one.
func (h *health) close() {
	if h.conn != nil {
		_ = h.conn.Close()
	}
	h.conn, h.asked = nil, 0
}

// ask does what check does, over conn, which is closed after an error.
func (h *health) ask(ctx context.Context) (pid int, err error) {
	conn := h.conn
	defer func() {
		if err != nil {
			h.close()
		}
	}()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	h.asked++
	if err := conn.SetDeadline(time.Now().Add(h.timeout)); err != nil {
		return 0, err
	}
	if _, err := conn.Write(h.request); err != nil {
		return 0, err
	}
	resp, err := http.ReadResponse(h.lines, nil)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close() //nolint:errcheck // read only
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxHealth))
	if err != nil {
		return 0, err
	}
	if resp.Close || len(data) == maxHealth {
		h.close()
	}
	if resp.StatusCode != http.StatusOK {
		return 0, fmt.Errorf("answers %s", resp.Status)
	}
	var said struct {
		PID int `json:"pid"`
	}
	if json.Unmarshal(data, &said) != nil {
		return 0, nil // it answers; the number is a courtesy
	}
	return said.PID, nil
}

// gone reports whether err says that nobody listens on the socket.
func gone(err error) bool {
	return errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, fs.ErrNotExist)
}

// stopped reports whether SIGSTOP or its like has stopped the process: it will not answer, however long one waits.
func stopped(pid int) bool { return doing(fmt.Sprintf("/proc/%d/stat", pid)) == 'T' }

// working reports whether a thread of the process runs, or waits for a processor.
func working(pid int) bool {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid)) // the pattern is well-formed
	return slices.ContainsFunc(threads, func(path string) bool { return doing(path) == 'R' })
}

// doing is the kernel's letter for what a process or thread does, 0 if it is not there any more.
func doing(path string) byte {
	line, err := os.ReadFile(path)
	behind := bytes.LastIndex(line, []byte(") ")) + 2 // of the name, which may have anything in it
	if err != nil || behind >= len(line) {
		return 0
	}
	return line[behind]
}

// removeStale removes a socket that nobody listens on, so that the new process can have its name.
func removeStale(socket string) {
	info, err := os.Lstat(socket)
	if err != nil || info.Mode().Type() != fs.ModeSocket {
		return
	}
	conn, err := net.DialTimeout("unix", socket, time.Second) //nolint:noctx // bounded by its timeout
	if err == nil {
		_ = conn.Close()
		return
	}
	if gone(err) {
		_ = os.Remove(socket) // if it stays, the process will say so
	}
}
