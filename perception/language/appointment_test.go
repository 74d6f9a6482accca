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
		{"Remind me to call Bob on Friday at three, please", []string{"remind me on friday at 3 to call Bob"}},
		{"and remind me every weekday at five to ten to join", []string{"remind me every weekday at 9:55 to join"}},
		{"every Tuesday and Thursday at 5 pm remind me to go to the gym", []string{"remind me every tuesday and thursday at 5 pm to go to the gym"}},
		{"remind me on the third of December to pay rent", []string{"remind me on 3 of december at 9 am to pay rent"}},
		{"remind me in the evening to lock the door", []string{"remind me today at 7 pm to lock the door"}},
		{"remind me on Sunday evening at eight to charge it", []string{"remind me on sunday at 8 pm to charge it"}},
		{"Every Monday, Wednesday and Friday, wake me at six, I want to go before work.", []string{"set an alarm every monday , wednesday and friday at 6"}},
		{"Wake me up on Monday at quarter past seven.", []string{"set an alarm on monday at 7:15"}},
		{"set an alarm for Saturday", []string{"set an alarm on saturday at 9 am"}},
		{"set a reminder in twenty minutes to turn the heating down", []string{"remind me in 20 minutes to turn the heating down"}},
		{"set a reminder for twenty minutes to turn the heating down", []string{"remind me in 20 minutes to turn the heating down"}},
		{"can you set me a reminder?", []string{"remind me"}},
		{"Biscuit gets his walk at five, remind me then please", []string{"remind me at 5 to Biscuit gets his walk"}},
		{"Doris needs her tablets at one o'clock and her eye drops at four, can you remind me of both please", []string{
			"remind me at 1 to Doris needs her tablets", "remind me at 4 to her eye drops",
		}},
		{"I keep forgetting my pills. Remind me every day at eight to take them", []string{
			"remind me every day at 8 to I keep forgetting my pills: take them",
		}},
		// what is none, or is understood as it was said
		{"my mum set a reminder for Friday", nil},
		{"did you remind me on Friday?", nil},
		{"don't remind me on Monday", nil},
		{"remind me at five to feed the dog", nil},
		{"he wakes me every Monday", nil},
		{"wake me at six", nil},
		{"set a timer for Friday's cake", nil},
	} {
		if got := Appointments(Analyse(c.said)); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.said, got, c.want)
		}
	}
}

func TestWhen(t *testing.T) {
	for said, want := range map[string]string{
		"on Friday at three": "on friday at 3", "every day at seven in the evening": "every day at 7 pm", "tomorrow morning": "tomorrow at 8 am",
		"tonight": "today at 9 pm", "at six": "", "in ten minutes": "",
	} {
		if got := When(said); got != want {
			t.Errorf("%q: %q, want %q", said, got, want)
		}
	}
}

// One more is asked for only where one was spoken of just before.
func TestAnother(t *testing.T) {
	alarm := Said{Texts: []string{"wake me at six. I will wake you tomorrow at 06:00."}}
	reminder := Said{Texts: []string{"remind me at one of it. I will remind you."}}
	for _, c := range []struct {
		text string
		said Said
		want string
	}{
		{"and one at eight", alarm, "set an alarm for 8"},
		{"And another guest at quarter to seven, so one for then as well.", alarm, "set an alarm for 6:45"},
		{"And the blood pressure at nine in the evening, every day as well", reminder, "remind me every day at 9 pm to the blood pressure"},
		{"and to feed the cat at ten", reminder, "remind me at 10 to feed the cat"},
		{"and one at eight", Said{}, ""},
		{"and then stop at fifty", reminder, ""},
		{"and what about ten?", alarm, ""},
		{"and cancel the one at eight", alarm, ""},
		{"and the antenna at ten", reminder, ""},
	} {
		if got := Another(Analyse(c.text), c.said); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}

// FuzzAppointments: whatever is said, what comes of it is read again without end or panic.
func FuzzAppointments(f *testing.F) {
	for _, s := range []string{
		"remind me every Monday, Friday and at noon to go", "on the third wake me", "set a reminder for", "and at 7 one", "tonight at half",
	} {
		f.Add(s)
	}
	f.Fuzz(func(_ *testing.T, text string) {
		u := Analyse(text)
		for _, said := range append(Appointments(u), Another(u, Said{Texts: []string{"remind me"}}), When(text)) {
			Appointments(Analyse(said))
		}
	})
}
