package apps

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// sdkVersion is the version of the official SDK that apps get.
const sdkVersion = "1.13.0"

//go:embed install.py
var installScript string

//go:embed requirements.py
var requirementsScript string

// media stands in for PyGObject and GStreamer where they are not installed: the SDK's camera, microphone and loudspeaker are the robot's.
//
//go:embed all:media
var media embed.FS

// App is an installed app.
type App struct {
	Name    string    `json:"name"`
	Module  string    `json:"module"`
	Class   string    `json:"class,omitempty"`
	Version string    `json:"version"`
	About   string    `json:"about,omitempty"`
	Package string    `json:"package"`
	Source  string    `json:"source"`
	Since   time.Time `json:"since"`

	dir string
}

func (a *App) python() string  { return filepath.Join(a.dir, "venv", "bin", "python") }
func (a *App) logFile() string { return filepath.Join(a.dir, "log") }

// store is the directory in which apps are: NAME/venv, NAME/app.json, NAME/log, and the SDK that they share, in sdk.
type store struct {
	dir    string
	python string    // of an environment that has the SDK already; empty to fetch it into dir
	out    io.Writer // what pip says
}

// about is the file that is written last: a directory without it was not installed to its end.
const about = "app.json"

var goodName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$`)

// list returns the installed apps by name.
func (s *store) list() ([]App, error) {
	entries, err := os.ReadDir(s.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list apps: %w", err)
	}
	list := []App{}
	for _, e := range entries {
		if a, err := s.get(e.Name()); err == nil {
			list = append(list, *a)
		}
	}
	return list, nil
}

func (s *store) get(name string) (*App, error) {
	if !goodName.MatchString(name) {
		return nil, fmt.Errorf("name is %q; allowed are letters, digits, hyphens and underscores", name)
	}
	dir := filepath.Join(s.dir, name)
	text, err := os.ReadFile(filepath.Join(dir, about))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("app %s is not installed; `reachyctl app list` names those that are", name)
	}
	a := &App{}
	if err == nil {
		err = json.Unmarshal(text, a)
	}
	if err != nil {
		return nil, fmt.Errorf("app %s: %w", name, err)
	}
	a.dir = dir
	return a, nil
}

// install makes a virtual environment and puts the app into it. An app of the same name is replaced once the new one is whole.
func (s *store) install(ctx context.Context, source string, noIndex bool) (*App, error) {
	sdk, err := s.sdk(ctx)
	if err != nil {
		return nil, err
	}
	fresh, err := os.MkdirTemp(s.dir, ".new-")
	if err != nil {
		return nil, fmt.Errorf("install: %w", err)
	}
	defer os.RemoveAll(fresh) //nolint:errcheck // it has been renamed, or has no use
	venv := filepath.Join(fresh, "venv")
	if err := s.command(ctx, sdk, "-m", "venv", "--without-pip", venv).Run(); err != nil {
		return nil, fmt.Errorf("make a virtual environment (Debian: apt install python3-venv): %w", err)
	}
	python := filepath.Join(venv, "bin", "python")
	own, err := s.packages(ctx, python)
	if err != nil {
		return nil, err
	}
	shared, err := s.packages(ctx, sdk)
	if err != nil {
		return nil, err
	}
	// pip is the SDK's, too: to unpack one for each app takes longer than all the rest.
	paths := shared + "\n" + filepath.Join(s.dir, mediaDir) + "\n"
	if err := os.WriteFile(filepath.Join(own, "reachyd-sdk.pth"), []byte(paths), 0o600); err != nil {
		return nil, err
	}
	args := []string{"-c", installScript}
	if noIndex {
		args = append(args, "--no-index")
	}
	if _, err := os.Stat(source); err == nil {
		if source, err = filepath.Abs(source); err != nil {
			return nil, err
		}
	}
	var out bytes.Buffer
	cmd := s.command(ctx, python, append(args, source)...)
	cmd.Stdout = &out
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("install %s: the lines above say why: %w", source, err)
	}
	a := App{Source: source, Since: time.Now().UTC().Truncate(time.Second)}
	if err := json.Unmarshal(out.Bytes(), &a); err != nil {
		return nil, fmt.Errorf("install %s: %w", source, err)
	}
	if !goodName.MatchString(a.Name) || a.Name == sdkDir {
		return nil, fmt.Errorf("install %s: the app is called %q; allowed are letters, digits, hyphens and underscores", source, a.Name)
	}
	text, err := json.Marshal(a)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(fresh, about), text, 0o600); err != nil {
		return nil, err
	}
	a.dir = filepath.Join(s.dir, a.Name)
	old := fresh + "-old"
	if err := os.Rename(a.dir, old); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("install: %w", err)
	}
	if err := os.Rename(fresh, a.dir); err != nil {
		return nil, errors.Join(fmt.Errorf("install: %w", err), os.Rename(old, a.dir))
	}
	return &a, os.RemoveAll(old)
}

const (
	sdkDir   = "sdk"
	mediaDir = ".stub" // environments that were made long ago name it
)

// media writes the Python packages of this version that stand in for GStreamer, and returns their directory.
func (s *store) media() (dir string, err error) {
	dir = filepath.Join(s.dir, mediaDir)
	files, err := fs.Sub(media, "media")
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return "", fmt.Errorf("write reachyd-media: %w", err)
	}
	if err := os.RemoveAll(dir); err != nil {
		return "", fmt.Errorf("write reachyd-media: %w", err)
	}
	if err := os.CopyFS(dir, files); err != nil {
		return "", fmt.Errorf("write reachyd-media: %w", err)
	}
	return dir, nil
}

// sdk returns the Python of an environment that has the SDK, which is fetched when it is not there.
func (s *store) sdk(ctx context.Context) (python string, err error) {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return "", fmt.Errorf("install: %w", err)
	}
	if _, err := s.media(); err != nil {
		return "", err
	}
	if s.python != "" {
		return s.python, nil
	}
	dir := filepath.Join(s.dir, sdkDir)
	python = filepath.Join(dir, "bin", "python")
	whole := filepath.Join(dir, "whole-"+sdkVersion)
	if _, err := os.Stat(whole); err == nil {
		return python, nil
	}
	host, err := findPython()
	if err != nil {
		return "", err
	}
	fmt.Fprintf(s.out, "fetching the SDK %s of the Reachy Mini, once, into %s\n", sdkVersion, dir) //nolint:errcheck // nowhere to say so
	if err := os.RemoveAll(dir); err != nil {
		return "", err
	}
	needs := filepath.Join(dir, "requirements.txt")
	for _, step := range [][]string{
		{host, "-m", "venv", dir},
		{python, "-m", "pip", "install", "-q", "--no-deps", "reachy-mini==" + sdkVersion},
		{python, "-c", requirementsScript},
		{python, "-m", "pip", "install", "-q", "-r", needs},
	} {
		cmd := s.command(ctx, step[0], step[1:]...)
		var out bytes.Buffer
		cmd.Stdout = &out
		if err := cmd.Run(); err != nil {
			return "", fmt.Errorf("fetch the SDK: %w", err)
		}
		if step[1] == "-c" {
			if err := os.WriteFile(needs, out.Bytes(), 0o600); err != nil {
				return "", err
			}
		}
	}
	return python, os.WriteFile(whole, nil, 0o600)
}

// findPython returns a Python that the SDK accepts.
func findPython() (string, error) {
	const check = "import sys; sys.exit(sys.version_info < (3, 11))"
	for _, name := range []string{"python3.13", "python3.12", "python3.11", "python3"} {
		if exec.Command(name, "-c", check).Run() == nil { //nolint:noctx // it is over at once
			return name, nil
		}
	}
	return "", errors.New("apps need Python 3.11 or newer (Debian: apt install python3 python3-venv)")
}

// packages is the directory of an environment's packages.
func (s *store) packages(ctx context.Context, python string) (string, error) {
	cmd := s.command(ctx, python, "-c", "import sysconfig; print(sysconfig.get_paths()['purelib'])")
	cmd.Stdout = nil
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("ask %s where its packages are: %w", python, err)
	}
	return strings.TrimSpace(string(out)), nil
}

func (s *store) command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = cleanEnv(os.Environ())
	cmd.Stdout, cmd.Stderr = s.out, s.out
	return cmd
}

// foreign are variables that make a Python of one environment find what belongs to another, as the official daemon says.
var foreign = []string{
	"PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "GST_PLUGIN_PATH_1_0", "GST_PLUGIN_SYSTEM_PATH_1_0", "GST_REGISTRY_1_0",
	"GST_PLUGIN_SCANNER_1_0", "GI_TYPELIB_PATH", "GST_PYTHONPATH_1_0",
}

func cleanEnv(env []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(e string) bool {
		name, _, _ := strings.Cut(e, "=")
		return slices.Contains(foreign, name)
	})
}

// remove deletes an app and all that belongs to it.
func (s *store) remove(name string) error {
	a, err := s.get(name)
	if err != nil {
		return err
	}
	if err := os.Remove(filepath.Join(a.dir, about)); err != nil { // from now on it is no app
		return fmt.Errorf("remove: %w", err)
	}
	return os.RemoveAll(a.dir)
}
