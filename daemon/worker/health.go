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
	"syscall"
	"time"
)

// maxHealth is the most that is read of an answer, bytes.
const maxHealth = 64 << 10

// health asks a worker how it is, over a new connection each time: an answer on an old one would not show that the socket
// still leads to it. It does without http.Client, which would cost four times as much, several times a second for ever.
type health struct {
	socket  net.UnixAddr
	request []byte
	timeout time.Duration
}

func newHealth(socket, path string, timeout time.Duration) *health {
	return &health{
		socket:  net.UnixAddr{Name: socket, Net: "unix"},
		request: []byte("GET " + path + " HTTP/1.1\r\nHost: worker\r\nConnection: close\r\n\r\n"),
		timeout: timeout,
	}
}

// check returns the worker's process number as it says, 0 when it does not, or why it is not healthy.
func (h *health) check(ctx context.Context) (pid int, err error) {
	conn, err := net.DialUnix("unix", nil, &h.socket)
	if err != nil {
		return 0, err
	}
	defer conn.Close() //nolint:errcheck // read only
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	if err := conn.SetDeadline(time.Now().Add(h.timeout)); err != nil {
		return 0, err
	}
	if _, err := conn.Write(h.request); err != nil {
		return 0, err
	}
	resp, err := http.ReadResponse(bufio.NewReaderSize(conn, 1<<10), nil)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close() //nolint:errcheck // read only
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxHealth))
	if err != nil {
		return 0, err
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
func stopped(pid int) bool {
	line, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	behind := bytes.LastIndex(line, []byte(") ")) + 2 // of the name, which may have anything in it
	return err == nil && behind < len(line) && line[behind] == 'T'
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
