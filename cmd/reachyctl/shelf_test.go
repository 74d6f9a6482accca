package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/cmd/reachyctl/internal/cli"
	"github.com/reachyd/reachyd/cmd/reachyctl/internal/connect"
	"github.com/reachyd/reachyd/cmd/reachyctl/internal/tools"
)

func TestToolsGetFiles(t *testing.T) {
	sales := file(t, "sales.csv", "price\n1\n")
	r := newRobot(t, answer(ok(map[string]any{"status": "success", "message": "3", "data": 3})))
	r.ctl("tool", "call", "sum_column", "column=price", "--file", sales).is(t, cli.ExitDone, "3\n3\n", "")
	files, _ := r.only().args["files"].([]any)
	if len(files) != 1 || files[0].(map[string]any)["name"] != "sales.csv" || files[0].(map[string]any)["data"] != "cHJpY2UKMQo=" {
		t.Errorf("sent %v", files)
	}
	r.ctl("tool", "call", "sum_column", "--file", "no-such.csv").is(t, cli.ExitUsage, "", "no such file")
}

// What is too large for MQTT goes over HTTP, if it is known where.
func TestLargeFilesGoOverHTTP(t *testing.T) {
	path := file(t, "large.csv", strings.Repeat("0123456789", 50_000))
	newRobot(t, nil).ctl("tool", "call", "sum_column", "--file", path).is(t, cli.ExitUsage, "", "too much for MQTT")

	var sent string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f, head, err := r.FormFile("file")
		if err != nil {
			t.Error(err)
			return
		}
		data, err := io.ReadAll(f)
		if err != nil {
			t.Error(err)
		}
		sent = r.URL.Path + " " + head.Filename + " " + r.FormValue("payload")
		if len(data) != 500_000 {
			t.Errorf("%d bytes", len(data))
		}
		_, _ = w.Write([]byte(`{"id":"1","ok":true,"result":{"status":"success","message":"done"}}`))
	}))
	defer server.Close()
	newRobot(t, nil).ctl("tool", "call", "sum_column", "n=1", "--file", path, "--http", server.URL).is(t, cli.ExitDone, "done\n", "")
	if sent != `/api/cmd/tool large.csv {"args":{"n":1},"name":"sum_column"}` {
		t.Errorf("sent %s", sent)
	}
	newRobot(t, nil).ctl("tool", "call", "x", "--file", path, "--http", "ftp://x").is(t, cli.ExitUsage, "", "not the URL of a web server")
	server.Close()
	newRobot(t, nil).ctl("tool", "call", "x", "--file", path, "--http", server.URL).is(t, cli.ExitUnreachable, "", "cannot be reached")
	huge := filepath.Join(t.TempDir(), "huge.csv")
	must(t, os.WriteFile(huge, nil, 0o600))
	must(t, os.Truncate(huge, connect.MaxAttachment+1))
	newRobot(t, nil).ctl("tool", "call", "x", "--file", huge).is(t, cli.ExitUsage, "", "allowed are 52428800")
}

func TestDescribeFiles(t *testing.T) {
	path := file(t, "sales.csv", "price\n1\n")
	info := map[string]any{
		"name": "sales.csv", "type": "csv", "size": 8, "rows": 1,
		"columns": []any{map[string]any{"name": "price", "type": "integer", "example": "1"}, map[string]any{"name": "customer", "type": "text", "example": "A"}},
	}
	r := newRobot(t, answer(ok(map[string]any{"files": []any{info}})))
	r.ctl("tool", "files", path).is(t, cli.ExitDone, "sales.csv: csv, 8 bytes, 1 rows\n  price     integer  1\n  customer  text     A\n", "")
}

func TestReviewTools(t *testing.T) {
	pending := map[string]any{
		"name": "far", "version": 2, "description": "Says how far.", "author": "ann", "grants": []string{"move_head"}, "score": 0.9,
		"source": "def far():\n    pass\n", "prompt": "how far",
	}
	r := newRobot(t, answer(ok(map[string]any{"pending": []any{pending}})))
	r.ctl("tool", "review").is(t, cli.ExitDone, "far  v2  ann  Says how far.\n", "")
	r.ctl("tool", "review", "far").is(t, cli.ExitDone,
		"far  v2  ann  Says how far.\n\nfar v2, score 0.90; may call move_head\nasked for: how far\ndef far():\n    pass\n", "")
	newRobot(t, answer(ok(map[string]any{"pending": []any{}}))).ctl("tool", "review").is(t, cli.ExitDone, "nothing waits for review\n", "")

	newRobot(t, answer(ok(map[string]any{"pending": []any{}}))).ctl("tool", "review", "far").is(t, cli.ExitDone, "no version of far waits for review\n", "")
	untested := newRobot(t,
		answer(ok(map[string]any{"pending": []any{map[string]any{"name": "far", "version": 1, "author": "ann", "untested": true, "source": "def far():"}}})))
	untested.ctl("tool", "review", "far").is(t, cli.ExitDone,
		"far  v1  ann  never tested: there was no sandbox\n\nfar v1, never tested; what it may call is found out when it is approved\ndef far():\n", "")
	yes := newRobot(t, answer(ok(map[string]any{"name": "far", "version": 2, "review": "approved", "active": 2})))
	yes.ctl("tool", "review", "far", "--approve").is(t, cli.ExitDone, "far v2 was approved; v2 is active\n", "")
	if c := yes.only(); c.verb != "tools/review" || c.args["action"] != "approve" || c.args["name"] != "far" {
		t.Errorf("sent %+v", c)
	}
	no := newRobot(t, answer(ok(map[string]any{"name": "far", "version": 1, "review": "rejected"})))
	no.ctl("tool", "review", "far", "--reject", "too far", "--version", "1").is(t, cli.ExitDone, "far v1 was rejected\n", "")
	if c := no.only(); c.args["action"] != "reject" || c.args["reason"] != "too far" || c.args["version"] != 1.0 {
		t.Errorf("sent %+v", c)
	}
	for says, args := range map[string][]string{
		"which tool": {"--approve"}, "do not go together": {"far", "--approve", "--reject", "x"}, "needs a reason": {"far", "--reject", ""},
	} {
		newRobot(t, nil).ctl(append([]string{"tool", "review"}, args...)...).is(t, cli.ExitUsage, "", says)
	}
}

func TestDiffTools(t *testing.T) {
	r := newRobot(t, answer(ok(map[string]any{"source": "--- v1\n+++ v2\n@@ -1 +1 @@\n-a\n+b\n", "changed": []string{"cases"}})))
	r.ctl("tool", "diff", "far", "v1", "2").is(t, cli.ExitDone, "--- v1\n+++ v2\n@@ -1 +1 @@\n-a\n+b\nchanged beside the source: cases\n", "")
	if c := r.only(); c.verb != "tools/diff" || c.args["from"] != 1.0 || c.args["to"] != 2.0 {
		t.Errorf("sent %+v", c)
	}
	newRobot(t, nil).ctl("tool", "diff", "far", "1").is(t, cli.ExitUsage, "", "two versions")
	newRobot(t, nil).ctl("tool", "diff", "far", "1", "x").is(t, cli.ExitUsage, "", `"x" is not the number of a version`)
}

func TestAddSaysWhatIsSimilarAndWhatWaits(t *testing.T) {
	source := file(t, "far.js", "x")
	r := newRobot(t, answer(ok(map[string]any{
		"name": "far", "version": 1, "state": "pending", "score": map[string]any{"total": 0.9},
		"similar": []any{map[string]any{"name": "near", "version": 3, "similarity": 0.8}},
	})))
	r.ctl("tool", "add", source).is(t, cli.ExitDone,
		"far v1, waits for review, score 0.90\n  much like near v3 (80 %): perhaps one tool with a parameter will do\n  next: reachyctl tool review far\n", "")
	if c := r.only(); c.args["language"] != "javascript" {
		t.Errorf("sent %+v", c)
	}
}

func TestNamesOfToolsAreCompleted(t *testing.T) {
	r := newRobot(t,
		answer(ok(map[string]any{"tools": []any{map[string]any{"name": "far", "description": "Says how far.", "parameters": map[string]any{"type": "object"}}}})))
	for _, command := range []string{"call", "show", "rollback", "review"} {
		if got := r.ctl("__complete", "tool", command, "fa"); !strings.HasPrefix(got.out, "far\tSays how far.\n:4") {
			t.Errorf("%s: %+v", command, got)
		}
	}
}

func TestLargeExport(t *testing.T) {
	long := strings.Repeat("x", 2<<20)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if got := r.FormValue("payload"); got != `{"large":true}` {
			t.Errorf("sent %s", got)
		}
		text, err := json.Marshal(map[string]any{"ok": true, "result": map[string]any{"file": long}})
		must(t, err)
		_, _ = w.Write(text)
	}))
	defer server.Close()
	newRobot(t, nil).ctl("tool", "export", "--http", server.URL).is(t, cli.ExitDone, long, "")
}

func TestRunOtherLanguages(t *testing.T) {
	for name, want := range map[string]struct{ language, source string }{"far.js": {"javascript", "x"}, "far.wasm": {"wasi", "far.wasm"}} {
		r := newRobot(t, answer(ok(map[string]any{"reason": "ok", "value": 5})))
		r.ctl("tool", "run", file(t, name, "x"), "--skip-checks").is(t, cli.ExitDone, "5\n0.0 ms, 0.0 ms of the processor, 0 MiB, 0 calls of the robot\n", "")
		c := r.only()
		files, _ := c.args["files"].([]any)
		if c.args["language"] != want.language || c.args["source"] != want.source || c.args["name"] != "far" || (len(files) == 1) != (want.language == tools.WASI) {
			t.Errorf("%s: sent %+v", name, c)
		}
	}
}
