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
	"mime"
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

// asset is a file as it is sent.
type asset struct {
	kind   string
	plain  []byte
	zipped []byte
	tag    string
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
		a, at := &asset{}, "/"+strings.TrimPrefix(name, "static/")
		if plain, packed := strings.CutSuffix(at, ".gz"); packed {
			at, a.zipped = plain, data
		} else {
			a.plain, a.zipped = data, zip(data)
		}
		sum := sha256.Sum256(data)
		a.kind, a.tag = mime.TypeByExtension(path.Ext(at)), `"`+hex.EncodeToString(sum[:8])+`"`
		switch path.Ext(at) {
		case ".js":
			a.kind = "text/javascript; charset=utf-8"
		case "":
			a.kind = "text/plain; charset=utf-8"
		}
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
	return out.Bytes()
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
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
		_, _ = w.Write(a.zipped) // a client that is gone has no use for the error
		return
	}
	if a.plain != nil {
		_, _ = w.Write(a.plain) // likewise
		return
	}
	if z, err := gzip.NewReader(bytes.NewReader(a.zipped)); err == nil {
		_, _ = io.Copy(w, z) //nolint:gosec // our own file
	}
}
