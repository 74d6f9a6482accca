package http

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/reachyd/reachyd/hal"
)

// However many connect and ask nothing, or never finish asking, there are no more connections than may be, and who asks is answered.
func TestSilentConnectionsKeepNobodyOut(t *testing.T) {
	g, _, _ := open(t, hal.State{Mode: hal.ModeEnabled})
	var conns []net.Conn
	t.Cleanup(func() {
		for _, c := range conns {
			_ = c.Close()
		}
	})
	for i := range 3 * maxConns {
		c, err := net.Dial("tcp", g.Addr())
		if err != nil {
			t.Fatal(err)
		}
		conns = append(conns, c)
		if i%2 == 1 {
			if _, err := io.WriteString(c, "GET /healthz HTTP/1.1\r\nX-Slow: "); err != nil {
				t.Fatal(err)
			}
		}
	}
	fresh := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	if code, body := request(t, &fresh, "GET", "http://"+g.Addr()+"/healthz", ""); code != http.StatusOK {
		t.Errorf("%d %s", code, body)
	}
	gone := 0
	for _, c := range conns {
		_ = c.SetReadDeadline(time.Now().Add(10 * time.Millisecond))
		if _, err := c.Read(make([]byte, 1)); err != nil && !isTimeout(err) {
			gone++
		}
	}
	if gone < 2*maxConns {
		t.Errorf("%d of %d connections were ended; %d may stay", gone, len(conns), maxConns)
	}
}

func isTimeout(err error) bool {
	var timeout net.Error
	return errors.As(err, &timeout) && timeout.Timeout()
}

// However many commands are under way, and however many never come to their end, a stop is carried out.
func TestStopAmongManyCommands(t *testing.T) {
	g, _, _ := open(t, hal.State{Mode: hal.ModeEnabled})
	release := make(chan struct{})
	g.Commander = blocking(release)
	fresh := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	post := func(verb string) int {
		resp, err := fresh.Post("http://"+g.Addr()+"/api/cmd/"+verb, "application/json", strings.NewReader("{}"))
		if err != nil {
			t.Error(err)
			return 0
		}
		_ = resp.Body.Close()
		return resp.StatusCode
	}
	var wg sync.WaitGroup
	codes := make(chan int, maxCommands)
	for range maxCommands {
		wg.Go(func() { codes <- post("chat") })
	}
	for deadline := time.Now().Add(time.Minute); len(g.commands) < maxCommands; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d commands are under way", len(g.commands))
		}
	}
	for range 2 * maxConns {
		c, err := net.Dial("tcp", g.Addr())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if _, err := io.WriteString(c, "POST /api/cmd/chat HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{"); err != nil {
			t.Fatal(err)
		}
	}
	if code := post("chat"); code != http.StatusServiceUnavailable {
		t.Errorf("one command more: %d", code)
	}
	if code := post("stop"); code != http.StatusOK {
		t.Errorf("stop: %d", code)
	}
	close(release)
	wg.Wait()
	for range maxCommands {
		if code := <-codes; code != http.StatusOK {
			t.Errorf("a command under way: %d", code)
		}
	}
}

// blocking carries out no command but a stop until it is closed.
type blocking chan struct{}

func (b blocking) Do(_ context.Context, verb string, _ []byte) (string, []byte) {
	if verb != "stop" {
		<-b
	}
	return "1", []byte(`{"id":"1","ok":true}`)
}

// A request that is being answered is not ended for a new connection; that is refused instead.
func TestConnectionsThatAreAnsweredStay(t *testing.T) {
	l := newLimited(nil, 2, 0)
	l.patience = time.Millisecond
	var ends []net.Conn
	add := func() *conn {
		ours, theirs := net.Pipe()
		ends = append(ends, theirs)
		return l.place(ours)
	}
	first, second := add(), add()
	first.setBusy(true)
	if third := add(); third == nil {
		t.Error("the new one is refused, though one is idle")
	} else {
		third.setBusy(true)
	}
	if _, err := second.Write([]byte("x")); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("the idle one is still there: %v", err)
	}
	if add() != nil {
		t.Error("one more than may be was taken")
	}
	for _, c := range append(ends, first) {
		_ = c.Close()
	}
}

// crowded is a listener with two places and what connects to it, which are ended with the test.
func crowded(t *testing.T) (l *limited, dial func(says string) net.Conn, accept func() net.Conn) {
	t.Helper()
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l = newLimited(tcp, 2, 0)
	l.patience = time.Minute
	var all []net.Conn
	t.Cleanup(func() {
		for _, c := range all {
			_ = c.Close()
		}
		_ = tcp.Close()
	})
	dial = func(says string) net.Conn {
		c, err := net.Dial("tcp", tcp.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
		if _, err := io.WriteString(c, says); err != nil {
			t.Fatal(err)
		}
		return c
	}
	accept = func() net.Conn {
		c, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
		return c
	}
	return l, dial, accept
}

// A request that nobody has read yet stays beside connections that were cut, however new those are.
func TestRequestBesideCutConnections(t *testing.T) {
	for name, cut := range map[string]func(*net.TCPConn){
		"reset":  func(c *net.TCPConn) { _ = c.SetLinger(0) },
		"closed": func(*net.TCPConn) {},
	} {
		t.Run(name, func(t *testing.T) {
			_, dial, accept := crowded(t)
			dial("request")
			asks := accept()
			for range 10 {
				c := dial("half a req").(*net.TCPConn)
				accept()
				cut(c)
				_ = c.Close()
			}
			if got, err := io.ReadAll(io.LimitReader(asks, 7)); string(got) != "request" {
				t.Errorf("the request that came first: %q %v", got, err)
			}
		})
	}
}

// While all others are asking or being answered, a new connection waits for the first that is done instead of being refused or
// ending one of them.
func TestConnectionWaitsForAPlace(t *testing.T) {
	for _, how := range []string{"answered", "closed", "left"} {
		t.Run(how, func(t *testing.T) {
			l, dial, accept := crowded(t)
			theirs := dial("first")
			answered := accept().(*conn)
			answered.setBusy(true)
			dial("second")
			asks := accept()
			dial("third")
			placed := make(chan net.Conn)
			go func() { placed <- accept() }()
			_, _ = io.ReadFull(answered, make([]byte, 5))
			switch how {
			case "answered":
				answered.setBusy(false)
			case "closed":
				_ = answered.Close()
			case "left":
				_ = theirs.Close()
				answered.setBusy(false)
			}
			third := <-placed
			for text, c := range map[string]net.Conn{"second": asks, "third": third} {
				if got, err := io.ReadAll(io.LimitReader(c, int64(len(text)))); string(got) != text {
					t.Errorf("%s: %q %v", text, got, err)
				}
			}
			if n, _ := l.count(); n != 2 {
				t.Errorf("%d connections, 2 may be", n)
			}
		})
	}
}

// Once one has waited in vain, the next is refused at once: a stop does not queue behind the waits of others.
func TestFewWaitInVain(t *testing.T) {
	l, dial, accept := crowded(t)
	l.patience = time.Millisecond
	for range 2 {
		dial("")
		accept().(*conn).setBusy(true)
	}
	refused := func() bool {
		ours, theirs := net.Pipe()
		t.Cleanup(func() { _, _ = ours.Close(), theirs.Close() })
		return l.place(ours) == nil
	}
	if !refused() || !l.hopeless {
		t.Error("the first did not wait in vain")
	}
	l.patience = time.Hour
	if !refused() {
		t.Error("there is one more than may be")
	}
	l.conns[0].setBusy(false)
	if refused() || l.hopeless {
		t.Error("refused, though there is a place")
	}
}

// A client that does not read its answer is dropped.
func TestClientThatDoesNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := net.Pipe()
		l := &oneConn{conns: make(chan net.Conn, 1)}
		l.conns <- ours
		failed := make(chan error, 1)
		s := &http.Server{ConnContext: keep, Handler: answering(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			for {
				if _, err := w.Write(make([]byte, 64<<10)); err != nil {
					failed <- err
					return
				}
			}
		}))}
		done := make(chan error, 1)
		go func() { done <- s.Serve(l) }()
		if _, err := io.WriteString(theirs, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		if _, err := bufio.NewReader(theirs).ReadByte(); err != nil {
			t.Fatal(err)
		}
		<-failed
		if took := time.Since(began); took != writeTimeout {
			t.Errorf("it was kept for %v, want %v", took, writeTimeout)
		}
		_ = s.Close()
		<-done
		_ = theirs.Close()
	})
}

// oneConn is a listener with one connection.
type oneConn struct {
	conns chan net.Conn
}

func (o *oneConn) Accept() (net.Conn, error) {
	c, there := <-o.conns
	if !there {
		return nil, net.ErrClosed
	}
	return c, nil
}

func (o *oneConn) Close() error   { close(o.conns); return nil }
func (o *oneConn) Addr() net.Addr { return &net.TCPAddr{} }
