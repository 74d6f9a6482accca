package config

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// Annotated returns the configuration in effect as the annotated file, with every value that is not the default marked by
// where it came from. What it returns loads again, except that secrets are left out.
func (c *Config) Annotated() string {
	values := c.values()
	var b strings.Builder
	var section []string
	for line := range strings.Lines(Default) {
		name, _, ok := strings.Cut(strings.TrimSpace(line), ":")
		if !ok || strings.HasPrefix(strings.TrimSpace(line), "#") {
			b.WriteString(line)
			continue
		}
		depth := (len(line) - len(strings.TrimLeft(line, " "))) / 2
		section = append(section[:depth], name)
		path := strings.Join(section, ".")
		value, isKey := values[path]
		if !isKey { // the head of a section
			b.WriteString(line)
			continue
		}
		fmt.Fprintf(&b, "%s%s: %s", strings.Repeat("  ", depth), name, value)
		if o, ok := c.origin[path]; ok {
			b.WriteString("  # " + o.where)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// values returns every key's value as YAML on one line.
func (c *Config) values() map[string]string {
	all := map[string]string{}
	for _, k := range Keys() {
		all[k.Path] = flow(reflect.ValueOf(c).Elem().FieldByIndex(k.index))
	}
	return all
}

// flow writes a value as YAML on one line, secrets as "".
func flow(v reflect.Value) string {
	switch {
	case v.Type() == durationType:
		return duration(time.Duration(v.Int()))
	case v.Type() == secretType:
		return `""`
	case v.Kind() == reflect.Float64:
		return strconv.FormatFloat(v.Float(), 'g', -1, 64)
	case v.Kind() == reflect.Slice:
		items := make([]string, v.Len())
		for i := range items {
			items[i] = flow(v.Index(i))
		}
		return "[" + strings.Join(items, ", ") + "]"
	case v.Kind() == reflect.Struct:
		var items []string
		for i := range v.NumField() {
			if f := v.Field(i); f.Kind() != reflect.Slice || !f.IsNil() { // no list and an empty list differ
				items = append(items, v.Type().Field(i).Tag.Get("yaml")+": "+flow(f))
			}
		}
		return "{" + strings.Join(items, ", ") + "}"
	case v.Kind() == reflect.String:
		return quote(v.String())
	default:
		return fmt.Sprint(v.Interface())
	}
}

// duration writes 2s rather than 2s0ms, and 1h rather than 1h0m0s.
func duration(d time.Duration) string {
	s := d.String()
	s = strings.TrimSuffix(s, "m0s") + map[bool]string{true: "m"}[strings.HasSuffix(s, "m0s")]
	return strings.TrimSuffix(s, "h0m") + map[bool]string{true: "h"}[strings.HasSuffix(s, "h0m")]
}

// quote leaves simple words bare, as a person would write them; the rest becomes a JSON string, which is YAML as well.
func quote(s string) string {
	letter := func(r rune) bool { return (r >= 'a' && r <= 'z') || (r >= 'A' && r <= 'Z') || r == '/' }
	plain := s != "" && letter(rune(s[0])) && !strings.ContainsFunc(s, func(r rune) bool {
		return !letter(r) && (r < '0' || r > '9') && !strings.ContainsRune("_-. ", r)
	}) && strings.TrimSpace(s) == s && !oneOf(strings.ToLower(s), "true", "false", "null", "yes", "no", "on", "off", "y", "n")
	if plain {
		return s
	}
	b, err := json.Marshal(s)
	if err != nil {
		return `""`
	}
	return string(b)
}
