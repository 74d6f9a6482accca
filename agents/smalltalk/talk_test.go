package smalltalk

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/reachyd/reachyd/agents/coordinator"
	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/perception/language"
)

// Every kind can be asked for in at least eight ways.
func TestEveryKindHasManyWays(t *testing.T) {
	for _, k := range builtInPersona().kinds {
		if makers[k.name].reads != nil {
			continue
		}
		ways := 0
		for _, w := range k.ways {
			ways += 1 + strings.Count(w, "|") + strings.Count(w, "[") + strings.Count(w, "{word 0") + strings.Count(w, "{text")
		}
		if ways < 8 {
			t.Errorf("%s: %d ways, there must be at least 8", k.name, ways)
		}
	}
}

// What is computed is right, and what depends on the clock is that of the host.
func TestAnswers(t *testing.T) {
	s := newStage(t, nil)
	for _, c := range []struct{ text, want string }{
		{"what time is it", `14:05`},
		{"what is the date today", `Saturday, 21 November 2026`},
		{"which axes can you move", `head`},
		{"in which directions can you turn your head?", `head`},
		{"is the supermarket open now?", `not know`},
		{"does the post office open on Saturdays?", `not know`},
		{"I can't decide between pizza and salad, pick for me", `(?i)(pizza|salad)`},
		{"should I take the bus or walk? you decide", `(?i)(the bus|walk)`},
		{"which weekday was yesterday", `Yesterday was Friday, 20 November`},
		{"how many days until christmas", `34 days`},
		{"what time is it in 2 hours", `16:05`},
		{"is it weekend", `weekend!`},
		{"what is five plus seven", `\b12\b`},
		{"eight times seven, quick!", `\b56\b`},
		{"which is heavier, a kilo or two pounds", `^1 kilogram`},
		{"which is bigger, 7 or 9", `^9|7 is less than 9`},
		{"how many grams are there in a pound", `453\.59`},
		{"what is 15 percent of 80", `\b12\b`},
		{"count to five", `1, 2, 3, 4, 5`},
		{"count down from four to one", `4, 3, 2, 1`},
		{"count to 1000", `at most 50`},
		{"count backwards from five", `^5, 4, 3, 2, 1\.$`},
		{"count down from three", `^3, 2, 1\.$`},
		{"can you count by threes up to thirty", `^3, 6, 9, .*27, 30\.$`},
		{"count down from ten to eight please", `^10, 9, 8\.$`},
		{"what month comes after December", `January`},
		{"what day comes before Sunday", `Saturday`},
		{"what is the opposite of up", `[Dd]own`},
		{"have you got legs", `^No\.`},
		{"do you have a camera", `^Yes\.`},
		{"do you have eyes or a nose", `^I see with one camera.*smell`},
		{"would your head go down fifty degrees", `^No\. .*40`},
		{"can your body turn more than a hundred degrees", `^Yes\. .*160`},
		{"how far does your head tilt sideways", `tilts at most 40`},
		{"how do I make you stop", `“stop”`},
		{"when is Easter", `Sunday, 28 March 2027`},
		{"how long is it till my birthday on the third of March", `3 March 2027`},
		{"how many legs do spiders have", `^A spider has 8 legs\.$`},
		{"how many legs has a snake", `^A snake has no legs\.$`},
		{"is a tomato a vegetable or a fruit", `^A tomato is a fruit\.$`},
		{"is a whale a fish?", `^No\. A whale is a mammal\.$`},
		{"what colour is the sky", `blue`},
		{"which is smaller, the moon or the sun?", `^The moon is smaller than the sun\.$`},
		{"is a mouse bigger than an elephant", `^No: an elephant is bigger than a mouse\.$`},
		{"what do you call a baby sheep", `^A lamb\.$`},
		{"which language do they speak in Brazil", `Portuguese`},
		{"how many degrees are in a full circle?", `360`},
		{"can you tell the children who you are", `Reachy Mini|robot`},
		{"who on earth are you?", `Reachy Mini|robot`},
		{"you got any wheels?", `^No\.`},
		{"toss a coin, we can't decide who goes", `heads|tails`},
		{"should Anna or Peter go first? Draw one.", `Anna|Peter`},
		{"hello, do you pass the Turing test?", `^(Hello|Hi).* robot`},
		{"spell robot", `R, O, B, O, T`},
		{"how long is the word hippopotamus", `12 letters`},
		{"how many r are in strawberry", `3`},
		{"say robot backwards", `tobor`},
		{"how far can you turn your body", `160`},
		{"how far can you look up", `40 degrees`},
		{"how many motors do you have", `9`},
		{"what can you do with your antennas", `180 degrees`},
		{"are your motors hot", `31 °C`},
		{"how long have you been awake", `1 hour`},
		{"are you able to fly", `no wings`},
		{"is 7 odd or even", `odd`},
		{"choose between pizza and pasta", `pizza|pasta`},
		{"what rhymes with cat", `hat|bat|mat|rat|sat|flat|that`},
		{"is there a rhyme for silver", `no rhyme`},
		{"which is longer, elephant or crocodile", `“crocodile” has 9 letters, “elephant” 8`},
		{"what is the tallest mountain in the world", `Everest`},
		{"spell your name", `R, E, A, C, H, Y; M, I, N, I\.`},
		{"your name backwards", `^I, N, I, M; Y, H, C, A, E, R\.`},
		{"what time did you start", `1 hour`},
		{"what you can do", `riddle|games`},
		{"you like music?", `dance|game`},
		{"can you bark like a dog", `Woof`},
		{"how do you walk", `no legs|without them|all that I have`},
		{"how come you are called Reachy", `Reachy Mini`},
		{"call yourself Ziggy from now on", `Ziggy`},
		{"spell your name", `Z, I, G, G, Y\.`},
		{"go back to your old name", `Reachy Mini`},
		{"from now on you are called Pepper", `Pepper`},
		{"what is your name", `Pepper`},
	} {
		if got := s.say(c.text); !regexp.MustCompile(c.want).MatchString(got) {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
	if s.texts["name"] != "Pepper" || newStageWith(t, s.texts).Name() != "Pepper" {
		t.Errorf("the name is not kept: %v", s.texts)
	}
}

func newStageWith(t *testing.T, texts map[string]string) *stage {
	s := newStage(t, nil)
	s.texts = texts
	return s
}

// What is asked is answered, whatever stands beside it, and what is not meant is not.
func TestWhatIsAsked(t *testing.T) {
	s := newStage(t, nil)
	for _, c := range []struct{ text, want string }{
		{"I don't like you.", `^I see|^That may be so|^I heard|^Good to know`},
		{"its my birthday!!! im 7", `[Hh]appy`},
		{"sorry sir, how I must call you?", `Reachy`},
		{"What all can you do, then? Keep it short, my tea is going cold.", `look|Movements|move`},
		{"count to five for my little one", `^1, 2, 3, 4, 5\.`},
		{"is it morning or afternoon, I just woke up", `^It is afternoon`},
		{"up to how many degrees can your head go sideways", `tilts`},
		{"how much memory do you have left", `computer`},
		{"rate my outfit 1-10", `do not know|not sure|beyond|did not|no answer`},
		{"what's 5-8", `^Minus 3`},
		{"are you more of a tea person or a coffee person", `tea .*coffee`},
		{"what is your favourite book", `book`},
		{"a riddle for me, but not a too hard one, I'm learning", `\?|who|Who|Say “I give up”`},
		{"my brother broke my lego castle", `sorry`},
		{"who invented the zip?", `do not know.*“`},
	} {
		got := s.say(c.text)
		if got == "" {
			got = s.Unknown(coordinator.Request{Session: "a", Text: c.text})
		}
		if !regexp.MustCompile(c.want).MatchString(got) {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}

// How it feels is what the body says.
func TestFeelings(t *testing.T) {
	s := newStage(t, nil)
	for want, f := range map[string]Feelings{
		"52 °C":               {Known: true, Mode: "enabled", Hottest: "left_antenna", Celsius: 52},
		"a button":            {Known: true, Mode: "enabled", Stopped: true, StoppedBy: "a button"},
		"overload":            {Known: true, Mode: "enabled", Faults: []string{"overload at the left antenna"}},
		"wake up":             {Known: true, Mode: "disabled"},
		"cannot feel my body": {},
	} {
		s.feelings = f
		if got := s.say("how are you"); !strings.Contains(got, want) {
			t.Errorf("%+v: %q, want %q", f, got, want)
		}
	}
}

// Before and after a time of the day is told by the clock, which says 14:05.
func TestPastNoon(t *testing.T) {
	s := newStage(t, nil)
	for text, want := range map[string]string{
		"is it past noon yet": "Yes", "is it after midday": "Yes", "is it already past lunchtime?": "Yes", "is it before noon": "No", "is it noon": "No",
		"is it past midnight": "Yes",
	} {
		if got := s.say(text); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q, want %s", text, got, want)
		}
	}
}

// What is owed to others is not claimed for the robot itself: with a language model or a web search elsewhere its words leave the house.
func TestNoPromiseThatNothingLeavesTheHouse(t *testing.T) {
	s := newStage(t, nil)
	for _, text := range []string{"are you online?", "do you need the internet", "are you recording me", "does any of this go through the cloud"} {
		for range 6 {
			if got := s.say(text); !strings.Contains(got, "elsewhere") {
				t.Errorf("%s: %q", text, got)
			}
		}
	}
}

// What was said and done comes from the conversation.
func TestTalkAboutTheTalk(t *testing.T) {
	s := newStage(t, nil)
	if got := s.say("what did you just do"); !strings.Contains(got, "not done anything") {
		t.Errorf("nothing was done: %q", got)
	}
	s.history = append(s.history, coordinator.Exchange{TS: noon, Text: "look left", Reply: "I looked left.", Outcome: coordinator.OutcomePlan})
	if got := s.say("what did I just say"); !strings.Contains(got, "“look left”") {
		t.Errorf("what was said: %q", got)
	}
	if got := s.say("what did you just do"); !strings.Contains(got, "I looked left.") {
		t.Errorf("what was done: %q", got)
	}
	if got := s.say("why did you do that"); !strings.Contains(got, "“look left”") {
		t.Errorf("why: %q", got)
	}
	// What a language model had the robot do was done, too; what it did is no matter for the model's imagination.
	s.history = append(s.history,
		coordinator.Exchange{TS: noon, Text: "peek up, would you", Reply: "I looked up.", Outcome: coordinator.OutcomeAnswered, Did: []string{"move_head"}},
		coordinator.Exchange{TS: noon, Text: "what do whales eat", Reply: "Krill.", Outcome: coordinator.OutcomeAnswered})
	for text, want := range map[string]string{
		"what did you just do": "I looked up.", "What have you done for me so far?": "I looked up.", "Did you just take a photo of me?": "remember",
		"have you sent that message to my boss?": "remember",
	} {
		if got := s.say(text); !strings.Contains(got, want) {
			t.Errorf("%s: %q", text, got)
		}
		if m := s.Match("a", language.Analyse(text)); m == nil || !m.Sure {
			t.Errorf("%s is for the model", text)
		}
	}
	// A deed that is named is the one that is told of, and none is made up.
	for text, want := range map[string]string{
		"did you look left?": "“look left”", "have you already looked left?": "“look left”", "did you wiggle your antennas?": "remember",
		"did you turn the light off?": "remember", "have you sent that message to my boss?": "remember", "did you move?": "“peek up",
	} {
		if got := s.say(text); !strings.Contains(got, want) || strings.Contains(got, "emember") != (want == "remember") {
			t.Errorf("%s: %q", text, got)
		}
	}
	if _, err := s.memory.Remember("a", "my name is Anna"); err != nil {
		t.Fatal(err)
	}
	if got := s.say("who am I"); !strings.Contains(got, "Anna") {
		t.Errorf("who: %q", got)
	}
}

// Praise and blame are published for what was done before.
func TestFeedback(t *testing.T) {
	s := newStage(t, nil)
	s.history = []coordinator.Exchange{{TS: noon, Trace: "t1", Text: "nod", Reply: "I nodded.", Outcome: coordinator.OutcomePlan}}
	s.say("good job")
	s.say("that was wrong")
	s.published[1] = api.Feedback{Reward: s.published[1].(api.Feedback).Reward, Session: "a", Text: s.published[1].(api.Feedback).Text}
	want := []any{api.Feedback{Of: "t1", Reward: 1, Session: "a", Text: "good job"}, api.Feedback{Reward: -1, Session: "a", Text: "that was wrong"}}
	if got := fmt.Sprintf("%+v", s.published); got != fmt.Sprintf("%+v", want) {
		t.Errorf("%s, want %+v", got, want)
	}
}

// No reply comes twice in a row where there are several.
func TestNeverTheSameTwice(t *testing.T) {
	s := newStage(t, nil)
	for _, text := range []string{"tell me a joke", "what is your name", "explain quantum chromodynamics"} {
		last := ""
		for i := range 50 {
			got := s.say(text)
			if got == "" {
				got = s.Unknown(coordinator.Request{Session: "a", Text: text})
			}
			if got == last {
				t.Fatalf("%q, time %d: %q again", text, i, got)
			}
			last = got
		}
	}
}

// What the planner says of a sentence that is no command stands.
func TestUnknownKeepsWhatIsKnown(t *testing.T) {
	s := newStage(t, nil)
	for _, c := range []struct{ message, want string }{{"Which way?", "^Which way\\?$"}, {planner.NotUnderstood, "“.+”"}, {"", "“.+”"}} {
		got := s.Unknown(coordinator.Request{Session: "a", Plan: planner.Plan{Outcome: planner.OutcomeNone, Message: c.message}})
		if !regexp.MustCompile(c.want).MatchString(got) {
			t.Errorf("%q: %q", c.message, got)
		}
	}
}

// What people tell of themselves is not answered as if they had asked something.
func TestStatementsAreNoQuestions(t *testing.T) {
	s := newStage(t, nil)
	for text, want := range map[string]string{
		"I live in Leeds.": "“remember that I live in Leeds”", "My cat is called Whiskers": "“remember that my cat is called Whiskers”",
		"I would like you to explain relativity": "", "the neighbours are loud": "", "the tide is out": "", "my what is it?": "", "my \"cat\" is old": "",
		"I once walked all the way from the harbour to the old mill and back": "",
	} {
		got := s.Unknown(coordinator.Request{Session: "a", Text: text})
		if strings.HasPrefix(text, "the ") && !regexp.MustCompile(`^(I see|That may be so|I heard that|So the neighbours are loud\. )`).MatchString(got) {
			t.Errorf("%q: %q", text, got)
		}
		if kept := strings.Contains(got, "remember that"); kept != (want != "") || !strings.Contains(got, want) {
			t.Errorf("%q: %q", text, got)
		}
	}
}

// What nobody understands is met by what it is: a question, one that only people can decide, news of a mood, or something of a subject.
func TestNotKnown(t *testing.T) {
	s := newStage(t, nil)
	for text, want := range map[string]string{
		"I wonder how many people live in Tokyo": `know`, "do you pass the Turing test?": `robot`, "what should I wear to the opera?": `decide|best`,
		"the printer is broken again": `^So the printer is broken again\. .*(sorry|hard)`, "I had such a lovely walk": `^So you had such a lovely walk\. `,
		"quiet in here tonight, isn't it": `quiet`, "what a match last night!": `[Ss]port`, "I need you to paint the fence": `^([^S]|Sorry)`,
	} {
		if got := s.Unknown(coordinator.Request{Session: "a", Text: text}); !regexp.MustCompile(want).MatchString(got) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// What people tell of their own bed and their own way home moves nothing.
func TestTalkOfBedAndHome(t *testing.T) {
	s := newStage(t, nil)
	for text, want := range map[string]string{
		"I don't want to go to bed": "bed-told", "time to go to bed, kids": "bed-told", "will you come home with me": "come-along",
		"shake a leg, we're late": "not-for-me", "go to sleep": "planner", "I want you to go to sleep": "planner",
	} {
		if got := s.kind(text); got != want {
			t.Errorf("%q is taken for %q, want %q", text, got, want)
		}
	}
}

// Every suggestion is a sentence that works.
func TestSuggestionsWork(t *testing.T) {
	s := newStage(t, nil)
	said := regexp.MustCompile(`“([^“”{}]+)”`)
	check := func(where, text string) {
		if s.kind(text) == "" {
			t.Errorf("%s suggests %q, which nobody answers", where, text)
		}
	}
	for _, text := range s.o.Persona.Suggestions() {
		check("unknown", text)
	}
	elsewhere := map[string]bool{ // answered by the memory, the coder or the rules of a stop
		"my name is": true, "from now on you are called": true, "forget everything": true, "set a timer for 5 minutes": true,
		"set a timer for 10 minutes": true, "you may move again": true, "You may move again": true,
		"it": true, "Forget everything": true, "quickly": true, "slowly": true,
		"Simon says": true, "twenty questions": true,
	}
	for _, k := range s.o.Persona.kinds {
		if k.name == "joke" || k.name == "story" {
			continue
		}
		for _, replies := range k.replies {
			for _, r := range replies {
				for _, m := range said.FindAllStringSubmatch(r, -1) {
					if !elsewhere[m[1]] {
						check(k.name, m[1])
					}
				}
			}
		}
	}
}

// The robot's name around a sentence changes nothing of it.
func TestItsNameBesideASentence(t *testing.T) {
	s := newStage(t, nil)
	s.say("from now on you are called Biscuit")
	for _, text := range []string{"hello Biscuit", "Biscuit, how are you", "good evening, Biscuit"} {
		if m := s.Match("a", language.Analyse(text)); m == nil || !m.Sure {
			t.Errorf("%q is not understood", text)
		}
	}
}

func TestSessionsAreBounded(t *testing.T) {
	s := newStage(t, nil)
	for i := range 3 * maxSessions {
		s.Answer(t.Context(), coordinator.Request{Session: fmt.Sprint("s", i), Text: "hello"}, s.Match("x", language.Analyse("hello")))
	}
	if n := len(s.sessions); n > maxSessions || n != len(s.order) {
		t.Errorf("%d sessions, %d in order", n, len(s.order))
	}
}

// The planner goes first, but for what is listed.
func TestThePlannerGoesFirst(t *testing.T) {
	s := newStage(t, nil)
	for text, want := range map[string]string{
		"look left": "planner", "nod twice": "planner", "dance": "planner", "can you dance": "planner", "go to sleep": "planner", "stop": "planner",
		"flip a coin": "coin", "say a tongue twister": "tongue-twister", "are your motors hot": "warm",
	} {
		if got := s.kind(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// A sentence costs little, also one that nobody understands.
func BenchmarkMatch(b *testing.B) {
	s := newStage(b, nil)
	u := language.Analyse("could you perhaps be so kind and explain to me why the sky above the church is blue today")
	for b.Loop() {
		s.Match("a", u)
	}
}

// A robot whose clock was not set at its first start is not older than mankind has had such robots.
func TestAgeWhenTheClockIsSet(t *testing.T) {
	now := time.Date(1970, 1, 1, 0, 0, 10, 0, time.UTC)
	keep := &stage{texts: map[string]string{}}
	talk := New(Options{Keep: keep, Now: func() time.Time { return now }})
	for _, to := range []time.Time{now, time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)} {
		now = to
		if err := talk.Begin(); err != nil {
			t.Fatal(err)
		}
	}
	now = now.Add(72 * time.Hour)
	if which, v := age(&turn{Talk: talk, now: now}); which != "" || v["age"] != "3 days" {
		t.Errorf("%q %v", which, v)
	}
}

func TestAddress(t *testing.T) {
	const wired, wireless, none = "I am at 192.168.1.20.", "I am at 192.168.1.20, in the network home.", "I am not in any network just now."
	for want, f := range map[string]Feelings{
		wired: {Address: "192.168.1.20"}, wireless: {Address: "192.168.1.20", Network: "home"}, none: {},
	} {
		for _, text := range []string{"what is your address", "what's your IP address?", "tell me your ip", "how can I reach you over the network"} {
			s := newStage(t, nil)
			s.feelings = f
			if got := s.say(text); got != want {
				t.Errorf("%q: %q, want %q", text, got, want)
			}
		}
	}
	for _, text := range []string{"where do you live", "what is your home address"} {
		if got := newStage(t, nil).say(text); got == none {
			t.Errorf("%q: %q", text, got)
		}
	}
}
