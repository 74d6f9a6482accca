package language

import (
	"strings"
	"testing"
)

func TestInDigits(t *testing.T) {
	for text, want := range map[string]string{
		"one hundred and five": "105", "twenty-five": "25", "three and five": "3 and 5", "two thousand and twenty six": "2026", "three point one four": "3.14",
		"1,000": "1000", "15%": "15 percent", "5km": "5 km", "the 24th": "the 24th", "a million": "a 1000000", "one two three": "1 2 3", "a dozen": "a 12", "": "",
		"3 million": "3000000", "3.5": "3.5", "10:30": "10:30", "a, b": "a , b", "1,0000": "1 , 0000", "hundred and five": "105", "hundred": "100",
		"100°c":     "100 °c",
		"a billion": "a 1000000000", "v2": "v2", "9x9": "9x9", "5µm": "5 µm", "20°": "20°", "the 1st": "the 1st", "007": "007", "1,000,000": "1000000",
		"the point is": "the point is", "ten thirty": "10 30",
	} {
		if got := InDigits(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func FuzzInDigits(f *testing.F) {
	for _, text := range []string{"1,2,,3", "one hundred and and", "point point five", "%%", "9x9th", "three point", "1e9 million"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if got := InDigits(text); strings.Contains(got, "  ") || strings.Contains(got, "%") {
			t.Errorf("%q: %q", text, got)
		}
	})
}
