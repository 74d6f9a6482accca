package crash

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestMain(m *testing.M) {
	if dir, how := os.Getenv(DirEnv), os.Getenv("TEST_HOW"); how != "" {
		if err := Keep(dir, "reachy-test", "1.2"); err != nil {
			os.Stderr.WriteString(err.Error())
			os.Exit(3)
		}
		switch how {
		case "panic":
			gone := make(chan bool)
			go func() { panic("broken " + os.Getenv("TEST_WORD")) }()
			<-gone
		case "long":
			panic(strings.Repeat("x", longest))
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// ends runs a process that ends in a certain way, and returns what it wrote.
func ends(t *testing.T, dir, how, word string) string {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), DirEnv+"="+dir, "TEST_HOW="+how, "TEST_WORD="+word, "GORACE=atexit_sleep_ms=0")
	out, err := cmd.CombinedOutput()
	if (err != nil) != (how != "well") {
		t.Fatalf("%s: %v, %s", how, err, out)
	}
	return string(out)
}

func list(t *testing.T, dir string) []Report {
	t.Helper()
	reports, err := List(dir)
	if err != nil {
		t.Fatal(err)
	}
	return reports
}

func TestACrashIsKeptAndAnEndIsNot(t *testing.T) {
	dir := filepath.Join(t.TempDir(), Folder)
	if got := list(t, dir); len(got) != 0 {
		t.Errorf("before: %v", got)
	}
	said := ends(t, dir, "panic", "one")
	ends(t, dir, "well", "")
	ends(t, dir, "well", "")
	got := list(t, dir)
	if len(got) != 1 || got[0].Program != "reachy-test" || got[0].First != "panic: broken one" {
		t.Fatalf("%+v", got)
	}
	text, err := Read(filepath.Join(dir, got[0].Name))
	if err != nil || !strings.HasPrefix(text, "reachy-test 1.2, started ") || !strings.Contains(text, "goroutine ") || !strings.Contains(text, "crash_test.go") {
		t.Errorf("%v, %s", err, text)
	}
	if !strings.Contains(said, "panic: broken one") {
		t.Errorf("on stderr, for the log: %s", said)
	}
	if info, err := os.Stat(filepath.Join(dir, got[0].Name)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	// The last one that ended well is tidied away by the next.
	if all, err := os.ReadDir(dir); err != nil || len(all) != 2 {
		t.Errorf("%v, %v", all, err)
	}
}

func TestOldReportsGoAndLongOnesAreCut(t *testing.T) {
	dir := t.TempDir()
	ends(t, dir, "long", "")
	for i := range most + 1 {
		// Of earlier days: two of the same second have no order.
		name := "reachy-test-202601" + string(rune('0'+i/10)) + string(rune('0'+i%10)) + "T000000Z-4194399.txt"
		if err := os.WriteFile(filepath.Join(dir, name), []byte("reachy-test 1.1, started\npanic: old\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, other := range []string{"notes.txt", "reachyd-20260101T000000Z-4194399.txt", "x-y-z.txt"} {
		if err := os.WriteFile(filepath.Join(dir, other), []byte("a\nb\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ends(t, dir, "well", "")
	reports, others := 0, 0
	for _, r := range list(t, dir) {
		if r.Program != "reachy-test" {
			others++
			continue
		}
		reports++
		info, err := os.Stat(filepath.Join(dir, r.Name))
		if err != nil || info.Size() > longest {
			t.Errorf("%v, %v", info, err)
		}
		if strings.Contains(r.Name, "20260100") || strings.Contains(r.Name, "20260101") {
			t.Errorf("the oldest are still there: %s", r.Name)
		}
	}
	if reports != most || others != 1 {
		t.Errorf("%d reports of it, allowed %d; %d of others", reports, most, others)
	}
	if _, err := os.Stat(filepath.Join(dir, "notes.txt")); err != nil {
		t.Error(err)
	}
}

func TestWhereNothingCanBeKept(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Keep(filepath.Join(file, Folder), "reachy-test", ""); err == nil || !strings.Contains(err.Error(), "crash reports: ") {
		t.Errorf("Keep = %v", err)
	}
}
