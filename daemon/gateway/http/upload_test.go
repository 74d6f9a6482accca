package http

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/toolsandbox/files"
	"github.com/reachyd/reachyd/toolsandbox/pipeline"
)

// receiver notes which files came with a command.
type receiver struct{ got string }

func (r *receiver) Do(ctx context.Context, verb string, payload []byte) (string, []byte) {
	r.got = verb + " " + string(payload)
	for _, f := range pipeline.FilesOf(ctx) {
		r.got += fmt.Sprintf(" %s:%d", f.Name, len(f.Data))
	}
	return "1", []byte(`{"ok":true}`)
}

// form makes a form of fields and files.
func form(t *testing.T, fields map[string]string, given map[string]string) (body, contentType string) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for name, value := range fields {
		if err := w.WriteField(name, value); err != nil {
			t.Fatal(err)
		}
	}
	for name, content := range given {
		part, err := w.CreateFormFile("file", name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := part.Write([]byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String(), w.FormDataContentType()
}

func TestFilesComeWithACall(t *testing.T) {
	g, _, client := open(t, hal.State{})
	r := &receiver{}
	g.Commander = r
	base := "http://" + g.Addr()
	body, kind := form(t, map[string]string{"args": `{"column":"price"}`}, map[string]string{"../../etc/sales.csv": "price\n1\n"})
	if code, reply := request(t, client, "POST", base+"/api/tools/sum_column/call", body, "Content-Type", kind); code != 200 ||
		!strings.Contains(reply, `"ok":true`) {
		t.Errorf("%d %s", code, reply)
	}
	var sent struct {
		Name string
		Args map[string]string
	}
	verb, rest, _ := strings.Cut(r.got, " ")
	if err := json.NewDecoder(strings.NewReader(rest)).Decode(&sent); err != nil || verb != "tool" || sent.Name != "sum_column" ||
		sent.Args["column"] != "price" || !strings.HasSuffix(r.got, " sales.csv:8") {
		t.Errorf("%s, %v", r.got, err)
	}
	// Any command may have files.
	body, kind = form(t, map[string]string{"payload": `{"id":"7"}`}, map[string]string{"a.tools": "x"})
	if code, _ := request(t, client, "POST", base+"/api/cmd/tools/import", body, "Content-Type", kind); code != 200 ||
		r.got != `tools/import {"id":"7"} a.tools:1` {
		t.Errorf("%d %s", code, r.got)
	}
}

func TestBadUploads(t *testing.T) {
	g, _, client := open(t, hal.State{})
	r := &receiver{}
	g.Commander = r
	url := "http://" + g.Addr() + "/api/tools/x/call"
	many := map[string]string{}
	for i := range pipeline.MaxFiles + 1 {
		many[fmt.Sprintf("%d.txt", i)] = "x"
	}
	for name, c := range map[string]struct {
		fields, files map[string]string
		code          int
		says          string
		header        []string
	}{
		"too many":     {nil, many, http.StatusRequestEntityTooLarge, "allowed are 8", nil},
		"too large":    {nil, map[string]string{"a.txt": strings.Repeat("x", files.MaxSize+1)}, http.StatusRequestEntityTooLarge, `file "a.txt": too much`, nil},
		"args too big": {map[string]string{"args": strings.Repeat("x", maxBody+1)}, nil, http.StatusRequestEntityTooLarge, "part args", nil},
		"no JSON":      {map[string]string{"args": "{"}, nil, http.StatusBadRequest, "not JSON", nil},
		"other part":   {map[string]string{"other": "x"}, nil, http.StatusBadRequest, `part "other"`, nil},
		"another page": {nil, many, http.StatusForbidden, "another site", []string{"Origin", "http://evil.example"}},
		"old browser":  {nil, many, http.StatusForbidden, "another site", []string{"Sec-Fetch-Site", "cross-site"}},
	} {
		body, kind := form(t, c.fields, c.files)
		if code, reply := request(t, client, "POST", url, body, append(c.header, "Content-Type", kind)...); code != c.code ||
			!strings.Contains(reply, strings.ReplaceAll(c.says, `"`, `\"`)) {
			t.Errorf("%s: %d %s", name, code, reply)
		}
	}
	if code, _ := request(t, client, "POST", url, "{}", "Content-Type", "application/json"); code != http.StatusUnsupportedMediaType {
		t.Errorf("JSON: %d", code)
	}
	if code, _ := request(t, client, "POST", url, "--x\r\nbroken", "Content-Type", "multipart/form-data; boundary=x"); code != http.StatusBadRequest {
		t.Errorf("broken: %d", code)
	}
	if r.got != "" {
		t.Errorf("carried out: %s", r.got)
	}
}
