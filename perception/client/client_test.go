package client

import (
	"bytes"
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

// frames are packets behind their lengths.
func frames(packets ...string) string {
	var all strings.Builder
	for _, p := range packets {
		all.WriteString(string([]byte{byte(len(p) >> 8), byte(len(p))}) + p)
	}
	return all.String()
}

func TestPacketsOfOpus(t *testing.T) {
	long := "\x48" + strings.Repeat("x", MaxOpusPacket-1)
	for _, x := range []struct {
		name, body string
		good       int    // packets before the error
		says       string // in its text
	}{
		{"an end", frames("\xf8\xff\xfe", long), 2, "end: EOF"},
		{"none", "", 0, "EOF"},
		{"half a length", frames("\x48a") + "\x00", 1, "unexpected EOF"},
		{"half a packet", "\x00\x09\x48abc", 0, "unexpected EOF"},
		{"an empty packet", frames("\x48a", ""), 1, "0 bytes; allowed are 1 to 1276"},
		{"a long packet", frames(long + "x"), 0, "1277 bytes"},
		{"junk", "no sound at all", 0, "28271 bytes"},
		{"60 ms", frames("\x58abc"), 0, "0x58"},
		{"10 ms of both", frames("\x60abc"), 0, "0x60"},
		{"2.5 ms", frames("\xe0abc"), 0, "0xe0"},
		{"two frames", frames("\xf9abc"), 0, "0xf9"},
	} {
		c := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.RequestURI() != "/microphone?as=opus" {
				t.Error(r.URL)
			}
			w.Header().Set("Content-Type", Opus)
			io.WriteString(w, x.body)
		})
		p, err := c.MicrophoneOpus(t.Context())
		if err != nil {
			t.Fatalf("%s: %v", x.name, err)
		}
		n := 0
		for ; err == nil; n++ {
			_, err = p.Next()
		}
		if n-1 != x.good || !errors.Is(err, ErrUnavailable) || !strings.Contains(err.Error(), x.says) {
			t.Errorf("%s: %d packets, %v", x.name, n-1, err)
		}
		p.Close()
	}
}

func TestPacketsOfAnotherType(t *testing.T) {
	if _, err := serve(t, text("samples")).MicrophoneOpus(t.Context()); !errors.Is(err, ErrUnavailable) || !strings.Contains(err.Error(), "text/plain") {
		t.Errorf("samples: %v", err)
	}
	c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, `{"error":"no libopus"}`, http.StatusNotImplemented)
	})
	var refused *Error
	if _, err := c.MicrophoneOpus(t.Context()); !errors.As(err, &refused) || refused.Status != http.StatusNotImplemented {
		t.Errorf("a refusal: %v", err)
	}
}

// Who waits for a packet is let go when the packets, or the client, are closed.
func TestPacketsAreClosed(t *testing.T) {
	for name, end := range map[string]func(*Client, *Packets){
		"packets": func(_ *Client, p *Packets) { p.Close() }, "client": func(c *Client, _ *Packets) { c.Close() },
	} {
		c := serve(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", Opus)
			io.WriteString(w, frames("\x48a"))
			http.NewResponseController(w).Flush()
			<-r.Context().Done()
		})
		p, err := c.MicrophoneOpus(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if packet, err := p.Next(); err != nil || string(packet) != "\x48a" {
			t.Errorf("%s: %q, %v", name, packet, err)
		}
		ended := make(chan error, 1)
		go func() { _, err := p.Next(); ended <- err }()
		end(c, p)
		if err := <-ended; !errors.Is(err, ErrUnavailable) {
			t.Errorf("%s: %v", name, err)
		}
		p.Close()
	}
}

func FuzzPackets(f *testing.F) {
	f.Add([]byte("\x00\x03\xf8\xff\xfe\x00\x00"))
	f.Fuzz(func(t *testing.T, body []byte) {
		p := NewPackets(io.NopCloser(bytes.NewReader(body)))
		for {
			packet, err := p.Next()
			if err != nil {
				if !errors.Is(err, ErrUnavailable) {
					t.Error(err)
				}
				return
			}
			if len(packet) < 1 || len(packet) > MaxOpusPacket {
				t.Errorf("%d bytes", len(packet))
			}
		}
	})
}
