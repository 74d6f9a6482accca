package language

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Several timers are asked for in one sentence: "six minutes for the rice and one of twenty for the soup", "two timers, five and nine minutes". Each is
// told by its length and by what it is for, before or behind it.

var (
	setVerbs  = Words("errand-set-verbs")
	setTimes  = Phrases("errand-set-times")
	setFor    = Words("errand-set-for")
	setBefore = Words("errand-set-before")
	setNoName = Words("errand-set-no-name")
	setOnes   = Words("errand-set-ones")

	setBesides = Words("errand-set-besides")
	besideNot  = Words("errand-set-besides-not")
)

// setting is one timer that is asked for.
type setting struct{ name, length string }

// TimersToSet are the timers that a sentence asks for where these are several, or where timers were spoken of just before (talk): "then start one,
// seven minutes, for the coffee". Each is in the usual words.
func TimersToSet(u *Utterance, talk bool) (all []string) {
	if u.TooLong || len(u.Text) > MaxRequest || tellsOfTimers(u) {
		return nil
	}
	e := errandOf(u, nil)
	if alarms := alarmsToSet(u, &e); len(alarms) > 0 {
		return alarms
	}
	found := settings(u)
	if one := oneToSet(u, &e, found, talk); one != "" {
		return []string{one}
	}
	sets, ones, others := e.setWords(u)
	if others || len(e.spans) == 0 || e.is(errandOff) || e.is(errandMore) && !ones || e.is(errandLess) || e.is("asks") {
		return nil
	}
	timers := slices.Contains(e.kinds, KeptTimer)
	if len(found) == 1 && (!ones || timers && found[0].name == "" || !timers && (!talk || !sets && !e.is("and"))) {
		return nil
	}
	named := !slices.ContainsFunc(found, func(s setting) bool { return s.name == "" }) && e.other <= 2*len(found)
	if len(found) > 1 && !timers && !named && !setTimesIn(u) {
		return nil
	}
	for _, s := range found {
		all = append(all, s.says())
	}
	return all
}

// oneToSet is the timer that a sentence asks for in other words than for one: "the exposure takes four minutes, start a timer please", "the
// sourdough's just gone in, forty minutes please", and where timers were spoken of "and the rolls need twelve".
func oneToSet(u *Utterance, e *errand, found []setting, talk bool) string {
	if m := needsMinutes.FindStringSubmatch(withDays(u.Text)); m != nil && talk && !u.Question {
		one := setting{m[1], m[2] + " " + errandSays["unit"]}
		return one.says()
	}
	if len(found) != 1 {
		return ""
	}
	if len(e.spans) == 1 && asksTimerIn(u) {
		return found[0].says()
	}
	if length := lengthBeside(u, e); length != "" {
		return strings.ReplaceAll(errandSays["set"], "BY", length)
	}
	return ""
}

// says is the request for a timer in the usual words.
func (s *setting) says() string {
	text := errandSays["set"]
	if s.name != "" {
		text = errandSays["set named"]
	}
	return strings.NewReplacer("NAME", s.name, "BY", s.length).Replace(text)
}

// asksTimerIn reports whether a clause asks for a timer and another says for how long: "the exposure takes four minutes, start a timer please".
func asksTimerIn(u *Utterance) bool {
	for _, c := range u.Clauses[min(1, len(u.Clauses)):] {
		from := max(c.From, u.Address.To)
		if from >= c.To {
			continue
		}
		if asksTimerFrom(u.Text[u.Tokens[from].Start:u.Tokens[c.To-1].End]) {
			return true
		}
	}
	_, behind, so := strings.Cut(u.Text, " so ") // "she says pizza's in ten minutes so set a timer for that"
	return so && asksTimerFrom(strings.TrimRight(behind, " .!"))
}

func asksTimerFrom(text string) bool {
	text = strings.ToLower(text)
	at := asksTimer.FindStringIndex(text)
	return at != nil && led(text[:at[0]])
}

// needsMinutes is one more timer where timers were spoken of: "and the rolls need twelve".
var needsMinutes = regexp.MustCompile(`^(?:(?:and|also|oh|plus)\b[ ,]*)+(?:the|my|our) (?:[a-z]+ )?([a-z]+) (?:needs?|wants?|takes?|gets?) (\d+)\W*$`)

var asksTimer = regexp.MustCompile(`\b` + sets + `(?:a|an|the|another|one|my) (?:\w+ )?(?:timer|countdown)(?: (?:for|on) (?:it|that|them|me|us|this))?` +
	`(?: (?:please|then|now|will you|would you|thanks))*$`)

// lengthBeside is the length of a timer that is asked for by nothing but it, beside what tells why: "the sourdough's just gone in, forty minutes
// please".
func lengthBeside(u *Utterance, e *errand) string {
	if u.Question || len(e.spans) != 1 || len(e.kinds) > 0 || e.spans[0].picks || len(e.parts) < 2 {
		return ""
	}
	for i := len(e.parts) - 1; i > 0; i-- {
		p, c := &e.parts[i], u.Clauses[i]
		if len(p.spans) == 0 {
			continue
		}
		for k := c.From; k < c.To; k++ {
			if toks := u.Tokens; IsVerb(toks.Word(k)) && !setBesides[toks.Word(k)] || besideNot[toks.Word(k)] {
				return ""
			}
		}
		head := strings.ToLower(u.Text[u.Tokens[u.Address.To].Start:u.Tokens[c.From].Start])
		if waited.MatchString(head) {
			return ""
		}
		if p.other == 0 && p.words <= mostPlain && tellsWhy.MatchString(head) &&
			!slices.ContainsFunc(p.acts, func(act string) bool { return act != errandChange }) { // "set" is one
			return e.spans[0].text
		}
	}
	return ""
}

// mostPlain is of how many words a clause is that says a length and nothing else.
const mostPlain = 9

// tellsWhy finds what tells why a timer is wanted.
var tellsWhy = regexp.MustCompile(`\b(?:is|are|am|has|have|goes|going|went|gone|needs?|started?|just|now|ready|put|in|on)\b|(?:'s|'re|'ve|'m)\b`)

// waited finds that a length is over.
var waited = regexp.MustCompile(`\b(?:been|was|were|waited|took|lasted|ago|late)\b`)

// tellsOfTimers reports whether a sentence makes a condition, or tells of somebody else's timers.
func tellsOfTimers(u *Utterance) bool {
	said := u.Request().Small
	return errandGuards.Rule("if").Find(said) != nil || errandGuards.Rule("told").Find(said) != nil
}

// setWords reports whether a sentence has a verb by which timers are set, a word for one more, and what makes it no request for several.
func (e *errand) setWords(u *Utterance) (sets, ones, others bool) {
	toks := u.Tokens
	for i := u.Address.To; i < len(toks); i++ {
		w := toks.Word(i)
		sets, ones = sets || setVerbs[w] || setTimes.Has(toks, i), ones || setOnes[w] || setOnes[toks[i].Orig]
		verb := IsVerb(w) && !setVerbs[w] && !errandSmall[w] && !setBesides[w]
		fixed := wishFixes.Has(toks, i) && e.fixes(u)
		kind := errandKinds[w]
		others = others || verb || fixed || w == "?" && !sets || kind == KeptReminder || kind == KeptAlarm
	}
	return sets, ones, others
}

// alarmsToSet are the alarms that a sentence asks for where these are several: "alarms for half past five and for six in the morning".
func alarmsToSet(u *Utterance, e *errand) (all []string) {
	sets := setVerbs[u.Tokens.Word(u.Address.To)] || errandKinds[u.Tokens.Word(u.Address.To)] == KeptAlarm || e.is("and")
	if !sets || !slices.Contains(e.kinds, KeptAlarm) || e.is(errandOff) || e.is("asks") || e.is("not") || e.fixes(u) || len(e.spans) > 0 {
		return nil
	}
	text := WithTimes(strings.ToLower(u.Text))
	half := ""
	if words := SplitWords(text); slices.Contains(words, "am") || slices.Contains(words, "morning") {
		half = " am"
	} else if slices.Contains(words, "pm") {
		half = " pm"
	}
	for _, at := range alarmTimes.FindAllStringSubmatch(text, maxSettings) {
		said := at[1]
		if !strings.HasSuffix(said, "m") {
			said += half
		}
		all = append(all, strings.ReplaceAll(errandSays["set alarm"], "BY", said))
	}
	if len(all) < 2 {
		return nil
	}
	return all
}

// alarmTimes finds the times of day of several alarms.
var alarmTimes = regexp.MustCompile(`(?:\bfor|\bat|\band|,) (?:for |at |one at |one for )?(\d{1,2}(?::\d\d)?(?: ?[ap]m)?)\b`)

// maxSettings is how many timers are set by one sentence at most.
const maxSettings = 5

// fixes reports whether somebody corrects a length: "five, no, six minutes".
func (e *errand) fixes(u *Utterance) bool {
	for i := range u.Tokens {
		if n := wishFixes.Len(u.Tokens, i); n > 0 && i > u.Address.To {
			for j := i + n; j < min(i+n+fixNear, len(u.Tokens)); j++ {
				if u.Tokens[j].Kind == Number && !u.Tokens[j].Pronoun {
					return true
				}
			}
		}
	}
	return false
}

// fixNear is how near behind a correction the number stands that it brings.
const fixNear = 4

func setTimesIn(u *Utterance) bool {
	for i := range u.Tokens {
		if setTimes.Has(u.Tokens, i) {
			return true
		}
	}
	return false
}

// settings are the lengths that a sentence names, each with what it is for.
func settings(u *Utterance) (all []setting) {
	toks := u.Tokens
	unit, end := "", 0
	for i := u.Address.To; i < len(toks) && len(all) < maxSettings; {
		q, n := timeAt(toks, i)
		t := &toks[i]
		bare := n > 0 && q.Dim == NoUnit && t.Kind == Number && !t.Pronoun && t.Orig != "one" && q.Value > 0 && !timerCount(toks, i) &&
			(unit != "" || listed(toks, i+n))
		if n == 0 || q.Dim != Time && !bare {
			i++
			continue
		}
		s := setting{length: u.Text[t.Start:toks[i+n-1].End]}
		if bare {
			s.length = strconv.FormatFloat(q.Value, 'f', -1, 64) + " " + errandSays["unit"]
		} else {
			unit = s.length
		}
		s.name = nameBehind(toks, i+n)
		if s.name == "" {
			s.name = cmp.Or(nameBefore(toks, i, end), nameTold(toks, i, end), nameGiven(u.Text[toks[i].Start:]))
		}
		all = append(all, s)
		i += n
		end = i
	}
	if unit == "" {
		return nil
	}
	return all
}

// listed reports whether a number is followed by another: "three, eight and sixteen minutes".
func listed(toks Tokens, i int) bool {
	at := i
	for at < len(toks) && (toks.IsMark(at) || joinsParts[toks.Word(at)]) {
		at++
	}
	return at > i && at < len(toks) && toks[at].Kind == Number
}

// timerCount reports whether a number says how many timers: "three timers".
func timerCount(toks Tokens, i int) bool {
	return errandKinds[toks.Word(i+1)] != "" || errandKinds[toks.Word(i+2)] != "" && setBefore[toks.Word(i+1)]
}

// nameBehind is what a length is for, as it is said behind it: "for the rice", "timer for my soup".
func nameBehind(toks Tokens, i int) string {
	if toks.IsMark(i) && (toks.Word(i+1) == "is" || setFor[toks.Word(i+1)]) {
		i++
	}
	for errandKinds[toks.Word(i)] == KeptTimer || toks.Word(i) == "is" {
		i++
	}
	if !setFor[toks.Word(i)] {
		return ""
	}
	for i++; i < len(toks) && setBefore[toks.Word(i)]; i++ {
	}
	return nameAt(toks, i)
}

// nameBefore is what a length is for, as it is said before it: "peas on for five minutes", "rice eight minutes".
func nameBefore(toks Tokens, i, end int) string {
	for i--; i >= end && (setBefore[toks.Word(i)] || setFor[toks.Word(i)]); i-- {
	}
	if i > end && toks.IsMark(i) && (setBefore[toks.Word(i-2)] || setFor[toks.Word(i-2)]) { // "one for the filling, five minutes"
		i--
	}
	if i < end || i < 0 || toks.IsMark(i) {
		return ""
	}
	return nameAt(toks, i)
}

// nameTold is what a length is for, as the clause before it tells: "the lasagne goes in now, fifty minutes".
func nameTold(toks Tokens, i, end int) string {
	at := i - 1
	if at <= end || !toks.IsMark(at) {
		return ""
	}
	for at--; at >= end && !toks.IsMark(at); at-- {
	}
	if at++; !setBefore[toks.Word(at)] || at+1 >= i {
		return ""
	}
	return nameAt(toks, at+1)
}

// nameGiven is the name that a timer is given: "eighteen minutes, call it rolls".
func nameGiven(text string) string {
	if m := givesName.FindStringSubmatch(strings.ToLower(text)); m != nil && !setNoName[m[1]] {
		return m[1]
	}
	return ""
}

var givesName = regexp.MustCompile(`\b(?:call(?: it| that| this)?|named|called|name it) (?:the )?([a-z]+)(?: timer)?\W*$`)

// nameAt is a word by which a timer can be called.
func nameAt(toks Tokens, i int) string {
	w := strings.TrimSuffix(toks.Word(i), "'s")
	if i >= len(toks) || toks.IsMark(i) || toks[i].Kind == Number || setNoName[w] || errandKinds[w] != "" || setVerbs[w] || errandSmall[w] || IsVerb(w) {
		return ""
	}
	return w
}
