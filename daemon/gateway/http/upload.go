package http

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"time"

	"github.com/reachyd/reachyd/toolsandbox/files"
	"github.com/reachyd/reachyd/toolsandbox/pipeline"
)

const (
	// uploadTimeout is how long files may take to come and the command that they belong to.
	uploadTimeout = 10 * time.Minute
	// partPayload is the part of a form with the command; every part with a file name is a file.
	partPayload = "payload"
	partArgs    = "args"
)

// upload is what a form brought: a command and its files.
type upload struct {
	payload json.RawMessage // the part payload, or args; nil: none
	files   []pipeline.Attachment
}

// readUpload reads a form.
func readUpload(w http.ResponseWriter, r *http.Request) (u *upload, status int, err error) {
	c := http.NewResponseController(w)
	deadline := time.Now().Add(uploadTimeout)
	_ = c.SetReadDeadline(deadline) // what cannot be set is shorter
	form := *r
	form.Body = http.MaxBytesReader(w, r.Body, pipeline.MaxFileBytes+2*maxBody)
	parts, err := form.MultipartReader()
	if err != nil {
		return nil, http.StatusBadRequest, err
	}
	u = &upload{}
	for {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			return u, 0, nil
		}
		if err == nil {
			err = u.add(part)
		}
		if err != nil {
			status := http.StatusBadRequest
			if errors.Is(err, errTooMuch) || errors.As(err, new(*http.MaxBytesError)) {
				status = http.StatusRequestEntityTooLarge
			}
			return u, status, err
		}
	}
}

var errTooMuch = errors.New("too much")

func (u *upload) add(part *multipart.Part) error {
	if part.FileName() == "" {
		if name := part.FormName(); name != partPayload && name != partArgs {
			return fmt.Errorf("part %.40q: allowed are %s, %s and files", name, partPayload, partArgs)
		}
		text, err := io.ReadAll(io.LimitReader(part, maxBody+1))
		if err == nil && len(text) > maxBody {
			err = fmt.Errorf("part %s: %w: allowed are %d bytes", part.FormName(), errTooMuch, maxBody)
		}
		u.payload = text
		return err
	}
	if len(u.files) >= pipeline.MaxFiles {
		return fmt.Errorf("files: %w: allowed are %d", errTooMuch, pipeline.MaxFiles)
	}
	data, err := spool(part)
	if err != nil {
		return fmt.Errorf("file %.80q: %w", part.FileName(), err)
	}
	u.files = append(u.files, pipeline.Attachment{Name: part.FileName(), Data: data})
	return nil
}

// spool reads a file.
func spool(from io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(from, files.MaxSize+1))
	if err == nil && len(data) > files.MaxSize {
		err = fmt.Errorf("%w: allowed are %d bytes", errTooMuch, files.MaxSize)
	}
	return data, err
}

// uploaded carries out a command whose files come with it in a form.
func (g *Gateway) uploaded(w http.ResponseWriter, r *http.Request, verb string, payload func(part json.RawMessage) (json.RawMessage, error)) {
	select {
	case g.uploads <- struct{}{}: // one at a time: what they hold is large
		defer func() { <-g.uploads }()
	case <-r.Context().Done():
		return
	}
	u, status, err := readUpload(w, r)
	if err != nil {
		fail(w, status, "invalid", err.Error())
		return
	}
	engage(r)
	body, err := payload(u.payload)
	if err != nil {
		fail(w, http.StatusBadRequest, "invalid", err.Error())
		return
	}
	patient(w)
	_, reply := g.Commander.Do(pipeline.WithFiles(r.Context(), u.files), verb, body)
	write(w, http.StatusOK, reply)
}

// callTool is POST /api/tools/<name>/call: a form with args, a JSON object, and files.
func (g *Gateway) callTool(w http.ResponseWriter, r *http.Request) {
	if !isForm(r) || !fromProgram(r) {
		fail(w, http.StatusUnsupportedMediaType, "invalid",
			fmt.Sprintf("Content-Type: %q; allowed is multipart/form-data, from programs", r.Header.Get("Content-Type")))
		return
	}
	g.uploaded(w, r, "tool", func(args json.RawMessage) (json.RawMessage, error) {
		if args == nil {
			args = json.RawMessage("{}")
		}
		if !json.Valid(args) {
			return nil, fmt.Errorf("part %s: not JSON", partArgs)
		}
		return json.Marshal(map[string]any{"name": r.PathValue("name"), "args": args})
	})
}
