package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// serve answers everything with h, on a real socket.
func serve(t *testing.T, h http.HandlerFunc) *Client {
	t.Helper()
	socket := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	srv := &http.Server{Handler: h}
	done := make(chan struct{})
	go func() { defer close(done); srv.Serve(l) }()
	c := New(socket)
	t.Cleanup(func() { c.Close(); srv.Close(); <-done })
	return c
}

func TestWhatAWorkerMayNotAnswer(t *testing.T) {
	for _, x := range []struct {
		name   string
		answer http.HandlerFunc
		call   func(*Client) error
		want   error  // wrapped
		says   string // in the text
	}{
		{"no JSON", text("nonsense"), func(c *Client) error { _, err := c.State(t.Context()); return err }, ErrUnavailable, "/state"},
		{"a watch of no JSON", text("nonsense\n"), func(c *Client) error { return c.Watch(t.Context(), nil) }, ErrUnavailable, "/watch"},
		{"a watch that ends", text(""), func(c *Client) error { return c.Own(t.Context(), nil) }, ErrUnavailable, "closed"},
		{"a line without end", text(strings.Repeat("x", 1<<20+1)), func(c *Client) error { return c.Watch(t.Context(), nil) }, ErrUnavailable, "too long"},
		{"a picture without end", endless, func(c *Client) error { _, err := c.Frame(t.Context()); return err }, ErrUnavailable, "more than"},
		{
			"a recording without result", text(`{"event":{"type":"partial"}}`),
			func(c *Client) error { _, err := c.Listen(t.Context(), nil, nil); return err }, ErrUnavailable, "closed",
		},
		{"a connection that breaks", hangUp, func(c *Client) error { return c.Hush(t.Context()) }, ErrUnavailable, "/hush"},
	} {
		if err := x.call(serve(t, x.answer)); !errors.Is(err, x.want) || !strings.Contains(err.Error(), x.says) {
			t.Errorf("%s: %v", x.name, err)
		}
	}
}

func text(s string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, s) }
}

func endless(w http.ResponseWriter, _ *http.Request) {
	block := make([]byte, 1<<20)
	for {
		if _, err := w.Write(block); err != nil {
			return
		}
	}
}

func hangUp(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

func TestRefusalsCarryTheirReason(t *testing.T) {
	for body, reason := range map[string]string{`{"error":"no camera"}`: "no camera", "plain words\n": "plain words"} {
		c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusNotImplemented)
			io.WriteString(w, body)
		})
		_, err := c.Detect(t.Context(), "apple")
		var refused *Error
		if !errors.As(err, &refused) || refused.Status != http.StatusNotImplemented || refused.Reason != reason {
			t.Errorf("%v", err)
		}
	}
	c := serve(t, text(`{"error":"the file broke off"}`))
	var refused *Error
	if _, err := c.Listen(t.Context(), nil, nil); !errors.As(err, &refused) || refused.Reason != "the file broke off" {
		t.Errorf("%v", err)
	}
}

func TestCloseEndsCalls(t *testing.T) {
	began := make(chan struct{}, 2)
	c := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body) // else nobody watches the connection
		began <- struct{}{}
		<-r.Context().Done()
	})
	ended := make(chan error, 2)
	go func() { _, err := c.Speak(context.Background(), "x"); ended <- err }()
	go func() { ended <- c.Watch(context.Background(), nil) }()
	<-began
	<-began
	c.Close()
	for range 2 {
		if err := <-ended; !errors.Is(err, net.ErrClosed) {
			t.Errorf("%v", err)
		}
	}
}

func TestAWatchPassesOnWhatComes(t *testing.T) {
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `{"event":{"seq":1,"type":"partial","text":%q}}`+"\n"+`{"state":{"pid":7}}`+"\n", r.URL.RawQuery)
	})
	var got []Message
	if err := c.Own(t.Context(), func(m Message) { got = append(got, m) }); !errors.Is(err, ErrUnavailable) {
		t.Error(err)
	}
	if len(got) != 2 || got[0].Event.Text != "owner=1" || got[1].State.PID != 7 {
		t.Errorf("%+v", got)
	}
}

func FuzzListen(f *testing.F) {
	f.Add(`{"event":{"type":"partial"}}` + "\n" + `{"result":{"message":"x"}}`)
	f.Add(`{"error":"x"}`)
	f.Add("\x00\n{}")
	f.Fuzz(func(t *testing.T, answer string) {
		c := serve(t, text(answer))
		if _, err := c.Listen(t.Context(), nil, func(Event) {}); err != nil {
			var refused *Error
			if !errors.Is(err, ErrUnavailable) && !errors.As(err, &refused) {
				t.Errorf("%v", err)
			}
		}
	})
}
