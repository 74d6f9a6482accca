package connect

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"path/filepath"
	"time"

	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/client"
	"github.com/reachyd/reachyd/cmd/reachyctl/internal/cli"
	"github.com/reachyd/reachyd/cmd/reachyctl/internal/host"
)

const (
	// MaxMessage is how many bytes of a command go over MQTT with ease; reachyd takes 256 KiB.
	MaxMessage = 240 << 10
	// MaxAttachment is the largest file that reachyd takes.
	MaxAttachment = 50 << 20
)

// ReadAttachments reads files that go with a command.
func ReadAttachments(paths []string) ([]api.File, error) {
	var all []api.File
	for _, path := range paths {
		data, err := cli.ReadFile(path, MaxAttachment)
		if err != nil {
			return nil, err
		}
		all = append(all, api.File{Name: filepath.Base(path), Data: []byte(data)})
	}
	return all, nil
}

// Send sends a command, with files or without, and returns its reply: over MQTT if it is small enough for that, else
// over HTTP. large asks for a reply that may be too long for MQTT.
func Send(ctx context.Context, a *cli.App, verb string, args map[string]any, files []api.File, large bool, timeout time.Duration) (*Reply, error) {
	size := 0
	for _, f := range files {
		size += len(f.Data)*4/3 + len(f.Name) + 64
	}
	if text, err := json.Marshal(args); err == nil {
		size += len(text)
	}
	server, known := WebServer(a)
	if size > MaxMessage && !known {
		return nil, cli.Usage("%d bytes are too much for MQTT, which takes %d, and where reachyd's web server is is not known; say --http http://host:8000", size,
			MaxMessage)
	}
	if known && (size > MaxMessage || large) {
		return post(ctx, server, verb, args, files, timeout)
	}
	if len(files) > 0 {
		args["files"] = files
	}
	l, err := Open(ctx, a)
	if err != nil {
		return nil, err
	}
	defer l.Close()
	return l.Call(ctx, verb, args, timeout)
}

// WebServer is where reachyd's web server is: flag, environment, or what the reachyd of this machine says when it is that
// one's broker which is asked.
func WebServer(a *cli.App) (server string, known bool) {
	for _, text := range []string{a.HTTP, a.Env["REACHYCTL_HTTP"]} {
		if text != "" {
			return text, true
		}
	}
	if a.Broker != "" || a.Env["REACHYCTL_BROKER"] != "" {
		return "", false
	}
	for _, dir := range a.Dirs {
		if line, err := host.FirstLine(filepath.Join(dir, cli.HTTPFile)); err == nil && line != "" {
			return line, true
		}
	}
	return "", false
}

// post sends a command over HTTP.
func post(ctx context.Context, server, verb string, args map[string]any, files []api.File, timeout time.Duration) (*Reply, error) {
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	robot, err := client.New(server, client.WithHTTP(&http.Client{Transport: transport}))
	if err != nil {
		return nil, cli.Usage("--http: %q is not the URL of a web server, such as http://127.0.0.1:8000", server)
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	data, err := robot.Command(ctx, api.Verb(verb), args, files)
	var refused *client.Error
	switch {
	case errors.As(err, &refused):
		return &Reply{Response: api.Response{Error: &api.Error{Code: refused.Code, Message: refused.Detail, Fields: refused.Errors}}}, nil
	case errors.Is(err, context.DeadlineExceeded):
		return nil, cli.Unreachable("no answer from %s within %v", server, timeout)
	case err != nil:
		return nil, cli.Unreachable("%s cannot be reached: %w", server, err)
	}
	return parseReply(data)
}
