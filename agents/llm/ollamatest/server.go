// Package ollamatest starts a real Ollama server for tests, with tiny models of our own that say what a test wants.
package ollamatest

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/ollama/ollama/api"
)

// The models that a Server has; Eye only after AddEye.
const (
	Parrot  = "parrot:latest"  // replies by rules and calls tools; can: completion, tools
	Deaf    = "deaf:latest"    // replies by the same rules, but cannot call tools; can: completion
	Random  = "random:latest"  // says anything; with a schema, what fits it; can: completion, tools
	Vectors = "vectors:latest" // texts of the same letters have the same vector; can: embedding
	Eye     = "eye:latest"     // replies by rules to pictures; can: completion, vision
)

// Server is a running Ollama server.
type Server struct {
	URL string

	program string
	dir     string
	port    string
	log     *lockedBuffer
	mu      sync.Mutex
	cmd     *exec.Cmd
	life    io.Closer // the server lives until this is closed, by us or by our death
	logged  sync.WaitGroup
	sent    map[string]bool // digests of files
}

// patience is how long starting, and making a model, may take on a machine that is busy.
const patience = 2 * time.Minute

// Have reports whether the server program was built, and where it lies or should lie.
func Have() (program string, ok bool) {
	out, err := exec.CommandContext(context.Background(), filepath.Join(root(), "cross", "ollama.sh"), "--print").Output()
	program = strings.TrimSpace(string(out))
	if err != nil {
		return program, false
	}
	_, err = os.Stat(program)
	return program, err == nil
}

// root is the repository's: tests run in a directory of it. The path of this file does not say where it is when the build
// trims paths.
func root() string {
	dir, err := os.Getwd()
	for err == nil && dir != filepath.Dir(dir) {
		if _, missing := os.Stat(filepath.Join(dir, "cross", "ollama.sh")); missing == nil {
			return dir
		}
		dir = filepath.Dir(dir)
	}
	return "."
}

// Context is how many tokens Parrot and Deaf can keep in mind. Every byte is one, so clients need all of them:
// llm.Config{Context: ollamatest.Context, Threads: 1}.
const Context = 32768

// Start starts a server on a free port, with models of which those that reply by rules know these. It is gone when the
// test ends. Where the server was not built the test is skipped, unless the environment says REACHYD_OLLAMA=must.
func Start(t testing.TB, rules ...Rule) *Server {
	t.Helper()
	program, ok := Have()
	if !ok {
		if os.Getenv("REACHYD_OLLAMA") == "must" {
			t.Fatalf("the Ollama server is not built: make ollama")
		}
		t.Skipf("NOT TESTED against a real Ollama server: it is not built; 'make ollama' builds it")
	}
	s := &Server{program: program, dir: t.TempDir(), port: "0", log: &lockedBuffer{}, sent: map[string]bool{}}
	t.Cleanup(func() {
		s.Kill()
		if t.Failed() {
			t.Logf("the server's log:\n%s", s.log.tail(4000))
		}
	})
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := s.start(ctx); err != nil {
		t.Fatalf("Ollama server: %v\n%s", err, s.log.tail(4000))
	}
	if err := s.models(ctx, rules); err != nil {
		t.Fatalf("Ollama server: %v\n%s", err, s.log.tail(4000))
	}
	return s
}

// Restart starts the server again where it was, after Kill.
func (s *Server) Restart(t testing.TB) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := s.start(ctx); err != nil {
		t.Fatalf("Ollama server: %v\n%s", err, s.log.tail(4000))
	}
}

// start starts the process and waits until it answers. A shell stands between us and the server: it kills its whole
// process group, the server's own children included, when its standard input ends, which it does even if we are killed.
func (s *Server) start(ctx context.Context) error {
	cmd := exec.CommandContext(context.Background(), "/bin/sh", "-c", `"$0" serve </dev/null & cat >/dev/null; kill -KILL 0`, s.program)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Dir = s.dir
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + s.dir, "OLLAMA_MODELS=" + filepath.Join(s.dir, "models"),
		"OLLAMA_HOST=127.0.0.1:" + s.port, "OLLAMA_NOHISTORY=1", "OLLAMA_NO_CLOUD=1", "OLLAMA_MAX_LOADED_MODELS=5",
		"OMP_NUM_THREADS=1", "GOMAXPROCS=2",
	}
	life, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	cmd.Stdout, cmd.Stderr = w, w
	if err := cmd.Start(); err != nil {
		return errors.Join(err, r.Close(), w.Close())
	}
	_ = w.Close()
	s.mu.Lock()
	s.cmd, s.life = cmd, life
	s.mu.Unlock()

	listening := make(chan string, 1)
	s.logged.Go(func() { s.watch(r, listening) })
	select {
	case port, ok := <-listening:
		if !ok {
			return errors.New("it ended before it listened")
		}
		s.port, s.URL = port, "http://127.0.0.1:"+port
	case <-ctx.Done():
		return fmt.Errorf("it does not listen: %w", ctx.Err())
	}
	return s.client().Heartbeat(ctx)
}

var listens = regexp.MustCompile(`Listening on 127\.0\.0\.1:(\d+)`)

// watch keeps the server's log, and tells the port that it names. The log ends when the last process of the group does.
func (s *Server) watch(r io.ReadCloser, listening chan<- string) {
	defer func() { _ = r.Close() }()
	told := false
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadString('\n')
		s.log.add(line)
		if m := listens.FindStringSubmatch(line); m != nil && !told {
			listening <- m[1]
			told = true
		}
		if err != nil {
			close(listening)
			return
		}
	}
}

// Kill ends the server at once, as a power cut does, and waits until no process of it is left.
func (s *Server) Kill() {
	s.mu.Lock()
	cmd := s.cmd
	s.cmd = nil
	s.mu.Unlock()
	if cmd == nil {
		return
	}
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // our own group; it is there until Wait
	_ = s.life.Close()
	_ = cmd.Wait()  // it was killed
	s.logged.Wait() // the log ends when the last process that could write to it did
}

// Log returns what the server wrote.
func (s *Server) Log() string { return s.log.tail(1 << 20) }

func (s *Server) client() *api.Client {
	u, err := url.Parse(s.URL)
	if err != nil {
		panic(err) // we made it
	}
	return api.NewClient(u, &http.Client{Transport: &http.Transport{DisableKeepAlives: true}})
}

// models makes the small models.
func (s *Server) models(ctx context.Context, rules []Rule) error {
	parrot := byteVocabulary()
	next, err := parrot.learn(rules)
	if err != nil {
		return err
	}
	by := llama("parrot", parrot, shape{width: 256, feed: 16, layers: 1, head: 16, context: Context}, next)
	for _, m := range []struct {
		name, template string
		file           []byte
	}{
		{Vectors, "", llama("vectors", byteVocabulary(), shape{width: 64, feed: 16, layers: 1, head: 64, context: 2048, mean: true}, nil)},
		{Random, ParrotTemplate, llama("random", byteVocabulary(), shape{width: 64, feed: 128, layers: 2, head: 16, context: 2048, mix: 1}, nil)},
		{Deaf, plainTemplate, by},
		{Parrot, ParrotTemplate, by},
	} {
		if err := s.Create(ctx, m.name, m.template, "", m.file); err != nil {
			return err
		}
	}
	return nil
}

// AddEye makes the model that can see. It is apart because it takes 65 MB and half a second.
func (s *Server) AddEye(t testing.TB, rules ...Rule) {
	t.Helper()
	file, err := seeing(rules)
	if err == nil {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		err = s.Create(ctx, Eye, plainTemplate, "", file)
	}
	if err != nil {
		t.Fatalf("Ollama server: %v\n%s", err, s.log.tail(4000))
	}
}

// Create makes a model from a GGUF file. parser, if not empty, is the server's name for how a family of models writes.
func (s *Server) Create(ctx context.Context, name, template, parser string, file []byte) error {
	digest := fmt.Sprintf("sha256:%x", sha256.Sum256(file))
	c := s.client()
	if !s.sent[digest] { // sent twice, the server breaks the connection
		if err := c.CreateBlob(ctx, digest, bytes.NewReader(file)); err != nil {
			return fmt.Errorf("model %s: %w", name, err)
		}
		s.sent[digest] = true
	}
	err := c.Create(ctx, &api.CreateRequest{
		Model: name, Files: map[string]string{"model.gguf": digest}, Template: template, Parser: parser,
		// More threads than one spin for each other when the machine is busy.
		Parameters: map[string]any{"temperature": 0, "num_thread": 1, "num_predict": 200},
	}, func(api.ProgressResponse) error { return nil })
	if err != nil {
		return fmt.Errorf("model %s: %w", name, err)
	}
	return nil
}

// ParrotFile returns a model that replies by the rules, for Create.
func ParrotFile(rules ...Rule) ([]byte, error) {
	v := byteVocabulary()
	next, err := v.learn(rules)
	if err != nil {
		return nil, err
	}
	return llama("parrot", v, shape{width: 256, feed: 16, layers: 1, head: 16, context: Context}, next), nil
}

// lockedBuffer keeps text for many goroutines.
type lockedBuffer struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *lockedBuffer) add(s string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.b.WriteString(s)
}

func (l *lockedBuffer) tail(n int) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.b.String()
	return s[max(0, len(s)-n):]
}

// KillRunners ends the processes in which the server's models run, as the kernel does when memory is short. It returns
// how many there were.
func (s *Server) KillRunners() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cmd == nil {
		return 0
	}
	killed := 0
	stats, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is right
	for _, path := range stats {
		stat, err := os.ReadFile(path)
		if err != nil {
			continue // it ended meanwhile
		}
		var pid, parent, group int
		var state string
		// The name in parentheses may hold anything.
		rest := string(stat[bytes.LastIndexByte(stat, ')')+1:])
		if n, _ := fmt.Sscan(rest, &state, &parent, &group); n != 3 || group != s.cmd.Process.Pid || state == "Z" {
			continue
		}
		line, err := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
		if err != nil || !bytes.Contains(line, []byte("\x00runner\x00")) {
			continue
		}
		if _, err := fmt.Sscan(string(stat), &pid); err == nil && syscall.Kill(pid, syscall.SIGKILL) == nil {
			killed++
		}
	}
	return killed
}
