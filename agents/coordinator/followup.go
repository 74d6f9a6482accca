package coordinator

import (
	"slices"
	"strconv"
	"strings"

	"github.com/reachyd/reachyd/perception/language"
)

// A sentence may lean on an exchange before it: it takes what was asked, told or done there (the topic, with its value) and does something with
// it. What comes of that is said in full, in the usual words of perception/language/en/followups.txt, and read as any other sentence.

var (
	followTalk  = language.Words("follow-talk")
	followUsual = language.Texts("follow-usual")
)

// Topics that an exchange may be of.
const (
	ofSum    = "sum"
	ofVolume = "volume"
	ofThrow  = "throw"
	ofPhoto  = "photo"
	ofFace   = "face"
	ofTalk   = "talk"
)

// topicTools are the tools by which an exchange is of a topic.
var topicTools = map[string]string{
	"set_volume": ofVolume, "flip_coins": ofThrow, "roll_dice": ofThrow, "random_number": ofThrow, "take_photo": ofPhoto, "express_emotion": ofFace,
}

// topic is what an exchange was about.
type topic struct {
	name  string
	value string // the result that the reply names last
	said  *Exchange
}

// changes reports whether what leans on a topic has to be said by itself: it would set something, or answer what nobody asked.
func (t *topic) changes() bool { return t.name == ofVolume || t.name == ofSum || t.name == ofFace }

// topicOf is what an exchange was about; no name where nothing leans on it.
func topicOf(e *Exchange) (t topic) {
	t.said = e
	for _, tool := range e.Did {
		t.name = topicTools[tool]
	}
	words := strings.Fields(language.Analyse(e.Read()).Tokens.String())
	has := func(of map[string]bool) bool { return slices.ContainsFunc(words, func(w string) bool { return of[w] }) }
	if numbers := oneNumber.FindAllString(strings.ReplaceAll(e.Account(), ",", ""), -1); len(numbers) > 0 {
		t.value = numbers[len(numbers)-1]
	}
	if strings.HasPrefix(e.Account(), followUsual["negative"]+" ") {
		t.value = "-" + t.value
	}
	switch {
	case t.name != "" || len(e.Did) > 0 && e.Outcome == OutcomePlan || e.Outcome != OutcomeAnswered:
	case has(followTalk):
		t.name = ofTalk
	case t.value != "" && has(sums):
		t.name = ofSum
	}
	return t
}

// mostLeaning is how many exchanges back lies what a sentence leans on, where nothing was done or answered since but that.
const mostLeaning = 4

// lastTopic is what the conversation is about: of the last exchange, but for those that nobody understood, or that asked only what it was.
func lastTopic(history []Exchange) (t topic) {
	for i := len(history) - 1; i >= max(0, len(history)-mostLeaning); i-- {
		e := &history[i]
		if t = topicOf(e); t.name != "" {
			return t
		}
		f := language.FollowUpOf(language.Analyse(e.Text))
		if e.Outcome != OutcomeNone && !f.Is("tell") {
			break
		}
	}
	return topic{}
}

// followUps are what a sentence may ask for that leans on the exchange before it, in full: what is sure, or what may be meant.
func (c *Coordinator) followUps(session string, u *language.Utterance, sure bool) []string {
	f := language.FollowUpOf(u)
	if len(f.Ops) == 0 && f.Face == "" && f.Throws == "" || f.Words > mostFollowing || sure && !f.Alone {
		return nil
	}
	t := lastTopic(c.sessions.history(session))
	if t.changes() && !f.Alone && !f.Apart && !u.Question { // "ten more minutes until dinner"
		return nil
	}
	text := t.followed(&f, sure)
	if text == "" || strings.EqualFold(text, u.Text) {
		return nil
	}
	return []string{text}
}

// followed is what a sentence asks for that leans on a topic; empty where it asks for nothing.
func (t *topic) followed(f *language.FollowUp, sure bool) (text string) {
	more := f.Is("again") || f.Is("plus") && len(f.Numbers) == 0
	switch t.name {
	case ofSum:
		text = t.sum(f)
	case ofVolume:
		text = t.volume(f)
	case ofFace:
		if f.Face != "" && len(f.Numbers) == 0 {
			text = strings.ReplaceAll(followUsual["face other"], "AMOUNT", f.Face)
		} else if f.Is("again") && !sure {
			text = t.said.Read()
		}
	case ofThrow:
		if text = f.Throws; text == "" && f.Is("again") {
			text = t.said.Read()
		}
	case ofTalk:
		if more {
			text = t.said.Read()
		}
	case ofPhoto:
		if more {
			text = followUsual["photo again"]
		}
	}
	return text
}

// mostFollowing is of how many words and operations a sentence is that leans on another.
const mostFollowing = 14

// sum is what is asked of the result of a sum.
func (t *topic) sum(f *language.FollowUp) string {
	if len(f.Numbers) > 1 {
		return ""
	}
	for _, op := range []string{"half", "double", "triple", "from", "times", "over", "minus", "plus", "again"} {
		needs := op != "half" && op != "double" && op != "triple"
		if !f.Is(op) || needs == (len(f.Numbers) == 0) {
			continue
		}
		amount := ""
		if needs {
			amount = strconv.FormatFloat(f.Numbers[0], 'f', -1, 64)
		}
		switch {
		case op == "again": // "another forty"
			op = "plus"
		case f.Turned && op == "minus":
			op = "from"
		case op == "over" && (f.Turned || f.Is("by-that")):
			op = "by-that"
		}
		return strings.NewReplacer("RESULT", t.value, "AMOUNT", amount).Replace(followUsual["sum "+op])
	}
	return ""
}

// smallStep is how much louder "a bit more" is, of 100.
const smallStep = 10

// volume is what is asked of the volume.
func (t *topic) volume(f *language.FollowUp) string {
	level, err := strconv.ParseFloat(t.value, 64)
	if err != nil || len(f.Numbers) > 1 {
		return ""
	}
	if f.Is("tell") && len(f.Numbers) == 0 {
		return followUsual["volume tell"]
	}
	by := float64(smallStep)
	if len(f.Numbers) > 0 {
		by = f.Numbers[0]
	}
	switch {
	case f.Is("half"):
		level /= 2
	case f.Is("double"):
		level *= 2
	case f.Is("triple"):
		level *= 3
	case f.Is("minus"):
		level -= by
	case f.Is("plus"), f.Is("again") && len(f.Numbers) > 0:
		level += by
	case f.Is("high") && len(f.Numbers) == 0:
		level -= by
	case f.Is("low") && len(f.Numbers) == 0:
		level += by
	default:
		return ""
	}
	const loudest = 100
	return strings.ReplaceAll(followUsual["volume set"], "AMOUNT", strconv.Itoa(int(min(max(level, 0), loudest))))
}

// whatItWas is what was thrown, where that is asked, some exchanges ago.
func whatItWas(history []Exchange, u *language.Utterance) (say string, ok bool) {
	f := language.FollowUpOf(u)
	if !f.Is("tell") || f.Words > mostFollowing || len(f.Numbers) > 0 {
		return "", false
	}
	for i := len(history) - 1; i >= max(0, len(history)-mostLeaning); i-- {
		switch topicOf(&history[i]).name {
		case ofThrow:
			return history[i].Account(), true
		case "":
		default:
			return "", false
		}
	}
	return "", false
}
