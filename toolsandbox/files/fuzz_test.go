package files

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"
)

func FuzzCheck(f *testing.F) {
	f.Add("a.txt", []byte("x"))
	f.Add("a", []byte("\xff\xfe\x00"))
	f.Add("a.tgz", []byte("\x1f\x8b\x08\x00"))
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		file, err := Check(name, data)
		if (file == nil) == (err == nil) || err != nil && !errors.As(err, new(*Error)) {
			t.Errorf("%v, %v", file, err)
		}
	})
}

// fuzz reads and describes whatever passes for a file of a type.
func fuzz(f *testing.F, name string, seeds ...[]byte) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := Check(name, data)
		if err != nil {
			return
		}
		limited, cancel := context.WithTimeout(ctx, 10*time.Second)
		defer cancel()
		out, err := Read(limited, file, Query{Count: 10, Side: 64})
		if err == nil && !json.Valid(out) || err != nil && !own(err) {
			t.Errorf("%q, %v", out, err)
		}
		if info, err := Describe(limited, file); (info == nil) == (err == nil) {
			t.Errorf("%v, %v", info, err)
		}
	})
}

func FuzzCSV(f *testing.F) {
	fuzz(f, "a.csv", []byte("a;b\n1;2\n"), []byte("\"a\",b\n"), []byte("\xff\xfea\x00,\x00"), []byte("a,b\n1,-0.5e3\ntrue,2026-01-02\n"))
}

func FuzzJSON(f *testing.F) {
	fuzz(f, "a.json", []byte(`{"a":[1,2.5e3,null,true,"x"]}`), []byte("[[[[]]]]"))
}

func FuzzXML(f *testing.F) {
	fuzz(f, "a.xml", []byte(`<?xml version="1.0"?><a b="c">d<e/></a>`), []byte("<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>"))
}

func FuzzYAML(f *testing.F) {
	fuzz(f, "a.yaml", []byte("a: &b [1, two]\nc: *b\nd:\n  - e\n  - f: |\n      g\n"), []byte("{a: b, ? c : d}"), []byte("!!binary x"), []byte("<<: {a: 1}"))
}

// The checksums of the zip would stop the fuzzer, so it writes what is inside.
func FuzzExcel(f *testing.F) {
	for _, sheet := range []string{
		`<row r="1"><c r="A1" t="inlineStr"><is><t>a</t></is></c><c r="C1"><v>1.5</v></c></row>`, `<row/><row r="9"/>`,
		`<row r="1"><c r="A1" t="s"><v>77</v></c><c t="b"><v>1</v></c><c t="e"><v>#N/A</v></c><c t="d"><v>x</v></c></row>`, `<row r="-1"><c r="A0"/></row>`,
	} {
		f.Add(sheet)
	}
	f.Fuzz(func(t *testing.T, sheet string) {
		file, err := Check("a.xlsx", packed(t, sheet))
		must(t, err)
		out, err := Read(ctx, file, Query{})
		if err == nil && !json.Valid(out) || err != nil && !own(err) {
			t.Errorf("%q, %v", out, err)
		}
	})
}

func FuzzPDF(f *testing.F) { fuzz(f, "a.pdf", textPDF("Hello", "World")) }

func FuzzImages(f *testing.F) {
	seeds := [][]byte{webpPixel}
	for _, kind := range []Type{PNG, JPEG, GIF, BMP, TIFF} {
		seeds = append(seeds, makeImage(f, kind, 8, 8))
	}
	for _, huge := range hugeImages(f) {
		seeds = append(seeds, huge)
	}
	fuzz(f, "image", seeds...)
}

func FuzzArchives(f *testing.F) {
	fuzz(f, "archive", makeZip(f, entry{"a.txt", "x"}), makeTar(f, entry{"a.txt", "x"}), makeGzip(f, makeTar(f, entry{"a.txt", "x"})))
}
