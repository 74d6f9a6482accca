package verbalize

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestNumbersAsAPersonSaysThem(t *testing.T) {
	for in, want := range map[float64]string{
		0: "0", 45: "45", 2026: "2026", 12500: "12,500", 0.1 +
			0.2: "0.3", 1.0 / 3: "0.3333", 32.186880: "32.19", 1234.5678: "1234.6", 98765.4321: "98,765.4", -5.5: "minus 5.5",
		3.2e6: "3.2 million", 3211234: "about 3.21 million", 7.9e9: "7.9 billion", 1e20: "about 1 times ten to the power of 20",
		1.5e-9: "about 1.5 times ten to the power of minus 9", 0.0042: "0.0042", 999999.5: "999,999.5",
		math.Inf(1): "infinity", math.Inf(-1): "minus infinity",
	} {
		if got := Number(in); got != want {
			t.Errorf("%v: %q, want %q", in, got, want)
		}
	}
}

func TestResultsInWords(t *testing.T) {
	for in, want := range map[string]string{
		`45`:                       "The result is 45.",
		`"dlrow olleh"`:            "The result is dlrow olleh.",
		`"Five photos were taken"`: "Five photos were taken.",
		`"it is done!"`:            "It is done!",
		`"olleh"`:                  "The result is olleh.",
		`true`:                     "Yes.",
		`null`:                     "Done.",
		`[]`:                       "The result is nothing.",
		`["apple","duck"]`:         "The result is apple and duck.",
		`[1,2,3,4,5,6,7,8]`:        "The result is 1, 2, 3, 4, 5, 6 and 2 more.",
		`{"distance_m":0.5}`:       "The distance is 0.5 metres.",
		`{"width_cm":1,"done":true,"failed":false}`:               "The result is done, not failed and width 1 centimetre.",
		`{"status":"success","message":"five photos were taken"}`: "Five photos were taken.",
		`{"result":12}`:                  "The result is 12.",
		`{"photos":["a","b"],"count":2}`: "The count is 2 and the photos are a and b.",
		`{"a":{"b":{"c":1}}}`:            "The a is b 1 value.",
	} {
		if got := Result(json.RawMessage(in)); got != want {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
	}
}

func FuzzResult(f *testing.F) {
	f.Add([]byte(`{"a":[1,{"b":null}]}`))
	f.Add([]byte(`"\ud800"`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		got := Result(json.RawMessage(raw))
		if got == "" || utf8.RuneCountInString(got) > MaxText+20 || !utf8.ValidString(got) || strings.ContainsRune(got, '\n') {
			t.Errorf("%q: %q", raw, got)
		}
	})
}
