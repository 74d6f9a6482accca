package tester

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
)

// difference says where got is not what was wanted; empty when it is. Numbers may differ by tolerance.
func difference(got, want json.RawMessage, tolerance float64) string {
	g, err := decode(got)
	if err != nil {
		return fmt.Sprintf("result: %s", err)
	}
	w, err := decode(want)
	if err != nil {
		return fmt.Sprintf("expected: %s", err)
	}
	return differ("result", g, w, tolerance)
}

func decode(text json.RawMessage) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	err = d.Decode(&v)
	return v, err
}

func differ(path string, got, want any, tolerance float64) string {
	switch w := want.(type) {
	case json.Number:
		if g, ok := got.(json.Number); ok && near(g, w, tolerance) {
			return ""
		}
	case []any:
		g, ok := got.([]any)
		if !ok {
			break
		}
		if len(g) != len(w) {
			return fmt.Sprintf("%s has %d elements, want %d", path, len(g), len(w))
		}
		for i := range w {
			if d := differ(fmt.Sprintf("%s[%d]", path, i), g[i], w[i], tolerance); d != "" {
				return d
			}
		}
		return ""
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			break
		}
		for _, k := range slices.Sorted(maps.Keys(w)) {
			v, ok := g[k]
			if !ok {
				return fmt.Sprintf("%s has no %q", path, k)
			}
			if d := differ(fmt.Sprintf("%s[%q]", path, k), v, w[k], tolerance); d != "" {
				return d
			}
		}
		for _, k := range slices.Sorted(maps.Keys(g)) {
			if _, ok := w[k]; !ok {
				return fmt.Sprintf("%s has %q, which is not expected", path, k)
			}
		}
		return ""
	default:
		if got == want {
			return ""
		}
	}
	return fmt.Sprintf("%s is %.100s, want %.100s", path, show(got), show(want))
}

func near(got, want json.Number, tolerance float64) bool {
	if got == want {
		return true
	}
	g, errG := got.Float64()
	w, errW := want.Float64()
	return errG == nil && errW == nil && math.Abs(g-w) <= tolerance*max(1, math.Abs(g), math.Abs(w))
}

func show(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(text)
}
