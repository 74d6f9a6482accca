package doctor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/daemon/config"
)

// A name is added to a configuration in whatever way that is written, nothing else in it changes, and reachyd reads it.
func TestSettingsAreAdded(t *testing.T) {
	const id, name = `id: "a"`, `name: "Ada: \"the\" #1"`
	for before, after := range map[string]string{
		"":                                   "robot:\n  ID\n  NAME\n",
		"# only words":                       "# only words\nrobot:\n  ID\n  NAME\n",
		"log:\n  level: warn # mine\n":       "log:\n  level: warn # mine\nrobot:\n  ID\n  NAME\n",
		"log: {level: warn}":                 "log: {level: warn}\nrobot:\n  ID\n  NAME\n",
		"robot:\n":                           "robot:\n  ID\n  NAME\n",
		"robot:":                             "robot:\n  ID\n  NAME\n",
		"robot: # mine\nlog:\n  level: warn": "robot: # mine\n  ID\n  NAME\nlog:\n  level: warn",
		"---\nrobot:\n    # how\n    tell_address: never # so\n\n# end": "---\nrobot:\n    # how\n    ID\n    NAME\n    tell_address: never # so\n\n# end",
		"robot:\n  name: Bo\nlog:\n  level: warn\n":                     "robot:\n  ID\n  name: Bo\nlog:\n  level: warn\n",
		"robot:\r\n  tell_address: never\r\n":                           "robot:\r\n  ID\r\n  NAME\r\n  tell_address: never\r\n",
		"\"robot\":\n  tell_address: never\n":                           "\"robot\":\n  ID\n  NAME\n  tell_address: never\n",
	} {
		after = strings.NewReplacer("ID", id, "NAME", name).Replace(after)
		got, err := withSettings([]byte(before), missing([]byte(before), "a", `Ada: "the" #1`))
		if err != nil || string(got) != after {
			t.Errorf("%q becomes\n%q, %v; want\n%q", before, got, err, after)
			continue
		}
		file := filepath.Join(t.TempDir(), "reachyd.yaml")
		if err := os.WriteFile(file, got, 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := config.Load(config.Source{File: file, Env: []string{"HOME=" + t.TempDir()}})
		if err != nil || c.Robot.ID != "a" {
			t.Errorf("%q: %v", got, err)
		}
	}
	for _, text := range []string{"robot: {tell_address: never}", "robot: null", "robot: [", "{log: {level: warn}}", "a: 1\n---\nb: 2\n", "robot: mini", "- a"} {
		if got, err := withSettings([]byte(text), missing([]byte(text), "a", "")); err == nil {
			t.Errorf("%q becomes %q", text, got)
		}
	}
}
