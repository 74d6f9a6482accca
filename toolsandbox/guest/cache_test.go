package guest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// tinyCache is a cache of its own with tinyReactor in it.
func tinyCache(t *testing.T) ImageConfig {
	t.Helper()
	c := ImageConfig{Language: WASI, Module: filepath.Join(t.TempDir(), "tiny.wasm"), Cache: t.TempDir()}
	if err := os.WriteFile(c.Module, tinyReactor, 0o600); err != nil {
		t.Fatal(err)
	}
	return c
}

func imageDirOf(t *testing.T, c ImageConfig) string {
	t.Helper()
	dir, err := c.dir()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func wantSeven(t *testing.T, s *Sandbox, when string) {
	t.Helper()
	if r, err := s.Call(t.Context(), &Request{Function: "any"}); err != nil || string(r.Value) != "7" {
		t.Errorf("%s: %+v %+v %v", when, r, r.Error, err)
	}
}

// Whatever is damaged in the cache, by a power cut or by hand, is found and made anew, also under a sandbox that is
// open: at worst the call that runs meanwhile ends.
func TestDamagedCache(t *testing.T) {
	c := tinyCache(t)
	openLanguage(t, c)
	dir := imageDirOf(t, c)
	code := func() string {
		entries, err := os.ReadDir(wazeroDir(dir))
		for _, e := range entries {
			if !strings.HasSuffix(e.Name(), "0000") { // which is for another computer
				return filepath.Join(wazeroDir(dir), e.Name())
			}
		}
		t.Fatalf("%v %v", entries, err)
		return ""
	}
	for what, damage := range map[string]func() error{
		"image truncated":      func() error { return os.Truncate(filepath.Join(dir, imageName), 0) },
		"module truncated":     func() error { return os.Truncate(filepath.Join(dir, wasmName), 20) },
		"no image":             func() error { return os.Remove(filepath.Join(dir, imageName)) },
		"not ready":            func() error { return os.Remove(filepath.Join(dir, readyName)) },
		"ready for another":    func() error { return os.WriteFile(filepath.Join(dir, readyName), []byte("guest-0000\n"), 0o600) },
		"native code cut":      func() error { return os.Truncate(code(), 40) },
		"native code flipped":  func() error { return flipLast(code()) },
		"native code gone":     func() error { return os.RemoveAll(wazeroDir(dir)) },
		"for another computer": func() error { return os.Rename(code(), code()[:len(code())-4]+"0000") },
		"code folder gone":     func() error { return os.RemoveAll(filepath.Join(c.Cache, codeRoot)) },
		"everything gone":      func() error { return errors.Join(os.RemoveAll(dir), os.RemoveAll(filepath.Join(c.Cache, codeRoot))) },
	} {
		s, err := Open(t.Context(), Config{Workers: 1, Image: c, lone: true})
		if err != nil {
			t.Fatalf("before %s: %v", what, err)
		}
		wantSeven(t, s, "before "+what)
		if err := damage(); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if r, err := s.Call(t.Context(), &Request{Function: "any"}); err != nil || r.Reason != ReasonOK && r.Reason != ReasonCrash {
			t.Errorf("%s, under a worker: %+v %+v %v", what, r, r.Error, err)
		}
		for _, p := range s.idle {
			p.close()
		}
		wantSeven(t, s, what+", the next worker")
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

func flipLast(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	text[len(text)-40] ^= 0xff // within the code or its sum
	return os.WriteFile(path, text, 0o600)
}

// An image file that is cut short while a worker has it mapped ends that worker and no other process.
func TestImageCutUnderACall(t *testing.T) {
	c := tinyCache(t)
	s := openLanguage(t, c)
	big := filepath.Join(imageDirOf(t, c), imageName)
	if err := os.Truncate(big, 0); err != nil {
		t.Fatal(err)
	}
	r, err := s.Call(t.Context(), &Request{Function: "any"})
	if err != nil || r.Reason != ReasonCrash {
		t.Errorf("%+v %+v %v, want %s", r, r.Error, err, ReasonCrash)
	}
	wantSeven(t, s, "the next call")
}

func TestCacheThatOthersCanWriteTo(t *testing.T) {
	c := tinyCache(t)
	s := openLanguage(t, c)
	dir := imageDirOf(t, c)
	for _, folder := range []string{dir, codeDir(dir)} {
		if err := os.Chmod(folder, 0o777); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(t.Context(), Config{Workers: 1, Image: c}); !errors.Is(err, ErrUnavailable) || !strings.Contains(err.Error(), "chmod go-w") {
			t.Errorf("%s: %v", folder, err)
		}
		for _, p := range s.idle {
			p.close()
		}
		if _, err := s.Call(t.Context(), &Request{Function: "any"}); !errors.Is(err, ErrUnavailable) {
			t.Errorf("a new worker of a sandbox that is open: %v", err)
		}
		if err := os.Chmod(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	wantSeven(t, s, "private again")
	if os.Geteuid() != 0 {
		return // only root can give a folder away
	}
	if err := os.Chown(dir, 4711, -1); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), Config{Workers: 1, Image: c}); !errors.Is(err, ErrUnavailable) || !strings.Contains(err.Error(), "4711") {
		t.Errorf("somebody else's folder: %v", err)
	}
}

// An interpreter that is not what its script left is not used.
func TestInterpreterThatWasChanged(t *testing.T) {
	dir := t.TempDir()
	sum := sha256.Sum256(tinyReactor)
	if err := errors.Join(os.WriteFile(filepath.Join(dir, "python.wasm"), tinyReactor[:50], 0o600),
		os.WriteFile(filepath.Join(dir, "SHA256SUMS"), fmt.Appendf(nil, "%s  ./python.wasm\n", hex.EncodeToString(sum[:])), 0o600)); err != nil {
		t.Fatal(err)
	}
	err := ImageConfig{Python: dir, Cache: t.TempDir()}.Prepare(t.Context())
	if !errors.Is(err, ErrUnavailable) || !strings.Contains(err.Error(), "cross/python-wasm.sh") {
		t.Errorf("%v", err)
	}
}

// What nobody has used for a month is removed when something new is made, and what a sandbox has open stays.
func TestTidy(t *testing.T) {
	c := tinyCache(t)
	cache := c.Cache
	old := time.Now().Add(-keepUnused - time.Hour)
	age := func(paths ...string) {
		for _, p := range paths {
			if err := os.Chtimes(p, old, old); err != nil {
				t.Fatal(err)
			}
		}
	}
	inUse := openLanguage(t, c)
	dir := imageDirOf(t, c)
	code, err := filepath.EvalSymlinks(codeDir(dir))
	if err != nil {
		t.Fatal(err)
	}
	var unused, fresh []string
	for _, name := range []string{"guest-1111111111111111", codeRoot + "/2222222222222222", codeRoot + "/wazero-v1.0.0-amd64-linux"} {
		path := filepath.Join(cache, name)
		if err := errors.Join(os.MkdirAll(path, 0o700), os.WriteFile(filepath.Join(path, "x"), nil, 0o600)); err != nil {
			t.Fatal(err)
		}
		unused = append(unused, path)
	}
	for _, name := range []string{"module-11.wasm", codeRoot + "/native-dev-amd64-1"} {
		unused = append(unused, filepath.Join(cache, name))
		fresh = append(fresh, filepath.Join(cache, strings.Replace(name, "1", "3", 1)))
	}
	fresh = append(fresh, filepath.Join(cache, "python.lock"))
	for _, path := range append(unused[3:len(unused):len(unused)], fresh...) {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	age(unused...)
	age(dir, code, filepath.Join(cache, "python.lock"))
	c.Module = filepath.Join(t.TempDir(), "other.wasm")
	if err := os.WriteFile(c.Module, bytes.Replace(tinyReactor, []byte("7}"), []byte("8}"), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	openLanguage(t, c) // something new
	for _, path := range unused {
		if _, err := os.Lstat(path); err == nil {
			t.Errorf("%s is still there", path)
		}
	}
	for _, path := range append(fresh, dir, code) {
		if _, err := os.Lstat(path); err != nil {
			t.Errorf("%v", err)
		}
	}
	for _, p := range inUse.idle {
		p.close()
	}
	wantSeven(t, inUse, "what is open, with a new worker")
	// Closed, it goes too; and who opens it at that moment gets a new one.
	if err := inUse.Close(); err != nil {
		t.Fatal(err)
	}
	age(dir)
	done := make(chan struct{})
	go func() { defer close(done); tidy(cache, time.Now(), keepBytes) }()
	again := tinyCache(t)
	again.Cache = cache
	wantSeven(t, openLanguage(t, again), "opened while it was tidied")
	<-done
}

// The cache has an upper bound, by size and by number: what was used longest ago goes first, and what is open stays.
func TestCacheIsBounded(t *testing.T) {
	c := tinyCache(t)
	openLanguage(t, c)
	inUse := imageDirOf(t, c)
	began := time.Now()
	put := func(name string, size int, age time.Duration) string {
		t.Helper()
		path := filepath.Join(c.Cache, name)
		file, at := filepath.Join(path, imageName), began.Add(-age)
		if err := errors.Join(os.MkdirAll(path, 0o700), os.WriteFile(file, make([]byte, size), 0o600), os.Chtimes(path, at, at)); err != nil {
			t.Fatal(err)
		}
		return path
	}
	there := func(path string, want bool) {
		t.Helper()
		if _, err := os.Stat(path); (err == nil) != want {
			t.Errorf("%s: %v, want it there: %t", filepath.Base(path), err, want)
		}
	}
	const mb = 1 << 20
	if err := os.Chtimes(inUse, began.Add(-time.Hour), began.Add(-time.Hour)); err != nil { // it is the oldest of all
		t.Fatal(err)
	}
	newest, middle, oldest := put("guest-1", mb, time.Minute), put(codeRoot+"/2", mb, 2*time.Minute), put("guest-3", mb, 3*time.Minute)
	tidy(c.Cache, began, 8*mb)
	there(oldest, true)
	tidy(c.Cache, began, 5*mb/2)
	there(newest, true)
	there(middle, true)
	there(oldest, false)
	there(inUse, true)
	for i := range keepEntries {
		put(fmt.Sprintf("guest-small%d", i), 1, time.Duration(i)*time.Millisecond)
	}
	c.Tidy()
	there(newest, false)
	there(filepath.Join(c.Cache, fmt.Sprintf("guest-small%d", keepEntries/2)), true)
	there(inUse, true)
}

// A worker has nothing that it could change outside of itself: no file that can be written to, no memory that is shared
// and can be written to, none that can be written to and executed, and the native code is the kernel's read-only copy.
func TestWorkerHasNothingToChange(t *testing.T) {
	s := sharedSandbox(t)
	looked := false
	_, err := s.Call(t.Context(), &Request{
		Source: "import reachy\ndef f():\n    reachy.look()\n", Function: "f", Grants: []string{"look"},
		Host: func(context.Context, HostCall) (json.RawMessage, error) {
			for _, pid := range childrenOf(t, os.Getpid()) {
				looked = lookAt(t, pid) || looked
			}
			return nil, nil
		},
	})
	if err != nil || !looked {
		t.Errorf("no worker was looked at: %v", err)
	}
}

// lookAt says whether a process is a worker that is sealed.
func lookAt(t *testing.T, pid int) bool {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil || !bytes.Contains(status, []byte("\nSeccomp:\t2\n")) {
		return false
	}
	maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", pid))
	if err != nil {
		return false // it ended
	}
	native := false
	for line := range strings.Lines(string(maps)) {
		rights := strings.Fields(line)[1]
		shared, writable, executable := rights[3] == 's', rights[1] == 'w', rights[2] == 'x'
		if writable && (shared || executable) {
			t.Errorf("worker %d: %s", pid, line)
		}
		native = native || executable && strings.Contains(line, "/"+nativeName())
	}
	if !native {
		t.Errorf("worker %d has its native code for itself", pid)
	}
	entries, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	if err != nil {
		return false
	}
	for _, e := range entries {
		target, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%s", pid, e.Name()))
		info, err2 := os.ReadFile(fmt.Sprintf("/proc/%d/fdinfo/%s", pid, e.Name()))
		if err != nil || err2 != nil {
			continue
		}
		var flags int
		for line := range strings.Lines(string(info)) {
			_, _ = fmt.Sscanf(line, "flags: %o", &flags)
		}
		if path := strings.HasPrefix(target, "/") && target != "/dev/null"; path && flags&3 != os.O_RDONLY {
			t.Errorf("worker %d can write to %s (flags %o)", pid, target, flags)
		}
	}
	return true
}

// A worker serves one stream of calls.
func TestSecondStream(t *testing.T) {
	s := sharedSandbox(t)
	wantFive(t, s)
	conn, err := net.Dial("unix", s.Workers()[0])
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.Write([]byte(upgradeRequest)); err != nil {
		t.Fatal(err)
	}
	answer := make([]byte, 100)
	n, err := conn.Read(answer)
	if err != nil || !strings.HasPrefix(string(answer[:n]), "HTTP/1.1 409 ") {
		t.Errorf("%q %v", answer[:n], err)
	}
	wantFive(t, s)
}

func wantFive(t *testing.T, s *Sandbox) {
	t.Helper()
	if r, err := s.Call(t.Context(), &trivial); err != nil || string(r.Value) != "5" {
		t.Errorf("%+v %+v %v", r, r.Error, err)
	}
}

// Images of different programs lie in one cache, so what lower makes may change only together with imageFormat.
func TestLowerOfThisFormat(t *testing.T) {
	h := sha256.New()
	for _, m := range [][]byte{remainder, tinyReactor, endlessReactor, pressure(8), exceptions} {
		lean, memory, err := lower(m)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = h.Write(append(lean, memory...))
	}
	if got, want := imageFormat+" "+hex.EncodeToString(h.Sum(nil)[:8]), "4 6590fbd24c2c7dc1"; got != want {
		t.Errorf("format and sum are %q, were %q: raise imageFormat", got, want)
	}
}

// exceptions has a function that throws in a try_table within a block of an exnref, and one local of that type.
var exceptions = []byte("\x00asm\x01\x00\x00\x00" +
	"\x01\x04\x01\x60\x00\x00" + // types: () -> ()
	"\x03\x02\x01\x00" + "\x05\x03\x01\x00\x01" + "\x0d\x03\x01\x00\x00" + // function, memory, tag
	"\x07\x08\x01\x04step\x00\x00" +
	"\x0a\x13\x01\x11\x01\x01\x69" + // one local exnref
	// block exnref; try_table catch_all_ref 0; throw 0; end; unreachable; end; throw_ref; end
	"\x02\x69" + "\x1f\x40\x01\x03\x00" + "\x08\x00" + "\x0b" + "\x00" + "\x0b" + "\x0a" + "\x0b")
