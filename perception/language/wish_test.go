package language

import (
	"slices"
	"strings"
	"testing"
)

func anything([]string, bool) bool      { return true }
func nothing([]string, bool) bool       { return false }
func before(_ []string, last bool) bool { return !last }

func TestWishes(t *testing.T) {
	for _, c := range []struct {
		said string
		sure bool
		want string // the first wish; empty for none
	}{
		{"yo set a timer for 90 seconds, the boss respawns then", false, "set a timer for 90 seconds"},
		{"Start a timer for eleven, sorry, thirteen minutes, the quiche isn't set", false, "set a timer for thirteen minutes"},
		{"I have a ten minute break, so set a timer for eight minutes", false, "set a timer for eight minutes"},
		{"the timer on our oven has been stuck at ten minutes all day", false, ""},
		{"and another one for the eggs, four minutes", true, "set a eggs timer for four minutes"},
		{"you may call me Nana, dear, everybody does", false, "my name is Nana"},
		{"call me back tomorrow", false, ""},
		{"Would you mind reminding me at four o'clock to ring my brother in Leeds?", false, "remind me at 4 o'clock to ring my brother in Leeds ?"},
		{"toss a coin, we cannot agree", true, "flip a coin"},
		{"she always tosses a coin", true, ""},
		{"a wave", false, ""},
		{"nod three times, she is deaf", false, "nod 3 times"},
		{"we never nod to strangers", false, ""},
		{"if two plus two is five, nod, otherwise shake your head", false, ""},
		{"wake me in half an hour, I mean set a timer for thirty minutes", false, "set a timer for thirty minutes"},
		{"would you spell my name", false, ""},
		{"put her to sleep, will you", false, ""},
	} {
		got := ""
		if all := Wishes(Analyse(c.said), c.sure, false, anything); len(all) > 0 {
			got = all[0]
		}
		if got != c.want {
			t.Errorf("%q is %q, want %q", c.said, got, c.want)
		}
	}
	if all := Wishes(Analyse("and another one for the eggs, four minutes"), true, false, nothing); len(all) > 0 {
		t.Errorf("another of nothing: %q", all)
	}
	if all := Wishes(Analyse("I could do with a story, tell me one about rain"), false, true, anything); len(all) > 0 {
		t.Errorf("talk where a model talks: %q", all)
	}
	if all := Wishes(Analyse("do it again, Tom was not looking"), true, false, before); len(all) > 0 {
		t.Errorf("again of what lies back: %q", all)
	}
	for _, other := range []string{
		"flip a coin three times", "flip two coins", "roll a die twice", "no, wait 10 seconds", "sorry, nod for 5 seconds", "no, add 5 minutes",
		"give me another joke", "another timer for 5 minutes", "nod again", "say your name backwards",
	} {
		if all := Wishes(Analyse(other), true, false, anything); len(all) > 0 && all[0] != "set a timer for 5 minutes" {
			t.Errorf("%q is surely %q", other, all)
		}
	}
	if all := Wishes(Analyse("set a timer for 5 minutes"), false, false, anything); slices.Contains(all, "set a timer for 5 minutes") {
		t.Errorf("what was said is a wish of itself: %q", all)
	}
	if all := Wishes(Analyse("set a timer for 5 minutes "+strings.Repeat("and more ", MaxRequest/9)), false, false, anything); all != nil {
		t.Errorf("a text beyond the limit: %q", all)
	}
}

// Each wish has words, and what the lists name are wishes.
func TestWishesAreWhole(t *testing.T) {
	names := map[string]bool{}
	for _, w := range wishes() {
		names[w.Name] = true
		if wishTexts[w.Name] == "" && w.Name != "bar" {
			t.Errorf("wish %q has no words", w.Name)
		}
		if !slices.ContainsFunc(w.Parts, func(p Part) bool { return !p.Optional && !p.Unlike }) {
			t.Errorf("wish %q has nothing that it needs", w.Name)
		}
	}
	check := func(table, name string) {
		if !names[name] {
			t.Errorf("%s: there is no wish %q", table, name)
		}
	}
	for name := range wishTexts {
		check("wish-texts", name)
	}
	for name := range wishTopics {
		check("wish-topics", name)
	}
	for name := range wishesOfLast {
		check("wishes-of-the-last", name)
		if wishTopics[name] == nil {
			t.Errorf("wishes-of-the-last: %q has no topic", name)
		}
	}
	for name := range wishesOfTalk {
		check("wishes-of-talk", name)
	}
	for name := range wishesAsked {
		check("wishes-that-ask", name)
	}
	for name := range wishesFirst {
		check("wishes-first", name)
	}
	bar := wishes()[len(wishes())-1]
	for rule, of := range wishBars {
		if bar.Name != "bar" || !slices.ContainsFunc(bar.Parts, func(p Part) bool { return p.Name == rule }) {
			t.Errorf("wish-bars: there is no rule %q", rule)
		}
		for _, name := range of {
			check("wish-bars", name)
		}
	}
}

func TestHalves(t *testing.T) {
	for said, want := range map[string]string{
		"Bow to my guest, and then set a timer for three minutes.": "Bow to my guest|set a timer for three minutes.",
		"nod": "", "and nod": "", "nod and": "",
	} {
		got := ""
		if all := Halves(Analyse(said)); len(all) > 0 {
			got = all[0][0] + "|" + all[0][1]
		}
		if got != want {
			t.Errorf("%q is %q, want %q", said, got, want)
		}
	}
	if n := len(Halves(Analyse("nod and bow and dance and wave and shrug and look left and smile"))); n != mostHalves {
		t.Errorf("%d places are tried, at most %d may be", n, mostHalves)
	}
	for said, want := range map[string]bool{"please turn left": true, "set a timer": true, "the nose went up": false, "one of fifty": false, "": false} {
		if got := BeginsAsOrder(Analyse(said)); got != want {
			t.Errorf("%q is an order: %v", said, got)
		}
	}
}

func TestTimesOfDay(t *testing.T) {
	for said, want := range map[string]string{
		"at a quarter past five, I should think": "5:15",
		"half past five in the morning":          "5:30 am",
		"at half eleven":                         "11:30",
		"for half an hour":                       "",
		"at half 3 degrees":                      "",
		"at eight this evening":                  "8 pm",
		"by ten to three":                        "2:50",
		"at seven thirty":                        "7:30",
		"at noon":                                "noon",
		"set it to ten":                          "",
		"ten to three":                           "",
		"at five minutes":                        "",
	} {
		if got := TimeOfDay(said); got != want {
			t.Errorf("%q is %q, want %q", said, got, want)
		}
	}
}

func FuzzWishes(f *testing.F) {
	for _, s := range []string{"yo set a timer for 90 seconds", "at ten to three", "call me Ann", "roll a 20 sided die", "İ wave 1:1 one", "nod \"x"} {
		f.Add(s)
	}
	f.Fuzz(func(_ *testing.T, s string) {
		u := Analyse(s)
		Wishes(u, true, false, anything)
		Wishes(u, false, false, nothing)
		TimeOfDay(s)
		Halves(u)
		BeginsAsOrder(u)
		Asides(u)
		FollowUpOf(u)
		Errand(u, someKept, Said{Texts: []string{s}, Which: len(s)%2 == 0})
		TimersToSet(u, len(s)%2 == 0)
		TellsOfOther(u)
	})
}

func BenchmarkWishes(b *testing.B) {
	u := Analyse("my neighbour has told me all about the concert on the market square, it must have been very loud indeed")
	for _, sure := range []bool{true, false} {
		Wishes(u, sure, false, anything)
	}
	for b.Loop() {
		Wishes(u, true, false, anything)
		Wishes(u, false, false, anything)
	}
}
