package files

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// magics are how contents begin: the first one that fits counts.
var magics = []struct {
	begins []string
	fits   func(data []byte) bool // besides; nil: yes
	t      Type
	wrong  string // what it is that cannot be read
}{
	{begins: []string{"%PDF-"}, t: PDF},
	{begins: []string{"\x89PNG\r\n\x1a\n"}, t: PNG},
	{begins: []string{"\xff\xd8\xff"}, t: JPEG},
	{begins: []string{"GIF87a", "GIF89a"}, t: GIF},
	{begins: []string{"RIFF"}, fits: func(data []byte) bool { return len(data) >= 12 && string(data[8:12]) == "WEBP" }, t: WebP},
	{begins: []string{"II*\x00", "MM\x00*"}, t: TIFF},
	{begins: []string{"BM"}, fits: isBMP, t: BMP},
	{begins: []string{"PK\x03\x04", "PK\x05\x06"}, t: Zip},
	{begins: []string{"\x1f\x8b"}, t: TarGz},
	{begins: []string{""}, fits: isTar, t: Tar},
	{begins: []string{"\x7fELF", "MZ\x90"}, wrong: "a program"},
	{begins: []string{"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"}, wrong: "an old Office document (save it as .xlsx)"},
	{begins: []string{"7z\xbc\xaf\x27\x1c", "Rar!", "BZh", "\xfd7zXZ", "\x28\xb5\x2f\xfd"}, wrong: "an archive of another kind than zip and tar"},
	{begins: []string{"ID3", "OggS", "fLaC", "RIFF", "\x1aE\xdf\xa3"}, wrong: "sound or video"},
	{begins: []string{""}, fits: func(data []byte) bool { return len(data) > 8 && string(data[4:8]) == "ftyp" }, wrong: "sound or video"},
}

// sniff says what content is: a type, Text for anything that is text, or what it is that cannot be read.
func sniff(data []byte) (t Type, wrong string) {
	for _, m := range magics {
		begins := slices.ContainsFunc(m.begins, func(magic string) bool { return bytes.HasPrefix(data, []byte(magic)) })
		if !begins || m.fits != nil && !m.fits(data) {
			continue
		}
		switch m.t {
		case Zip:
			return sniffZip(data)
		case TarGz:
			return sniffGzip(data)
		}
		return m.t, m.wrong
	}
	if encodingOf(data) == "" {
		return "", "binary data of an unknown kind"
	}
	return Text, ""
}

func isBMP(data []byte) bool {
	return len(data) >= 26 && binary.LittleEndian.Uint32(data[14:]) <= 124 && binary.LittleEndian.Uint32(data[6:]) == 0
}

func isTar(data []byte) bool { return len(data) >= 512 && string(data[257:262]) == "ustar" }

func sniffZip(data []byte) (Type, string) {
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return Zip, "" // Describe and Read say what is wrong
	}
	types := false
	for _, f := range r.File {
		switch {
		case f.Name == "xl/workbook.xml":
			return Excel, ""
		case strings.HasPrefix(f.Name, "xl/workbook.bin"):
			return "", "a binary workbook (save it as .xlsx)"
		case f.Name == "word/document.xml", f.Name == "ppt/presentation.xml", f.Name == "content.xml":
			return "", "an Office document that is no workbook"
		}
		types = types || f.Name == "[Content_Types].xml"
	}
	if types {
		return "", "an Office document that is no workbook"
	}
	return Zip, ""
}

func sniffGzip(data []byte) (Type, string) {
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return TarGz, ""
	}
	head := make([]byte, 512)
	if _, err := io.ReadFull(z, head); err != nil || !isTar(head) {
		return "", "compressed data other than a tar archive"
	}
	return TarGz, ""
}

// Encodings of text.
const (
	utf8Text    = "utf-8"
	utf16LE     = "utf-16le"
	utf16BE     = "utf-16be"
	windows1252 = "windows-1252"
)

// encodingOf is empty when data is no text. Text without a byte order mark that is no UTF-8 is taken for what Western
// European spreadsheets write.
func encodingOf(data []byte) string {
	switch {
	case bytes.HasPrefix(data, []byte("\xff\xfe")):
		return utf16LE
	case bytes.HasPrefix(data, []byte("\xfe\xff")):
		return utf16BE
	}
	for _, c := range data {
		if c < ' ' && c != '\n' && c != '\r' && c != '\t' && c != '\f' || c == 0x7f {
			return ""
		}
	}
	if utf8.Valid(data) {
		return utf8Text
	}
	high := 0
	for _, c := range data {
		if c >= 0x80 {
			high++
		}
		if c == 0x81 || c == 0x8d || c == 0x8f || c == 0x90 || c == 0x9d { // not in windows-1252
			return ""
		}
	}
	if high > len(data)/4+1 {
		return "" // no language that is written in it
	}
	return windows1252
}

const upper1252 = "€\x00‚ƒ„…†‡ˆ‰Š‹Œ\x00Ž\x00\x00‘’“”•–—˜™š›œ\x00žŸ"

var decode1252 = []rune(upper1252)

// text is the beginning of a text in UTF-8 without a byte order mark: at least that many bytes of what is stored.
func (f *File) text(most int) []byte {
	data := f.Data[:min(len(f.Data), most)]
	switch f.encoding {
	case utf16LE, utf16BE:
		units := make([]uint16, 0, len(data)/2)
		for data = data[2:]; len(data) >= 2; data = data[2:] {
			if f.encoding == utf16LE {
				units = append(units, binary.LittleEndian.Uint16(data))
			} else {
				units = append(units, binary.BigEndian.Uint16(data))
			}
		}
		return []byte(string(utf16.Decode(units)))
	case windows1252:
		out := make([]byte, 0, len(data)+len(data)/8)
		for _, c := range data {
			r := rune(c)
			if c >= 0x80 && c < 0xa0 {
				r = decode1252[c-0x80]
			}
			out = utf8.AppendRune(out, r)
		}
		return out
	}
	return bytes.TrimPrefix(data, []byte("\ufeff"))
}

func (f *File) wholeText() []byte { return f.text(len(f.Data)) }

func guessText(data []byte) Type {
	start := bytes.TrimLeftFunc(data, unicode.IsSpace)
	switch {
	case bytes.HasPrefix(start, []byte("<?xml")):
		return XML
	case len(start) > 0 && (start[0] == '{' || start[0] == '[') && json.Valid(data):
		return JSON
	}
	return Text
}
