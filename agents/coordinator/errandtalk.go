package coordinator

import (
	"slices"

	"github.com/reachyd/reachyd/perception/language"
)

// How long a timer still runs and what one is to be reminded of is asked in any order of a few words ("how long have I got left on that,
// dear?", "which reminders are you having"): such a question is known by its words, all of which must be of the tables in recollect.txt.

var (
	leftAsks      = language.Words("left-asks")
	leftMarks     = language.Words("left-marks")
	leftSmall     = language.Words("left-small")
	reminderAsks  = language.Words("reminder-asks")
	reminderMarks = language.Words("reminder-marks")
	reminderSmall = language.Words("reminder-small")
	errandUsual   = language.Texts("errand-usual")
)

// asksReminders reports whether words ask for the reminders there are.
func asksReminders(words []string) bool {
	asks, marked, whose := false, false, false
	for i, w := range words {
		ask, mark := reminderAsks[w], reminderMarks[w]
		whose = whose || w == "i" || w == "you" || w == "my" || w == "there" || w == "me" && i > 0
		if asks, marked = asks || ask, marked || mark; !ask && !mark && !reminderSmall[w] {
			return false
		}
	}
	const least = 3
	return asks && marked && whose && len(words) >= least
}

// asksTimeLeft reports whether words ask how long a timer still runs: one that they name, or one that was spoken of, in what words.
func asksTimeLeft(words []string, spoken string) bool {
	asks, marked, named := false, false, false
	of := language.SplitWords(spoken) // what the timer is for: "how long does the tea still need"
	for _, w := range words {
		ask, mark, names := leftAsks[w], leftMarks[w], timers[w]
		asks, marked, named = asks || ask, marked || mark, named || names
		if !ask && !mark && !names && !leftSmall[w] && !slices.Contains(of, w) {
			return false
		}
	}
	timed := slices.Contains(words, "time") || slices.Contains(words, "remaining")
	return marked && (asks || timed) && (named || spoken != "")
}
