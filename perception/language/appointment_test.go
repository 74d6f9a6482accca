package language

import (
	"slices"
	"testing"
)

func TestAppointments(t *testing.T) {
	for _, c := range []struct {
		said string
		want []string
	}{
		{"remind me on Friday at three to call Bob", []string{"remind me on friday at 3 to call Bob"}},
		{"Doris needs her tablets at one o'clock and her eye drops at four, can you remind me of both please", []string{
			"remind me at 1 to Doris needs her tablets", "remind me at 4 to her eye drops",
		}},
		{"Wake me up on Monday at quarter past seven.", []string{"set an alarm on monday at 7:15"}},
		{"set a reminder in twenty minutes to turn the heating down", []string{"remind me in 20 minutes to turn the heating down"}},
		{"set a reminder for twenty minutes to turn the heating down", []string{"remind me in 20 minutes to turn the heating down"}},
	} {
		if got := Appointments(Analyse(c.said)); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.said, got, c.want)
		}
	}
}
