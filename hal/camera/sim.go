package camera

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

// TimeHeader is the HTTP header in which reachy-sim says when a picture was taken, RFC 3339 with nanoseconds.
const TimeHeader = "Reachy-Time"

// Sim is the simulated eye: pictures that reachy-sim draws.
type Sim struct {
	Socket        string // the unix socket on which it serves HTTP
	Width, Height int    // 640×480 if 0
	FPS           int    // pictures a second at most; 15 if 0. Each costs the simulator some 14 ms
}

// Intrinsics implements Source.
func (s Sim) Intrinsics(width, height int) Intrinsics { return SimIntrinsics(width, height) }

// String implements Source.
func (s Sim) String() string { return "simulated eye (" + s.Socket + ")" }

// Open implements Source.
func (s Sim) Open(ctx context.Context) (Stream, error) {
	var d net.Dialer
	transport := &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return d.DialContext(ctx, "unix", s.Socket)
		},
		DisableCompression: true,
	}
	own, cancel := context.WithCancel(context.Background())
	e := &eye{
		client: &http.Client{Transport: transport}, transport: transport, ctx: own, cancel: cancel,
		url: fmt.Sprintf("http://sim/frame.jpg?width=%d&height=%d", orNumber(s.Width, DefaultWidth), orNumber(s.Height, DefaultHeight)),
		gap: time.Second / time.Duration(orNumber(s.FPS, DefaultFPS)),
	}
	defer context.AfterFunc(ctx, cancel)()
	f, err := e.Next() // a simulator that cannot draw is told now
	if err != nil {
		e.Close() //nolint:errcheck // always nil
		return nil, err
	}
	e.first = &f
	return e, nil
}

// eye asks for one picture after the other.
type eye struct {
	client    *http.Client
	transport *http.Transport
	ctx       context.Context
	cancel    context.CancelFunc
	url       string
	gap       time.Duration
	due       time.Time
	first     *Frame
}

// Next implements Stream.
func (e *eye) Next() (Frame, error) {
	if f := e.first; f != nil {
		e.first = nil
		return *f, nil
	}
	if wait := time.Until(e.due); wait > 0 {
		t := time.NewTimer(wait)
		defer t.Stop()
		select {
		case <-t.C:
		case <-e.ctx.Done():
			return Frame{}, e.ctx.Err()
		}
	}
	asked := time.Now()
	e.due = asked.Add(e.gap)
	req, err := http.NewRequestWithContext(e.ctx, http.MethodGet, e.url, nil)
	if err != nil {
		return Frame{}, err
	}
	resp, err := e.client.Do(req)
	if err != nil {
		return Frame{}, err
	}
	defer resp.Body.Close() //nolint:errcheck // nothing to be done about it
	data, err := io.ReadAll(io.LimitReader(resp.Body, MaxJPEG))
	if err != nil {
		return Frame{}, fmt.Errorf("read the picture: %w", err)
	}
	if resp.StatusCode != http.StatusOK {
		return Frame{}, refusal(resp.StatusCode, data)
	}
	f, err := asFrame(data)
	if err != nil {
		return Frame{}, err
	}
	f.Time = asked
	if t, err := time.Parse(time.RFC3339Nano, resp.Header.Get(TimeHeader)); err == nil {
		f.Time = t
	}
	return f, nil
}

// refusal is what the simulator says when it has no picture.
func refusal(status int, body []byte) error {
	var e struct{ Error string }
	if json.Unmarshal(body, &e) != nil || e.Error == "" {
		e.Error = strings.TrimSpace(string(body[:min(len(body), 200)]))
	}
	return fmt.Errorf("status %d: %w", status, errors.New(e.Error))
}

// Close implements Stream.
func (e *eye) Close() error {
	e.cancel()
	e.transport.CloseIdleConnections()
	return nil
}
