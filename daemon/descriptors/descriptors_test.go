package descriptors

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// The test binary is also a program with few descriptors: TEST_LIMIT says how many.
func TestMain(m *testing.M) {
	limit, err := strconv.Atoi(os.Getenv("TEST_LIMIT"))
	if err != nil {
		os.Exit(m.Run())
	}
	few := unix.Rlimit{Cur: uint64(limit), Max: uint64(limit)}
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &few); err != nil {
		os.Exit(1)
	}
	_, _ = os.Stdout.WriteString(strconv.Itoa(Share(160, 1, 2)) + " " + strconv.Itoa(Share(96, 1, 4)))
}

func TestShare(t *testing.T) {
	for limit, want := range map[int]string{64: "4 4", 256: "32 16", 1024: "160 96", 4096: "160 96"} {
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		c := exec.Command(self)
		c.Env = append(os.Environ(), "TEST_LIMIT="+strconv.Itoa(limit))
		if out, err := c.Output(); err != nil || strings.TrimSpace(string(out)) != want {
			t.Errorf("with %d descriptors: %s, %v; want %s", limit, out, err, want)
		}
	}
}

func TestExhausted(t *testing.T) {
	if !Exhausted(&os.PathError{Err: unix.EMFILE}) || Exhausted(unix.ECONNREFUSED) || Exhausted(nil) {
		t.Error("too many open files are not told from a worker that is gone")
	}
}
