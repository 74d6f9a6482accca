package config

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// home is an environment in which Load finds no file and has places for its directories.
func home(t *testing.T, more ...string) []string {
	t.Helper()
	return append([]string{"HOME=/home/nobody-at-all", "RUNTIME_DIRECTORY=/run/reachyd"}, more...)
}

func write(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "reachyd.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestDefaults(t *testing.T) {
	c, err := Load(Source{Env: home(t)})
	if err != nil {
		t.Fatal(err)
	}
	if c.Robot.ID != "mini" || c.Body.Rate != 100 || c.Body.OwnerTimeout != 2*time.Second || c.MQTT.Broker != "" ||
		c.MQTT.Listen != "127.0.0.1:1883" || c.HTTP.Listen != "127.0.0.1:8000" || c.MQTT.DiscoveryPrefix != "homeassistant" {
		t.Errorf("the defaults are %+v", c)
	}
	if c.DataDir != "/home/nobody-at-all/.local/share/reachyd" || c.RunDir != "/run/reachyd" {
		t.Errorf("directories: data %s, run %s", c.DataDir, c.RunDir)
	}
	if got := c.Socket("reachy-body"); got != "/run/reachyd/reachy-body.sock" {
		t.Errorf("socket: %s", got)
	}
}

// The annotated file must name every field of Config, or a default would silently be the zero value.
func TestEveryKeyIsInTheAnnotatedFile(t *testing.T) {
	var problems Problems
	c := Config{}
	d := decoder{file: "defaults", problems: &problems, origin: map[string]origin{}}
	d.decode([]byte(Default), &c)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	for _, k := range Keys() {
		if _, ok := d.origin[k.Path]; !ok {
			t.Errorf("%s is not in reachyd.yaml", k.Path)
		}
	}
}

// sample is a value for a key that is not its default.
func sample(k Key, v reflect.Value) string {
	switch k.Path {
	case "mqtt.broker":
		return "mqtts://broker.example:8883"
	case "body.port":
		return "/dev/ttyACM7"
	case "mqtt.listen":
		return "127.0.0.1:1999"
	case "http.listen":
		return ""
	case "body.power_key":
		return "sleep"
	case "body.wake", "robot.tell_address":
		return "never"
	case "sim.model":
		return "simple"
	case "sim.scene":
		return "empty"
	case "log.level":
		return "debug"
	case "log.format":
		return "json"
	case "mqtt.users":
		return "[{name: a, password: b, subscribe: []}]"
	case "body.max_speed":
		return "0.5"
	}
	switch {
	case v.Type() == durationType:
		return "1500ms"
	case v.Kind() == reflect.Bool:
		return fmt.Sprint(!v.Bool())
	case v.Kind() == reflect.Int:
		return fmt.Sprint(v.Int() + v.Int()/2 + 1)
	case v.Kind() == reflect.Float64:
		return fmt.Sprint(v.Float() + 1)
	case v.Kind() == reflect.Slice:
		return "[other]"
	}
	return "other"
}

func TestEveryKeyHasItsEnvironmentVariable(t *testing.T) {
	env := map[string]bool{}
	for _, k := range Keys() {
		if env[k.Env] {
			t.Errorf("%s is the variable of two keys", k.Env)
		}
		env[k.Env] = true
		defaults := decoded(t)
		field := reflect.ValueOf(defaults).Elem().FieldByIndex(k.index)
		value := sample(k, field)

		var problems Problems
		c := decoded(t)
		applyEnv(map[string]string{k.Env: value}, c, &problems)
		if len(problems) > 0 {
			t.Errorf("%s=%s: %v", k.Env, value, problems)
		}
		got := reflect.ValueOf(c).Elem().FieldByIndex(k.index)
		if reflect.DeepEqual(got.Interface(), field.Interface()) {
			t.Errorf("%s=%s changed nothing", k.Env, value)
		}
		got.Set(field) // and nothing else has changed
		c.origin, defaults.origin = nil, nil
		if !reflect.DeepEqual(c, defaults) {
			t.Errorf("%s=%s changed another key, too", k.Env, value)
		}
	}
	if !env["REACHYD_MQTT_BROKER"] || !env["REACHYD_MQTT_TLS_CA"] || !env["REACHYD_DATA_DIR"] {
		t.Errorf("variables are not named as promised: %v", env)
	}
}

func decoded(t *testing.T) *Config {
	t.Helper()
	var problems Problems
	c := &Config{origin: map[string]origin{}}
	d := decoder{file: "defaults", problems: &problems}
	d.decode([]byte(Default), c)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return c
}

func TestLaterSourcesGoFirst(t *testing.T) {
	file := write(t, "robot: {id: file, name: From File}\nbody:\n  rate: 50\nsim:\n")
	c, err := Load(Source{
		File:    file,
		Env:     home(t, "REACHYD_BODY_RATE=60", "REACHYD_ROBOT_ID=env"),
		Options: map[string]string{"robot.id": "option", "sim.enabled": "true"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if c.Robot.ID != "option" || c.Robot.Name != "From File" || c.Body.Rate != 60 || !c.Sim.Enabled {
		t.Errorf("got %+v", c)
	}
}

func TestFileIsFound(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "reachyd"), 0o700); err != nil {
		t.Fatal(err)
	}
	for i, where := range []struct{ path, env string }{
		{filepath.Join(dir, "reachyd", "reachyd.yaml"), "XDG_CONFIG_HOME=" + dir},
		{filepath.Join(dir, "reachyd.yaml"), "CONFIGURATION_DIRECTORY=" + dir},
		{filepath.Join(dir, "elsewhere.yaml"), "REACHYD_CONFIG=" + filepath.Join(dir, "elsewhere.yaml")},
	} {
		if err := os.WriteFile(where.path, fmt.Appendf(nil, "robot: {id: r%d}", i), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := Load(Source{Env: home(t, where.env)})
		if err != nil {
			t.Fatal(err)
		}
		if want := fmt.Sprintf("r%d", i); c.Robot.ID != want {
			t.Errorf("%s: robot %s, want %s", where.env, c.Robot.ID, want)
		}
	}
	for _, name := range []string{"REACHYD_CACHE", "REACHYD_APPS", "REACHYD_SDK_PYTHON"} { // of the scripts, the sandbox and reachyctl
		if _, err := Load(Source{Env: home(t, name+"="+dir)}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Load(Source{File: filepath.Join(dir, "none.yaml"), Env: home(t)}); err == nil || !strings.Contains(err.Error(), "none.yaml") {
		t.Errorf("a file that was named and is not there: %v", err)
	}
}

// Every bad configuration has its errors in a golden file, all of them at once, and nothing is loaded.
func TestBadConfigurations(t *testing.T) {
	inputs, err := filepath.Glob("testdata/bad/*.yaml")
	if err != nil || len(inputs) < 10 {
		t.Fatalf("%d inputs, %v", len(inputs), err)
	}
	for _, in := range inputs {
		t.Run(filepath.Base(in), func(t *testing.T) {
			c, err := Load(Source{File: in, Env: home(t)})
			if err == nil || c != nil {
				t.Fatal("was loaded")
			}
			if strings.Contains(err.Error(), "hush") {
				t.Errorf("a secret is in the error: %v", err)
			}
			golden := strings.TrimSuffix(in, ".yaml") + ".golden"
			compare(t, golden, err.Error()+"\n")
		})
	}
}

func compare(t *testing.T, golden, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("got\n%s\nwant (%s)\n%s", got, golden, want)
	}
}

func TestBadEnvironment(t *testing.T) {
	_, err := Load(Source{
		Env: home(t, "REACHYD_MQTT_BROKR=x", "REACHYD_BODY_RATE=fast", "REACHYD_SIM_ENABLED=", "REACHYD_MQTT_USERS=[{name: a, pass: hush}]",
			"REACHYD_LOG_LEVEL=loud"),
		Options: map[string]string{"body.speed": "1", "store.max_events": "[1]"},
	})
	if err == nil {
		t.Fatal("was loaded")
	}
	compare(t, "testdata/bad/environment.golden", err.Error()+"\n")
}

func TestFileThatIsTooLong(t *testing.T) {
	_, err := Load(Source{File: write(t, "#"+strings.Repeat("x", maxFile)), Env: home(t)})
	if err == nil || !strings.Contains(err.Error(), "allowed: at most 1048576") {
		t.Fatalf("got %v", err)
	}
	if _, err := Load(Source{File: write(t, "#"+strings.Repeat("x", maxFile-1)), Env: home(t)}); err != nil {
		t.Errorf("the longest file allowed: %v", err)
	}
}

func TestSocketPathLimit(t *testing.T) {
	longest := maxSocketPath - len(longestSocket) - 1
	for n, ok := range map[int]bool{longest: true, longest + 1: false} {
		dir := "/" + strings.Repeat("d", n-1)
		c, err := Load(Source{Env: home(t, "REACHYD_RUN_DIR="+dir)})
		if (err == nil) != ok {
			t.Errorf("run_dir of %d bytes: %v", n, err)
		}
		if c != nil && len(c.Socket("reachy-sense-00")) > maxSocketPath {
			t.Errorf("socket path of %d bytes", len(c.Socket("reachy-sense-00")))
		}
		if err != nil && !strings.Contains(err.Error(), "run_dir") {
			t.Errorf("the error does not name run_dir: %v", err)
		}
	}
}

func TestDirectoriesAreOursAlone(t *testing.T) {
	base := t.TempDir()
	c := &Config{DataDir: filepath.Join(base, "data", "deep"), RunDir: filepath.Join(base, "run")}
	for range 2 { // the second time they are there
		if err := c.MakeDirs(); err != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range []string{c.DataDir, c.RunDir} {
		info, err := os.Stat(dir)
		if err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s: %v %v", dir, info.Mode(), err)
		}
	}
	if err := os.Chmod(c.RunDir, 0o770); err != nil {
		t.Fatal(err)
	}
	if err := c.MakeDirs(); err == nil || !strings.Contains(err.Error(), "0770") {
		t.Errorf("a run directory others may write to: %v", err)
	}
	c.RunDir = filepath.Join(base, "link")
	if err := os.Symlink(c.DataDir, c.RunDir); err != nil {
		t.Fatal(err)
	}
	if err := c.MakeDirs(); err == nil {
		t.Error("a symbolic link was taken for a run directory")
	}
	if os.Getuid() == 0 {
		c.RunDir = filepath.Join(base, "other")
		if err := os.Mkdir(c.RunDir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Chown(c.RunDir, 12345, 12345); err != nil {
			t.Fatal(err)
		}
		if err := c.MakeDirs(); err == nil || !strings.Contains(err.Error(), "12345") {
			t.Errorf("a run directory of somebody else: %v", err)
		}
	}
}

func TestAnnotated(t *testing.T) {
	file := write(t, "robot:\n  id: lab-1\nbody:\n  owner_timeout: 60s\nmqtt:\n  password: hush\n  users:\n    - {name: \"a:b\", password: hush, publish: []}\n")
	c, err := Load(Source{File: file, Env: home(t, "REACHYD_HTTP_LISTEN=")})
	if err != nil {
		t.Fatal(err)
	}
	text := c.Annotated()
	compare(t, "testdata/annotated.golden", strings.ReplaceAll(text, file, "FILE"))

	again, err := Load(Source{File: write(t, strings.ReplaceAll(text, `password: ""`, "password: hush")), Env: home(t)})
	if err != nil {
		t.Fatalf("what is printed does not load: %v", err)
	}
	c.origin, again.origin = nil, nil
	c.reload, again.reload = nil, nil
	if !reflect.DeepEqual(c, again) {
		t.Errorf("what is printed loads as\n%+v\nwant\n%+v", again, c)
	}
}

// The settings of earlier versions, named by their commit, are read as they are: whoever renames a key takes the old name over, and keeps the file.
func TestFilesOfEarlierVersionsAreRead(t *testing.T) {
	files, err := filepath.Glob("testdata/earlier/*.yaml")
	if err != nil || len(files) < 3 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		c, err := Load(Source{File: file, Env: home(t)})
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		if from := c.origin["mqtt.listen"].where; !strings.HasPrefix(from, file) {
			t.Errorf("%s: mqtt.listen comes from %q", file, from)
		}
	}
}

func TestSecretsAreNotPrinted(t *testing.T) {
	c := &Config{MQTT: MQTT{Password: "hush", Users: []User{{Name: "a", Password: "hush"}}}}
	j, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{string(j), fmt.Sprintf("%v %+v %#v %s", c.MQTT, c.MQTT, c.MQTT, c.MQTT.Password), c.Annotated()} {
		if strings.Contains(s, "hush") {
			t.Errorf("a secret is shown: %s", s)
		}
	}
	if c.MQTT.Password.Reveal() != "hush" {
		t.Error("the secret is lost")
	}
}

func FuzzLoad(f *testing.F) {
	f.Add(Default)
	inputs, err := filepath.Glob("testdata/bad/*.yaml")
	if err != nil {
		f.Fatal(err)
	}
	for _, in := range inputs {
		text, err := os.ReadFile(in)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Fuzz(func(t *testing.T, text string) {
		var problems Problems
		c := decoded(t)
		c.RunDir, c.DataDir = "/run/reachyd", "/data"
		d := decoder{file: "fuzz.yaml", problems: &problems, origin: c.origin}
		d.decode([]byte(text), c)
		c.check(&problems)
		if len(problems) > 0 {
			if problems.Error() == "" {
				t.Fatal("an error that says nothing")
			}
			return
		}
		// What is accepted can be printed, and what is printed is the same configuration.
		again := decoded(t)
		for i := range c.MQTT.Users {
			c.MQTT.Users[i].Password = ""
		}
		c.MQTT.Password = ""
		d = decoder{file: "printed.yaml", problems: &problems, origin: again.origin}
		d.decode([]byte(c.Annotated()), again)
		if len(problems) > 0 {
			t.Fatalf("printed configuration: %v\n%s", problems, c.Annotated())
		}
		c.origin, again.origin = nil, nil
		if !reflect.DeepEqual(c, again) {
			t.Fatalf("printed configuration differs: %+v, want %+v", again, c)
		}
	})
}

// The web server may be on any address: off loopback it wants tokens and TLS, which its own tests show.
func TestHTTPSettings(t *testing.T) {
	for setting, outside := range map[string]bool{
		"127.0.0.1:8000": false, "localhost:8000": false, "[::1]:8000": false, "": false,
		"0.0.0.0:8000": true, "192.168.1.5:8000": true, "[::]:8000": true, ":8000": true,
	} {
		c, err := Load(Source{Env: home(t, "REACHYD_HTTP_LISTEN="+setting)})
		if err != nil || c.HTTP.Outside() != outside {
			t.Errorf("http.listen %q: %v, want outside %v", setting, err, outside)
		}
	}
	for setting, key := range map[string]string{
		"REACHYD_HTTP_TLS_CERT=/x.pem": "http.tls.key", "REACHYD_HTTP_TLS_KEY=/x.pem": "http.tls.cert", "REACHYD_HTTP_HOSTS=[\"*.lan\"]": "http.hosts",
		"REACHYD_HTTP_HOSTS=[\"a.lan:80\"]": "http.hosts", "REACHYD_HTTP_ORIGINS=[https://a.lan/]": "http.origins", "REACHYD_HTTP_ORIGINS=[\"*\"]": "http.origins",
	} {
		if _, err := Load(Source{Env: home(t, setting)}); err == nil || !strings.Contains(err.Error(), key) {
			t.Errorf("%s: %v, want a problem with %s", setting, err, key)
		}
	}
	c, err := Load(Source{Env: home(t, "REACHYD_HTTP_HOSTS=[reachy.lan]", "REACHYD_HTTP_ORIGINS=[https://home.lan:8123]")})
	if err != nil || len(c.HTTP.Hosts) != 1 || len(c.HTTP.Origins) != 1 {
		t.Errorf("hosts and origins: %v", err)
	}
}
