package guest

import (
	"net"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestLeftoversOfKilledWorkersAreRemoved(t *testing.T) {
	dir := t.TempDir()
	living, listener, err := listenWorker(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	_, killed, err := listenWorker(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := killed.Close(); err != nil { // its socket stays, as after kill -9
		t.Fatal(err)
	}
	for _, name := range []string{folderPrefix + "empty", folderPrefix + "foreign", "other"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	foreign := filepath.Join(dir, folderPrefix+"foreign", "letter")
	if err := os.WriteFile(foreign, nil, 0o600); err != nil {
		t.Fatal(err)
	}

	n, err := RemoveLeftovers(dir)
	if n != 2 || err == nil {
		t.Errorf("%d removed, want 2: the killed one and the empty one; %v, want that one is not empty", n, err)
	}
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	want := []string{filepath.Join(dir, "other"), filepath.Dir(foreign), living}
	slices.Sort(want)
	if err != nil || !slices.Equal(left, want) {
		t.Errorf("left %q, want %q, %v", left, want, err)
	}
	conn, err := net.Dial("unix", filepath.Join(living, socketName))
	if err != nil {
		t.Fatalf("the living worker cannot be reached: %v", err)
	}
	if err := conn.Close(); err != nil {
		t.Error(err)
	}
}
