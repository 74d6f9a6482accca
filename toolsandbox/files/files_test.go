package files

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"strings"
	"testing"

	"go.uber.org/goleak"
	"golang.org/x/sys/unix"
)

// The test program is also the child process of a Worker: its first argument says what that does.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "files-worker":
			os.Exit(WorkerMain(os.Stdin, os.Stdout))
		case "files-worker-hangs":
			for {
				_ = unix.Pause() // until it is killed
			}
		case "files-worker-hogs":
			_ = confine(workerMemory)
			var hoard [][]byte
			for {
				hoard = append(hoard, bytes.Repeat([]byte{byte(len(hoard))}, 16<<20))
			}
		case "files-worker-floods":
			for {
				_, _ = os.Stdout.Write(make([]byte, 1<<20))
			}
		case "files-worker-crashes":
			panic("something unexpected")
		}
	}
	if err := os.Setenv("GORACE", "atexit_sleep_ms=0"); err != nil { // workers are gone when they are done
		panic(err)
	}
	goleak.VerifyTestMain(m)
}

var ctx = context.Background()

func check(t testing.TB, name string, data []byte) *File {
	t.Helper()
	f, err := Check(name, data)
	must(t, err)
	return f
}

func read(t testing.TB, name string, data []byte, q Query) string {
	t.Helper()
	out, err := Read(ctx, check(t, name, data), q)
	must(t, err)
	return string(out)
}

// refused checks that a file is refused for that reason, by Check, Describe or Read.
func refused(t *testing.T, name string, data []byte, q Query, code Code, says string) {
	t.Helper()
	f, err := Check(name, data)
	if err == nil {
		_, err = Read(ctx, f, q)
	}
	var e *Error
	if !errors.As(err, &e) || e.Code != code || !strings.Contains(err.Error(), says) || e.File == "" {
		t.Errorf("%s: %v; want code %s and %q", name, err, code, says)
	}
}

func TestTypes(t *testing.T) {
	for _, k := range []struct {
		name string
		data []byte
		want Type
	}{
		{"a.txt", []byte("hello"), Text},
		{"notes.py", []byte("print(1)"), Text},
		{"README", []byte("hello"), Text},
		{"data", []byte(`{"a": 1}`), JSON},
		{"data", []byte(`<?xml version="1.0"?><a/>`), XML},
		{"a.csv", []byte("a,b\n1,2\n"), CSV},
		{"A.CSV", []byte("a,b\n1,2\n"), CSV},
		{"a.tsv", []byte("a\tb\n"), TSV},
		{"a.json", []byte(" [1]"), JSON},
		{"a.xml", []byte("\ufeff <a/>"), XML},
		{"a.yml", []byte("a: 1"), YAML},
		{"a.xlsx", makeExcel(t, "one"), Excel},
		{"a.pdf", textPDF("x"), PDF},
		{"a.png", makeImage(t, PNG, 2, 2), PNG},
		{"a.jpg", makeImage(t, JPEG, 2, 2), JPEG},
		{"a.jpeg", makeImage(t, JPEG, 2, 2), JPEG},
		{"a.gif", makeImage(t, GIF, 2, 2), GIF},
		{"a.webp", webpPixel, WebP},
		{"a.bmp", makeImage(t, BMP, 2, 2), BMP},
		{"a.tif", makeImage(t, TIFF, 2, 2), TIFF},
		{"a.zip", makeZip(t, entry{"b.txt", "x"}), Zip},
		{"a.tar", makeTar(t, entry{"b.txt", "x"}), Tar},
		{"a.tar.gz", makeGzip(t, makeTar(t, entry{"b.txt", "x"})), TarGz},
		{"picture", makeImage(t, PNG, 2, 2), PNG}, // no extension, so nothing that would be wrong
	} {
		if f := check(t, k.name, k.data); f.Type != k.want {
			t.Errorf("%s is %s, want %s", k.name, f.Type, k.want)
		}
		if _, err := Read(ctx, check(t, k.name, k.data), Query{}); err != nil {
			t.Error(err)
		}
	}
}

func TestMislabelled(t *testing.T) {
	picture, book, packed := makeImage(t, PNG, 2, 2), makeExcel(t, "one"), makeZip(t, entry{"a", "b"})
	for _, k := range []struct {
		name string
		data []byte
	}{
		{"a.jpg", picture},
		{"a.csv", picture},
		{"a.exe", picture}, // not a name of a type that is read
		{"a.pdf", book},
		{"a.zip", book},
		{"a.xlsx", packed},
		{"a.xlsx", []byte("a,b\n")},
		{"a.pdf", []byte("just text")},
		{"a.png", []byte("just text")},
		{"a.tar", packed},
		{"a.json", []byte("<a/>")},
		{"a.xml", []byte("a,b\n")},
		{"a.csv", []byte("<!DOCTYPE html><html></html>")},
		{"a.txt", textPDF("x")},
	} {
		refused(t, k.name, k.data, Query{}, CodeMislabeled, "its name ends in")
	}
}

func TestUnreadable(t *testing.T) {
	for what, k := range map[string]struct {
		data string
		says string
	}{
		"program":     {"\x7fELF\x02\x01", "a program"},
		"old Office":  {"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", ".xlsx"},
		"Word":        {string(makeZip(t, entry{"[Content_Types].xml", ""}, entry{"word/document.xml", ""})), "no workbook"},
		"PowerPoint":  {string(makeZip(t, entry{"[Content_Types].xml", ""}, entry{"ppt/x.xml", ""})), "no workbook"},
		"gzip":        {string(makeGzip(t, []byte("hello"))), "other than a tar"},
		"7z":          {"7z\xbc\xaf\x27\x1c", "another kind"},
		"sound":       {"RIFF\x00\x00\x00\x00WAVE", "sound"},
		"video":       {"\x00\x00\x00\x18ftypmp42", "video"},
		"noise":       {"\x00\x01\x02\x03", "unknown kind"},
		"many a high": {strings.Repeat("\xe4\xf6", 100), "unknown kind"},
	} {
		t.Run(what, func(t *testing.T) { refused(t, "a.bin", []byte(k.data), Query{}, CodeType, k.says) })
	}
	for _, name := range []string{
		"", ".", "..", "a/b.txt", `a\b.txt`, "/etc/passwd", "a\x00.txt", "a\n.txt", ".hidden", "\xff.txt", "a\u202etxt.exe",
		strings.Repeat("x", MaxName+1),
	} {
		if _, err := Check(name, []byte("x")); !errors.As(err, new(*Error)) || !strings.Contains(err.Error(), "plain file name") {
			t.Errorf("%q: %v", name, err)
		}
	}
	refused(t, "a.txt", nil, Query{}, CodeEmpty, "empty")
	refused(t, "a.txt", make([]byte, MaxSize+1), Query{}, CodeLimit, "52428801 bytes, allowed 52428800")
}

func TestText(t *testing.T) {
	for what, k := range map[string][2]string{
		"UTF-8":        {"héllo", "héllo"},
		"mark":         {"\ufeffhéllo", "héllo"},
		"UTF-16":       {"\xff\xfeh\x00\xe9\x00\x3d\xd8\x00\xde", "hé😀"},
		"UTF-16 odd":   {"\xfe\xff\x00h\x00", "h"},
		"windows-1252": {"h\xe9llo \x80 and more text so that it is a sentence", "héllo € and more text so that it is a sentence"},
	} {
		var got string
		must(t, json.Unmarshal([]byte(read(t, "a.txt", []byte(k[0]), Query{})), &got))
		if got != k[1] {
			t.Errorf("%s: %q, want %q", what, got, k[1])
		}
	}
	if n := len(decode1252); n != 32 {
		t.Errorf("%d characters from 0x80 to 0x9f", n)
	}
	refused(t, "a.txt", bytes.Repeat([]byte{'<'}, MaxOutput/6+1), Query{}, CodeLimit, "bytes of data")
}

func TestCSV(t *testing.T) {
	const data = "name;age;height;member;joined;code\nAnn;31;1.70;true;2026-01-02;007\n\"B;ob\";42;2;False;2026-03-04;12\n;;;;;\n"
	want := `{"columns":["name","age","height","member","joined","code"],"rows":[["Ann",31,1.7,true,"2026-01-02","007"],["B;ob",42,2,false,"2026-03-04","12"],` +
		`[null,null,null,null,null,null]]}`
	if got := read(t, "a.csv", []byte(data), Query{}); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := read(t, "a.csv", []byte(data), Query{Skip: 1, Count: 1}); !strings.Contains(got, "B;ob") || strings.Contains(got, "Ann") ||
		strings.Contains(got, "[null") {
		t.Errorf("the second row is %s", got)
	}
	for data, want := range map[string]string{
		"1,2\n3,4\n":     `{"columns":["column_1","column_2"],"rows":[[1,2],[3,4]]}`, // no header
		"a,a\nb,c\n":     `{"columns":["column_1","column_2"],"rows":[["a","a"],["b","c"]]}`,
		"a|b\n1e3|-.5\n": `{"columns":["a","b"],"rows":[[1000,-0.5]]}`,
		"word\nx\n":      `{"columns":["word"],"rows":[["x"]]}`,
		"n\n1e999\n":     `{"columns":["n"],"rows":[["1e999"]]}`,
		"n\nNaN\n-Inf\n": `{"columns":["n"],"rows":[["NaN"],["-Inf"]]}`,
	} {
		if got := read(t, "a.csv", []byte(data), Query{}); got != want {
			t.Errorf("%q: got  %s\nwant %s", data, got, want)
		}
	}
	refused(t, "a.csv", []byte("a,b\n1,2\n1,2,3\n"), Query{}, CodeDamaged, "line 3 has 3 fields, the first has 2")
	refused(t, "a.csv", []byte("a,b\n\"1,2\n"), Query{}, CodeDamaged, "cannot be read as csv")
	refused(t, "a.csv", []byte(strings.Repeat("x,", MaxColumns)+"x\n"), Query{}, CodeLimit, "columns, allowed 1000")
	refused(t, "a.csv", []byte(strings.Repeat(strings.Repeat("1,", 999)+"1\n", MaxValues/1000+1)), Query{}, CodeLimit, "cells")
	refused(t, "a.csv", []byte("a,b\n1,2\n"), Query{Skip: -1}, CodeQuery, "skip -1")
}

func TestJSON(t *testing.T) {
	if got := read(t, "a.json", []byte("\ufeff { \"a\" : 12345678901234567890.5 } "), Query{}); got != `{"a":12345678901234567890.5}` {
		t.Error(got)
	}
	refused(t, "a.json", []byte(`{"a": }`), Query{}, CodeDamaged, "at byte 6")
	refused(t, "a.json", []byte(`{} {}`), Query{}, CodeDamaged, "more than one value")
	refused(t, "a.json", []byte(`[1`), Query{}, CodeDamaged, "at byte")
	refused(t, "a.json", []byte(`[1e999]`), Query{}, CodeDamaged, "too large")
	refused(t, "a.json", bytes.Repeat([]byte("["), 100_000), Query{}, CodeLimit, "levels of nesting, allowed 64")
	refused(t, "a.json", []byte("["+strings.Repeat("1,", MaxValues)+"1]"), Query{}, CodeLimit, "values")
}

func TestXML(t *testing.T) {
	const data = `<?xml version="1.0" encoding="ISO-8859-1"?><!DOCTYPE a><x:a xmlns:x="u" k="v&amp;"> one <b/> &lt;two&gt; <![CDATA[three]]><!-- no --></x:a>`
	if got, want := read(t, "a.xml", []byte(data), Query{}), `{"name":"a","attributes":{"k":"v\u0026","x":"u"},"text":"one  \u003ctwo\u003e `+
		`three","children":[{"name":"b"}]}`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	laughs := `<!DOCTYPE l [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><l>&b;</l>`
	refused(t, "a.xml", []byte(laughs), Query{}, CodeLimit, "entities")
	refused(t, "a.xml", []byte(`<a>&unknown;</a>`), Query{}, CodeDamaged, "entity")
	refused(t, "a.xml", []byte(`<!DOCTYPE a SYSTEM "file:///etc/passwd"><a>&a;</a>`), Query{}, CodeDamaged, "entity")
	refused(t, "a.xml", []byte(`<a><b></a>`), Query{}, CodeDamaged, "closes what is not open")
	refused(t, "a.xml", []byte(`<a>`), Query{}, CodeDamaged, "EOF")
	refused(t, "a.xml", []byte(`<a/><b/>`), Query{}, CodeDamaged, "more than one root")
	refused(t, "a.xml", []byte(strings.Repeat("<a>", 100_000)), Query{}, CodeLimit, "levels of nesting")
	refused(t, "a.xml", []byte("<a>"+strings.Repeat("<b/>", MaxValues)), Query{}, CodeLimit, "nodes")
}

func TestYAML(t *testing.T) {
	const data = "base: &b {x: 1, y: [true, null]}\nother:\n  <<: *b\n  z: 2.5\n  when: 2026-01-01\n1: one\ninf: .inf\ntext: |\n  two\n  lines\n"
	want := `{"1":"one","base":{"x":1,"y":[true,null]},"inf":null,"other":{"when":"2026-01-01","x":1,"y":[true,null],"z":2.5},"text":"two\nlines\n"}`
	if got := read(t, "a.yaml", []byte(data), Query{}); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	bomb := "a: &a [x,x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c < 'k'; c++ {
		bomb += fmt.Sprintf("%c: &%c [%s]\n", c, c, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*%c,", c-1), 10), ","))
	}
	refused(t, "a.yaml", []byte(bomb), Query{}, CodeLimit, "aliases stand for")
	long := "a: &a " + strings.Repeat("x", 100_000) + "\nb: [" + strings.TrimSuffix(strings.Repeat("*a,", 100_000), ",") + "]\n"
	refused(t, "a.yaml", []byte(long), Query{}, CodeLimit, "aliases stand for")
	refused(t, "a.yaml", []byte("a: &a [*a]\n"), Query{}, CodeDamaged, "alias *a")
	refused(t, "a.yaml", []byte("a: *b\n"), Query{}, CodeDamaged, "alias *b")
	refused(t, "a.yaml", []byte("a: 1\n---\nb: 1\n"), Query{}, CodeDamaged, "2 documents")
	refused(t, "a.yaml", []byte("a: [1\n"), Query{}, CodeDamaged, "cannot be read as yaml")
	refused(t, "a.yaml", []byte("a: 1\na: 2\n"), Query{}, CodeDamaged, "cannot be read as yaml")
	refused(t, "a.yaml", bytes.Repeat([]byte("["), 1_000_000), Query{}, CodeLimit, "levels of nesting")
	refused(t, "a.yaml", []byte(strings.Repeat("- ", 1_000_000)), Query{}, CodeLimit, "levels of nesting")
	deep := ""
	for i := range 100 {
		deep += strings.Repeat(" ", i) + "a:\n"
	}
	refused(t, "a.yaml", []byte(deep), Query{}, CodeLimit, "levels of nesting")
	refused(t, "a.yaml", bytes.Repeat([]byte("a"), MaxYAML+1), Query{}, CodeLimit, "bytes of YAML")
}

func TestExcel(t *testing.T) {
	data := makeExcel(t, "first", "second")
	want := `{"columns":["city","people","rain"],"rows":[["Berlin",3700000,1.5],["Paris",2100000,null]]}`
	for _, sheet := range []string{"", "second"} {
		if got := read(t, "a.xlsx", data, Query{Sheet: sheet}); got != want {
			t.Errorf("sheet %q: %s", sheet, got)
		}
	}
	refused(t, "a.xlsx", data, Query{Sheet: "third"}, CodeQuery, "allowed are first, second")
	refused(t, "a.xlsx", data[:len(data)-30], Query{}, CodeMislabeled, "content is zip")
	refused(t, "a.xlsx", packed(t, `<row r="1"><c r="XFD1"><v>1</v></c></row>`), Query{}, CodeLimit, "columns")
	refused(t, "a.xlsx", packed(t, strings.Repeat(`<row><c r="A1" t="inlineStr"><is><t>`+noise(100_000)+`</t></is></c></row>`, MaxText/100_000+1)), Query{},
		CodeLimit, "bytes of text")
	refused(t, "a.xlsx", packed(t, strings.Repeat(" ", 2<<20)), Query{}, CodeLimit, "would grow")
	refused(t, "a.xlsx", sayZip(t, 1<<20, 33<<20, "xl/workbook.xml", "xl/worksheets/sheet1.xml"), Query{}, CodeLimit, "bytes unpacked")
	refused(t, "a.xlsx", makeZip(t, entry{"xl/workbook.xml", "<nonsense"}), Query{}, CodeDamaged, "")
	refused(t, "a.xlsx", packed(t, "<!--"+noise(16<<10)+"-->"+strings.Repeat("<row/>", maxBlank+2)), Query{}, CodeLimit, "rows without a value or more")
	// A row far away costs nothing to speak of.
	if got := read(t, "a.xlsx", packed(t, `<row r="90000"><c r="A90000"><v>1</v></c></row>`), Query{}); got != `{"columns":["column_1"],"rows":[[1]]}` {
		t.Error(got)
	}
}

// packed is a workbook with that in its one sheet.
func packed(t *testing.T, sheet string) []byte {
	return makeZip(t,
		entry{"[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName="/xl/workbook.xml" ` +
			`ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ` +
			`ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>`},
		entry{"_rels/.rels", `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" ` +
			`Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>`},
		entry{"xl/_rels/workbook.xml.rels", `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" ` +
			`Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`},
		entry{"xl/workbook.xml", `<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" ` +
			`xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="S" sheetId="1" r:id="rId1"/></sheets></workbook>`},
		entry{"xl/worksheets/sheet1.xml", `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>` + sheet +
			`</sheetData></worksheet>`})
}

// noise hardly compresses.
func noise(n int) string {
	b := make([]byte, n)
	x := uint32(1)
	for i := range b {
		x = x*1664525 + 1013904223
		b[i] = byte(x>>24)&15 + 'A'
	}
	return string(b)
}

func TestPDF(t *testing.T) {
	data := textPDF("Hello robot", "Second page", "Third")
	if got := read(t, "a.pdf", data, Query{}); got != `{"pages":["Hello robot","Second page","Third"]}` {
		t.Error(got)
	}
	if got := read(t, "a.pdf", data, Query{Skip: 1, Count: 1}); got != `{"pages":["Second page"]}` {
		t.Error(got)
	}
	refused(t, "a.pdf", data, Query{Skip: 3}, CodeQuery, "it has 3 pages")
	refused(t, "a.pdf", data[:len(data)/2], Query{}, CodeDamaged, "cannot be read as pdf")
	refused(t, "a.pdf", []byte("%PDF-1.4\n"), Query{}, CodeDamaged, "cannot be read as pdf")
	refused(t, "a.pdf", makePDF("<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [] /Count 2001 >>"), Query{}, CodeLimit, "2001 pages, allowed 2000")
	refused(t, "a.pdf", makePDF("<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [] /Count 0 >>"), Query{}, CodeDamaged, "no pages")
	refused(t, "a.pdf", textPDF(noise(MaxText/2), noise(MaxText/2), "and"), Query{}, CodeLimit, "bytes of text")
}

func TestImages(t *testing.T) {
	for _, kind := range []Type{PNG, JPEG, GIF, BMP, TIFF} {
		var img Image
		must(t, json.Unmarshal([]byte(read(t, "a."+string(kind), makeImage(t, kind, 64, 32), Query{})), &img))
		if img.Width != 64 || img.Height != 32 || len(img.Pixels) != 3*64*32 {
			t.Fatalf("%s: %d × %d, %d bytes", kind, img.Width, img.Height, len(img.Pixels))
		}
		at := func(x, y int) [3]byte { return [3]byte(img.Pixels[3*(y*64+x):]) }
		if left, right := at(5, 5), at(60, 30); left[0] < 250 || left[2] > 5 || right[0] > 5 || right[2] < 250 {
			t.Errorf("%s: left %v, right %v, want red and blue", kind, left, right)
		}
		must(t, json.Unmarshal([]byte(read(t, "a."+string(kind), makeImage(t, kind, 64, 32), Query{Side: 16})), &img))
		if img.Width != 16 || img.Height != 8 || len(img.Pixels) != 3*16*8 {
			t.Errorf("%s made smaller: %d × %d, %d bytes", kind, img.Width, img.Height, len(img.Pixels))
		}
		cut := makeImage(t, kind, 64, 32)
		refused(t, "a."+string(kind), cut[:len(cut)*2/3], Query{}, CodeDamaged, "cannot be read as")
	}
	refused(t, "a.png", makeImage(t, PNG, 2, 2), Query{Side: maxSide + 1}, CodeQuery, "side of at most 2000")
}

// hugeImages say that they have 60000 × 60000 pixels, or as many as their format can say.
func hugeImages(t testing.TB) map[Type][]byte {
	huge := map[Type][]byte{}
	for _, kind := range []Type{PNG, JPEG, GIF, BMP, TIFF} {
		huge[kind] = makeImage(t, kind, 16, 16)
	}
	huge[WebP] = bytes.Clone(webpPixel)
	b := huge[PNG]
	binary.BigEndian.PutUint32(b[16:], 60000)
	binary.BigEndian.PutUint32(b[20:], 60000)
	binary.BigEndian.PutUint32(b[29:], crc32.ChecksumIEEE(b[12:29]))
	b = huge[JPEG]
	at := bytes.Index(b, []byte{0xff, 0xc0})
	binary.BigEndian.PutUint16(b[at+5:], 60000)
	binary.BigEndian.PutUint16(b[at+7:], 60000)
	b = huge[GIF]
	binary.LittleEndian.PutUint16(b[6:], 60000)
	binary.LittleEndian.PutUint16(b[8:], 60000)
	b = huge[BMP]
	binary.LittleEndian.PutUint32(b[18:], 60000)
	binary.LittleEndian.PutUint32(b[22:], 60000)
	b = huge[TIFF] // entries of the directory: tag, kind, count, value
	dir := b[binary.LittleEndian.Uint32(b[4:]):]
	for i := range int(binary.LittleEndian.Uint16(dir)) {
		e := dir[2+12*i:]
		if tag := binary.LittleEndian.Uint16(e); tag == 256 || tag == 257 {
			binary.LittleEndian.PutUint16(e[8:], 60000)
		}
	}
	binary.LittleEndian.PutUint32(huge[WebP][21:], 1<<14-1|(1<<14-1)<<14)
	return huge
}

func TestHugeImages(t *testing.T) {
	for kind, data := range hugeImages(t) {
		refused(t, "a."+string(kind), data, Query{}, CodeLimit, "pixels, allowed are 1 to 25000000")
	}
}

func TestArchives(t *testing.T) {
	table := entry{"folder/data.csv", "a,b\n1,2\n"}
	strange := entry{"../../etc/passwd.txt", "root"}
	inner := makeZip(t, table)
	for name, data := range map[string][]byte{
		"a.zip":    makeZip(t, entry{"folder/", ""}, table, strange, entry{"inner.zip", string(inner)}),
		"a.tar":    makeTar(t, table, strange, entry{"inner.zip", string(inner)}),
		"a.tar.gz": makeGzip(t, makeTar(t, table, strange, entry{"inner.zip", string(inner)})),
	} {
		want := fmt.Sprintf(`[{"name":"folder/data.csv","size":8,"type":"csv"},{"name":"../../etc/passwd.txt","size":4,"type":"text"},{"name":"inner.zip",`+
			`"size":%d,"type":"zip"}]`, len(inner))
		if got := read(t, name, data, Query{}); got != want {
			t.Errorf("%s: got  %s\nwant %s", name, got, want)
		}
		if got := read(t, name, data, Query{Member: table.name}); got != `{"columns":["a","b"],"rows":[[1,2]]}` {
			t.Errorf("%s: %s", name, got)
		}
		if got := read(t, name, data, Query{Member: strange.name}); got != `"root"` { // a name is only a name
			t.Errorf("%s: %s", name, got)
		}
		if got := read(t, name, data, Query{Member: "inner.zip"}); !strings.Contains(got, "folder/data.csv") {
			t.Errorf("%s: %s", name, got)
		}
		refused(t, name, data, Query{Member: "nothing"}, CodeQuery, "no member")
		refused(t, name, data[:len(data)/2], Query{}, CodeDamaged, "cannot be read as")
	}
	deep := &File{Name: "a.zip", Type: Zip, Data: inner, nesting: MaxNesting}
	if _, err := Read(ctx, deep, Query{Member: table.name}); err == nil || !strings.Contains(err.Error(), "archives in one another") {
		t.Error(err)
	}
	refused(t, "a.zip", makeZip(t, entry{"x.png", "text"}), Query{Member: "x.png"}, CodeMislabeled, "")
}

func TestArchiveBombs(t *testing.T) {
	zeros := strings.Repeat("\x00", 2<<20)
	refused(t, "a.zip", makeZip(t, entry{"zeros", zeros}), Query{}, CodeLimit, "would grow")
	refused(t, "a.zip", sayZip(t, 1<<20, 33<<20, "one", "two"), Query{}, CodeLimit, "bytes unpacked or more, allowed 67108864")
	tape := makeTar(t, entry{"zeros", zeros})
	grows := append(makeGzip(t, tape[:len(tape)-1024]), bytes.Repeat(makeGzip(t, tape[:len(tape)-1024]), MaxUnpacked/len(zeros))...)
	t.Logf("a tar.gz of %d bytes that unpacks to %d", len(grows), MaxUnpacked+len(zeros))
	refused(t, "a.tgz", grows, Query{}, CodeLimit, "bytes unpacked")
	many, names := make([]entry, MaxMembers+1), make([]string, MaxMembers+1)
	for i := range many {
		names[i] = fmt.Sprint(i)
		many[i].name = names[i]
	}
	refused(t, "a.zip", sayZip(t, 0, 0, names...), Query{}, CodeLimit, "members, allowed 10000")
	refused(t, "a.tar", makeTar(t, many...), Query{}, CodeLimit, "members or more, allowed 10000")
	// A member that is longer than the archive says ends where it says.
	lying := makeZip(t, entry{"lying.txt", strings.Repeat("x", 2<<20)})
	at := bytes.LastIndex(lying, []byte("PK\x01\x02"))
	binary.LittleEndian.PutUint32(lying[at+24:], 10)
	refused(t, "a.zip", lying, Query{Member: "lying.txt"}, CodeDamaged, "not a valid zip")
}

func TestDescribe(t *testing.T) {
	for _, k := range []struct {
		name string
		data []byte
		want string
	}{
		{"a.txt", []byte("one\ntwo"), `{"name":"a.txt","type":"text","size":7,"encoding":"utf-8","lines":2,"sample":"one\ntwo"}`},
		{"a.csv", []byte("city,people\nBerlin,3\n,4\n"), `{"name":"a.csv","type":"csv","size":24,"encoding":"utf-8","lines":3,"rows":2,"columns":[{"name":"city",` +
			`"type":"text","example":"Berlin","empty":1},{"name":"people","type":"integer","example":"3"}],"count":2,"sample":"city,people\nBerlin,3\n,4\n"}`},
		{"a.json", []byte(`[{"b":1,"a":2},3]`), `{"name":"a.json","type":"json","size":17,"encoding":"utf-8","lines":1,"count":2,"shape":"list of ` +
			`object","keys":["a","b"],"sample":"[{\"b\":1,\"a\":2},3]"}`},
		{"a.yaml", []byte("b: 1\na: x"), `{"name":"a.yaml","type":"yaml","size":9,"encoding":"utf-8","lines":2,"count":2,"shape":"object","keys":["a","b"],` +
			`"sample":"b: 1\na: x"}`},
		{"a.xml", []byte("<r><a/><b/><a/></r>"), `{"name":"a.xml","type":"xml","size":19,"encoding":"utf-8","lines":1,"count":3,"shape":"r","keys":["a","b"],` +
			`"sample":"\u003cr\u003e\u003ca/\u003e\u003cb/\u003e\u003ca/\u003e\u003c/r\u003e"}`},
		{"a.pdf", textPDF("x", "y"), `"pages":2}`},
		{"a.png", makeImage(t, PNG, 30, 20), `"width":30,"height":20}`},
		{"a.webp", webpPixel, `"width":1,"height":1}`},
		{"a.zip", makeZip(t, entry{"b.txt", "x"}), `"members":[{"name":"b.txt","size":1,"type":"text"}],"count":1}`},
		{"a.xlsx", makeExcel(t, "first", "second"), `"sheets":[{"name":"first","rows":2,"columns":[{"name":"city","type":"text","example":"Berlin"},` +
			`{"name":"people","type":"integer","example":"3700000"},{"name":"rain","type":"number","example":"1.5"}]},{"name":"second"`},
	} {
		info, err := Describe(ctx, check(t, k.name, k.data))
		must(t, err)
		got, _ := json.Marshal(info)
		if !strings.Contains(string(got), k.want) {
			t.Errorf("got  %s\nwant %s", got, k.want)
		}
	}
	// However large the file, its description is small.
	var wide strings.Builder
	for i := range MaxColumns {
		fmt.Fprintf(&wide, "%s%d,", strings.Repeat("x", 500), i)
	}
	info, err := Describe(ctx, check(t, "a.csv", []byte(strings.TrimSuffix(wide.String(), ","))))
	must(t, err)
	if got, _ := json.Marshal(info); len(got) > 20_000 || info.Count != MaxColumns {
		t.Errorf("%d bytes describe %d columns", len(got), info.Count)
	}
}
