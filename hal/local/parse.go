package local

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
)

// Parse decodes one JSON object into a pointer to a struct. Its errors name the field, its value and what is allowed.
func Parse(data []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return explain(err, into)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is more after the JSON object; one request is one object")
	}
	return nil
}

func explain(err error, into any) error {
	var typ *json.UnmarshalTypeError
	var syn *json.SyntaxError
	switch {
	case errors.As(err, &typ):
		if typ.Field == "" {
			return fmt.Errorf("a request is a JSON object, not %s", typ.Value)
		}
		return fmt.Errorf("field %s is %s; allowed is %s", typ.Field, typ.Value, kindInWords(typ.Type))
	case errors.As(err, &syn):
		return fmt.Errorf("not JSON at byte %d: %w", syn.Offset, syn)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("not JSON: it ends in the middle of an object")
	}
	if name, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		return fmt.Errorf("field %s is unknown; known are %s", name, strings.Join(fields(into), " "))
	}
	return err
}

func kindInWords(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Float64:
		return "a number"
	case reflect.Int, reflect.Uint64:
		return "a whole number"
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "a text"
	case reflect.Slice, reflect.Array:
		return "a list"
	}
	return "an object"
}

// fields are the names of the fields of a request.
func fields(into any) []string {
	t := reflect.TypeOf(into).Elem()
	names := make([]string, t.NumField())
	for i := range names {
		names[i], _, _ = strings.Cut(t.Field(i).Tag.Get("json"), ",")
	}
	return names
}
