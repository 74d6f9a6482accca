package sense

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// maxPhotos is how many photos are kept; the oldest make room.
const maxPhotos = 500

// photoStore keeps photos as files of a directory.
type photoStore struct {
	dir string

	mu sync.Mutex
}

// put keeps a photo and returns its name.
func (a *photoStore) put(jpeg []byte, now time.Time) (name string, err error) {
	if a.dir == "" {
		return "", errors.New("photos are not kept here: no directory was given")
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := os.MkdirAll(a.dir, 0o700); err != nil {
		return "", fmt.Errorf("keep the photo: %w", err)
	}
	stamp := now.UTC().Format("photo-20060102-150405.000")
	for i := 0; ; i++ {
		name = stamp
		if i > 0 {
			name = fmt.Sprintf("%s-%d", stamp, i)
		}
		f, err := os.OpenFile(filepath.Join(a.dir, name+".jpg"), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", fmt.Errorf("keep the photo: %w", err)
		}
		_, err = f.Write(jpeg)
		if err = errors.Join(err, f.Close()); err != nil {
			os.Remove(f.Name()) //nolint:errcheck // it is of no use
			return "", fmt.Errorf("keep the photo: %w", err)
		}
		return name, a.trim()
	}
}

// trim removes the oldest photos beyond maxPhotos; their names sort by time.
func (a *photoStore) trim() error {
	files, err := filepath.Glob(filepath.Join(a.dir, "photo-*.jpg"))
	if err != nil || len(files) <= maxPhotos {
		return err
	}
	slices.Sort(files)
	for _, f := range files[:len(files)-maxPhotos] {
		if err := os.Remove(f); err != nil {
			return fmt.Errorf("make room for the photo: %w", err)
		}
	}
	return nil
}

// get returns a photo. The error of a name that there is not wraps fs.ErrNotExist.
func (a *photoStore) get(name string) ([]byte, error) {
	unknown := fmt.Errorf("there is no photo %.80q: %w", name, fs.ErrNotExist)
	if a.dir == "" || !strings.HasPrefix(name, "photo-") || !filepath.IsLocal(name) || strings.ContainsAny(name, "/\\\x00") {
		return nil, unknown
	}
	data, err := os.ReadFile(filepath.Join(a.dir, name+".jpg"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, unknown
	}
	return data, err
}
