package sdk

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"path"
	"strings"
)

const (
	// maxSoundFile is the largest sound that is uploaded by name, and maxSoundFiles how many are kept. They are forgotten when reachyd ends.
	maxSoundFile, maxSoundFiles = 8 << 20, 16
	// formMemory is how much of an upload is kept in memory while it is read.
	formMemory = 1 << 20
)

// soundName says what is wrong with a name of a file, which is never a path.
func soundName(name string) error {
	switch {
	case name == "" || name != path.Base(name) || strings.ContainsAny(name, `/\`) || strings.HasPrefix(name, ".") || len(name) > 128:
		return wrong(http.StatusBadRequest, "Invalid filename: %.80q", name)
	case !strings.EqualFold(path.Ext(name), ".wav"):
		return wrong(http.StatusBadRequest, "Unsupported file extension; allowed: .wav")
	}
	return nil
}

// uploadSound keeps a sound file (WAV) for play_sound.
func (g *Gateway) uploadSound(r *http.Request) (any, error) {
	r.Body = http.MaxBytesReader(nil, r.Body, maxSoundFile+formMemory)
	var large *http.MaxBytesError
	if err := r.ParseMultipartForm(formMemory); errors.As(err, &large) {
		return nil, wrong(http.StatusRequestEntityTooLarge, "File too large: allowed are %d MiB", maxSoundFile>>20)
	} else if err != nil {
		return nil, invalid("file is missing: %v", err)
	}
	defer r.MultipartForm.RemoveAll() //nolint:errcheck // the system clears its temporary files
	file, header, err := r.FormFile("file")
	if err != nil {
		return nil, invalid("file is missing: %v", err)
	}
	defer file.Close() //nolint:errcheck // only read
	if err := soundName(header.Filename); err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(file, maxSoundFile+1))
	switch {
	case err != nil:
		return nil, wrong(http.StatusBadRequest, "the file broke off: %v", err)
	case len(data) > maxSoundFile:
		return nil, wrong(http.StatusRequestEntityTooLarge, "File too large: allowed are %d MiB", maxSoundFile>>20)
	case !bytes.HasPrefix(data, []byte("RIFF")) || !bytes.Contains(data[:min(len(data), 64)], []byte("WAVE")):
		return nil, wrong(http.StatusBadRequest, "Unsupported or invalid audio file")
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, there := g.files[header.Filename]; !there && len(g.files) >= maxSoundFiles {
		return nil, wrong(http.StatusInsufficientStorage, "%d sounds are kept, which is the most; delete one first", maxSoundFiles)
	}
	if g.files == nil {
		g.files = map[string][]byte{}
	}
	g.files[header.Filename] = data
	return map[string]string{"status": "ok", "path": header.Filename}, nil
}

// deleteSound forgets a sound that was uploaded.
func (g *Gateway) deleteSound(name string) (any, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, there := g.files[name]; !there {
		return nil, wrong(http.StatusNotFound, "File %.80q not found", name)
	}
	delete(g.files, name)
	return status("ok"), nil
}

// uploaded returns a sound that was uploaded by name; nil when there is none.
func (g *Gateway) uploaded(file string) []byte {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.files[path.Base(file)]
}
