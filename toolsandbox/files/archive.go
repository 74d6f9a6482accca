package files

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"path"
	"strings"
)

// errFound ends a walk.
var errFound = errors.New("found")

// walk calls fn for every regular file of an archive. What fn reads counts; nothing that a header says is believed.
func (f *File) walk(ctx context.Context, fn func(m Member, r io.Reader) error) error {
	if f.Type == Zip || f.Type == Excel {
		return f.walkZip(ctx, fn)
	}
	return f.walkTar(ctx, fn)
}

func (f *File) walkZip(ctx context.Context, fn func(Member, io.Reader) error) error {
	z, err := zip.NewReader(bytes.NewReader(f.Data), int64(len(f.Data)))
	if err != nil {
		return f.damaged(err)
	}
	if len(z.File) > MaxMembers {
		return f.limit("members", int64(len(z.File)), MaxMembers)
	}
	var total uint64
	for _, m := range z.File {
		total += min(m.UncompressedSize64, 1<<40)
		if total > MaxUnpacked {
			return f.limit("bytes unpacked or more", int64(total), MaxUnpacked)
		}
		if m.UncompressedSize64 > 1<<20 && m.UncompressedSize64/MaxRatio > m.CompressedSize64 {
			return f.errorf(CodeLimit, "member %.80q would grow from %d to %d bytes, allowed is %d times", m.Name, m.CompressedSize64, m.UncompressedSize64, MaxRatio)
		}
	}
	for i, m := range z.File {
		if i%64 == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if !m.Mode().IsRegular() {
			continue
		}
		// The reader of archive/zip ends with an error where a member is longer than it said.
		err := fn(member(m.Name, int64(m.UncompressedSize64)), opening{m})
		if err != nil {
			return err
		}
	}
	return nil
}

// opening opens a member of a zip when it is read.
type opening struct{ m *zip.File }

func (o opening) Read([]byte) (int, error) { return 0, errors.New("not to be read itself") }

func (o opening) WriteTo(w io.Writer) (int64, error) {
	r, err := o.m.Open()
	if err != nil {
		return 0, err
	}
	defer r.Close() //nolint:errcheck // only read
	return io.Copy(w, r)
}

func (f *File) walkTar(ctx context.Context, fn func(Member, io.Reader) error) error {
	var in io.Reader = bytes.NewReader(f.Data)
	if f.Type == TarGz {
		z, err := gzip.NewReader(in)
		if err != nil {
			return f.damaged(err)
		}
		in = z
	}
	counted := &counter{r: in, left: MaxUnpacked}
	t := tar.NewReader(counted)
	for n := 0; ; n++ {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		h, err := t.Next()
		switch {
		case counted.left < 0:
			return f.limit("bytes unpacked or more", MaxUnpacked+1, MaxUnpacked)
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return f.damaged(err)
		case n >= MaxMembers:
			return f.limit("members or more", int64(n)+1, MaxMembers)
		case h.Typeflag != tar.TypeReg:
			continue
		}
		if err := fn(member(h.Name, h.Size), t); err != nil {
			return err
		}
	}
}

// counter ends a stream that gets too long.
type counter struct {
	r    io.Reader
	left int64
}

func (c *counter) Read(p []byte) (int, error) {
	if c.left < 0 {
		return 0, io.ErrUnexpectedEOF
	}
	n, err := c.r.Read(p)
	c.left -= int64(n)
	return n, err
}

func member(name string, size int64) Member {
	return Member{Name: shorten(strings.ToValidUTF8(name, "\ufffd"), 1000), Size: size, Type: extensions[strings.ToLower(path.Ext(name))]}
}

// list returns the members of an archive. A name is only a name: nothing is ever unpacked to a disk.
func (f *File) list(ctx context.Context) ([]Member, error) {
	members := []Member{}
	err := f.walk(ctx, func(m Member, _ io.Reader) error {
		members = append(members, m)
		return nil
	})
	return members, err
}

// member takes one file out of an archive.
func (f *File) member(ctx context.Context, name string) (*File, error) {
	if f.nesting >= MaxNesting {
		return nil, f.errorf(CodeLimit, "archives in one another, allowed are %d", MaxNesting)
	}
	var content bytes.Buffer
	err := f.walk(ctx, func(m Member, r io.Reader) error {
		if m.Name != name {
			return nil
		}
		if _, err := io.Copy(&limitedBuffer{&content, MaxSize}, r); err != nil {
			if errors.Is(err, errTooLong) {
				return f.errorf(CodeLimit, "member %.80q has more than %d bytes", name, MaxSize)
			}
			return f.damaged(err)
		}
		return errFound
	})
	if err == nil {
		return nil, f.errorf(CodeQuery, "there is no member %.80q in it", name)
	}
	if !errors.Is(err, errFound) {
		return nil, err
	}
	m, err := Check(path.Base(strings.ReplaceAll(name, `\`, "/")), content.Bytes())
	if err != nil {
		return nil, err
	}
	m.nesting = f.nesting + 1
	return m, nil
}

var errTooLong = errors.New("too long")

// limitedBuffer refuses to grow beyond a number of bytes.
type limitedBuffer struct {
	b    *bytes.Buffer
	most int
}

func (l *limitedBuffer) Write(p []byte) (int, error) {
	if l.b.Len()+len(p) > l.most {
		return 0, errTooLong
	}
	return l.b.Write(p)
}
