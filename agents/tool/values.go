package tool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
)

// Decode reads the JSON arguments of a call, once: from here on they travel as values. Empty args are read as {}. Numbers
// are json.Number. The error is an ArgumentErrors.
func Decode(args json.RawMessage) (map[string]any, error) {
	if len(args) > MaxArgs {
		return nil, whole(fmt.Sprintf("%d bytes are too long; at most %d are allowed", len(args), MaxArgs))
	}
	if len(bytes.TrimSpace(args)) == 0 {
		return map[string]any{}, nil
	}
	v, err := decode(args)
	if err != nil {
		return nil, whole(err.Error())
	}
	o, ok := v.(map[string]any)
	if !ok {
		var c checker
		c.fail("", v, "is not an object")
		return nil, c.err()
	}
	return o, nil
}

// CheckValues compares decoded arguments with the schema, in which it fills in the defaults, and returns them. The error is
// an ArgumentErrors.
func (s Schema) CheckValues(args map[string]any) (map[string]any, error) {
	var c checker
	c.object(&s, "", args)
	if err := c.err(); err != nil {
		return nil, err
	}
	return args, nil
}

// Plain returns a copy of arguments that a program has made, as Decode would have read them.
func Plain(args map[string]any) (map[string]any, error) {
	if args == nil {
		return map[string]any{}, nil
	}
	if v, ok := plain(args); ok {
		return v.(map[string]any), nil // of a map plain makes a map
	}
	raw, err := json.Marshal(args)
	if err != nil {
		return nil, err
	}
	return Decode(raw)
}

// plain copies a value made of what JSON knows; ok is false when there is something else in it.
func plain(v any) (_ any, ok bool) {
	switch v := v.(type) {
	case nil, string, bool, json.Number:
		return v, true
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, false
		}
		return json.Number(strconv.FormatFloat(v, 'g', -1, 64)), true
	case int:
		return json.Number(strconv.Itoa(v)), true
	case map[string]any:
		o := make(map[string]any, len(v))
		for name, p := range v {
			if o[name], ok = plain(p); !ok {
				return nil, false
			}
		}
		return o, true
	case []any:
		a := make([]any, len(v))
		for i := range v {
			if a[i], ok = plain(v[i]); !ok {
				return nil, false
			}
		}
		return a, true
	}
	return nil, false
}

// Bind puts checked arguments into the fields of the struct that into points to, as json.Unmarshal would. What is more
// than texts, numbers, booleans and structs of these goes by way of JSON.
func Bind(args map[string]any, into any) error {
	to := reflect.ValueOf(into).Elem()
	if to.Kind() != reflect.Struct {
		return byJSON(args, into)
	}
	for i := range to.NumField() {
		f := to.Type().Field(i)
		if !f.IsExported() {
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if v := argument(args, name, f.Name); v != nil {
			if err := bind(v, to.Field(i)); err != nil {
				return fmt.Errorf("%s: %w", f.Name, err)
			}
		}
	}
	return nil
}

// argument finds the value of a field by the name in its tag, or else by its own in any case.
func argument(args map[string]any, tag, field string) any {
	if tag != "" {
		return args[tag]
	}
	for name, v := range args {
		if strings.EqualFold(name, field) {
			return v
		}
	}
	return nil
}

func bind(v any, to reflect.Value) error {
	if _, itself := to.Addr().Interface().(json.Unmarshaler); itself {
		return byJSON(v, to.Addr().Interface())
	}
	switch v := v.(type) {
	case string:
		if to.Kind() == reflect.String {
			to.SetString(v)
			return nil
		}
	case bool:
		if to.Kind() == reflect.Bool {
			to.SetBool(v)
			return nil
		}
	case json.Number:
		if to.CanFloat() {
			f, err := v.Float64()
			to.SetFloat(f)
			return err
		}
		if n, err := v.Int64(); err == nil && to.CanInt() && !to.OverflowInt(n) {
			to.SetInt(n)
			return nil
		}
	case float64:
		if to.CanFloat() {
			to.SetFloat(v)
			return nil
		}
	case map[string]any:
		if to.Kind() == reflect.Struct {
			return Bind(v, to.Addr().Interface())
		}
	}
	if to.Kind() == reflect.Pointer {
		to.Set(reflect.New(to.Type().Elem()))
		return bind(v, to.Elem())
	}
	return byJSON(v, to.Addr().Interface())
}

func byJSON(v, into any) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return json.Unmarshal(raw, into)
}
