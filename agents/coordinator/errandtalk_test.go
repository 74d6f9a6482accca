package coordinator

import (
	"testing"

	"github.com/reachyd/reachyd/perception/language"
)

func TestWhatIsLeftIsAskedInAnyWords(t *testing.T) {
	const spoken = "put a timer of 3 minutes for the tea"
	for text, want := range map[string]bool{
		"and how long does the tea still need?": true, "how much of it is there left": true, "how many minute stayed on timer?": true, "time left?": true,
		"Remaining?": true, "what remains on the clock": true, "how much longer is it, dear?": true, "how long do I still have to wait": true,
		"left": false, "look left": false, "how far left can you look": false, "how long is the river": false, "is there more tea": false,
	} {
		if got := asksTimeLeft(language.SplitWords(text), spoken); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
	if !asksTimeLeft(language.SplitWords("how much time is left on the timer"), "") || asksTimeLeft(language.SplitWords("how much is left"), "") {
		t.Error("a timer that is not named must have been spoken of")
	}
}

func TestRemindersAreAskedForInAnyWords(t *testing.T) {
	for text, want := range map[string]bool{
		"which reminders are you having?": true, "what reminders have I got": true, "do I have some reminders": true, "list me my reminders": true,
		"which things are you going to remind me of?": true,
		"remind me of the meeting":                    false, "what are reminders": false, "remind me": false, "set a reminder for my tea": false,
	} {
		if got := asksReminders(language.SplitWords(text)); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
