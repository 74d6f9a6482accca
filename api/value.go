package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"time"
)

// Number is a JSON number, or null for what JSON cannot express, which is read back as NaN.
type Number float64

// MarshalJSON writes the shortest digits that give the number back.
func (n Number) MarshalJSON() ([]byte, error) {
	if f := float64(n); !math.IsNaN(f) && !math.IsInf(f, 0) {
		return strconv.AppendFloat(nil, f, 'f', -1, 64), nil
	}
	return []byte("null"), nil
}

// UnmarshalJSON reads a number or null.
func (n *Number) UnmarshalJSON(text []byte) error {
	if bytes.Equal(text, []byte("null")) {
		*n = Number(math.NaN())
		return nil
	}
	return json.Unmarshal(text, (*float64)(n))
}

// Rounded cuts a measurement to digits after the point, so that no message is filled with noise.
func Rounded(v float64, digits int) Number {
	scale := math.Pow10(digits)
	if r := math.Round(v*scale) / scale; r != 0 { // and no -0
		return Number(r)
	}
	return 0
}

// Time is written in RFC 3339 with milliseconds, in UTC.
type Time time.Time

const timeLayout = `"2006-01-02T15:04:05.000Z"`

func (t Time) append(b []byte) []byte { return time.Time(t).UTC().AppendFormat(b, timeLayout) }

// IsZero says whether there is no time.
func (t Time) IsZero() bool { return time.Time(t).IsZero() }

// MarshalJSON writes the time.
func (t Time) MarshalJSON() ([]byte, error) { return t.append(make([]byte, 0, len(timeLayout))), nil }

// UnmarshalJSON reads any time in RFC 3339.
func (t *Time) UnmarshalJSON(text []byte) error {
	if err := (*time.Time)(t).UnmarshalJSON(text); err != nil {
		return fmt.Errorf(`time: %s is not a time such as %s: %w`, text, timeLayout, err)
	}
	return nil
}
