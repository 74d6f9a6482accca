package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/perception/language/truncate"
)

// changesFile, in DataDir, is where changes are kept: reachyd need not be able to write the owner's file, which stays as it is.
const changesFile = "settings.yaml"

const changesHead = `# Written by reachyd: settings that were changed while it ran (reachyctl config). They go before those of reachyd.yaml; the
# environment and the command line go before both. Comments are not kept here.
`

// Runtime are the settings of a reachyd that runs. Those with the tag change can be changed, all that are asked for or none.
type Runtime struct {
	// Apply gives parts that run the new values of keys that change now; the error is that of one that refuses. nil: nothing is to be told.
	Apply func(key string, c *Config) error
	// Publish tells of changes. nil: nobody is told.
	Publish func(api.ConfigChange)

	mu   sync.Mutex
	now  *Config // in force
	next *Config // in force after a restart

	printed string  // what Annotated has made
	of      *Config // of these

	listed   []api.Setting // what List has described
	listedOf [2]*Config    // now and next, when it did
}

// NewRuntime returns the settings c, with which reachyd was started.
func NewRuntime(c *Config) *Runtime { return &Runtime{now: c, next: c} }

// Now returns the settings in force; they are not to be changed.
func (r *Runtime) Now() *Config {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.now
}

// Annotated returns the settings in force as YAML with comments, without secrets.
func (r *Runtime) Annotated() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.of != r.now {
		r.printed, r.of = r.now.Annotated(), r.now
	}
	return r.printed
}

// ErrNoKey says that there is no such key or group of keys.
var ErrNoKey = errors.New("is no key of reachyd, nor a group of them")

// List returns the setting of a key, of a group of keys, or all for "". They are not to be changed.
func (r *Runtime) List(key string) ([]api.Setting, error) {
	list := []api.Setting{}
	for _, s := range r.all() {
		if key == "" || s.Key == key || strings.HasPrefix(s.Key, key+".") {
			list = append(list, s)
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("key: %q %w; allowed are those of config/list", truncate.Runes(key, maxQuoted), ErrNoKey)
	}
	return list, nil
}

// all returns all settings, which are described anew when one was changed.
func (r *Runtime) all() []api.Setting {
	r.mu.Lock()
	defer r.mu.Unlock()
	if of := [2]*Config{r.now, r.next}; r.listedOf != of {
		r.listed, r.listedOf = described(r.now, r.next), of
	}
	return r.listed
}

// described are the settings of now, and what they will be.
func described(now, next *Config) (list []api.Setting) {
	var usual Config
	d := decoder{problems: &Problems{}}
	d.decode([]byte(Default), &usual)
	allowed := map[string]string{}
	for _, rule := range rules() {
		allowed[rule.key] = rule.allowed
	}
	about := abouts()
	for _, k := range Keys() {
		s := api.Setting{
			Key: k.Path, Value: shown(k.in(now)), Default: shown(k.in(&usual)), Type: k.Type, Allowed: allowed[k.Path], About: about[k.Path],
			Origin: "default", When: k.When, Fixed: next.origin[k.Path].fixed,
		}
		if later := shown(k.in(next)); !reflect.DeepEqual(later, s.Value) {
			s.Next = later
		}
		if o, ok := next.origin[k.Path]; ok {
			s.Origin = o.where
		}
		list = append(list, s)
	}
	return list
}

// Set changes keys: all of them, or none when the error is not nil, which is a Problems where a value is not allowed. A value is as
// encoding/json has it; nil takes the change back, so that what the file or the default says is in force.
func (r *Runtime) Set(values map[string]any) (api.ConfigChange, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if problems := r.unchangeable(values); len(problems) > 0 {
		return api.ConfigChange{}, problems
	}
	text, err := r.changed(values)
	if err != nil {
		return api.ConfigChange{}, err
	}
	next, err := r.next.reload(text)
	if err != nil {
		return api.ConfigChange{}, asked(err, values)
	}
	now := r.now.with(next, func(k Key) bool { return k.When == api.WhenNow && has(values, k) })
	change := api.ConfigChange{Changes: []api.SettingChange{}, File: r.file()}
	var told []Key
	for _, k := range Keys() {
		value, was := shown(k.in(next)), shown(k.in(r.next))
		if !has(values, k) || reflect.DeepEqual(value, was) {
			continue
		}
		change.Changes = append(change.Changes, api.SettingChange{Key: k.Path, Value: value, Was: was, When: k.When})
		change.Restart = change.Restart || k.When == api.WhenRestart
		if k.When == api.WhenNow {
			told = append(told, k)
		}
	}
	if err := r.apply(told, now, func() error { return writeFile(change.File, text) }); err != nil {
		return api.ConfigChange{}, err
	}
	r.now, r.next = now, next
	if len(change.Changes) > 0 && r.Publish != nil {
		r.Publish(change)
	}
	return change, nil
}

// asked takes the place in the file out of problems of what is not there yet.
func asked(err error, values map[string]any) error {
	var problems Problems
	if errors.As(err, &problems) {
		for i, p := range problems {
			if _, ok := values[p.Key]; ok {
				problems[i].Where = ""
			}
		}
	}
	return err
}

func has(values map[string]any, k Key) bool {
	_, ok := values[k.Path]
	return ok
}

func (r *Runtime) file() string { return filepath.Join(r.now.DataDir, changesFile) }

// unchangeable lists what cannot be changed at all while reachyd runs.
func (r *Runtime) unchangeable(values map[string]any) (problems Problems) {
	keys := Keys()
	if len(values) == 0 {
		return Problems{{Key: "values", Wrong: "names no key", Allowed: "an object such as {\"sense.volume\": 50}"}}
	}
	for _, path := range slices.Sorted(maps.Keys(values)) {
		quoted := truncate.Runes(path, maxQuoted)
		at := slices.IndexFunc(keys, func(k Key) bool { return k.Path == path })
		switch {
		case at < 0:
			p := Problem{Key: quoted, Wrong: "is no key of reachyd", Allowed: "a key of config/list"}
			names := make([]string, len(keys))
			for i, k := range keys {
				names[i] = k.Path
			}
			if near := nearest(quoted, names); near != "" {
				p.Wrong += fmt.Sprintf(" (did you mean %s?)", near)
			}
			problems = append(problems, p)
		case keys[at].When == api.WhenFile:
			problems = append(problems, Problem{
				Key: path, Wrong: "is an address, a path, a secret, or guards the robot: it is changed in the configuration file only",
				Allowed: "keys that config/list shows with when: now or restart",
			})
		case r.next.origin[path].fixed:
			problems = append(problems, Problem{
				Key: path, Wrong: "is set by " + r.next.origin[path].where + ", which goes before every change", Allowed: "to change it there",
			})
		}
	}
	return problems
}

// changed returns what is to be kept: what was changed before, with values over it.
func (r *Runtime) changed(values map[string]any) ([]byte, error) {
	kept, err := r.now.keptChanges()
	if err != nil {
		return nil, err
	}
	for path, v := range values {
		if v == nil {
			delete(kept, path)
			continue
		}
		var text bytes.Buffer
		e := json.NewEncoder(&text)
		e.SetEscapeHTML(false)
		if err := e.Encode(v); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		kept[path] = strings.TrimSpace(text.String())
	}
	var b bytes.Buffer
	b.WriteString(changesHead)
	about, group := abouts(), ""
	for _, k := range Keys() {
		text, ok := kept[k.Path]
		if !ok {
			continue
		}
		head, name, nested := strings.Cut(k.Path, ".") // no key that can be changed is deeper
		indent := ""
		switch {
		case !nested:
			name, group = head, ""
		case head != group:
			group = head
			b.WriteString(group + ":\n")
			fallthrough
		default:
			indent = "  "
		}
		for line := range strings.Lines(about[k.Path] + "\n") {
			b.WriteString(indent + "# " + line)
		}
		b.WriteString(indent + name + ": " + text + "\n")
	}
	return b.Bytes(), nil
}

// apply tells the parts of what is new, then does commit. When one of them fails those before it are told of what was before.
func (r *Runtime) apply(keys []Key, now *Config, commit func() error) error {
	for i, k := range keys {
		if r.Apply == nil {
			break
		}
		if err := r.Apply(k.Path, now); err != nil {
			return errors.Join(fmt.Errorf("%s: %w; nothing was changed", k.Path, err), r.apply(keys[:i], r.now, func() error { return nil }))
		}
	}
	if err := commit(); err != nil {
		return errors.Join(err, r.apply(keys, r.now, func() error { return nil }))
	}
	return nil
}

// with returns a copy in which the chosen keys are as in other.
func (c *Config) with(other *Config, chosen func(Key) bool) *Config {
	mixed := *c
	mixed.origin = maps.Clone(c.origin)
	if mixed.origin == nil {
		mixed.origin = map[string]origin{}
	}
	for _, k := range Keys() {
		if !chosen(k) {
			continue
		}
		k.in(&mixed).Set(k.in(other))
		if o, ok := other.origin[k.Path]; ok {
			mixed.origin[k.Path] = o
		} else {
			delete(mixed.origin, k.Path)
		}
	}
	return &mixed
}

// keptChanges returns the changes in DataDir, by key, as YAML on one line.
func (c *Config) keptChanges() (map[string]string, error) {
	scratch, problems := &Config{origin: map[string]origin{}}, Problems{}
	if err := scratch.readChanges(filepath.Join(c.DataDir, changesFile), nil, &problems); err != nil {
		return nil, err
	}
	if err := problems.err(); err != nil {
		return nil, err
	}
	values, kept := scratch.values(), map[string]string{}
	for path := range scratch.origin {
		kept[path] = values[path]
	}
	return kept, nil
}

// readChanges reads what was changed, from text or else from file, over c.
func (c *Config) readChanges(file string, text []byte, problems *Problems) error {
	if text == nil {
		var err error
		if text, err = readLimited(file); errors.Is(err, fs.ErrNotExist) {
			return nil
		} else if err != nil {
			return err
		}
	}
	d := decoder{file: file, problems: problems, origin: c.origin}
	d.decode(text, c)
	for _, k := range Keys() {
		if o, ok := c.origin[k.Path]; ok && k.When == api.WhenFile {
			*problems = append(*problems, Problem{Where: o.where, Key: k.Path, Wrong: "does not belong here", Allowed: "keys that can be changed while reachyd runs"})
		}
	}
	return nil
}

// applyChanges puts what was changed at run time over the file's settings; what the environment and the command line say stays.
func (c *Config) applyChanges(text []byte, problems *Problems) error {
	if c.DataDir == "" {
		return nil
	}
	changes := &Config{origin: map[string]origin{}}
	if err := changes.readChanges(filepath.Join(c.DataDir, changesFile), text, problems); err != nil {
		return err
	}
	*c = *c.with(changes, func(k Key) bool {
		_, changed := changes.origin[k.Path]
		return changed && !c.origin[k.Path].fixed
	})
	return nil
}

// writeFile writes a file for this user alone, whole or not at all, also when the power fails.
func writeFile(file string, text []byte) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("keep the settings: %w; nothing was changed", err)
		}
	}()
	dir := filepath.Dir(file)
	f, err := os.CreateTemp(dir, "."+filepath.Base(file)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) //nolint:errcheck // it is gone when all went well
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), file); err != nil {
		return err
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// in returns the field of c that a key is.
func (k Key) in(c *Config) reflect.Value { return reflect.ValueOf(c).Elem().FieldByIndex(k.index) }

// shown returns a value as JSON shows it: durations as texts, secrets hidden, groups by the names of the file.
func shown(v reflect.Value) any {
	switch {
	case v.Type() == secretType:
		return Secret(v.String()).String()
	case v.Type() == durationType:
		return flow(v)
	case v.Kind() == reflect.Slice:
		list := make([]any, v.Len())
		for i := range list {
			list[i] = shown(v.Index(i))
		}
		return list
	case v.Kind() == reflect.Struct:
		group := map[string]any{}
		for i := range v.NumField() {
			group[v.Type().Field(i).Tag.Get("yaml")] = shown(v.Field(i))
		}
		return group
	}
	return v.Interface()
}

// abouts returns what reachyd.yaml says of each key. A comment is that of all keys up to the next comment or empty line.
var abouts = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	var section, comment []string
	fresh := true
	for line := range strings.Lines(Default) {
		trimmed := strings.TrimSpace(line)
		text, isComment := strings.CutPrefix(trimmed, "#")
		if trimmed == "" || isComment && !fresh {
			comment = nil
		}
		if fresh = isComment || trimmed == ""; isComment {
			comment = append(comment, strings.TrimPrefix(text, " "))
		}
		if fresh {
			continue
		}
		name, _, _ := strings.Cut(trimmed, ":")
		depth := (len(line) - len(strings.TrimLeft(line, " "))) / 2
		section = append(section[:depth], name)
		all[strings.Join(section, ".")] = strings.Join(comment, "\n")
	}
	return all
})
