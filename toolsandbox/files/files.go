// Package files turns files that come with a call into plain data for a tool: what they are is decided by content and
// name together, and bad, huge, mislabelled files and bombs end in a clear error within bounded memory and time.
//
// Check is cheap and safe anywhere. Describe and Read parse what strangers wrote, some of it with libraries that no
// context can interrupt: a Worker does that in a child process with limits, which is what a daemon uses.
package files

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of what is read. Beyond each of them there is an Error with CodeLimit.
const (
	MaxSize     = 50 << 20   // bytes of a file
	MaxName     = 255        // bytes of its name
	MaxOutput   = 16 << 20   // bytes of JSON that Read returns
	MaxText     = 4 << 20    // bytes of text that are taken out of a PDF or a workbook
	MaxValues   = 400_000    // cells, nodes or values that are read
	MaxColumns  = 1000       // of a table
	MaxDepth    = 64         // of nested JSON, XML, YAML
	MaxYAML     = 2 << 20    // bytes of YAML, which is slow to parse
	MaxPixels   = 25_000_000 // of an image, all frames of which but the first are left out
	MaxPages    = 2000       // of a PDF
	MaxMembers  = 10_000     // of an archive
	MaxUnpacked = 64 << 20   // bytes of all members of an archive or a workbook together
	MaxRatio    = 200        // unpacked ÷ packed bytes of a member, beyond the first MiB
	MaxNesting  = 2          // archives in one another
)

// Type is what a file is.
type Type string

// The types that can be read.
const (
	Text  Type = "text"
	CSV   Type = "csv"
	TSV   Type = "tsv"
	JSON  Type = "json"
	XML   Type = "xml"
	YAML  Type = "yaml"
	Excel Type = "excel"
	PDF   Type = "pdf"
	PNG   Type = "png"
	JPEG  Type = "jpeg"
	GIF   Type = "gif"
	WebP  Type = "webp"
	BMP   Type = "bmp"
	TIFF  Type = "tiff"
	Zip   Type = "zip"
	Tar   Type = "tar"
	TarGz Type = "tar.gz"
)

// extensions of the types. A file of a type that is no kind of text must have one of them, or none at all.
var extensions = map[string]Type{
	".txt": Text, ".md": Text, ".log": Text, ".csv": CSV, ".tsv": TSV, ".tab": TSV, ".json": JSON, ".xml": XML,
	".svg": XML, ".yaml": YAML, ".yml": YAML, ".xlsx": Excel, ".xlsm": Excel, ".pdf": PDF, ".png": PNG, ".jpg": JPEG,
	".jpeg": JPEG, ".gif": GIF, ".webp": WebP, ".bmp": BMP, ".tif": TIFF, ".tiff": TIFF, ".zip": Zip, ".tar": Tar,
	".tgz": TarGz, ".gz": TarGz,
}

// IsImage says whether it is one of the types of images.
func (t Type) IsImage() bool { return slices.Contains([]Type{PNG, JPEG, GIF, WebP, BMP, TIFF}, t) }

func (t Type) isText() bool { return slices.Contains([]Type{Text, CSV, TSV, JSON, XML, YAML}, t) }

func (t Type) isArchive() bool { return t == Zip || t == Tar || t == TarGz }

// Code says what is wrong with a file.
type Code string

// The codes.
const (
	CodeName       Code = "name"       // not a plain file name
	CodeEmpty      Code = "empty"      // no bytes
	CodeLimit      Code = "limit"      // more than this package reads: bombs, too
	CodeType       Code = "type"       // nothing that can be read
	CodeMislabeled Code = "mislabeled" // the name says another type than the content
	CodeDamaged    Code = "damaged"    // cannot be parsed
	CodeQuery      Code = "query"      // there is no such sheet, member or page
)

// Error is what is wrong with a file.
type Error struct {
	File   string `json:"file"`
	Code   Code   `json:"code"`
	Detail string `json:"detail"`
}

// Error names the file and says what is wrong with it.
func (e *Error) Error() string { return fmt.Sprintf("file %.80q: %s", e.File, e.Detail) }

// File is a file whose type and size were checked. Its content may still be damaged.
type File struct {
	Name string
	Type Type
	Data []byte // nobody changes it

	encoding string // of text
	nesting  int    // archives around it
}

func (f *File) errorf(code Code, format string, args ...any) error {
	return &Error{f.Name, code, fmt.Sprintf(format, args...)}
}

// damaged is the error for what a parser did not understand.
func (f *File) damaged(err error) error {
	return f.errorf(CodeDamaged, "cannot be read as %s: %.300s", f.Type, err)
}

func (f *File) limit(what string, n, most int64) error {
	return f.errorf(CodeLimit, "%d %s, allowed %d", n, what, most)
}

// Check says what a file is. The error is an *Error.
func Check(name string, data []byte) (*File, error) {
	f := &File{Name: name, Data: data}
	switch {
	case !plainName(name):
		return nil, f.errorf(CodeName, "not a plain file name: allowed are 1 to %d bytes of UTF-8 without slashes and control characters, not beginning with a dot",
			MaxName)
	case len(data) == 0:
		return nil, f.errorf(CodeEmpty, "it is empty")
	case len(data) > MaxSize:
		return nil, f.limit("bytes", int64(len(data)), MaxSize)
	}
	ext := strings.ToLower(path.Ext(name))
	labelled, known := extensions[ext]
	content, wrong := sniff(data)
	switch {
	case wrong != "":
		return nil, f.errorf(CodeType, "it is %s, which cannot be read; allowed are text, CSV, TSV, JSON, XML, YAML, Excel (.xlsx), PDF, PNG, JPEG, GIF, WebP, "+
			"BMP, TIFF, zip and tar", wrong)
	case content != Text && ext != "" && (!known || labelled != content):
		return nil, f.mislabeled(ext, content)
	case content != Text:
		f.Type = content
		return f, nil
	case known && !labelled.isText():
		return nil, f.mislabeled(ext, Text)
	}
	f.Type = labelled
	if !known {
		f.Type = Text
	}
	if ext == "" {
		f.Type = guessText(data)
	}
	f.encoding = encodingOf(data)
	if looks := f.looks(); looks != "" {
		return nil, f.errorf(CodeMislabeled, "its name ends in %q, but %s", ext, looks)
	}
	return f, nil
}

func (f *File) mislabeled(ext string, content Type) error {
	return f.errorf(CodeMislabeled, "its name ends in %q, but its content is %s", ext, content)
}

func plainName(name string) bool {
	return name != "" && len(name) <= MaxName && utf8.ValidString(name) && name[0] != '.' &&
		!strings.ContainsAny(name, `/\`) && !strings.ContainsFunc(name, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) })
}

// looks says why the content cannot be what the name says, for the types of text whose beginning tells.
func (f *File) looks() string {
	start := bytes.TrimLeftFunc(f.text(4096), unicode.IsSpace)
	if len(start) == 0 {
		return ""
	}
	switch f.Type {
	case XML:
		if start[0] != '<' {
			return "its content is no XML: it does not begin with <"
		}
	case JSON:
		if !bytes.ContainsRune([]byte(`{["-0123456789tfn`), rune(start[0])) {
			return fmt.Sprintf("its content is no JSON: it begins with %q", rune(start[0]))
		}
	case CSV, TSV, YAML:
		if bytes.HasPrefix(start, []byte("<?xml")) || bytes.HasPrefix(bytes.ToLower(start), []byte("<!doctype")) ||
			bytes.HasPrefix(bytes.ToLower(start), []byte("<html")) {
			return "its content is XML or HTML"
		}
	}
	return ""
}
