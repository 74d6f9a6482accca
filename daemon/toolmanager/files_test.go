package toolmanager

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/toolsandbox/files"
	"github.com/reachyd/reachyd/toolsandbox/files/filestest"
	"github.com/reachyd/reachyd/toolsandbox/pipeline"
)

var sumCases = []map[string]any{
	{
		"name":     "two rows",
		"input":    map[string]any{"column": "price"},
		"robot":    map[string]any{"files": map[string]string{"a.csv": "item,price\napple,1.5\npear,2\n"}},
		"expected": 3.5,
	},
	{"name": "no table", "input": map[string]any{"column": "price"}, "error": "ValueError"},
	{
		"name":  "other column",
		"input": map[string]any{"column": "cost"},
		"robot": map[string]any{"files": map[string]string{"a.csv": "item,price\napple,1.5\n"}},
		"error": "no column cost",
	},
}

// callWith calls a tool with files.
func (b *bench) callWith(name, args string, given ...pipeline.Attachment) tool.Result {
	b.t.Helper()
	return b.tools.Call(pipeline.WithFiles(b.t.Context(), given), name, json.RawMessage(args))
}

func TestACallCarriesFiles(t *testing.T) {
	b := newBench(t)
	if got := b.done(
		"add",
		map[string]any{"source": filestest.SumColumn, "cases": sumCases},
	); !strings.Contains(got, `"passed":3`) ||
		!strings.Contains(got, `"grants":[]`) {
		t.Errorf("add: %s", got)
	}
	csv := pipeline.Attachment{Name: "sales.csv", Data: []byte("item,price\napple,1.5\npear,2\nplum,0.25\n")}
	if r := b.callWith("sum_column", `{"column":"price"}`, csv); !r.OK() || jsonText(t, r.Data) != "3.75" {
		t.Errorf("CSV: %+v", r)
	}
	excel := pipeline.Attachment{Name: "sales.xlsx", Data: filestest.Excel(t, "May", []any{"item", "price"}, []any{"apple", 10}, []any{"pear", 2.5})}
	if r := b.callWith("sum_column", `{"column":"price"}`, excel); !r.OK() || jsonText(t, r.Data) != "12.5" {
		t.Errorf("Excel: %+v", r)
	}
	pdf := pipeline.Attachment{Name: "letter.pdf", Data: filestest.PDF("Dear robot", "Yours truly")}
	// Read as what it is, read as bytes, not written, and told from what is not there.
	got := b.done("run", map[string]any{"name": "f", "skip_checks": true, "files": []pipeline.Attachment{pdf}, "source": `import reachy

def f():
    out = reachy.read_file(name="letter.pdf")["pages"]
    try:
        with open("/files/letter.pdf", "w") as f:
            f.write("x")
    except OSError as e:
        out.append("not written")
    try:
        reachy.read_file(name="b.csv")
    except reachy.HostError as e:
        out += [e.code, str(e)]
    return out + [len(open("/files/letter.pdf", "rb").read())]
`})
	for _, part := range []string{
		"Dear robot", "Yours truly", `"not written"`, `"not_found"`, `file \"b.csv\": there are \"letter.pdf\"`,
		"," + jsonText(t, len(pdf.Data)) + "]",
	} {
		if !strings.Contains(got, part) {
			t.Errorf("PDF: no %s in %s", part, got)
		}
	}
	// For the author.
	if got := b.done(
		"files",
		map[string]any{"files": []pipeline.Attachment{csv, excel, pdf}},
	); !strings.Contains(got, `"columns":[{"name":"item","type":"text"`) || !strings.Contains(got, `"name":"May"`) ||
		!strings.Contains(got, `"pages":2`) {
		t.Errorf("files: %s", got)
	}
	badFiles(t, b)
	// The files of one call are gone with it.
	if r := b.call("sum_column", `{"column":"price"}`); r.OK() || !strings.Contains(r.Message, "not 0") {
		t.Errorf("without: %+v", r)
	}
}

// Bad files are said by name before the tool runs, whether they are refused here or by their reader.
func badFiles(t *testing.T, b *bench) {
	t.Helper()
	one := func(name, data string) []pipeline.Attachment {
		return []pipeline.Attachment{{Name: name, Data: []byte(data)}}
	}
	many := make([]pipeline.Attachment, pipeline.MaxFiles+1)
	for i := range many {
		many[i] = pipeline.Attachment{Name: string(rune('a'+i)) + ".txt", Data: []byte("x")}
	}
	for says, given := range map[string][]pipeline.Attachment{
		`file "a.csv": it is empty`:                                      one("a.csv", ""),
		`file "a.pdf": its name ends in ".pdf", but its content is text`: one("a.pdf", "hello"),
		`file "a.exe": it is`:                                            one("a.exe", "\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\x3e\x00"),
		`file "../a.csv": not a plain file name`:                         one("../a.csv", "a\n1\n"),
		`file "a.json": cannot be read as json`:                          one("a.json", `{"a":`),
		`52428801 bytes, allowed 52428800`:                               {{Name: "huge.txt", Data: make([]byte, files.MaxSize+1)}},
		`9 of them, allowed are 8`:                                       many,
		`"a.txt" is there twice`:                                         {{Name: "a.txt", Data: []byte("x")}, {Name: "a.txt", Data: []byte("y")}},
	} {
		r := b.callWith("sum_column", `{"column":"price"}`, given...)
		if r.OK() || r.Code != tool.CodeInvalid || !strings.Contains(r.Message, says) {
			t.Errorf("want %s, got %+v", says, r)
		}
	}
}
