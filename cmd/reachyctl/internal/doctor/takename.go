package doctor

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"golang.org/x/sys/unix"

	"github.com/reachyd/reachyd/cmd/reachyctl/internal/host"
)

// beforeEnd is what the name of a configuration ends in as it was before it was changed.
const beforeEnd = ".before-take-over"

// setting is a key of the section robot, and its value.
type setting struct{ key, value string }

// missing are id and name, as far as a configuration has none yet.
func missing(text []byte, id, name string) (add []setting) {
	hasID, hasName := robotOf(text)
	if id != "" && hasID == "" {
		add = append(add, setting{"id", id})
	}
	if name != "" && hasName == "" {
		add = append(add, setting{"name", name})
	}
	return add
}

// configFile is the configuration that the robot's reachyd reads, whether it is there or not.
func (a commands) configFile() string {
	if file := a.Env["REACHYD_CONFIG"]; file != "" {
		return file
	}
	if service := a.Host.In("etc", "reachyd", "reachyd.yaml"); a.Host.Service() || a.Host.Packaged() && !a.own() {
		return service
	}
	if file := a.Host.ConfigFile(a.Env); file != "" {
		return file
	}
	if dir := a.Env["XDG_CONFIG_HOME"]; dir != "" {
		return filepath.Join(dir, "reachyd", "reachyd.yaml")
	}
	return filepath.Join(a.Env["HOME"], ".config", "reachyd", "reachyd.yaml")
}

// robotOf are id and name in a configuration; what cannot be read says neither.
func robotOf(text []byte) (id, name string) {
	var s host.Settings
	if yaml.Unmarshal(text, &s) != nil {
		return "", ""
	}
	return s.Robot.ID, s.Robot.Name
}

// takeName makes the name that the official daemon gave the robot its id.
func (a commands) takeName() []step {
	const part = "name"
	names, broken := a.officialNames()
	var steps []step
	for _, err := range broken {
		steps = append(steps, yours(part, err.Error(), brokenSetting))
	}
	switch len(names) {
	case 0:
		return steps
	case 1:
	default:
		var all []string
		for _, n := range names {
			all = append(all, fmt.Sprintf("%q (%s)", n.name, n.home))
		}
		return append(steps, yours(part, "the official daemon has called this robot "+strings.Join(all, " and "),
			"write the one that is meant into "+a.configFile()+" as robot.id"))
	}
	name, file := names[0].name, a.configFile()
	what := fmt.Sprintf("%q becomes robot.id: %s in %s", name, idOf(name), file)
	if idOf(name) == "" {
		what = fmt.Sprintf("%q becomes robot.name in %s; it has no letter that robot.id could have (A to Z, digits, _ and -)", name, file)
	}
	text, err := os.ReadFile(file)
	switch id, shown := robotOf(text); {
	case errors.Is(err, os.ErrPermission):
		return append(steps, forRoot(takeOver, part, what))
	case err != nil && !absent(err):
		return append(steps, step{Name: part, State: stepFailed, Detail: what + ": " + err.Error()})
	case id == idOf(name) && id != "" || id == "" && idOf(name) == "" && shown == name:
		return steps // it is taken over
	case id != "" || shown != "" && idOf(name) == "":
		has := fmt.Sprintf("the official daemon called this robot %q; %s has a name already (%s), which stays", name, file, strings.TrimSpace(id+" "+shown))
		return append(steps, yours(part, has, ""))
	}
	changed, err := withSettings(text, missing(text, idOf(name), name))
	if err != nil {
		s := step{Name: part, State: stepFailed, Detail: what + ": " + err.Error()}
		if idOf(name) != "" {
			s.Do = "write it yourself: robot.id: " + idOf(name)
		}
		return append(steps, s)
	}
	if !writable(file) {
		return append(steps, forRoot(takeOver, part, what))
	}
	return append(steps, step{Name: part, Detail: what, Undo: a.undo(part), act: func(_ context.Context, s *step) error {
		before, err := replaceConfig(file, text, changed)
		if err != nil {
			return err
		}
		if before != "" {
			s.Detail += "; what it was is " + before
		}
		s.Do = "it holds, also in topics, once reachyd is started again"
		if a.Host.Service() {
			s.Do += ": sudo systemctl restart reachyd"
		}
		return nil
	}})
}

// writable says whether a file can be replaced.
func writable(file string) bool {
	for dir := filepath.Dir(file); ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(dir); err == nil || dir == filepath.Dir(dir) {
			return mayWrite(dir)
		}
	}
}

// backName makes the configuration what it was before.
func (a commands) backName() []step {
	const part = "name"
	file := a.configFile()
	text, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	id, name := robotOf(text)
	real, err := filepath.EvalSymlinks(file)
	if err != nil {
		return nil
	}
	what := file + " becomes what it was before"
	back := step{Name: part, Detail: what, Undo: a.takes(part)}
	if made, err := withSettings(nil, missing(nil, id, name)); err == nil && bytes.Equal(made, text) { // there was none before
		back.act = func(context.Context, *step) error { return os.Remove(real) }
	}
	kept := glob(globQuote(real) + beforeEnd + "*")
	for _, before := range kept {
		was, err := os.ReadFile(before)
		if err != nil {
			continue
		}
		if again, err := withSettings(was, missing(was, id, name)); err == nil && bytes.Equal(again, text) && !bytes.Equal(was, text) {
			back.act = func(context.Context, *step) error { return os.Rename(before, real) }
		}
	}
	switch {
	case back.act != nil && !mayWrite(filepath.Dir(real)):
		return []step{forRoot(goBack, part, what)}
	case back.act != nil:
		return []step{back}
	case len(kept) > 0:
		return []step{yours(part, fmt.Sprintf("%s has been changed since, and stays (robot.id: %s)", file, id), "what it was before is "+kept[len(kept)-1])}
	}
	return nil
}

// globQuote makes a pattern of a path, which means nothing but itself.
func globQuote(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}

// withSettings adds keys to the section robot of a configuration, in which neither is set, and leaves every other byte as it is.
func withSettings(text []byte, add []setting) ([]byte, error) {
	lines, err := withLines(text, add)
	if err != nil {
		return nil, err
	}
	// What it means must be what it meant, and the new keys: there are more ways to write YAML than those that are known here.
	var was, is map[string]any
	if err := yaml.Unmarshal(text, &was); err != nil {
		return nil, fmt.Errorf("it is not YAML: %s", firstLine(err))
	}
	err = yaml.Unmarshal(lines, &is)
	if was == nil {
		was = map[string]any{}
	}
	robot, _ := was["robot"].(map[string]any)
	if robot == nil {
		robot = map[string]any{}
	}
	for _, s := range add {
		robot[s.key] = s.value
	}
	was["robot"] = robot
	if err != nil || !reflect.DeepEqual(was, is) {
		return nil, errors.New("its section robot is written in a way that cannot be added to")
	}
	return lines, nil
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

// withLines puts the lines of keys where the section robot begins, or at the end where there is none.
func withLines(text []byte, add []setting) ([]byte, error) {
	file, err := parser.ParseBytes(text, 0)
	if err != nil {
		return nil, fmt.Errorf("it is not YAML: %s", firstLine(err))
	}
	eol := "\n"
	if bytes.Contains(text, []byte("\r\n")) {
		eol = "\r\n"
	}
	keys := func(column int) (all string) {
		for _, s := range add {
			value, _ := json.Marshal(s.value) // a text has an encoding, which is YAML as well
			all += strings.Repeat(" ", column) + s.key + ": " + string(value) + eol
		}
		return all
	}
	for _, doc := range file.Docs {
		pair := entry(doc.Body, "robot")
		if pair == nil {
			continue
		}
		before, column := pair.Key.GetToken().Position.Line, 2 // the line after that of the key, counted from 0
		if values := entries(pair.Value); len(values) > 0 {
			at := values[0].Key.GetToken().Position
			before, column = at.Line-1, at.Column-1
		}
		lines := bytes.SplitAfter(text, []byte("\n"))
		before = min(before, len(lines))
		head := bytes.Join(lines[:before], nil)
		if len(head) > 0 && head[len(head)-1] != '\n' {
			head = append(head, eol...)
		}
		return append(append(head, keys(column)...), bytes.Join(lines[before:], nil)...), nil
	}
	out := bytes.Clone(text)
	if len(out) > 0 && out[len(out)-1] != '\n' {
		out = append(out, eol...)
	}
	return append(out, "robot:"+eol+keys(2)...), nil
}

// entries are those of a mapping.
func entries(n ast.Node) []*ast.MappingValueNode {
	switch m := n.(type) {
	case *ast.MappingNode:
		return m.Values
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{m}
	}
	return nil
}

func entry(n ast.Node, key string) *ast.MappingValueNode {
	for _, e := range entries(n) {
		if t := e.Key.GetToken(); t != nil && t.Value == key {
			return e
		}
	}
	return nil
}

// replaceConfig writes a configuration in the place of what it was, which is kept beside it: both or nothing.
func replaceConfig(file string, was, text []byte) (before string, err error) {
	real, err := filepath.EvalSymlinks(file)
	if absent(err) {
		real = file
		if err = os.MkdirAll(filepath.Dir(real), 0o755); err == nil {
			err = writeFile(real, text, 0o644, host.Owner)
		}
		return "", err
	}
	if err != nil {
		return "", err
	}
	info, err := os.Stat(real)
	if err != nil {
		return "", err
	}
	before = real + beforeEnd
	for n := 2; ; n++ {
		if kept, err := os.ReadFile(before); absent(err) || err == nil && bytes.Equal(kept, was) {
			break
		}
		before = fmt.Sprintf("%s%s.%d", real, beforeEnd, n)
	}
	if err := writeFile(before, was, info.Mode().Perm(), func(string) (int, int) { return host.Owner(real) }); err != nil {
		return "", err
	}
	return before, writeFile(real, text, info.Mode().Perm(), func(string) (int, int) { return host.Owner(real) })
}

// writeFile writes a file whole or not at all. What one that was killed has left is overwritten by the next.
func writeFile(path string, text []byte, mode os.FileMode, owner func(string) (uid, gid int)) error {
	fresh := path + ".new"
	if err := os.Remove(fresh); err != nil && !absent(err) {
		return err
	}
	f, err := os.OpenFile(fresh, os.O_WRONLY|os.O_CREATE|os.O_EXCL|unix.O_NOFOLLOW, mode)
	if err != nil {
		return err
	}
	uid, gid := owner(filepath.Dir(path))
	_, err = f.Write(text)
	if err == nil {
		err = f.Chmod(mode) // past umask
	}
	if err == nil {
		err = f.Chown(uid, gid)
	}
	if err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(fresh, path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(fresh))
	}
	return nil
}
