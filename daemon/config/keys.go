package config

import (
	"reflect"
	"strings"

	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/perception/language/levenshtein"
)

// EnvPrefix begins the name of every environment variable that sets a key.
const EnvPrefix = "REACHYD_"

// envFile names the environment variable with the path of the configuration file, which is no key of that file.
const envFile = EnvPrefix + "CONFIG"

// others are variables of the programs and the scripts of the checkout that are no key of that file either: where large things are
// cached, such as the Python of self-made tools, where apps are, and which Python has their SDK.
var others = []string{envFile, EnvPrefix + "CACHE", EnvPrefix + "APPS", EnvPrefix + "SDK_PYTHON"}

// Key is one setting.
type Key struct {
	Path string   // mqtt.tls.ca
	Env  string   // REACHYD_MQTT_TLS_CA
	Type string   // as it is told to people
	When api.When // a change takes effect

	index []int // of the field in Config
}

// Keys lists every setting in the order of the struct. There is no other table: what is a field is a key.
func Keys() []Key { return keysOf(reflect.TypeFor[Config](), "", nil) }

func keysOf(t reflect.Type, prefix string, index []int) []Key {
	var keys []Key
	for i := range t.NumField() {
		f := t.Field(i)
		name := f.Tag.Get("yaml")
		if !f.IsExported() || name == "" {
			continue
		}
		path := prefix + name
		at := append(append([]int(nil), index...), i)
		if f.Type.Kind() == reflect.Struct {
			keys = append(keys, keysOf(f.Type, path+".", at)...)
			continue
		}
		when := api.When(f.Tag.Get("change"))
		if when == "" {
			when = api.WhenFile
		}
		env := EnvPrefix + strings.ToUpper(strings.ReplaceAll(path, ".", "_"))
		keys = append(keys, Key{Path: path, Env: env, Type: typeName(f.Type), When: when, index: at})
	}
	return keys
}

// typeName says in words what a value of type t looks like in the file.
func typeName(t reflect.Type) string {
	switch {
	case t == durationType:
		return "a duration such as 500ms, 2s or 1h"
	case t.Kind() == reflect.Bool:
		return "true or false"
	case t.Kind() == reflect.Int:
		return "a whole number"
	case t.Kind() == reflect.Float64:
		return "a number"
	case t.Kind() == reflect.Slice:
		return "a list"
	case t.Kind() == reflect.Struct:
		return "a group of keys"
	default:
		return "a text"
	}
}

// nearest returns the candidate that looks most like name, or "" when none is near.
func nearest(name string, candidates []string) string {
	best, bestDistance := "", len(name)/3+2
	for _, c := range candidates {
		if d := levenshtein.Distance(name, c, bestDistance-1); d < bestDistance {
			best, bestDistance = c, d
		}
	}
	return best
}
