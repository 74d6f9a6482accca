package guest

import (
	"bytes"
	"io"
	"io/fs"
	"maps"
	"slices"
	"time"
)

// noFiles is an empty folder.
type noFiles struct{}

// Open implements fs.FS.
func (noFiles) Open(name string) (fs.File, error) { return callFiles{}.Open(name) }

// callFiles shows the files of a request as one flat, read-only folder.
type callFiles struct{ content func() map[string][]byte }

// Open implements fs.FS.
func (f callFiles) Open(name string) (fs.File, error) {
	var files map[string][]byte
	if f.content != nil {
		files = f.content()
	}
	if name == "." {
		return &openFolder{names: slices.Sorted(maps.Keys(files)), files: files}, nil
	}
	data, ok := files[name]
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return &openFile{fileInfo: fileInfo{name, int64(len(data))}, Reader: bytes.NewReader(data)}, nil
}

type openFile struct {
	fileInfo
	*bytes.Reader
}

func (f *openFile) Stat() (fs.FileInfo, error) { return f.fileInfo, nil }
func (f *openFile) Close() error               { return nil }
func (f *openFile) Size() int64                { return f.size }

type openFolder struct {
	names []string
	files map[string][]byte
}

func (f *openFolder) Stat() (fs.FileInfo, error) { return folderInfo{}, nil }
func (f *openFolder) Close() error               { return nil }
func (f *openFolder) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: ".", Err: fs.ErrInvalid}
}

// ReadDir implements fs.ReadDirFile.
func (f *openFolder) ReadDir(n int) (entries []fs.DirEntry, err error) {
	if n > 0 && len(f.names) == 0 {
		return nil, io.EOF
	}
	if n <= 0 || n > len(f.names) {
		n = len(f.names)
	}
	for _, name := range f.names[:n] {
		entries = append(entries, fs.FileInfoToDirEntry(fileInfo{name, int64(len(f.files[name]))}))
	}
	f.names = f.names[n:]
	return entries, nil
}

type fileInfo struct {
	name string
	size int64
}

func (i fileInfo) Name() string       { return i.name }
func (i fileInfo) Size() int64        { return i.size }
func (i fileInfo) Mode() fs.FileMode  { return 0o444 }
func (i fileInfo) ModTime() time.Time { return virtualStart }
func (i fileInfo) IsDir() bool        { return false }
func (i fileInfo) Sys() any           { return nil }

type folderInfo struct{}

func (folderInfo) Name() string       { return "." }
func (folderInfo) Size() int64        { return 0 }
func (folderInfo) Mode() fs.FileMode  { return fs.ModeDir | 0o555 }
func (folderInfo) ModTime() time.Time { return virtualStart }
func (folderInfo) IsDir() bool        { return true }
func (folderInfo) Sys() any           { return nil }

var _ fs.ReadDirFile = (*openFolder)(nil)
