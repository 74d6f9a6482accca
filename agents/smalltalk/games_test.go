package smalltalk

import (
	"fmt"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/perception/language"
)

func TestGames(t *testing.T) {
	s := newStage(t, nil)
	s.say("let us play guess the number")
	low, high := 1, 100
	for i := 0; ; i++ {
		if i > 7 {
			t.Fatal("the number was not found by halving")
		}
		n := (low + high) / 2
		got := s.say(fmt.Sprint("is it ", n, "?"))
		switch {
		case strings.HasPrefix(got, "Higher"):
			low = n + 1
			continue
		case strings.HasPrefix(got, "Lower"):
			high = n - 1
			continue
		case !strings.HasPrefix(got, "Yes"):
			t.Fatalf("reply %q", got)
		}
		break
	}
	if last := s.calls[len(s.calls)-1]; last != `gesture{"name":"nod"}` {
		t.Errorf("it did %s", last)
	}
	s.say("let's play simon says")
	s.calls = nil
	if got := s.say("look left"); !strings.Contains(got, "Simon did not say so") || len(s.calls) > 0 {
		t.Errorf("without Simon: %q, %v", got, s.calls)
	}
	if s.say("simon says nod"); len(s.calls) != 1 {
		t.Errorf("with Simon: %v", s.calls)
	}
	if got := s.say("stop the game"); !strings.Contains(got, "game") {
		t.Errorf("the end: %q", got)
	}
	if got := s.say("look left"); got != "" {
		t.Errorf("after the game: %q", got)
	}
	s.say("let us play twenty questions")
	g := s.Talk.sessions["a"].game.(*twentyQuestions)
	if got := s.say("is it an animal?"); got != "Yes." && got != "No." {
		t.Errorf("a question: %q", got)
	}
	if got := s.say("is it a " + g.name + "?"); !strings.HasPrefix(got, "Yes, the "+g.name) {
		t.Errorf("the answer: %q", got)
	}
	s.say("rock paper scissors")
	if got := s.say("rock"); !strings.Contains(got, "I took") {
		t.Errorf("rock: %q", got)
	}
	s.say("stop the game")
	s.say("tell me a riddle")
	if got := s.say("I give up"); got == "" {
		t.Error("the riddle has no answer")
	}
}

// The states of conversations are bounded.
// "Stop the game" ends what is played, and nothing where nobody plays.
func TestStopTheGame(t *testing.T) {
	s := newStage(t, nil)
	for _, end := range []string{"stop the game", "let's stop playing"} {
		if text, ok := s.End(language.Analyse(end)); ok {
			t.Errorf("%q, while nobody plays: %q", end, text)
		}
		s.say("guess the number")
		if _, ok := s.End(language.Analyse("stop the timer")); ok {
			t.Error("the timer is no game")
		}
		if text, ok := s.End(language.Analyse(end)); !ok || text == "" {
			t.Errorf("%q: %q, %v", end, text, ok)
		}
		if m := s.Match("a", language.Analyse("50")); m.Plays() {
			t.Errorf("it is still played after %q", end)
		}
	}
}
