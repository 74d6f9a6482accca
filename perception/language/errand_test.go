package language

import (
	"slices"
	"testing"
	"time"
)

func words(all ...string) map[string]bool {
	m := map[string]bool{}
	for _, w := range all {
		m[Stem(w)] = true
	}
	return m
}

var someKept = []Kept{
	{ID: 3, Kind: KeptTimer, About: words("beans"), Length: 5 * time.Minute, Next: time.Date(2026, 11, 28, 10, 5, 0, 0, time.UTC)},
	{ID: 4, Kind: KeptTimer, About: words("roast"), Length: 50 * time.Minute, Next: time.Date(2026, 11, 28, 10, 50, 0, 0, time.UTC)},
	{ID: 7, Kind: KeptReminder, About: words("call", "plumber"), Next: time.Date(2026, 11, 28, 16, 0, 0, 0, time.UTC)},
}

// What is said of what is kept is told by what it does and by what of it is meant.
func TestErrands(t *testing.T) {
	const set, told, listed = "set a roast timer. Your roast timer runs", "Remind me to call the plumber. I remind you at 16:00", "anything. I am fine"
	for _, c := range []struct{ said, before, want string }{
		{"the dog ate the beans, so scrap that one", set, "cancel errand 3"},
		{"forget the roast, we go out", listed, "cancel errand 4"},
		{"cancel the timer", listed, "cancel errand 3 and 4"},
		{"cancel that one please", set, "cancel errand 4"},
		{"get rid of both timers", set, "cancel all of errand 3 and 4"},
		{"drop the shorter one", set, "cancel errand 3"},
		{"the other one can go", set, "cancel errand 3"},
		{"how long have the beans still got?", listed, "how long is left on errand 3"},
		{"when is the roast ready?", listed, "how long is left on errand 4"},
		{"how much longer for the beans?", set, "how long is left on errand 3"},
		{"and the beans?", set, "how long is left on errand 3"},
		{"which of them rings first?", set, "how long is left on errand 3"},
		{"give the roast ten more minutes, it is huge", listed, "add ten minutes to errand 4"},
		{"take two minutes off that", set, "take two minutes off errand 4"},
		{"no, sorry, not fifty, fifty five minutes", set, "let errand 4 last fifty five minutes"},
		{"make it an hour, we eat late", set, "let errand 4 last an hour"},
		{"move that reminder to half past five", told, "move errand 7 to 5:30"},
		{"what was that reminder about?", told, "what is errand 7 about"},
		{"not the plumber, I meant Rosa", told, "in errand 7 say Rosa for plumber"},
		{"which timers have I got?", listed, "which timers are running"},
		{"what reminders do I have?", listed, "list my reminders"},
		{"set a timer for ten minutes", set, ""},
		{"and another one for the rice, ten minutes", set, ""},
		{"remind me to cancel the plumber at four", told, ""},
		{"my sister forgot the beans", listed, ""},
		{"do not forget the beans", listed, ""},
		{"beans are good for you", listed, ""},
		{"look left ten degrees", set, ""},
		{"stop doing that", set, ""},
		{"look left 20, no wait, right 20", set, ""},
		{"turn right 20 degrees, no sorry, 25", set, ""},
		{"how many seconds in two minutes?", set, ""},
		{"how many minutes are there in three hours?", set, ""},
		{"what do 12, 19 and 4 add up to?", set, ""},
		{"I need to know how many minutes there are in two and a half hours", set, ""},
		{"can you tell me what time it is now?", set, ""},
		{"what time have we got", set, ""},
		{"what time is it", set, ""},
		{"what time is it set to", set, "how long is left on errand 4"},
		{"are you curious? show me", set, ""},
		{"stop dancing", set, ""},
		{"what are you doing", set, ""},
		{"how are you", set, ""},
		{"more", set, ""},
		{"show me your left side", set, ""},
		{"how much is two and two", set, ""},
		{"no, the other way", set, ""},
		{"is it cold", set, ""},
		{"when is your birthday", set, ""},
		{"actually look right", set, ""},
		{"again", set, ""},
		{"louder", set, ""},
		{"a bit more", set, ""},
		{"make it louder", set, ""},
		{"when is the plumber's birthday?", listed, ""},
	} {
		if got := Errand(Analyse(c.said), someKept, Said{Texts: []string{c.before}}); got != c.want {
			t.Errorf("%q after %q: %q, want %q", c.said, c.before, got, c.want)
		}
	}
	if got := Errand(Analyse("the roast one"), someKept, Said{Texts: []string{"cancel the timer. " + set}, Which: true}); got != "cancel errand 4" {
		t.Errorf("the answer to which one: %q", got)
	}
	if got := Errand(Analyse("cancel the timer"), nil, Said{}); got != "cancel the timer" {
		t.Errorf("nothing is kept: %q", got)
	}
}

// Several timers, or alarms, are asked for in one sentence.
func TestTimersToSet(t *testing.T) {
	for _, c := range []struct {
		said string
		talk bool
		want []string
	}{
		{"nine minutes for the barley and twenty five for the lentils", false, []string{"set a barley timer for nine minutes", "set a lentils timer for 25 minutes"}},
		{
			"two timers please, one of 4 minutes for the kale and one of 16 for the trout", false,
			[]string{"set a kale timer for 4 minutes", "set a trout timer for 16 minutes"},
		},
		{"three timers: two, six and eleven minutes", false, []string{"set a timer for 2 minutes", "set a timer for 6 minutes", "set a timer for eleven minutes"}},
		{"then start one, four minutes, for the milk", true, []string{"set a milk timer for four minutes"}},
		{"set alarms for half past four and for five in the morning", false, []string{"set an alarm for 4:30 am", "set an alarm for 5 am"}},
		{"a timer of five, no, six minutes", false, nil},
		{"set a timer for five minutes", false, nil},
		{"look right 15 and set a timer for two minutes", false, nil},
		{"then start one, four minutes, for the milk", false, nil},
		{"if it takes five minutes for the rice, is ten for the peas too long", false, nil},
	} {
		if got := TimersToSet(Analyse(c.said), c.talk); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.said, got, c.want)
		}
	}
}

// What something else does is no order.
func TestTellsOfOther(t *testing.T) {
	for said, want := range map[string]bool{
		"the road turns left a little": true, "my bike leans right": true, "your head turns left": false, "turn left": false,
		"the plan is as follows: look left": false, "the lady says turn left": false, "my tea is cold, look up": false,
	} {
		if got := TellsOfOther(Analyse(said)); got != want {
			t.Errorf("%q: %v", said, got)
		}
	}
}
