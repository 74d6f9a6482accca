package host

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// scratch is the folder of one call, in memory.
type scratch struct {
	limits Limits
	files  map[string][]byte
	total  int64
}

const (
	maxFileName  = 200
	maxFileDepth = 8
	maxPiece     = 1 << 20 // bytes of one read or write
)

// scratchName makes the one name of a file out of the ways to write it: photos/a.jpg, ./photos/a.jpg, /tmp/photos/a.jpg.
func scratchName(path string) (string, error) {
	refuse := func(why string) (string, error) {
		return "", invalid("file name %.80q: %s; allowed are names such as photo.jpg and photos/1.jpg", path, why)
	}
	switch {
	case len(path) > maxFileName:
		return refuse("too long")
	case !utf8.ValidString(path):
		return refuse("not UTF-8")
	case strings.ContainsFunc(path, func(r rune) bool { return r == '\\' || r == ':' || !unicode.IsPrint(r) }):
		return refuse("a character that file names do not have")
	}
	name := path
	for _, folder := range []string{"/tmp/", "/scratch/"} {
		if rest, ok := strings.CutPrefix(name, folder); ok {
			name = rest
			break
		}
	}
	if strings.HasPrefix(name, "/") {
		return refuse("outside of the scratch folder")
	}
	var parts []string
	for part := range strings.SplitSeq(name, "/") {
		switch {
		case part == "." || part == "":
		case part == "..":
			return refuse("leads upwards")
		case strings.Trim(part, " .") == "":
			return refuse("a part without a letter")
		default:
			parts = append(parts, part)
		}
	}
	if len(parts) == 0 || strings.HasSuffix(name, "/") {
		return refuse("no file is named")
	}
	if len(parts) > maxFileDepth {
		return refuse("too deep")
	}
	return strings.Join(parts, "/"), nil
}

// write replaces a file, or adds to it.
func (s *scratch) write(name string, data []byte, add bool) error {
	old, exists := s.files[name]
	if !exists && len(s.files) >= s.limits.Files {
		return fail(CodeLimit, "file %q: the scratch folder has %d files, allowed %d", name, len(s.files), s.limits.Files)
	}
	total := s.total + int64(len(data))
	if !add {
		total -= int64(len(old))
	}
	if total > s.limits.FileBytes {
		return fail(CodeLimit, "file %q: the scratch folder would have %d bytes, allowed %d", name, total, s.limits.FileBytes)
	}
	if add {
		data = append(old, data...)
	}
	s.files[name], s.total = data, total
	return nil
}

func (s *scratch) read(name string) ([]byte, error) {
	data, ok := s.files[name]
	if !ok {
		return nil, fail(CodeNotFound, "there is no file %q in the scratch folder", name)
	}
	return data, nil
}

func (s *scratch) call(args json.RawMessage) (any, error) {
	var a struct {
		Op     string `json:"op"`
		Path   string `json:"path"`
		Data   []byte `json:"data"`
		Add    bool   `json:"add"`
		Offset int    `json:"offset"`
	}
	if err := decode(args, &a); err != nil {
		return nil, err
	}
	if a.Op == "list" {
		return slices.AppendSeq([]string{}, func(yield func(string) bool) {
			for _, name := range slices.Sorted(maps.Keys(s.files)) {
				if !yield(name) {
					return
				}
			}
		}), nil
	}
	name, err := scratchName(a.Path)
	if err != nil {
		return nil, err
	}
	switch a.Op {
	case "write":
		if len(a.Data) > maxPiece {
			return nil, fail(CodeLimit, "data: %d bytes, allowed %d at a time", len(a.Data), maxPiece)
		}
		return map[string]string{"name": name}, s.write(name, a.Data, a.Add)
	case "read":
		data, err := s.read(name)
		if err != nil {
			return nil, err
		}
		if a.Offset < 0 || a.Offset > len(data) {
			return nil, invalid("offset: %d, allowed 0 to %d", a.Offset, len(data))
		}
		piece := data[a.Offset:]
		return map[string]any{"data": piece[:min(len(piece), maxPiece)], "size": len(data)}, nil
	case "remove":
		data, err := s.read(name)
		if err != nil {
			return nil, err
		}
		delete(s.files, name)
		s.total -= int64(len(data))
		return nil, nil
	}
	return nil, invalid("op: %.40q, allowed list, read, remove and write", a.Op)
}
