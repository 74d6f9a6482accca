package sdk

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

var rewrite = flag.Bool("update", false, "write docs/official-rest.md anew")

// operationsFile are the operations of the official daemon, from its own description of itself; tableFile is what becomes of them here.
const operationsFile, tableFile = "testdata/operations.txt", "../../../docs/official-rest.md"

const tableHead = `# The REST interface of the official daemon, operation by operation

All operations that the official daemon 1.13 describes, and what becomes of them here; ` + "`go test ./daemon/gateway/sdk -run Operations -args -update`" + `
writes this. What is not offered answers 501 and says why. Its WebSockets (` + "`/ws/sdk`, `/api/state/ws/full`, `/api/move/ws/…`" + `) are described in
[migrate from the official daemon](migrate-from-the-official-daemon.md).

| operation | here | |
|---|---|---|
`

// Every operation of the official daemon has an answer of its own here, and the table in the documentation says which.
func TestOperationsOfTheOfficialDaemon(t *testing.T) {
	text, err := os.ReadFile(operationsFile)
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	g := &Gateway{}
	g.Register(mux)
	var table strings.Builder
	table.WriteString(tableHead)
	served, all := 0, strings.Split(strings.TrimSpace(string(text)), "\n")
	for _, operation := range all {
		method, path, _ := strings.Cut(operation, " ")
		if path == "/" {
			fmt.Fprintf(&table, "| `%s` | served | reachyd's own page |\n", operation)
			served++
			continue
		}
		_, pattern := mux.Handler(httptest.NewRequest(method, strings.NewReplacer("{", "", "}", "").Replace(path), nil))
		at := slices.IndexFunc(routes, func(r route) bool { return r.pattern == pattern })
		if at < 0 {
			t.Errorf("%s has no answer", operation)
			continue
		}
		here, about := "served", routes[at].about
		if why, is := strings.CutPrefix(about, "everything else: not offered"); is {
			here, about = "not offered", absent[pattern]+why
		} else if strings.HasPrefix(about, "not offered") {
			here, about = "not offered", ""
		} else {
			served++
		}
		fmt.Fprintf(&table, "| `%s` | %s | %s |\n", operation, here, about)
	}
	fmt.Fprintf(&table, "\n%d of %d are served.\n", served, len(all))
	if *rewrite {
		if err := os.WriteFile(tableFile, []byte(table.String()), 0o644); err != nil { //nolint:gosec // documentation
			t.Fatal(err)
		}
	}
	if now, err := os.ReadFile(tableFile); err != nil || string(now) != table.String() {
		t.Errorf("%s is not what is served (%v); run with -args -update", tableFile, err)
	}
}

// The list is that of the official daemon which is installed.
func TestOperationsAreTheOfficialOnes(t *testing.T) {
	python := officialPython(t)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, python, "testdata/operations.py")
	cmd.Env = append(os.Environ(), "PYTHONPATH=../../../cmd/reachyctl/internal/apps/media", "HF_HUB_OFFLINE=1", "PYTHONDONTWRITEBYTECODE=1")
	got, err := cmd.Output()
	if err != nil {
		t.Fatalf("the official daemon does not describe itself: %v", err)
	}
	if want, err := os.ReadFile(operationsFile); err != nil || string(want) != string(got) {
		t.Errorf("the official daemon has other operations (%v):\n%s", err, got)
	}
}
