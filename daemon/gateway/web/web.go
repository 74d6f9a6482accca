// Package web is the page at /: the robot drawn from its joints, a stop, conversation, moves, tools, learning and the state of all of it.
// It is static: it asks the programming interface as any other client does, and works without the internet.
package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"sync"

	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/daemon/access"
	"github.com/reachyd/reachyd/daemon/gateway/rest"
)

//go:embed static vendor
var files embed.FS

// policy is what the page may do: only what comes from this robot.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; media-src 'self' blob:; " +
	"form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

// Page serves it.
type Page struct{}

// asset is a file as it is sent. The file itself stays in the program.
type asset struct {
	kind   string
	file   string
	packed bool   // the file is zipped already
	zipped []byte // of one that is not
	tag    string
}

// kinds are the types of what there is: the tables that package mime reads of the host are large.
var kinds = map[string]string{
	".css": "text/css; charset=utf-8", ".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", "": "text/plain; charset=utf-8",
}

// assets are read and packed when the page is first asked for: a robot at which nobody looks spends nothing on it.
var assets = sync.OnceValue(func() map[string]*asset {
	all := map[string]*asset{}
	_ = fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := files.ReadFile(name)
		if err != nil {
			return err
		}
		a, at := &asset{file: name}, "/"+strings.TrimPrefix(name, "static/")
		if at, a.packed = strings.CutSuffix(at, ".gz"); !a.packed {
			a.zipped = zip(data)
		}
		sum := sha256.Sum256(data)
		a.kind, a.tag = kinds[path.Ext(at)], `"`+hex.EncodeToString(sum[:8])+`"`
		all[at] = a
		return nil
	})
	return all
})

func zip(data []byte) []byte {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	_, _ = z.Write(data) // a Buffer does not fail
	_ = z.Close()
	return bytes.Clone(out.Bytes())
}

// open returns the asset as somebody takes it who understands gzip or does not.
func (a *asset) open(zipped bool) (io.Reader, error) {
	if zipped && !a.packed {
		return bytes.NewReader(a.zipped), nil
	}
	file, err := files.Open(a.file)
	if err != nil || zipped || !a.packed {
		return file, err
	}
	return gzip.NewReader(file)
}

// Mount adds the routes.
func (Page) Mount(mux *http.ServeMux) {
	mux.HandleFunc("GET /{$}", serve)
	mux.HandleFunc("GET /docs", serve)
	mux.HandleFunc("GET /page/{file}", serve)
	mux.HandleFunc("GET /vendor/{file}", serve)
}

// Close has nothing to end.
func (Page) Close() {}

func serve(w http.ResponseWriter, r *http.Request) {
	if g := access.Of(r.Context()); !g.Allows(api.ScopeRead) {
		rest.Forbidden(w, r, "the page needs the scope read")
		return
	}
	name := r.URL.Path
	switch name {
	case "/":
		name = "/index.html"
	case "/docs":
		name = "/docs.html"
	default:
		name = strings.TrimPrefix(name, "/page")
	}
	a, known := assets()[name]
	if !known {
		rest.Refuse(w, r, api.CodeUnknownName, "there is no such file; cross/web.sh fetches the libraries of the page before reachyd is built")
		return
	}
	h := w.Header()
	h.Set("Content-Type", a.kind)
	h.Set("Content-Security-Policy", policy)
	h.Set("Cache-Control", "no-cache")
	h.Set("ETag", a.tag)
	h.Set("Vary", "Accept-Encoding")
	if r.Header.Get("If-None-Match") == a.tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	zipped := strings.Contains(r.Header.Get("Accept-Encoding"), "gzip")
	if zipped {
		h.Set("Content-Encoding", "gzip")
	}
	if content, err := a.open(zipped); err == nil {
		_, _ = io.Copy(w, content) // a client that is gone has no use for the error
	}
}
