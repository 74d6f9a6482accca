package files

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"
	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

type entry struct{ name, content string }

func makeZip(t testing.TB, entries ...entry) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, e := range entries {
		w, err := z.Create(e.name)
		must(t, err)
		_, err = io.WriteString(w, e.content)
		must(t, err)
	}
	must(t, z.Close())
	return b.Bytes()
}

// sayZip is an archive whose members say that they have these sizes.
func sayZip(t testing.TB, packed, unpacked uint64, names ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range names {
		_, err := z.CreateRaw(&zip.FileHeader{Name: name, Method: zip.Deflate, CompressedSize64: packed, UncompressedSize64: unpacked})
		must(t, err)
	}
	must(t, z.Close())
	return b.Bytes()
}

// inflates is zlib data that unpacks to n MiB of block, which is repeated.
func inflates(t testing.TB, block string, n int) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.BestCompression)
	must(t, err)
	_, err = io.WriteString(w, strings.Repeat(block, 1<<20/len(block)))
	must(t, err)
	must(t, w.Flush()) // ends at a byte, so that it can be repeated
	return append([]byte{0x78, 0xda}, bytes.Repeat(b.Bytes(), n)...)
}

func makeTar(t testing.TB, entries ...entry) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	must(t, w.WriteHeader(&tar.Header{Name: "folder/", Typeflag: tar.TypeDir, Mode: 0o755}))
	must(t, w.WriteHeader(&tar.Header{Name: "link.txt", Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"}))
	for _, e := range entries {
		must(t, w.WriteHeader(&tar.Header{Name: e.name, Typeflag: tar.TypeReg, Size: int64(len(e.content)), Mode: 0o644}))
		_, err := io.WriteString(w, e.content)
		must(t, err)
	}
	must(t, w.Close())
	return b.Bytes()
}

func makeGzip(t testing.TB, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err := z.Write(data)
	must(t, err)
	must(t, z.Close())
	return b.Bytes()
}

// picture is red on the left and blue on the right.
func picture(width, height int) image.Image {
	img := image.NewPaletted(image.Rect(0, 0, width, height), color.Palette{color.RGBA{255, 0, 0, 255}, color.RGBA{0, 0, 255, 255}})
	for y := range height {
		for x := range width {
			if x >= width/2 {
				img.SetColorIndex(x, y, 1)
			}
		}
	}
	return img
}

func makeImage(t testing.TB, kind Type, width, height int) []byte {
	t.Helper()
	var b bytes.Buffer
	img := picture(width, height)
	switch kind {
	case PNG:
		must(t, png.Encode(&b, img))
	case JPEG:
		must(t, jpeg.Encode(&b, img, nil))
	case GIF:
		must(t, gif.Encode(&b, img, nil))
	case BMP:
		must(t, bmp.Encode(&b, img))
	case TIFF:
		must(t, tiff.Encode(&b, img, nil))
	}
	return b.Bytes()
}

// webpPixel is one lossless pixel: there is no encoder to make a larger one.
var webpPixel = []byte("RIFF\x1a\x00\x00\x00WEBPVP8L\x0d\x00\x00\x00\x2f\x00\x00\x00\x10\x07\x10\x11\x11\x88\x88\xfe\x07\x00")

func makeExcel(t testing.TB, sheets ...string) []byte {
	t.Helper()
	book := excelize.NewFile()
	defer book.Close()
	for i, name := range sheets {
		if i == 0 {
			must(t, book.SetSheetName("Sheet1", name))
		} else {
			_, err := book.NewSheet(name)
			must(t, err)
		}
		must(t, book.SetSheetRow(name, "A1", &[]any{"city", "people", "rain"}))
		must(t, book.SetSheetRow(name, "A2", &[]any{"Berlin", 3700000, 1.5}))
		must(t, book.SetSheetRow(name, "A4", &[]any{"Paris", 2100000, nil}))
	}
	var b bytes.Buffer
	must(t, book.Write(&b))
	return b.Bytes()
}

// makePDF writes objects 1, 2, … with a right table of references; object 1 is the root.
func makePDF(objects ...string) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.4\n")
	offsets := make([]int, len(objects))
	for i, o := range objects {
		offsets[i] = b.Len()
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	table := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, at := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", at)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, table)
	return b.Bytes()
}

func stream(dict string, content []byte) string {
	return fmt.Sprintf("<< /Length %d %s >>\nstream\n%s\nendstream", len(content), dict, content)
}

// textPDF has a page for each text.
func textPDF(texts ...string) []byte {
	objects := []string{"<< /Type /Catalog /Pages 2 0 R >>", "", "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"}
	kids := ""
	for _, text := range texts {
		n := len(objects) + 1
		kids += fmt.Sprintf("%d 0 R ", n)
		objects = append(objects,
			fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 300] /Contents %d 0 R /Resources << /Font << /F1 3 0 R >> >> >>", n+1),
			stream("", fmt.Appendf(nil, "BT /F1 12 Tf 20 250 Td (%s) Tj ET", text)))
	}
	objects[1] = fmt.Sprintf("<< /Type /Pages /Kids [%s] /Count %d >>", kids, len(texts))
	return makePDF(objects...)
}
