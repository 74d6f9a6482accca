package language

import (
	"strings"
	"testing"
)

func isAmountUnit(w string) bool {
	return strings.Contains(" hour hours minutes kilo mile cups miles feet degrees week year ", " "+w+" ") && w != ""
}

func TestAmounts(t *testing.T) {
	for text, want := range map[string]string{
		"how many seconds are in three and a half hours": "how many seconds are in 3.5 hours",
		"a dozen eggs":                      "12 eggs",
		"two dozen eggs":                    "24 eggs",
		"half a dozen":                      "6",
		"half a kilo":                       "0.5 kilo",
		"half an hour":                      "0.5 hour",
		"a quarter of an hour":              "0.25 hour",
		"three quarters of an hour":         "0.75 hour",
		"an hour and a half":                "1.5 hour",
		"two hours and a half":              "2.5 hours",
		"two hundred and five":              "205",
		"1,250.5 miles":                     "1250.5 miles",
		"1e6 minutes":                       "1000000 minutes",
		"minus five degrees":                "-5 degrees",
		"minus three and a half degrees":    "-3.5 degrees",
		"7 minus 5":                         "7 minus 5",
		"a quarter past three":              "3:15",
		"quarter to 4":                      "3:45",
		"half past ten":                     "10:30",
		"twenty past four":                  "4:20",
		"five minutes to eight":             "7:55",
		"convert 10 to 8":                   "convert 10 to 8",
		"two thirds of 90":                  "0.6666666666666666 of 90",
		"three fifths of 20":                "0.6 of 20",
		"half of 90":                        "half of 90",
		"2 1/2 cups":                        "2.5 cups",
		"2½ cups":                           "2.5 cups",
		"3/4 mile":                          "0.75 mile",
		"simplify 12/18":                    "simplify 12/18",
		"one and three quarters":            "1.75",
		"what is the point":                 "what is the point",
		"point five miles":                  "0.5 miles",
		"score":                             "20",
		"":                                  "",
		"the third root of 27":              "the third root of 27",
		"a third of 30":                     "a third of 30",
		"3 point 5 hours":                   "3.5 hours",
		"one week and a half is a fraction": "1.5 week is a fraction",
	} {
		if got := Amounts(text, isAmountUnit); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func FuzzAmounts(f *testing.F) {
	for _, text := range []string{"half a", "minus minus 5 and a half", "dozenfold", "a and a half", "1/0 cups", "quarter to 1", "point 9e9"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if got := Amounts(text, isAmountUnit); strings.Contains(got, "  ") {
			t.Errorf("%q: %q", text, got)
		}
	})
}
