package llm

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/ollama/ollama/api"
)

// Client is a Model that asks an Ollama server, or one with OpenAI's interface. Its methods may be called by many goroutines at once.
//
// One goroutine of it keeps an eye on the server: what is installed there, and whether it answers at all. So a server
// that is away costs a request nothing, and one that comes back is used again without anybody waiting for it.
type Client struct {
	cfg  Config
	base *url.URL // of OpenAI's interface
	chat string   // URL
	http *http.Client
	api  *api.Client

	life context.Context
	end  context.CancelFunc
	kept sync.WaitGroup
	wake chan struct{}

	mu      sync.Mutex
	prompts map[string]string // the last one of each model
	habits  map[string]habit
	models  []Info
	away    error           // why the server cannot be asked; nil while it answers
	read    time.Time       // when models was read; zero when it never was
	looked  chan struct{}   // closed when the server was looked at once more
	failed  int             // looks that failed, one after another
	there   context.Context // ends when the server is given up
	lost    context.CancelCauseFunc
}

// New returns a client of the server that cfg names and begins to look whether it is there; it does not wait for it.
// Close ends the client.
func New(cfg Config) (*Client, error) {
	return dial(cfg, (&net.Dialer{}).DialContext)
}

type dialFunc func(ctx context.Context, network, addr string) (net.Conn, error)

func dial(cfg Config, connect dialFunc) (*Client, error) {
	cfg, base, err := cfg.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("language model: %w", err)
	}
	transport := &http.Transport{
		Proxy: http.ProxyFromEnvironment,
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			ctx, cancel := context.WithTimeout(ctx, cfg.Short)
			defer cancel()
			return connect(ctx, network, addr)
		},
		TLSHandshakeTimeout: cfg.Short,
		MaxIdleConnsPerHost: 4,
		IdleConnTimeout:     90 * time.Second,
	}
	c := &Client{
		cfg:  cfg,
		chat: base.JoinPath("api", "chat").String(),
		http: &http.Client{Transport: transport},
		wake: make(chan struct{}, 1),

		prompts: map[string]string{},
		habits:  map[string]habit{},
		looked:  make(chan struct{}),
	}
	if cfg.API == OpenAI {
		if c.base = base; !strings.HasSuffix(strings.TrimSuffix(base.Path, "/"), "/v1") {
			c.base = base.JoinPath("v1")
		}
		c.chat = c.base.JoinPath("chat", "completions").String()
	}
	c.api = api.NewClient(base, &http.Client{Transport: shortAnswers{transport}})
	c.life, c.end = context.WithCancel(context.Background())
	c.there, c.lost = context.WithCancelCause(context.Background())
	c.kept.Go(c.watch)
	return c, nil
}

// Close ends all requests and waits until nothing of the client is left.
func (c *Client) Close() {
	c.end()
	c.kept.Wait()
	c.lost(errClosed)
	c.http.CloseIdleConnections()
}

// errClosed is why a request of a closed client ends.
var errClosed = fmt.Errorf("%w: the client was closed", ErrAway)

// within returns a context of a request that ends when ctx, or the client's life, does. release must be called.
func (c *Client) within(ctx context.Context) (inner context.Context, cancel context.CancelCauseFunc, release func()) {
	inner, cancel = context.WithCancelCause(ctx)
	stop := context.AfterFunc(c.life, func() { cancel(errClosed) })
	return inner, cancel, func() { stop(); cancel(context.Canceled) }
}

// maxAnswer is how many bytes an answer of the api package may have: it reads them into memory.
const maxAnswer = 32 << 20

// shortAnswers ends answers that are too long.
type shortAnswers struct{ http.RoundTripper }

func (s shortAnswers) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := s.RoundTripper.RoundTrip(r)
	if err == nil {
		resp.Body = &shortBody{resp.Body, maxAnswer}
	}
	return resp, err
}

type shortBody struct {
	io.ReadCloser
	left int
}

func (b *shortBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.left -= n; b.left < 0 {
		return 0, fmt.Errorf("the server's answer: %w; at most %d bytes are allowed", ErrTooLong, maxAnswer)
	}
	return n, err
}

// reason turns an error of a request into one of this package: that of ctx or its cause if that is why, ErrAway for a
// connection that could not be made or broke.
func reason(parent, inner context.Context, err error) error {
	var status api.StatusError
	var denied api.AuthorizationError
	var known *ServerError
	cause := context.Cause(inner)
	switch {
	case err == nil:
		return nil
	case parent.Err() != nil:
		return fmt.Errorf("language model: %w", parent.Err())
	case cause != nil:
		return cause
	case errors.As(err, &known), ours(err):
		return err
	case errors.As(err, &status):
		return &ServerError{status.StatusCode, firstOf(status.ErrorMessage, status.Status)}
	case errors.As(err, &denied):
		return &ServerError{denied.StatusCode, "it wants a login"}
	}
	var broken *url.Error
	if errors.As(err, &broken) {
		err = broken.Err // without the address, which the user knows
	}
	return fmt.Errorf("%w: %w", ErrAway, err)
}

// ours reports whether err is one that callers know already.
func ours(err error) bool {
	for _, known := range []error{ErrAway, ErrNoModel, ErrTimeout, ErrIncomplete, ErrTooLong, ErrBadOutput, ErrRequest} {
		if errors.Is(err, known) {
			return true
		}
	}
	return false
}

func firstOf(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return "nothing"
}

var _ Model = (*Client)(nil)
