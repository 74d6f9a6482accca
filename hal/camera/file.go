package camera

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// maxFiles bounds how many pictures of a directory are shown.
const maxFiles = 10_000

// File shows a picture, the pictures of a directory in the order of their names, or those of an .mjpeg file, over and
// over as if a camera saw them.
type File struct {
	Path string
	FPS  int // 15 if 0
	// Of is how pixels and directions belong together; WebcamIntrinsics if nil.
	Of func(width, height int) Intrinsics
}

// Intrinsics implements Source.
func (f File) Intrinsics(width, height int) Intrinsics {
	if f.Of != nil {
		return f.Of(width, height)
	}
	return WebcamIntrinsics(width, height)
}

// String implements Source.
func (f File) String() string { return "file " + f.Path }

// Open implements Source.
func (f File) Open(context.Context) (Stream, error) {
	info, err := os.Stat(f.Path)
	if err != nil {
		return nil, err
	}
	s := &slides{gap: time.Second / time.Duration(orNumber(f.FPS, DefaultFPS)), closed: make(chan struct{})}
	switch {
	case info.IsDir():
		s.names, err = pictures(f.Path)
	case slices.Contains([]string{".mjpeg", ".mjpg"}, strings.ToLower(filepath.Ext(f.Path))):
		if s.file, err = os.Open(f.Path); err == nil {
			s.split = NewSplitter(s.file)
		}
	default:
		s.names = []string{f.Path}
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// pictures are the files of a directory that may be pictures.
func pictures(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		switch strings.ToLower(filepath.Ext(e.Name())) {
		case ".jpg", ".jpeg", ".png", ".gif", ".bmp", ".tif", ".tiff", ".webp":
			names = append(names, filepath.Join(dir, e.Name()))
		}
	}
	switch {
	case len(names) == 0:
		return nil, fmt.Errorf("%s: no pictures in it", dir)
	case len(names) > maxFiles:
		return nil, fmt.Errorf("%s: %d pictures in it; allowed are %d", dir, len(names), maxFiles)
	}
	return names, nil
}

// slides shows pictures at their rate.
type slides struct {
	names  []string
	at     int
	one    *Frame // of a single picture, which is read once
	file   *os.File
	split  *Splitter
	since  int // pictures since the beginning of the file
	gap    time.Duration
	due    time.Time
	closed chan struct{}
}

// Next implements Stream.
func (s *slides) Next() (Frame, error) {
	t := time.NewTimer(time.Until(s.due))
	defer t.Stop()
	select {
	case <-t.C:
	case <-s.closed:
		return Frame{}, os.ErrClosed
	}
	s.due = time.Now().Add(s.gap)
	f, err := s.load()
	f.Time = time.Now()
	return f, err
}

func (s *slides) load() (Frame, error) {
	switch {
	case s.split != nil:
		return s.film()
	case s.one != nil:
		return *s.one, nil
	}
	name := s.names[s.at]
	s.at = (s.at + 1) % len(s.names)
	info, err := os.Stat(name)
	if err != nil {
		return Frame{}, err
	}
	if info.Size() > MaxFile {
		return Frame{}, fmt.Errorf("%s: %w: %d bytes; allowed are %d", name, ErrPicture, info.Size(), MaxFile)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return Frame{}, err
	}
	f, err := asFrame(data)
	if err != nil {
		return Frame{}, fmt.Errorf("%s: %w", name, err)
	}
	if len(s.names) == 1 {
		s.one = &f
	}
	return f, nil
}

// film returns the next picture of the file, from its beginning again after the last one. Damaged ones are left out.
func (s *slides) film() (Frame, error) {
	for {
		data, err := s.split.Next()
		if err == nil {
			if f, bad := asFrame(data); bad == nil {
				s.since++
				return f, nil
			}
			continue
		}
		if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			return Frame{}, err
		}
		if s.since == 0 {
			return Frame{}, fmt.Errorf("%s: no picture in it", s.file.Name())
		}
		if _, err := s.file.Seek(0, io.SeekStart); err != nil {
			return Frame{}, err
		}
		s.split, s.since = NewSplitter(s.file), 0
	}
}

// Close implements Stream.
func (s *slides) Close() error {
	close(s.closed)
	if s.file != nil {
		return s.file.Close()
	}
	return nil
}
