package local

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
)

// maxLine is the longest line or JSON reply that a client reads, bytes.
const maxLine = 1 << 20

// Client talks to the program that serves on a unix socket. It may be used by many goroutines at once. It connects when
// it is used, and again after the program has restarted.
type Client struct {
	http        *http.Client
	unavailable error
	refused     func(status int, reason string) error
	ctx         context.Context // ends with Close
	cancel      context.CancelFunc
}

// NewClient contacts nothing yet. unavailable is wrapped by every error that means: the program could not be reached, or
// the connection broke. refused makes the error of a reply whose status is not 200.
func NewClient(socket string, unavailable error, refused func(status int, reason string) error) *Client {
	var d net.Dialer
	ctx, cancel := context.WithCancel(context.Background())
	return &Client{
		http: &http.Client{Transport: &http.Transport{
			DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
				conn, err := d.DialContext(ctx, "unix", socket)
				if err != nil {
					return nil, err
				}
				return Quiet(conn), nil
			},
			DisableCompression:  true,
			MaxIdleConnsPerHost: 4,
		}},
		unavailable: unavailable, refused: refused, ctx: ctx, cancel: cancel,
	}
}

// Close ends all calls of the client, with net.ErrClosed. It may be called more than once.
func (c *Client) Close() {
	c.cancel()
	c.http.CloseIdleConnections()
}

// Call sends one request and decodes the JSON of its reply into out, unless that is nil.
func (c *Client) Call(ctx context.Context, method, path string, in io.Reader, out any) error {
	data, err := c.Fetch(ctx, method, path, in, maxLine)
	if err != nil || out == nil {
		return err
	}
	if err := json.Unmarshal(data, out); err != nil {
		return c.Broken(path, err)
	}
	return nil
}

// Fetch sends one request and returns its reply, of at most so many bytes.
func (c *Client) Fetch(ctx context.Context, method, path string, in io.Reader, most int64) ([]byte, error) {
	ctx, stop := c.Join(ctx)
	defer stop()
	resp, err := c.Do(ctx, method, path, in)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close() //nolint:errcheck // nothing to be done about it
	data, err := io.ReadAll(io.LimitReader(resp.Body, most+1))
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, c.Broken(path, err)
	case int64(len(data)) > most:
		return nil, c.Broken(path, fmt.Errorf("the reply has more than %d bytes", most))
	}
	return data, nil
}

// Lines sends one request and calls fn with every line of its reply, until the connection or ctx ends; that is its
// error, as is one of fn.
func (c *Client) Lines(ctx context.Context, method, path string, in io.Reader, fn func([]byte) error) error {
	ctx, stop := c.Join(ctx)
	defer stop()
	resp, err := c.Do(ctx, method, path, in)
	if err != nil {
		return err
	}
	defer resp.Body.Close() //nolint:errcheck // nothing to be done about it
	err = ReadLines(resp.Body, fn)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return c.Broken(path, err)
}

// Each decodes every line as a message and passes it to fn.
func Each[M any](fn func(M)) func(line []byte) error {
	return func(line []byte) error {
		var m M
		if err := json.Unmarshal(line, &m); err != nil {
			return err
		}
		fn(m)
		return nil
	}
}

// ReadLines calls fn with every line of r until that ends or fn has an error.
func ReadLines(r io.Reader, fn func([]byte) error) error {
	s := bufio.NewScanner(r)
	s.Buffer(make([]byte, 0, 8<<10), maxLine)
	for s.Scan() {
		if err := fn(s.Bytes()); err != nil {
			return err
		}
	}
	return s.Err()
}

// Join returns a context that ends with ctx and with the client.
func (c *Client) Join(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	if c.ctx.Err() != nil { // AfterFunc would tell it in its own time: a closed client must not even begin
		cancel(net.ErrClosed)
	}
	unhook := context.AfterFunc(c.ctx, func() { cancel(net.ErrClosed) })
	return ctx, func() {
		unhook()
		cancel(nil)
	}
}

// Do sends one request and returns the reply when its status is 200. The caller closes its body.
func (c *Client) Do(ctx context.Context, method, path string, in io.Reader) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, "http://local"+path, in)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", method, path, err)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, c.Broken(path, err)
	}
	if resp.StatusCode == http.StatusOK {
		return resp, nil
	}
	defer resp.Body.Close() //nolint:errcheck // nothing to be done about it
	var r refusal
	text, _ := io.ReadAll(io.LimitReader(resp.Body, 4096))
	if json.Unmarshal(text, &r) != nil || r.Error == "" {
		r.Error = string(bytes.TrimSpace(text))
	}
	return nil, c.refused(resp.StatusCode, r.Error)
}

// Broken is the error of a connection that ended during what was asked for.
func (c *Client) Broken(what string, err error) error {
	if err == nil || errors.Is(err, io.EOF) {
		return fmt.Errorf("%w: %s: the connection was closed", c.unavailable, what)
	}
	return fmt.Errorf("%w: %s: %w", c.unavailable, what, err)
}
