package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// maxSocketPath is the longest path of a unix socket, bytes: sun_path without its final zero.
const maxSocketPath = 107

// longestSocket is the longest name of a socket in the run directory, with some room for workers to come.
const longestSocket = "reachy-sense-00.sock"

// resolveDirs makes DataDir and RunDir absolute, choosing the usual place for an empty one.
func (c *Config) resolveDirs(env map[string]string, problems *Problems) {
	if c.DataDir == "" {
		c.DataDir = defaultDataDir(env)
	}
	if c.DataDir == "" {
		*problems = append(*problems, Problem{
			Key: "data_dir", Wrong: "has no default: none of STATE_DIRECTORY, XDG_DATA_HOME and HOME is set",
			Allowed: "a directory",
		})
	}
	if c.RunDir == "" {
		c.RunDir = defaultRunDir(env)
	}
	for _, dir := range []*string{&c.DataDir, &c.RunDir} {
		if abs, err := filepath.Abs(*dir); err == nil && *dir != "" {
			*dir = abs
		}
	}
}

func defaultDataDir(env map[string]string) string {
	if d := first(env["STATE_DIRECTORY"]); d != "" {
		return d
	}
	if d := env["XDG_DATA_HOME"]; d != "" {
		return filepath.Join(d, "reachyd")
	}
	if h := env["HOME"]; h != "" {
		return filepath.Join(h, ".local", "share", "reachyd")
	}
	return ""
}

func defaultRunDir(env map[string]string) string {
	if d := first(env["RUNTIME_DIRECTORY"]); d != "" {
		return d
	}
	if d := env["XDG_RUNTIME_DIR"]; d != "" {
		return filepath.Join(d, "reachyd")
	}
	return filepath.Join(os.TempDir(), "reachyd-"+strconv.Itoa(os.Getuid()))
}

// ModelsDir is where model files are.
func (c *Config) ModelsDir() string {
	if c.Sense.Models != "" {
		return c.Sense.Models
	}
	return filepath.Join(c.DataDir, "models")
}

// PhotosDir is where photos are kept.
func (c *Config) PhotosDir() string { return filepath.Join(c.DataDir, "photos") }

// MakeDirs creates the data and run directories for this user alone (0700). A run directory of somebody else, a symbolic
// link, or one that others may write to is refused: who owns it could put sockets of his own in our workers' place.
func (c *Config) MakeDirs() error {
	if err := os.MkdirAll(c.DataDir, 0o700); err != nil {
		return fmt.Errorf("create data_dir: %w", err)
	}
	if err := os.MkdirAll(c.RunDir, 0o700); err != nil {
		return fmt.Errorf("create run_dir: %w", err)
	}
	return checkPrivate(c.RunDir)
}

func checkPrivate(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return fmt.Errorf("check run_dir: %w", err)
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !info.IsDir():
		return fmt.Errorf("run_dir %s is %s; allowed: a directory of our own", dir, info.Mode().Type())
	case ok && int(stat.Uid) != os.Getuid():
		return fmt.Errorf("run_dir %s belongs to user %d, we are %d; allowed: a directory of our own", dir, stat.Uid, os.Getuid())
	case info.Mode().Perm()&0o022 != 0:
		return fmt.Errorf("run_dir %s has mode %04o; allowed: not writable by others (chmod 700 %s)", dir, info.Mode().Perm(), dir)
	}
	return nil
}

// Socket returns the path of the unix socket of that name, such as "reachy-body".
func (c *Config) Socket(name string) string { return filepath.Join(c.RunDir, name+".sock") }
