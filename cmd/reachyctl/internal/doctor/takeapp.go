package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"golang.org/x/sys/unix"
)

var goodApp = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$`)

// installed says that a user has an app of that name in reachyctl app.
func (a commands) installed(home, app string) bool {
	dir := filepath.Join(home, ".local", "share", "reachyd-apps")
	if home == a.Env["HOME"] {
		if d := a.Env["REACHYD_APPS"]; d != "" {
			dir = d
		} else if d := a.Env["XDG_DATA_HOME"]; d != "" {
			dir = filepath.Join(d, "reachyd-apps")
		}
	}
	_, err := os.Stat(filepath.Join(dir, app, "app.json"))
	return err == nil
}

// takeApp installs the app that the official daemon began when the robot woke up.
func (a commands) takeApp() (steps []step) {
	const part = "app"
	for _, home := range a.Host.Homes() {
		s := leftBy(home)
		if s.appErr != nil {
			steps = append(steps, yours(part, s.appErr.Error(), brokenSetting))
		}
		switch {
		case s.app == "":
			continue
		case !goodApp.MatchString(s.app):
			steps = append(steps, yours(part, fmt.Sprintf("the app of %s that began by itself is called %q, which no app may be called", home, s.app),
				"reachyctl app install its source"))
			continue
		case a.installed(home, s.app):
			continue
		}
		source := a.appSource(home, s.app)
		what := fmt.Sprintf("the app %q of %s, which began when the robot woke up, ", s.app, home)
		begin := "then reachyctl app start " + s.app + " begins it; nothing begins by itself"
		switch {
		case source == "":
			steps = append(steps, yours(part, what+"is nowhere on this machine as its makers wrote it", "reachyctl app install its source, "+begin))
		case home != a.Env["HOME"]:
			steps = append(steps, yours(part, what+"is "+source, "as that user: reachyctl app install "+source+", "+begin))
		default:
			steps = append(steps, step{
				Name: part, Detail: what + "is installed from " + source + ", with what it needs from the Internet", Undo: "reachyctl app remove " + s.app,
				act: func(ctx context.Context, st *step) error {
					st.Do = begin
					return a.Host.Run(ctx, a.Stderr, a.Host.Executable, "app", "install", "--", source)
				},
			})
		}
	}
	return steps
}

// backApp tells how an app is removed: it is its owner's like any other, and in nobody's way.
func (a commands) backApp() (steps []step) {
	for _, home := range a.Host.Homes() {
		if s := leftBy(home); goodApp.MatchString(s.app) && a.installed(home, s.app) {
			steps = append(steps, yours("app", fmt.Sprintf("the app %q of %s stays installed", s.app, home), "if it is not wanted: reachyctl app remove "+s.app))
		}
	}
	return steps
}

// appSource is where the source of an app is that the official daemon has installed, as pip noted it, else in the user's cache; "" for nowhere.
func (a commands) appSource(home, app string) string {
	for _, file := range glob(a.Host.In("venvs", "*", "lib", "python3*", "site-packages", "*.dist-info", "entry_points.txt")) {
		text, err := readSmall(file)
		if err != nil || !declares(string(text), app) {
			continue
		}
		if source := a.noted(filepath.Join(filepath.Dir(file), "direct_url.json")); source != "" {
			return source
		}
	}
	for _, space := range glob(filepath.Join(home, ".cache", "huggingface", "hub", "spaces--*--*")) {
		_, name, _ := strings.Cut(strings.TrimPrefix(filepath.Base(space), "spaces--"), "--")
		ref, err := readSmall(filepath.Join(space, "refs", "main"))
		at := filepath.Join("snapshots", strings.TrimSpace(string(ref)))
		if err != nil || !filepath.IsLocal(at) || plainName(name) != plainName(app) {
			continue
		}
		if source := filepath.Join(space, at); isPackage(source) {
			return source
		}
	}
	return ""
}

// declares says that a file of entry points has an app of that name.
func declares(entryPoints, app string) bool {
	group := ""
	for line := range strings.Lines(entryPoints) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			group = line
		}
		if name, _, ok := strings.Cut(line, "="); ok && group == "[reachy_mini_apps]" && strings.TrimSpace(name) == app {
			return true
		}
	}
	return false
}

// noted is where pip noted that a package came from, if it can be had from there again.
func (a commands) noted(file string) string {
	var from struct {
		URL string `json:"url"`
		VCS struct {
			Kind   string `json:"vcs"`
			Commit string `json:"commit_id"`
		} `json:"vcs_info"`
	}
	err := readJSON(file, &from)
	u, wrong := url.Parse(from.URL)
	switch {
	case err != nil || wrong != nil:
		return ""
	case u.Scheme == "file" && isPackage(a.Host.In(u.Path)):
		return a.Host.In(u.Path)
	case u.Scheme == "https" && from.VCS.Kind == "git":
		return "git+" + strings.TrimSuffix(from.URL+"@"+from.VCS.Commit, "@")
	}
	return ""
}

func isPackage(dir string) bool {
	for _, file := range []string{"pyproject.toml", "setup.py"} {
		if _, err := os.Stat(filepath.Join(dir, file)); err == nil {
			return true
		}
	}
	return false
}

// plainName is a name as the registry compares it.
func plainName(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "-", ".", "-").Replace(name))
}

// readJSON reads what a file has; one that is not there, or that this user may not read, has nothing.
func readJSON(path string, into any) error {
	text, err := readSmall(path)
	if absent(err) || errors.Is(err, fs.ErrPermission) {
		return nil
	}
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		return fmt.Errorf("%s cannot be read: %w", path, err)
	}
	return nil
}

// readSmall reads a regular file of a user: not a pipe, on which a doctor would wait, nor a device without end.
func readSmall(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // only read
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.New("it is no regular file")
	}
	const most = 1 << 20
	return io.ReadAll(io.LimitReader(f, most))
}
