package perception

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/daemon/command"
)

// Photos are those that reachy-sense keeps as files of a directory.
type Photos struct{ Dir string }

// List implements command.Photos.
func (p Photos) List() (api.PhotoList, error) {
	list := api.PhotoList{Photos: []api.KeptPhoto{}}
	entries, err := os.ReadDir(p.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return list, nil
	}
	if err != nil {
		return list, fmt.Errorf("list photos: %w", err)
	}
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), ".jpg")
		info, err := e.Info()
		if !ok || !strings.HasPrefix(name, "photo-") || err != nil || !info.Mode().IsRegular() {
			continue
		}
		list.Photos = append(list.Photos, api.KeptPhoto{Name: name, Taken: api.Time(info.ModTime()), Bytes: info.Size()})
	}
	slices.Reverse(list.Photos) // names sort by time
	return list, nil
}

// path is where the photo of a name is kept.
func (p Photos) path(name string) (string, error) {
	path := filepath.Join(p.Dir, name+".jpg")
	if info, err := os.Lstat(path); !strings.HasPrefix(name, "photo-") || strings.ContainsAny(name, "/\\\x00") || err != nil || !info.Mode().IsRegular() {
		return "", &command.Error{Code: command.CodeUnknownName, Message: fmt.Sprintf("name: there is no photo %.80q", name)}
	}
	return path, nil
}

// Show implements command.Photos.
func (p Photos) Show(name string) (api.ShownPhoto, error) {
	path, err := p.path(name)
	if err != nil {
		return api.ShownPhoto{}, err
	}
	data, err := os.ReadFile(path)
	return api.ShownPhoto{Name: name, Image: data}, err
}

// Delete implements command.Photos.
func (p Photos) Delete(name string) error {
	path, err := p.path(name)
	if err != nil {
		return err
	}
	return os.Remove(path)
}

var _ command.Photos = Photos{}
