// Package client asks a robot that reachyd runs, over HTTP, with the types of package api. It needs nothing but the standard library.
//
// Every method has an end: that of its context. A refusal is an *Error, which names the fields that were refused.
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/reachyd/reachyd/api"
)

const (
	prefix = "/api/v1"
	// maxAnswer is the longest answer that is read, bytes.
	maxAnswer = 32 << 20
	// maxProblem is how much of an answer that is no problem of reachyd's is quoted.
	maxProblem = 200
)

// Client asks one robot. Its methods may be called by many goroutines at once.
type Client struct {
	base  *url.URL
	token string
	http  *http.Client
}

// Option changes a Client.
type Option func(*Client)

// WithToken is for a robot on another host: reachyctl token add makes tokens.
func WithToken(secret string) Option { return func(c *Client) { c.token = secret } }

// WithHTTP sets what sends requests, for instance one that knows the robot's own certificate. http.DefaultClient when left out.
func WithHTTP(h *http.Client) Option { return func(c *Client) { c.http = h } }

// New returns a client of the robot at an address such as http://127.0.0.1:8000. Nothing is asked yet.
func New(address string, options ...Option) (*Client, error) {
	base, err := url.Parse(address)
	if err != nil || base.Hostname() == "" || base.Scheme != "http" && base.Scheme != "https" {
		return nil, fmt.Errorf("client: address: %q is not the URL of a web server; allowed are such as http://127.0.0.1:8000", address)
	}
	c := &Client{base: base, http: http.DefaultClient}
	for _, o := range options {
		o(c)
	}
	return c, nil
}

// Error is a refusal. Code says to programs why, Detail to people; Errors are the fields that were refused.
type Error struct {
	api.Problem
	RetryAfter time.Duration // when asking again may help; 0: not said
}

// Error is what a person reads.
func (e *Error) Error() string {
	if e.Detail == "" {
		return e.Title
	}
	return e.Detail
}

// request is one request, and where its answer goes.
type request struct {
	method, path string
	query        url.Values
	body         any    // sent as JSON; nil: none
	media        []byte // sent as it is, in place of body
	kind         string // of media
	accept       string
}

// open sends a request and returns the answer, whose body the caller closes. What is not a success is an *Error.
func (c *Client) open(ctx context.Context, r request) (*http.Response, error) {
	u := c.base.JoinPath(r.path)
	u.RawQuery = r.query.Encode()
	body := io.Reader(http.NoBody)
	if r.body != nil {
		data, err := json.Marshal(r.body)
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", r.method, r.path, err)
		}
		body, r.kind = bytes.NewReader(data), "application/json"
	} else if r.media != nil {
		body = bytes.NewReader(r.media)
	}
	req, err := http.NewRequestWithContext(ctx, r.method, u.String(), body)
	if err != nil {
		return nil, err
	}
	if r.kind != "" {
		req.Header.Set("Content-Type", r.kind)
	}
	if r.accept != "" {
		req.Header.Set("Accept", r.accept)
	}
	if c.token != "" {
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	answer, err := c.http.Do(req)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode/100 == 2 {
		return answer, nil
	}
	defer answer.Body.Close() //nolint:errcheck // only read
	return nil, refusal(answer)
}

// refusal makes an error of an answer that is no success.
func refusal(answer *http.Response) *Error {
	data, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	e := &Error{}
	var old api.Response // of /api/cmd
	switch {
	case err == nil && json.Unmarshal(data, &e.Problem) == nil && e.Detail != "":
	case err == nil && json.Unmarshal(data, &old) == nil && old.Error != nil:
		e.Problem = problemOf(old.Error, answer.StatusCode)
	default:
		said := strings.ToValidUTF8(string(data[:min(len(data), maxProblem)]), "?")
		e.Problem = api.Problem{Title: answer.Status, Status: answer.StatusCode, Detail: answer.Status + ": " + strings.TrimSpace(said)}
	}
	if seconds, err := strconv.Atoi(answer.Header.Get("Retry-After")); err == nil {
		e.RetryAfter = time.Duration(seconds) * time.Second
	}
	return e
}

// problemOf is the error of a command as a problem.
func problemOf(e *api.Error, status int) api.Problem {
	return api.Problem{Title: e.Code, Status: status, Detail: e.Message, Code: e.Code, Errors: e.Fields}
}

// bytesOf sends a request and returns the body of the answer.
func (c *Client) bytesOf(ctx context.Context, r request) ([]byte, error) {
	answer, err := c.open(ctx, r)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close() //nolint:errcheck // only read
	data, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s %s: the answer broke off: %w", r.method, r.path, err)
	case len(data) > maxAnswer:
		return nil, fmt.Errorf("%s %s: the answer is longer than %d bytes", r.method, r.path, maxAnswer)
	}
	return data, nil
}

// ask sends a request and reads the answer into a T.
func ask[T any](ctx context.Context, c *Client, r request) (T, error) {
	var into T
	data, err := c.bytesOf(ctx, r)
	if err != nil {
		return into, err
	}
	if err := json.Unmarshal(data, &into); err != nil {
		return into, fmt.Errorf("%s %s: the answer cannot be read: %w", r.method, r.path, err)
	}
	return into, nil
}

func get[T any](ctx context.Context, c *Client, path string) (T, error) {
	return ask[T](ctx, c, request{method: http.MethodGet, path: prefix + path})
}

func post[T any](ctx context.Context, c *Client, path string, body any) (T, error) {
	return ask[T](ctx, c, request{method: http.MethodPost, path: prefix + path, body: body})
}

// Do carries out any command of docs/topics.md, with arguments of package api, and reads its result into one, unless that is nil.
// The result may be filled although the error is not nil, by what was done before it failed.
func (c *Client) Do(ctx context.Context, verb api.Verb, args, result any) error {
	data, err := c.Command(ctx, verb, args, nil)
	if err != nil {
		return err
	}
	var reply struct {
		api.Response
		Result json.RawMessage `json:"result"`
	}
	if err := json.Unmarshal(data, &reply); err != nil {
		return fmt.Errorf("cmd/%s: the reply cannot be read: %w", verb, err)
	}
	if result != nil && len(reply.Result) > 0 {
		if err := json.Unmarshal(reply.Result, result); err != nil {
			return fmt.Errorf("cmd/%s: the result cannot be read: %w", verb, err)
		}
	}
	if reply.Error != nil {
		return &Error{Problem: problemOf(reply.Error, http.StatusOK)}
	}
	return nil
}

// Command carries out a command with files, which may be larger than over MQTT, and returns its reply as reply/<id> has it, whether it
// was done or refused.
func (c *Client) Command(ctx context.Context, verb api.Verb, args any, files []api.File) ([]byte, error) {
	if args == nil {
		args = struct{}{}
	}
	form, kind, err := formOf(args, files)
	if err != nil {
		return nil, fmt.Errorf("cmd/%s: %w", verb, err)
	}
	return c.bytesOf(ctx, request{method: http.MethodPost, path: "/api/cmd/" + string(verb), media: form, kind: kind})
}

// formOf writes a command and its files as a form.
func formOf(args any, files []api.File) (form []byte, kind string, err error) {
	payload, err := json.Marshal(args)
	if err != nil {
		return nil, "", err
	}
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	err = w.WriteField("payload", string(payload))
	for _, f := range files {
		part, partErr := w.CreateFormFile("file", f.Name)
		if partErr != nil {
			return nil, "", partErr
		}
		_, writeErr := part.Write(f.Data)
		err = errors.Join(err, writeErr)
	}
	err = errors.Join(err, w.Close()) // writes the end of the form
	return b.Bytes(), w.FormDataContentType(), err
}
