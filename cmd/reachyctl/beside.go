package main

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
	"path/filepath"
	"time"
)

const (
	// maxMessage is how many bytes of a command go over MQTT with ease; reachyd takes 256 KiB.
	maxMessage = 240 << 10
	// maxGiven is the largest file that reachyd takes.
	maxGiven = 50 << 20
	// maxAnswer is the longest reply over HTTP that is read.
	maxAnswer = 32 << 20
)

// given is a file that goes with a command.
type given struct {
	Name string `json:"name"`
	Data []byte `json:"data"` // base64 in JSON
}

// readGiven reads files that go with a command.
func readGiven(paths []string) ([]given, error) {
	var all []given
	for _, path := range paths {
		data, err := readFile(path, maxGiven)
		if err != nil {
			return nil, err
		}
		all = append(all, given{filepath.Base(path), []byte(data)})
	}
	return all, nil
}

// exchange sends a command, with files or without, and returns its reply: over MQTT if it is small enough for that, else
// over HTTP. large asks for a reply that may be too long for MQTT.
func (a *app) exchange(ctx context.Context, verb string, args map[string]any, files []given, large bool, timeout time.Duration) (*reply, error) {
	size := 0
	for _, f := range files {
		size += len(f.Data)*4/3 + len(f.Name) + 64
	}
	if text, err := json.Marshal(args); err == nil {
		size += len(text)
	}
	server, known := a.webServer()
	if size > maxMessage && !known {
		return nil, usagef("%d bytes are too much for MQTT, which takes %d, and where reachyd's web server is is not known; say --http http://host:8000", size, maxMessage)
	}
	if known && (size > maxMessage || large) {
		return a.post(ctx, server, verb, args, files, timeout)
	}
	if len(files) > 0 {
		args["files"] = files
	}
	l, err := a.connect(ctx)
	if err != nil {
		return nil, err
	}
	defer l.close()
	return l.call(ctx, verb, args, timeout)
}

// webServer is where reachyd's web server is: flag, environment, or what the reachyd of this machine says when it is that
// one's broker which is asked.
func (a *app) webServer() (server string, known bool) {
	for _, text := range []string{a.web, a.env["REACHYCTL_HTTP"]} {
		if text != "" {
			return text, true
		}
	}
	if a.broker != "" || a.env["REACHYCTL_BROKER"] != "" {
		return "", false
	}
	for _, dir := range a.dirs {
		if line, err := firstLine(filepath.Join(dir, httpFile)); err == nil && line != "" {
			return line, true
		}
	}
	return "", false
}

// post sends a command as a form.
func (a *app) post(ctx context.Context, server, verb string, args map[string]any, files []given, timeout time.Duration) (*reply, error) {
	u, err := url.Parse(server)
	if err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, usagef("--http: %q is not the URL of a web server, such as http://127.0.0.1:8000", server)
	}
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	if err := writeForm(form, args, files); err != nil {
		return nil, fmt.Errorf("cmd/%s: %w", verb, err)
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, u.JoinPath("api", "cmd", verb).String(), &body)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", form.FormDataContentType())
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	resp, err := (&http.Client{Transport: transport}).Do(req)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return nil, unreachable("no answer from %s within %v", server, timeout)
	case err != nil:
		return nil, unreachable("%s cannot be reached: %w", server, err)
	}
	defer resp.Body.Close() //nolint:errcheck // only read
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return nil, unreachable("%s broke off: %w", server, err)
	}
	return parseReply(data)
}

func writeForm(form *multipart.Writer, args map[string]any, files []given) error {
	payload, err := json.Marshal(args)
	if err != nil {
		return err
	}
	if err := form.WriteField("payload", string(payload)); err != nil {
		return err
	}
	for _, f := range files {
		part, err := form.CreateFormFile("file", f.Name)
		if err != nil {
			return err
		}
		if _, err := part.Write(f.Data); err != nil {
			return err
		}
	}
	return form.Close()
}
