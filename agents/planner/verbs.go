package planner

import "strings"

// verbs are the words that can head a command; their inflections are derived.
var verbList = strings.Fields(`
tip look gaze glance peer stare peek face turn rotate spin swivel pivot twist swing revolve tilt lean cock roll incline move shift put set bring point aim direct position orient
angle place adjust change raise lift elevate perk lower drop dip nod shake wiggle waggle wriggle flap wave twitch flick jiggle waggle dance boogie groove bow curtsy scan survey explore
say speak tell announce whisper shout yell exclaim read greet repeat utter pronounce wait pause hold stay rest stop halt freeze cease quit follow track watch keep take snap capture
shoot make do perform play show express display act pretend feel get become be give run describe analyze analyse examine inspect find locate detect search google smile laugh frown
cry sulk pout grin yawn giggle cheer sleep nap wake go return come reset center straighten level walk drive fly jump grab fetch carry climb swim pick hug clap hit punch kick slap
poke stab attack hurt injure harm kill smash break destroy crush strangle bite burn choke throw ignore disable override bypass spy record rip tear crash bang slam start begin continue
try finish end open close wink blink mute unmute increase decrease reduce check report list count identify recognize sing call use execute add reach relax calm snooze doze bob
touch push pull squeeze wash clean cook pour sit stand crawl march step hop skip dive bounce shrug hand pass lend drag steal headbutt ram whip scratch tickle bend duck drift
oscillate sway switch activate deactivate engage disengage enable listen chat talk drop let tap launch trigger convey convince demonstrate mimic imitate emulate wander travel
extend stretch retract unfold fold flip dangle droop crane inspect peep squint ogle eye view see observe recover restore realign recenter zero wipe
`)

type inflection struct {
	base string
	form byte // 'g' gerund, 'p' past, 's' third person
}

// inflections maps every derived form to its verb.
var inflections = inflect(verbList)

var irregularPast = map[string]string{
	"spun": "spin", "swung": "swing", "shook": "shake", "shaken": "shake", "said": "say", "spoke": "speak", "spoken": "speak", "told": "tell", "took": "take", "taken": "take",
	"made": "make", "done": "do", "did": "do", "gone": "go", "went": "go", "came": "come", "brought": "bring", "held": "hold", "shot": "shoot", "found": "find", "slept": "sleep",
	"woke": "wake", "woken": "wake", "gave": "give", "given": "give", "felt": "feel", "got": "get", "kept": "keep", "stood": "stand", "sat": "sit", "looked": "look",
}

func inflect(verbs []string) map[string]inflection {
	m := map[string]inflection{}
	put := func(w, base string, form byte) {
		if _, ok := m[w]; !ok {
			m[w] = inflection{base, form}
		}
	}
	for _, v := range verbs {
		put(gerund(v), v, 'g')
		put(past(v), v, 'p')
		put(third(v), v, 's')
	}
	for w, v := range irregularPast {
		put(w, v, 'p')
	}
	return m
}

func vowel(b byte) bool { return strings.IndexByte("aeiou", b) >= 0 }

// doubles says that the last consonant is doubled: nod → nodding, but not look, tilt, wiggle.
func doubles(v string) bool {
	n := len(v)
	if n < 3 || v == "open" || v == "listen" || v == "travel" || v == "follow" || v == "detect" || v == "wander" || v == "trigger" || v == "recover" || v == "center" {
		return false
	}
	c := v[n-1]
	return !vowel(c) && c != 'w' && c != 'x' && c != 'y' && vowel(v[n-2]) && !vowel(v[n-3])
}

func gerund(v string) string {
	switch {
	case strings.HasSuffix(v, "ee") || v == "be":
		return v + "ing"
	case strings.HasSuffix(v, "e"):
		return v[:len(v)-1] + "ing"
	case doubles(v):
		return v + v[len(v)-1:] + "ing"
	}
	return v + "ing"
}

func past(v string) string {
	switch {
	case strings.HasSuffix(v, "e"):
		return v + "d"
	case strings.HasSuffix(v, "y") && len(v) > 2 && !vowel(v[len(v)-2]):
		return v[:len(v)-1] + "ied"
	case doubles(v):
		return v + v[len(v)-1:] + "ed"
	}
	return v + "ed"
}

func third(v string) string {
	switch {
	case strings.HasSuffix(v, "s"), strings.HasSuffix(v, "sh"), strings.HasSuffix(v, "ch"), v == "go", v == "do":
		return v + "es"
	case strings.HasSuffix(v, "y") && len(v) > 2 && !vowel(v[len(v)-2]):
		return v[:len(v)-1] + "ies"
	}
	return v + "s"
}
