package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// Chat asks the best model that can do what the request needs. A model that fails before it said anything is followed by
// the next one; a connection that fails before that is tried again.
func (c *Client) Chat(ctx context.Context, req Request, onDelta func(Delta)) (Reply, error) {
	if req.Role == "" {
		req.Role = RoleTalk
	}
	if err := c.check(&req); err != nil {
		return Reply{}, err
	}
	start := time.Now()
	inner, cancel, release := c.within(ctx)
	defer release()
	total := time.AfterFunc(c.cfg.Total, func() {
		cancel(fmt.Errorf("%w: no complete reply within %v", ErrTimeout, c.cfg.Total))
	})
	defer total.Stop()

	models, err := c.candidates(inner, req.Role, required(&req)...)
	if err != nil {
		return Reply{}, reason(ctx, inner, err)
	}
	var reply Reply
	retries := 0
	for i := range models {
		reply, err = c.ask(ctx, inner, &req, &models[i], onDelta, &retries)
		reply.Model = models[i].Name
		if err == nil || !next(err) || said(&reply) {
			break
		}
		c.again() // what is known about the models may be wrong
	}
	reply.Usage.Retries = retries
	reply.Usage.Total = time.Since(start)
	if c.cfg.Observe != nil {
		c.cfg.Observe(&reply, err)
	}
	return reply, err
}

// required are the capabilities that a request needs.
func required(req *Request) []string {
	need := []string{CanComplete}
	if len(req.Tools) > 0 {
		need = append(need, CanCall)
	}
	for i := range req.Messages {
		if len(req.Messages[i].Images) > 0 || req.Role == RoleSee {
			return append(need, CanSee)
		}
	}
	return need
}

// next reports whether another model may do better.
func next(err error) bool {
	var said *ServerError
	return errors.As(err, &said) && !errors.Is(err, ErrTooLong)
}

func said(r *Reply) bool { return r.Text != "" || r.Thinking != "" || len(r.Calls) > 0 }

// ask asks one model, again when the connection fails before the reply begins.
func (c *Client) ask(ctx, inner context.Context, req *Request, m *Info, onDelta func(Delta), retries *int) (Reply, error) {
	write := c.request
	if c.cfg.API == OpenAI {
		write = c.openaiBody
	}
	body, err := write(req, m)
	if err != nil {
		return Reply{}, err
	}
	for pause := c.cfg.Backoff; ; pause *= 2 {
		first, doubted := c.firstWithin(m.Name)
		reply, err := c.attempt(ctx, inner, req, first, body, onDelta)
		if said(&reply) {
			c.noted(m.Name, reply.Usage.FirstToken, err)
		}
		if err == nil && c.cfg.API == Ollama {
			reply.Usage.CachedTokens = int(c.begins(m.Name, prompt(req)) * float64(reply.Usage.PromptTokens))
		}
		if doubted && !said(&reply) && errors.Is(err, ErrTimeout) && c.freed(inner, m.Name) {
			continue
		}
		if err == nil || said(&reply) || !transient(err) {
			return reply, err
		}
		if *retries >= c.cfg.Retries || c.isAway() {
			if errors.Is(err, ErrAway) {
				c.gone(err)
			}
			return reply, err
		}
		*retries++
		if err := c.pause(inner, pause); err != nil {
			return reply, reason(ctx, inner, err)
		}
	}
}

// prompt is what a model reads, as servers put it together: the tools, then what was said.
func prompt(req *Request) string {
	var b strings.Builder
	b.WriteString(req.System)
	for i := range req.Tools {
		b.WriteString(req.Tools[i].Name)
	}
	for i := range req.Messages {
		b.WriteString("\n" + req.Messages[i].Who + "\n" + req.Messages[i].Text)
	}
	return b.String()
}

// begins is the share of a prompt that begins as the last one for the same model did, which its server still has in mind.
func (c *Client) begins(model, text string) float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	last := c.prompts[model]
	if len(c.prompts) >= maxModels {
		clear(c.prompts)
	}
	c.prompts[model] = text
	n := 0
	for n < len(last) && n < len(text) && last[n] == text[n] {
		n++
	}
	return float64(n) / float64(max(len(text), 1))
}

// transient reports whether the same request may succeed a little later.
func transient(err error) bool {
	var said *ServerError
	if errors.As(err, &said) {
		return said.Status == http.StatusServiceUnavailable || said.Status == http.StatusTooManyRequests
	}
	return errors.Is(err, ErrAway) && !errors.Is(err, errClosed) || errors.Is(err, ErrIncomplete)
}

// attempt sends the request once and reads the reply, which must begin within first.
func (c *Client) attempt(parent, ctx context.Context, req *Request, first time.Duration, body []byte, onDelta func(Delta)) (Reply, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(context.Canceled) // the server stops generating when nobody listens
	p := newPatience(first, c.cfg.Between, cancel)
	defer p.pause()
	defer c.waiting(p, cancel)()
	resp, err := c.post(ctx, body)
	if err != nil {
		return Reply{}, c.doubt(reason(parent, ctx, err))
	}
	defer func() { _ = resp.Body.Close() }()

	in := intake{limits: &c.cfg, tools: req.Tools, onDelta: onDelta}
	in.filter.expect(req.Tools)
	if req.Schema != nil || req.Format != nil {
		in.filter.state = passing
	}
	var lines source = newFrames(resp.Body)
	if c.cfg.API == OpenAI {
		lines = &events{lines: newFrames(resp.Body)}
	}
	reply, err := in.read(lines, p)
	if err != nil {
		return reply, c.doubt(reason(parent, ctx, err))
	}
	drain(resp.Body, cancel)
	return reply, structure(req, &reply)
}

// doubt lets the watch look whether a server that was too slow, or broke off, is there at all; if not, the next request
// need not find out.
func (c *Client) doubt(err error) error {
	if errors.Is(err, ErrIncomplete) || errors.Is(err, ErrTimeout) {
		c.again()
	}
	return err
}

// post sends the body. A status other than 200 is a *ServerError.
func (c *Client) post(ctx context.Context, body []byte) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.chat, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRequest, err)
	}
	return c.send(r)
}

// send sends a request. A status other than 200 is a *ServerError.
func (c *Client) send(r *http.Request) (*http.Response, error) {
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/x-ndjson, text/event-stream, application/json")
	if c.cfg.Key != "" {
		r.Header.Set("Authorization", "Bearer "+c.cfg.Key)
	}
	resp, err := c.http.Do(r)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode == http.StatusOK {
		return resp, nil
	}
	defer func() { _ = resp.Body.Close() }()
	const most = 64 << 10
	said, _ := io.ReadAll(io.LimitReader(resp.Body, most)) // half a reason is better than none
	var told struct {
		Error json.RawMessage `json:"error"`
	}
	text := strings.TrimSpace(string(said))
	if json.Unmarshal(said, &told) == nil && told.Error != nil {
		text = errorText(told.Error)
	}
	return nil, &ServerError{resp.StatusCode, firstOf(text, resp.Status)}
}

// drainTime is how long the end of a complete reply may take; it is worth a connection that can be used again.
const drainTime = 50 * time.Millisecond

func drain(body io.Reader, cancel context.CancelCauseFunc) {
	late := time.AfterFunc(drainTime, func() { cancel(context.Canceled) })
	defer late.Stop()
	_, _ = io.CopyN(io.Discard, body, 1<<10) // whatever comes, the reply is complete
}

// structure checks a reply against the schema that it was asked for.
func structure(req *Request, r *Reply) error {
	if req.Schema == nil {
		return nil
	}
	if r.Cut {
		return fmt.Errorf("the reply was cut off before its JSON ended: %w", ErrTooLong)
	}
	fitted, fixes, err := Fit(req.Schema, json.RawMessage(r.Text))
	if err != nil {
		return fmt.Errorf("%w: %w", ErrBadOutput, err)
	}
	r.Text, r.Fixes = string(fitted), fixes
	return nil
}
