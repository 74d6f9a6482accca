package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/reachyd/reachyd/perception/language/truncate"
)

// Source is where settings come from. Later ones go before earlier ones: defaults, File, Env, Options.
type Source struct {
	File    string            // path; "" is searched for in Env's usual places, where it need not exist
	Env     []string          // NAME=value, as os.Environ gives it
	Options map[string]string // path of a key to its value, from the command line: {"sim.enabled": "true"}
}

// Load reads and checks all settings. Its error is a Problems with everything that is wrong, or that of reading the file.
func Load(src Source) (*Config, error) { return src.load(nil) }

// load is Load with the changes of Runtime, or with those that it has kept when they are nil.
func (src Source) load(changes []byte) (*Config, error) {
	env := environment(src.Env)
	c := &Config{origin: map[string]origin{}, reload: src.load}
	var problems Problems
	defaults := decoder{file: "reachyd's own defaults", problems: &problems}
	defaults.decode([]byte(Default), c)

	file, data, err := readFile(src.File, env)
	if err != nil {
		return nil, err
	}
	if file != "" {
		d := decoder{file: file, problems: &problems, origin: c.origin}
		d.decode(data, c)
	}
	applyEnv(env, c, &problems)
	applyOptions(src.Options, c, &problems)
	c.resolveDirs(env, &problems)
	if err := c.applyChanges(changes, &problems); err != nil {
		return nil, err
	}
	c.check(&problems)
	if err := problems.err(); err != nil {
		return nil, err
	}
	return c, nil
}

// readFile reads the configuration file; file is "" when none was named and none is in the usual places.
func readFile(file string, env map[string]string) (string, []byte, error) {
	named := true
	if file == "" {
		file = env[envFile]
	}
	if file == "" {
		file, named = Find(env), false
	}
	if file == "" {
		return "", nil, nil
	}
	data, err := readLimited(file)
	if errors.Is(err, fs.ErrNotExist) && !named {
		return "", nil, nil
	}
	return file, data, err
}

// readLimited reads a file, and one byte more than is allowed of one that is too long.
func readLimited(file string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("read the configuration: %w", err)
	}
	defer f.Close() //nolint:errcheck // nothing was written
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, fmt.Errorf("read the configuration %s: %w", file, err)
	}
	return data, nil
}

// Find returns the first configuration file of the usual places: $CONFIGURATION_DIRECTORY (systemd), $XDG_CONFIG_HOME/reachyd
// or ~/.config/reachyd, /etc/reachyd; "" when there is none.
func Find(env map[string]string) string {
	var dirs []string
	if d := first(env["CONFIGURATION_DIRECTORY"]); d != "" {
		dirs = append(dirs, d)
	}
	if d := env["XDG_CONFIG_HOME"]; d != "" {
		dirs = append(dirs, filepath.Join(d, "reachyd"))
	} else if h := env["HOME"]; h != "" {
		dirs = append(dirs, filepath.Join(h, ".config", "reachyd"))
	}
	for _, d := range append(dirs, "/etc/reachyd") {
		f := filepath.Join(d, "reachyd.yaml")
		if _, err := os.Stat(f); err == nil {
			return f
		}
	}
	return ""
}

func environment(list []string) map[string]string {
	env := make(map[string]string, len(list))
	for _, s := range list {
		if name, value, ok := strings.Cut(s, "="); ok {
			env[name] = value
		}
	}
	return env
}

// applyEnv sets what the environment says. A REACHYD_ variable that sets nothing is a typing mistake, hence a problem.
func applyEnv(env map[string]string, c *Config, problems *Problems) {
	keys := Keys()
	byEnv := make(map[string]Key, len(keys))
	known := make([]string, 0, len(keys))
	for _, k := range keys {
		byEnv[k.Env] = k
		known = append(known, k.Env)
	}
	for _, name := range slices.Sorted(maps.Keys(env)) {
		if !strings.HasPrefix(name, EnvPrefix) || slices.Contains(others, name) {
			continue
		}
		k, ok := byEnv[name]
		if !ok {
			p := Problem{Where: name, Wrong: "is no variable of reachyd", Allowed: "REACHYD_ and the path of a key in capitals; `reachyd config` lists the keys"}
			if near := nearest(name, known); near != "" {
				p.Wrong += fmt.Sprintf(" (did you mean %s?)", near)
			}
			*problems = append(*problems, p)
			continue
		}
		set(c, k, name, env[name], problems)
	}
}

func applyOptions(options map[string]string, c *Config, problems *Problems) {
	keys := Keys()
	for _, path := range slices.Sorted(maps.Keys(options)) {
		i := slices.IndexFunc(keys, func(k Key) bool { return k.Path == path })
		if i < 0 {
			*problems = append(*problems, Problem{Where: "command line", Key: path, Wrong: "is no key of reachyd"})
			continue
		}
		set(c, keys[i], "command line", options[path], problems)
	}
}

// set gives one key the value that text says. A text is taken as it is; everything else is read as YAML.
func set(c *Config, k Key, where, value string, problems *Problems) {
	field := reflect.ValueOf(c).Elem().FieldByIndex(k.index)
	if field.Kind() == reflect.String {
		field.SetString(value)
		c.origin[k.Path] = origin{where: where, text: value, fixed: true}
		return
	}
	bad := func(wrong string) {
		*problems = append(*problems, Problem{Where: where, Key: k.Path, Value: truncate.Runes(value, maxQuoted), Wrong: wrong, Allowed: k.Type})
	}
	file, err := parser.ParseBytes([]byte(value), 0)
	if err != nil || len(file.Docs) != 1 || file.Docs[0].Body == nil {
		if field.Kind() == reflect.Slice { // it may hold passwords
			value = ""
		}
		bad("cannot be read")
		return
	}
	if _, ok := file.Docs[0].Body.(*ast.NullNode); ok {
		bad("has no value")
		return
	}
	d := decoder{file: where, oneValue: true, problems: problems, origin: c.origin}
	if d.value(file.Docs[0].Body, k.Path, field) {
		c.origin[k.Path] = origin{where: where, text: value, fixed: true}
	}
}

// first returns the first of the colon-separated paths that systemd puts into one variable.
func first(paths string) string {
	p, _, _ := strings.Cut(paths, ":")
	return p
}
