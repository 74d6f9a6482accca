package runtime

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/reachyd/reachyd/agents/calling"
	"github.com/reachyd/reachyd/agents/coordinator"
	"github.com/reachyd/reachyd/agents/llm"
	"github.com/reachyd/reachyd/agents/llm/llmtest"
	"github.com/reachyd/reachyd/agents/memory"
	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/agents/smalltalk"
	"github.com/reachyd/reachyd/agents/trace"
	"github.com/reachyd/reachyd/perception/language"
)

// little is a script as a small model.
func little(steps ...llmtest.Step) (*llmtest.Script, llm.Model) {
	s := llmtest.New(steps...)
	return s, calling.New(s, calling.Options{Always: true})
}

// A small model is asked once: what it calls is done and told in the robot's words.
func TestASmallModelIsAskedOnce(t *testing.T) {
	script, model := little(llmtest.Say(`[{"tool":"look","direction":"left"},{"tool":"take_photo"}]`))
	s := newStage(t, model, nil)
	s.expect(t, s.ask(t.Context(), "peek over to your left, and would you take a photo"), coordinator.OutcomeAnswered, "I did move_head and did take_photo.")
	if got := s.robot.did(); got != `move_head{"yaw":30} take_photo{}` {
		t.Errorf("did %s", got)
	}
	if asked := script.Asked(); len(asked) != 1 || asked[0].Format == nil || len(asked[0].Tools) != 0 {
		t.Errorf("asked %+v", asked)
	}
}

// What no tool fits is answered in one request, without tools, and streams.
func TestASmallModelTalks(t *testing.T) {
	script, model := little(llmtest.Say("Whales sing. They are large."))
	s := newStage(t, model, nil)
	s.expect(t, s.ask(t.Context(), "what do whales do all day"), coordinator.OutcomeAnswered, "Whales sing. They are large.")
	if want := []string{"Whales sing."}; !slices.Equal(s.partial, want) || len(script.Asked()) != 1 {
		t.Errorf("streamed %q, asked %d times", s.partial, len(script.Asked()))
	}
}

// What a model says to have done without a tool is neither said nor heard: what is true remains, or the robot says that it does
// not know.
func TestASmallModelClaimsNothing(t *testing.T) {
	for _, x := range []struct{ says, want, heard string }{
		{"Sure! I have dimmed it. Whales are large. They sing.", "Whales are large. They sing.", "Whales are large."},
		{"I will remind you. Bye.", "Bye.", ""},
		{"Of course! I'll turn it off for you now. I promise.", "", ""},
	} {
		_, model := little(llmtest.Say(x.says))
		s := newStage(t, model, nil)
		a := s.ask(t.Context(), "what do whales do all day")
		if a.Text != x.want || (a.Outcome == coordinator.OutcomeAnswered) != (x.want != "") {
			t.Errorf("%q: %s %q, want %q", x.says, a.Outcome, a.Text, x.want)
		}
		if got := strings.Join(s.partial, "|"); got != x.heard {
			t.Errorf("%q: %q was heard, want %q", x.says, got, x.heard)
		}
	}
}

// What small talk answers as well is the model's where it can say more; what was hardly heard, and how somebody is called, is neither's.
func TestWhatASmallModelIsNotAsked(t *testing.T) {
	for _, c := range []struct {
		text, want string
		unsure     bool
		asked      int
	}{
		{"tell me a story about a dragon", "Once upon a time.", false, 1},
		{"tell me a joke", "", false, 0},
		{"my daughter is called Mia", "remember that my daughter is called Mia", false, 0},
		{"what do whales do all day", "Once upon a time.", false, 1},
		{"either rekey I am gel", reasons["unheard"], true, 0},
		{"tell me a joke", "", true, 0},
	} {
		script, model := little(llmtest.Say("Once upon a time."))
		s := newStage(t, model, func(o *Options) { o.Talk = smalltalk.New(smalltalk.Options{Name: "Reachy", Memory: o.Memory, Seed: 1}) })
		u := language.Analyse(c.text)
		r := coordinator.Request{
			Session: "a", Trace: "t1", Text: c.text, Plan: planner.Plan{Outcome: planner.OutcomeNone}, Unsure: c.unsure, Partial: func(string) {},
		}
		r.Match = s.Match("a", u, r.Plan, r.Plan)
		a := s.Handle(trace.With(t.Context(), trace.NewRecorder(nil)), r)
		if len(script.Asked()) != c.asked || !strings.Contains(a.Text, c.want) || a.Text == "" {
			t.Errorf("%+v: asked %d times, %q", c, len(script.Asked()), a.Text)
		}
	}
}

// What only a look can tell is not said without one.
func TestASmallModelSeesNothingWithoutALook(t *testing.T) {
	_, model := little(llmtest.Say("Yes, it is. It looks great on you. Really."))
	s := newStage(t, model, nil)
	if a := s.ask(t.Context(), "is my new scarf crooked"); a.Outcome == coordinator.OutcomeAnswered || len(s.partial) > 0 {
		t.Errorf("%s %q, heard %q", a.Outcome, a.Text, s.partial)
	}
}

// A call that fails ends the rest, and why is said; nothing is claimed that was not done.
func TestASmallModelsCallsMayFail(t *testing.T) {
	_, model := little(llmtest.Say(`[{"tool":"take_photo"},{"tool":"look","direction":"up"}]`))
	s := newStage(t, model, nil)
	s.robot.fail["take_photo"] = "The camera is away."
	s.expect(t, s.ask(t.Context(), "shoot a picture and gaze up at the sky"), coordinator.OutcomeAnswered, "I could not take a photo: The camera is away.")
	if got := s.robot.did(); strings.Contains(got, "move_head") {
		t.Errorf("did %s", got)
	}
}

// A self-made tool that fails is mended where the person said so, and only there.
func TestAToolThatFailsIsMended(t *testing.T) {
	for text, mended := range map[string]bool{
		"Please try count_apples on the apple. If it fails, have it mended.": true, "Please try count_apples on the apple.": false,
	} {
		_, model := little(llmtest.Say(`[{"tool":"count_apples"}]`), llmtest.Say("It broke."))
		s := newStage(t, model, nil)
		s.robot.fail["count_apples"] = "division by zero"
		a := s.ask(t.Context(), text)
		if strings.HasPrefix(a.Text, "I could not") != mended || strings.Contains(a.Text, "I made a tool for: fix the count_apples tool") != mended ||
			len(s.coder.made) > 1 {
			t.Errorf("%q: %q, made %q", text, a.Text, s.coder.made)
		}
	}
}

// A model that is too slow is waited for no longer than it usually takes, that is told once, and then small talk answers.
func TestASlowModelIsLeftAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stall := llmtest.Step{Stall: true}
		script := llmtest.New(stall, stall, llmtest.Say("Because."), llmtest.Say("Because."))
		facts := memory.New(nil, nil)
		s := newStage(t, script, func(o *Options) {
			o.Memory, o.Patience = facts, 30*time.Second
			o.Talk = smalltalk.New(smalltalk.Options{Name: "Reachy", Memory: facts, Seed: 1})
		})
		ask := func() (coordinator.Answer, time.Duration) {
			start := time.Now()
			a := s.ask(context.Background(), "explain quantum chromodynamics")
			return a, time.Since(start)
		}
		if a, took := ask(); took != 30*time.Second || !strings.HasPrefix(a.Text, thinking["slow"]) {
			t.Errorf("after %v: %q", took, a.Text)
		}
		if a, took := ask(); took != 0 || strings.Contains(a.Text, "slow") || a.Text == "" {
			t.Errorf("while it is left alone, after %v: %q", took, a.Text)
		}
		time.Sleep(firstSlow)
		if a, took := ask(); took != 30*time.Second || strings.Contains(a.Text, "slow") {
			t.Errorf("tried again, after %v: %q", took, a.Text)
		}
		time.Sleep(firstSlow)
		if a, took := ask(); took != 0 || a.Text == "Because." {
			t.Errorf("it was left alone for a minute only, after two failures: %v, %q", took, a.Text)
		}
		time.Sleep(firstSlow)
		if a, _ := ask(); a.Text != "Because." {
			t.Errorf("a model that is quick again: %q", a.Text)
		}
		if a, _ := ask(); a.Text != "Because." {
			t.Errorf("a model that is quick again: %q", a.Text)
		}
	})
}

// The patience follows the speed that was measured, between its limits.
func TestPatience(t *testing.T) {
	p := pace{most: 30 * time.Second, now: time.Now}
	if p.patience() != 30*time.Second {
		t.Errorf("at first %v", p.patience())
	}
	p.began(llm.Usage{Load: 10 * time.Second}, 12*time.Second)
	if p.patience() != 8*time.Second {
		t.Errorf("after a reply that began in 2 s beside loading: %v", p.patience())
	}
	for range 30 {
		p.began(llm.Usage{}, 200*time.Millisecond)
	}
	if p.patience() != leastPatience {
		t.Errorf("with a quick model %v", p.patience())
	}
	p.broke()
	if p.patience() != p.most {
		t.Errorf("after a failure, when the model may have to be loaded, %v", p.patience())
	}
	for range 30 {
		p.began(llm.Usage{}, time.Minute)
	}
	if p.patience() != p.most {
		t.Errorf("with a slow model %v", p.patience())
	}
}

// A small model is shown little of a long conversation, from a place that moves only now and then, so that its server need not read all
// of it anew each time; it is never asked for a summary.
func TestASmallModelIsShownLittleOfAConversation(t *testing.T) {
	script, model := little()
	const turns = 20
	for range turns {
		script.In("", llmtest.Say("Whales sing in the deep sea, and some of them sing for hours."))
	}
	s := newStage(t, model, nil)
	for i := range turns {
		s.ask(t.Context(), "and what do they do all day in sea number "+strconv.Itoa(i))
	}
	asked := script.Asked()
	if len(asked) != turns || script.Left() != 0 {
		t.Fatalf("asked %d times", len(asked))
	}
	moved := 0
	for i, r := range asked {
		size := 0
		for _, m := range r.Messages {
			size += len(m.Text)
		}
		if size > smallHistory+200 || i > 5 && len(r.Messages) < 9 {
			t.Errorf("request %d shows %d characters in %d messages", i, size, len(r.Messages))
		}
		if i > 0 && r.Messages[0].Text != asked[i-1].Messages[0].Text {
			moved++
		}
	}
	if moved == 0 || moved > turns/smallSteps {
		t.Errorf("the beginning moved %d times", moved)
	}
}

// A sentence that stands for itself is read without the conversation, which costs a small model many seconds.
func TestASmallModelIsShownNoConversationForWhatStandsForItself(t *testing.T) {
	talk := []struct {
		text  string
		shown bool
	}{
		{"what do whales do all day in the deep sea", false},
		{"do they sing", true},
		{"and what do sharks do all day", true},
		{"how long do elephants live in a zoo", false},
		{"what do I have to know about the one in the zoo", true},
		{"which animals did I say that I like", true},
		{"tell me about her life", true},
	}
	script, model := little()
	for range talk {
		script.In("", llmtest.Say("Some of them do so for hours."))
	}
	s := newStage(t, model, nil)
	for i, l := range talk {
		s.ask(t.Context(), l.text)
		asked := script.Asked()
		if len(asked) != i+1 {
			t.Fatalf("%q: asked %d times", l.text, len(asked))
		}
		if shown := len(asked[i].Messages) > 1; shown != l.shown && i > 0 {
			t.Errorf("%q: shown %d messages", l.text, len(asked[i].Messages))
		}
	}
}

// What was found may be told; what a small model promises beside it nobody would keep.
func TestASmallModelPromisesNothingOfWhatItRead(t *testing.T) {
	for says, want := range map[string]string{
		"A page says that ducks swim. I will send it to you.": "A page says that ducks swim.",
		"I'll remind you tomorrow.":                           "",
	} {
		_, model := little(llmtest.Say(`[{"tool":"search_web","query":"ducks"}]`), llmtest.Say(says))
		s := newStage(t, model, func(o *Options) { o.Pages = pages{} })
		if a := s.ask(t.Context(), "google how fast ducks swim"); a.Text != want {
			t.Errorf("%q: %s %q, want %q", says, a.Outcome, a.Text, want)
		}
	}
}
