package pipeline

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/reachyd/reachyd/toolsandbox/files"
	"github.com/reachyd/reachyd/toolsandbox/guest"
)

// Limits of the files of one call.
const (
	MaxFiles     = 8
	MaxFileBytes = 56 << 20 // of all of them; one may have files.MaxSize
	// fileMemory is what a guest with files may use: their data is larger in Python than on the disk.
	fileMemory = 192 << 20
)

// The host calls about the files of a call. Every tool may make them: there is nothing to be seen but what its caller
// gave. As in Python:
//
//	reachy.files()                                       what there is: a list of files.Info
//	reachy.read_file(name="a.xlsx", sheet="May")         what is in it as plain data; see files.Query and files.Read
//
// The bytes are at /files/<name>, read-only.
const (
	CallFiles    = "files"
	CallReadFile = "read_file"
)

var fileCalls = []string{CallFiles, CallReadFile}

// Attachment is a file that comes with a call.
type Attachment struct {
	Name string `json:"name"`
	Data []byte `json:"data"` // base64 in JSON
}

// attachments are the files of one call, for one goroutine at a time.
type attachments struct {
	reader  Reader
	files   []Attachment
	checked []*files.File
	infos   []*files.Info
}

// Files checks files by name and content and says what is in them. An error names the file: it is a *files.Error, or an
// ErrInput.
func (p *Pipeline) Files(ctx context.Context, given []Attachment) ([]*files.Info, error) {
	a, err := p.attach(ctx, given)
	if err != nil {
		return nil, err
	}
	return a.infos, nil
}

// attach checks files and reads them once, so that a call does not begin with one that is bad.
func (p *Pipeline) attach(ctx context.Context, given []Attachment) (*attachments, error) {
	a := &attachments{reader: p.o.Reader, files: given}
	if len(given) == 0 {
		return a, nil
	}
	if len(given) > MaxFiles {
		return nil, inputf("files: %d of them, allowed are %d", len(given), MaxFiles)
	}
	total := 0
	for _, g := range given {
		total += len(g.Data)
	}
	if total > MaxFileBytes {
		return nil, inputf("files: %d bytes together, allowed are %d", total, MaxFileBytes)
	}
	return a, a.describe(ctx)
}

func (a *attachments) describe(ctx context.Context) error {
	if a.infos != nil || len(a.files) == 0 {
		return nil
	}
	if a.reader == nil {
		return ErrFiles
	}
	for _, g := range a.files {
		f, err := files.Check(g.Name, g.Data)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(a.checked, func(o *files.File) bool { return o.Name == f.Name }) {
			return inputf("files: %.80q is there twice", f.Name)
		}
		a.checked = append(a.checked, f)
	}
	var infos []*files.Info
	for _, f := range a.checked {
		info, err := a.reader.Describe(ctx, f)
		if err != nil {
			return err
		}
		infos = append(infos, info)
	}
	a.infos = infos
	return nil
}

// mount shows the files to a guest and gives it memory for them.
func (a *attachments) mount(req *guest.Request) {
	req.Grants = slices.Compact(slices.Sorted(slices.Values(append(req.Grants, fileCalls...))))
	if len(a.checked) == 0 {
		return
	}
	req.Files = make(map[string][]byte, len(a.checked))
	for _, f := range a.checked {
		req.Files[f.Name] = f.Data
	}
	req.Limits.Memory = max(req.Limits.Memory, fileMemory)
}

// answer answers a host call about the files.
func (a *attachments) answer(ctx context.Context, c guest.HostCall) (json.RawMessage, error) {
	if err := a.describe(ctx); err != nil {
		return nil, fileError(err)
	}
	if c.Name == CallFiles {
		if a.infos == nil {
			return json.RawMessage("[]"), nil
		}
		return json.Marshal(a.infos)
	}
	var q struct {
		Name string `json:"name"`
		files.Query
	}
	d := json.NewDecoder(bytes.NewReader(c.Args))
	d.DisallowUnknownFields()
	if err := d.Decode(&q); err != nil {
		return nil, &guest.HostError{Code: "invalid", Message: "read_file: " + err.Error()}
	}
	var names []string
	for _, f := range a.checked {
		if f.Name == q.Name {
			value, err := a.reader.Read(ctx, f, q.Query)
			return value, fileError(err)
		}
		names = append(names, fmt.Sprintf("%q", f.Name))
	}
	have := "none came with this call"
	if len(names) > 0 {
		have = "there are " + strings.Join(names, ", ")
	}
	return nil, &guest.HostError{Code: "not_found", Message: fmt.Sprintf("file %.80q: %s", q.Name, have)}
}

func fileError(err error) error {
	var e *files.Error
	if errors.As(err, &e) {
		return &guest.HostError{Code: string(e.Code), Message: e.Error()}
	}
	return err
}

type filesKey struct{}

// WithFiles gives files to the self-made tool that is called with ctx, however many hands it goes through.
func WithFiles(ctx context.Context, given []Attachment) context.Context {
	if len(given) == 0 {
		return ctx
	}
	return context.WithValue(ctx, filesKey{}, given)
}

// FilesOf are the files that WithFiles gave.
func FilesOf(ctx context.Context) []Attachment {
	given, _ := ctx.Value(filesKey{}).([]Attachment)
	return given
}
