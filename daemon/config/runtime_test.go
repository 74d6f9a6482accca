package config

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/reachyd/reachyd/api"
)

// running returns the settings of a reachyd with a file and an environment, what its parts were told, and what was published.
func running(t *testing.T, file string, env ...string) (r *Runtime, told *[]string, news *[]api.ConfigChange) {
	t.Helper()
	data := filepath.Join(t.TempDir(), "data")
	if err := os.Mkdir(data, 0o700); err != nil {
		t.Fatal(err)
	}
	c, err := Load(Source{File: write(t, file), Env: home(t, append(env, "REACHYD_DATA_DIR="+data)...)})
	if err != nil {
		t.Fatal(err)
	}
	told, news = &[]string{}, &[]api.ConfigChange{}
	r = NewRuntime(c)
	r.Apply = func(key string, c *Config) error {
		*told = append(*told, key+"="+c.values()[key])
		return nil
	}
	r.Publish = func(c api.ConfigChange) { *news = append(*news, c) }
	return r, told, news
}

// again loads what the next start would.
func again(t *testing.T, r *Runtime) *Config {
	t.Helper()
	c, err := r.now.reload(nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func one(t *testing.T, r *Runtime, key string) api.Setting {
	t.Helper()
	list, err := r.List(key)
	if err != nil || len(list) != 1 {
		t.Fatalf("%s: %v, %v", key, list, err)
	}
	return list[0]
}

func TestChangesAreMadeToldAndKept(t *testing.T) {
	const own = "# mine\nidle: lively # I like it\nsense: {language: de}\n"
	r, told, news := running(t, own)
	change, err := r.Set(map[string]any{"idle": "off", "sense.volume": json.Number("35"), "llm.context": 2048, "llm.talk": []any{"a:1b", "b"}})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"sense.volume=35", `idle="off"`}; !reflect.DeepEqual(*told, want) {
		t.Errorf("the parts were told of %v, want %v", *told, want)
	}
	if len(*news) != 1 || len(change.Changes) != 4 || !change.Restart || !reflect.DeepEqual((*news)[0], change) {
		t.Errorf("published: %+v, answered: %+v", *news, change)
	}
	c := again(t, r)
	if c.Idle != "off" || c.Sense.Volume != 35 || c.LLM.Context != 2048 || c.Sense.Language != "de" || !reflect.DeepEqual(c.LLM.Talk, []string{"a:1b", "b"}) {
		t.Errorf("the next start has %+v", c)
	}
	if now := r.Now(); now.Idle != "off" || now.LLM.Context != 0 || len(now.LLM.Talk) != 0 {
		t.Errorf("in force: idle %s, context %v, models %v", now.Idle, now.LLM.Context, now.LLM.Talk)
	}
	if s := one(t, r, "llm.context"); s.Value != 0 || s.Next != 2048 || s.When != api.WhenRestart || !strings.Contains(s.Origin, changesFile) {
		t.Errorf("%+v", s)
	}
	text, err := os.ReadFile(change.File)
	if err != nil || !strings.Contains(string(text), "# How loud it speaks at first, 0 to 100.\n  volume: 35\n") {
		t.Errorf("kept: %s %v", text, err)
	}
	if info, err := os.Stat(change.File); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
}

func TestChangesAreTakenBack(t *testing.T) {
	r, _, news := running(t, "# mine\nidle: lively # I like it\n")
	if !strings.Contains(r.Annotated(), "idle: lively") {
		t.Error("the file's setting is not shown")
	}
	change, err := r.Set(map[string]any{"idle": "off", "sense.volume": 35, "llm.talk": []any{"a:1b", "b"}})
	if err != nil {
		t.Fatal(err)
	}
	// What is taken back is as the owner's file, which nobody has touched, says.
	if _, err := r.Set(map[string]any{"idle": nil, "llm.talk": nil}); err != nil {
		t.Fatal(err)
	}
	if c := again(t, r); c.Idle != "lively" || r.Now().Idle != "lively" || c.Sense.Volume != 35 || len(c.LLM.Talk) != 0 {
		t.Errorf("taken back: %+v", c)
	}
	if s := one(t, r, "idle"); !strings.Contains(s.Origin, "reachyd.yaml:2:7") || s.Value != "lively" || s.Next != nil {
		t.Errorf("%+v", s)
	}
	if text := r.Annotated(); text != r.Now().Annotated() {
		t.Error("what is shown is of former settings")
	} else if !strings.Contains(text, "volume: 35  # "+change.File) {
		t.Error("config does not say where the volume comes from")
	}
	// The same again is no news.
	if change, err := r.Set(map[string]any{"sense.volume": 35}); err != nil || len(change.Changes) != 0 || len(*news) != 2 {
		t.Errorf("%+v %v, %d news", change, err, len(*news))
	}
}

func TestRefusedChangesChangeNothing(t *testing.T) {
	for _, c := range []struct {
		values string
		key    string // that the problem names
		says   string
	}{
		{`{}`, "values", "names no key"},
		{`{"sense.volume":50,"sense.volum":1}`, "sense.volum", "did you mean sense.volume?"},
		{`{"sense":{"volume":1}}`, "sense", "is no key"},
		{`{"sense.volume":101}`, "sense.volume", "0 to 100"},
		{`{"sense.wake_phrase":"ho 12"}`, "sense.wake_phrase", "3 of them letters"},
		{`{"sense.volume":"50"}`, "sense.volume", "a whole number"},
		{`{"sense.volume":1.5}`, "sense.volume", "a whole number"},
		{`{"idle":{"a":1}}`, "idle", "a text"},
		{`{"idle":"loud","sense.volume":1}`, "idle", "off, calm, lively"},
		{`{"idle":true}`, "idle", "a text"},
		{`{"idle":"calm\nhttp:\n  listen: 0.0.0.0:80"}`, "idle", "off, calm, lively"},
		{`{"robot.name":"a\u0000b"}`, "robot.name", ""},
		{`{"llm.talk":[1]}`, "llm.talk[0]", "a text"},
		{`{"learning.speed":"warp"}`, "learning.speed", "very_slow"},
		{`{"http.listen":"0.0.0.0:8000"}`, "http.listen", "in the configuration file only"},
		{`{"mqtt.password":"x"}`, "mqtt.password", "in the configuration file only"},
		{`{"tools.review":"never"}`, "tools.review", "in the configuration file only"},
		{`{"programs.dir":"/tmp"}`, "programs.dir", "in the configuration file only"},
		{`{"log.level":"debug"}`, "log.level", "REACHYD_LOG_LEVEL"},
	} {
		r, told, news := running(t, "idle: calm\n", "REACHYD_LOG_LEVEL=warn")
		before := r.Now().values()
		var values map[string]any
		if err := json.Unmarshal([]byte(c.values), &values); err != nil {
			t.Fatal(err)
		}
		_, err := r.Set(values)
		var problems Problems
		if !errors.As(err, &problems) || problems[0].Key != c.key || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v; want a problem of %s with %q", c.values, err, c.key, c.says)
		}
		if !reflect.DeepEqual(r.Now().values(), before) || len(*told) > 0 || len(*news) > 0 {
			t.Errorf("%s was refused and changed something: %v %v", c.values, *told, *news)
		}
		if _, err := os.Stat(r.file()); err == nil {
			t.Errorf("%s was refused and kept", c.values)
		}
	}
}

// What guards the robot, its owner's privacy or what is told of the past is the file's alone: whoever reaches the broker of this host
// must not be able to switch it off.
func TestGuardsAreInTheFileOnly(t *testing.T) {
	r, told, _ := running(t, "")
	groups := []string{"body.", "http.", "mqtt.", "sdk.", "tools.", "store.", "programs."}
	single := []string{
		"robot.id", "sim.enabled", "idle_look", "web.safe_search", "web.allow_private", "web.searxng", "llm.url", "llm.api", "llm.key", "llm.instructions",
		"persona", "data_dir", "run_dir", "sense.camera", "sense.models",
	}
	for _, s := range must(r.List("")) {
		guards := slices.Contains(single, s.Key) || slices.ContainsFunc(groups, func(g string) bool { return strings.HasPrefix(s.Key, g) })
		if guards != (s.When == api.WhenFile) {
			t.Errorf("%s can be changed: %s", s.Key, s.When)
		}
		if !guards {
			continue
		}
		if _, err := r.Set(map[string]any{s.Key: s.Default, "sense.volume": 1}); err == nil || !strings.Contains(err.Error(), s.Key+": is an address") {
			t.Errorf("%s: %v", s.Key, err)
		}
	}
	if len(*told) > 0 {
		t.Errorf("told: %v", *told)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// A part that refuses, or a disk that is full, leaves everything as it was.
func TestFailedChangesAreUndone(t *testing.T) {
	r, told, _ := running(t, "")
	tell := r.Apply
	r.Apply = func(key string, c *Config) error {
		if key == "idle" && c.Idle == "off" {
			return errors.New("it is stuck")
		}
		return tell(key, c)
	}
	_, err := r.Set(map[string]any{"sense.volume": 10, "idle": "off"})
	if err == nil || !strings.Contains(err.Error(), "idle: it is stuck; nothing was changed") {
		t.Errorf("%v", err)
	}
	if want := []string{"sense.volume=10", "sense.volume=80"}; !reflect.DeepEqual(*told, want) || r.Now().Sense.Volume != 80 {
		t.Errorf("told %v, want %v", *told, want)
	}
	*told = nil
	if err := os.RemoveAll(r.Now().DataDir); err != nil { // it cannot be written
		t.Fatal(err)
	}
	if _, err := r.Set(map[string]any{"sense.volume": 10}); err == nil || !strings.Contains(err.Error(), "nothing was changed") {
		t.Errorf("%v", err)
	}
	if want := []string{"sense.volume=10", "sense.volume=80"}; !reflect.DeepEqual(*told, want) || r.Now().Sense.Volume != 80 {
		t.Errorf("told %v, want %v", *told, want)
	}
}

func TestSettingsAreListed(t *testing.T) {
	r, _, _ := running(t, "mqtt:\n  password: hush\n", "REACHYD_SENSE_VOLUME=20")
	all, err := r.List("")
	if err != nil || len(all) != len(Keys()) {
		t.Fatalf("%d of %d keys, %v", len(all), len(Keys()), err)
	}
	for _, s := range all {
		if s.About == "" || s.Type == "" || s.Origin == "" || s.When == "" {
			t.Errorf("%+v", s)
		}
	}
	data, err := json.Marshal(all)
	if err != nil || strings.Contains(string(data), "hush") {
		t.Errorf("a secret is shown, or %v", err)
	}
	if s := one(t, r, "sense.volume"); !s.Fixed || s.Value != 20 || s.Default != 80 || s.Allowed != "0 to 100" || s.Origin != "REACHYD_SENSE_VOLUME" {
		t.Errorf("%+v", s)
	}
	if s := one(t, r, "llm.code"); !strings.HasPrefix(s.About, "Which models for what") {
		t.Errorf("%+v", s)
	}
	if group, err := r.List("training"); err != nil || len(group) != 3 {
		t.Errorf("%v %v", group, err)
	}
	if _, err := r.List("sens"); !errors.Is(err, ErrNoKey) {
		t.Errorf("%v", err)
	}
}

// What somebody else wrote into the file of changes is checked like every configuration, and gives no key that is the file's alone.
func TestTheFileOfChangesIsChecked(t *testing.T) {
	for text, says := range map[string]string{
		"http: {listen: 0.0.0.0:1}\n": "does not belong here", "idle: loud\n": "off, calm, lively", "idle: [\n": "is not YAML", "idel: off\n": "did you mean idle?",
		strings.Repeat("#", maxFile+1): "bytes",
	} {
		r, _, _ := running(t, "")
		if err := os.WriteFile(r.file(), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := r.now.reload(nil); err == nil || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), changesFile) {
			t.Errorf("%.40q: %v; want the file's name and %q", text, err, says)
		}
	}
}

func TestChangesAtTheSameTime(t *testing.T) {
	r, _, news := running(t, "")
	var all sync.WaitGroup
	for i := range 10 {
		all.Go(func() {
			if _, err := r.Set(map[string]any{"sense.volume": i, "llm.threads": i}); err != nil {
				t.Error(err)
			}
			if _, err := r.List("sense"); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if c := again(t, r); c.Sense.Volume != r.Now().Sense.Volume || len(*news) != 10 {
		t.Errorf("kept %d, in force %d, %d news", c.Sense.Volume, r.Now().Sense.Volume, len(*news))
	}
}

// Whatever a client sends is refused, or is in force after the next start; nothing makes a file that does not load.
func FuzzSet(f *testing.F) {
	for _, seed := range []string{
		`{"idle":"off"}`, `{"sense.wake_phrase":"hé \"x\": #"}`, `{"llm.talk":["a",": b","- c"]}`, `{"robot.name":"\u2028x"}`, `{"training.task":1e1}`,
	} {
		f.Add(seed)
	}
	dir := f.TempDir()
	c, err := Load(Source{Env: []string{"HOME=/home/nobody-at-all", "RUNTIME_DIRECTORY=/run/reachyd", "REACHYD_DATA_DIR=" + dir}})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d := json.NewDecoder(strings.NewReader(text))
		d.UseNumber()
		var values map[string]any
		if d.Decode(&values) != nil {
			return
		}
		r := NewRuntime(c)
		if _, err := r.Set(values); err != nil {
			return
		}
		next, err := c.reload(nil)
		if err != nil {
			t.Fatalf("%q was accepted and does not load: %v", text, err)
		}
		for _, s := range []string{"robot.name", "sense.wake_phrase"} {
			if want, ok := values[s].(string); ok && shownOf(next, s) != want {
				t.Errorf("%s: %q became %q", s, want, shownOf(next, s))
			}
		}
	})
}

func shownOf(c *Config, key string) any {
	for _, k := range Keys() {
		if k.Path == key {
			return shown(k.in(c))
		}
	}
	return nil
}
