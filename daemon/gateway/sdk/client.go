package sdk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
	"github.com/rs/zerolog"

	"github.com/reachyd/reachyd/hal/body"
)

const (
	// maxFrame is the longest message that a client may send, bytes. The longest of the SDK is a chunk of an upload, 16 KiB.
	maxFrame = 256 << 10
	// maxWaiting is how many states wait for a client that is slow to read; then the oldest goes.
	maxWaiting = 100
	// writePatience is how long a client may take to read one message.
	writePatience = 5 * time.Second
	// notePause is the least time between two statuses that tell of a refusal at once; the others wait for the next one.
	notePause = 20 * time.Millisecond
	// maxClientName is the longest name that a client gives itself, bytes.
	maxClientName = 80
)

// conn carries the messages of a client and to it: text, as whole messages.
type conn interface {
	Read(ctx context.Context) ([]byte, error)
	Write(ctx context.Context, data []byte) error
}

// webSocket is a conn.
type webSocket struct {
	*websocket.Conn
	line *line
}

var errBinary = errors.New("a message is binary; allowed is JSON text")

func (s webSocket) Read(ctx context.Context) ([]byte, error) {
	kind, data, err := s.Conn.Read(ctx)
	if err == nil && kind != websocket.MessageText {
		err = errBinary
	}
	return data, err
}

func (s webSocket) Write(_ context.Context, data []byte) error { return s.writeAll([][]byte{data}) }

// writeAll writes messages that belong together.
func (s webSocket) writeAll(messages [][]byte) error { return s.line.send(messages, writePatience) }

// client is one that talks the protocol of the SDK, over /ws/sdk or a data channel.
type client struct {
	g      *Gateway
	number uint64 // as in its name
	about  string // what the SDK says of itself
	conn   conn
	remote Link // conn, when that is a data channel; else nil
	log    zerolog.Logger

	states chan [][]byte // where the robot is, in messages of one moment: the oldest goes first
	urgent chan []byte   // what must arrive
	cancel context.CancelFunc

	// These belong to the goroutine that reads.
	want    target
	stream  *body.Stream
	opened  time.Time // when the stream was last tried
	answers sync.WaitGroup
	uploads map[string]*upload // moves that were sent and not played
	audio   map[string]*upload // sounds that were sent and not played
	playing *upload            // the one that was played last, and its name
	played  string

	// What it has asked for over WebRTC: where the robot is, and how many states there were.
	posing atomic.Bool
	shown  uint64

	mu      sync.Mutex
	refused string
	noted   time.Time
	begun   map[string]bool // moves that the client began and that have not ended
	rec     recorder
}

// serve is /ws/sdk.
func (g *Gateway) serve(w http.ResponseWriter, r *http.Request) {
	if !g.begin() {
		http.Error(w, "reachyd is ending", http.StatusServiceUnavailable)
		return
	}
	defer g.work.Done()
	tapping := &tapping{ResponseWriter: w}
	conn, err := websocket.Accept(tapping, r, nil)
	if err != nil {
		return // it has been answered
	}
	defer conn.CloseNow() //nolint:errcheck // it is over in any case
	conn.SetReadLimit(maxFrame)
	if err := g.attend(g.ctx, &client{conn: webSocket{conn, tapping.line}, about: r.Header.Get("X-Reachy-Client")}, r.RemoteAddr); err != nil {
		_ = conn.Close(websocket.StatusTryAgainLater, err.Error())
	}
}

// attend serves a client until it has gone; the error is why it was not let in.
func (g *Gateway) attend(ctx context.Context, c *client, from string) error {
	c.g, c.about = g, c.about[:min(len(c.about), maxClientName)]
	c.begun, c.uploads, c.audio = map[string]bool{}, map[string]*upload{}, map[string]*upload{}
	c.states, c.urgent = make(chan [][]byte, maxWaiting), make(chan []byte, maxWaiting)
	ctx, c.cancel = context.WithCancel(ctx)
	defer c.cancel()
	if err := g.join(c); err != nil {
		return err
	}
	defer g.leave(c)
	c.log = g.Log.With().Str("client", c.name()).Logger()
	c.log.Info().Str("sdk", c.about).Str("address", from).Msg("a client of the SDK has come")
	if c.remote == nil {
		c.tell(encode(g.statusFor(c, 0)))
	}
	var writer sync.WaitGroup
	writer.Go(func() { c.write(ctx) })
	err := c.read(ctx)
	c.cancel()
	writer.Wait()
	c.end(err)
	return nil
}

// name is how the body and the log call the client.
func (c *client) name() string { return fmt.Sprintf("sdk-%d", c.number) }

// end leaves nothing behind that moves: a client that has died gives back the robot, and its moves are held. Moves of a
// client that said good-bye come to their end.
func (c *client) end(why error) {
	c.closeStream()
	status := websocket.CloseStatus(why)
	polite := status == websocket.StatusNormalClosure || status == websocket.StatusGoingAway
	c.log.Info().AnErr("why", why).Bool("polite", polite).Msg("a client of the SDK has gone")
	if !polite {
		c.mu.Lock()
		ids := c.begun
		c.begun = nil
		c.mu.Unlock()
		for id := range ids {
			c.g.hold(id)
		}
	}
}

// write sends what waits for the client, first what must arrive.
func (c *client) write(ctx context.Context) {
	defer c.cancel()
	for {
		var data [][]byte
		select {
		case one := <-c.urgent:
			data = [][]byte{one}
		default:
			select {
			case one := <-c.urgent:
				data = [][]byte{one}
			case data = <-c.states:
			case <-ctx.Done():
				return
			}
		}
		if c.writeAll(ctx, data) != nil {
			return
		}
	}
}

// writeAll writes messages that belong together.
func (c *client) writeAll(ctx context.Context, messages [][]byte) error {
	if s, ok := c.conn.(webSocket); ok {
		return s.writeAll(messages)
	}
	ctx, cancel := context.WithTimeout(ctx, writePatience)
	defer cancel()
	for _, m := range messages {
		if err := c.conn.Write(ctx, m); err != nil {
			return err
		}
	}
	return nil
}

// show sends messages of one moment; the oldest that wait make room.
func (c *client) show(data ...[]byte) {
	for {
		select {
		case c.states <- data:
			return
		default:
		}
		select {
		case <-c.states:
		default:
		}
	}
}

// tell sends what must arrive. A client that does not read for so long is ended.
func (c *client) tell(data []byte) {
	select {
	case c.urgent <- data:
	default:
		c.cancel()
	}
}

// note keeps why a message of the client had no effect, for its status and, once, for the log. An empty text says that
// messages have an effect again.
func (c *client) note(refused string) {
	c.mu.Lock()
	again := c.refused == refused
	c.refused = refused
	due := !again && time.Since(c.noted) > notePause
	if due {
		c.noted = time.Now()
	}
	c.mu.Unlock()
	switch {
	case c.remote != nil && refused != "" && !again:
		c.tell(encode(map[string]any{"error": refused}))
	case c.remote == nil && due:
		c.show(encode(c.g.statusFor(c, 0))) // its next message waits
	}
	if refused != "" && !again {
		c.log.Warn().Str("why", refused).Msg("a message of the SDK has no effect")
	}
}

// statusFor is the status as a client gets it.
func (g *Gateway) statusFor(c *client, wait time.Duration) daemonStatus {
	s := g.status(wait)
	c.mu.Lock()
	defer c.mu.Unlock()
	s.Ours.Client, s.Ours.Refused = c.name(), c.refused
	if s.Error == nil && c.refused != "" { // the SDK drops what it does not know: its get_status() has the reason here
		why := c.refused
		s.Error = &why
	}
	return s
}

// read carries out the client's messages until it has gone. A message that is wrong is noted, and changes nothing.
func (c *client) read(ctx context.Context) error {
	for {
		data, err := c.conn.Read(ctx)
		switch {
		case err == nil && c.remote != nil:
			c.obeyRemote(ctx, data)
			continue
		case err == nil:
			err = c.obey(ctx, data)
		case !errors.Is(err, errBinary):
			return err
		}
		if err != nil {
			c.note(err.Error())
		}
	}
}

// obey carries out one message.
func (c *client) obey(ctx context.Context, data []byte) error {
	var m message
	if err := json.Unmarshal(data, &m); err != nil {
		err = fmt.Errorf("a message is not understood: %w", err)
		c.failTask(data, err)
		return err
	}
	return c.carryOut(ctx, &m)
}

// failTask tells a client that waits for a task which is not understood: NaN comes as null.
func (c *client) failTask(data []byte, why error) {
	var head struct{ Type, UUID string }
	if json.Unmarshal(data, &head) == nil && head.Type == "task" && head.UUID != "" {
		c.tell(encode(progress(head.UUID, why.Error())))
	}
}

// carryOut carries out a message that was read.
func (c *client) carryOut(ctx context.Context, m *message) error {
	do, known := handlers[m.Type]
	if !known {
		if why, not := notOffered[m.Type]; not {
			return errors.New(m.Type + ": " + why)
		}
		return fmt.Errorf("type is %.40q, which is not known", m.Type)
	}
	if err := do(ctx, c, m); err != nil {
		return fmt.Errorf("%s: %w", m.Type, err)
	}
	return nil
}
