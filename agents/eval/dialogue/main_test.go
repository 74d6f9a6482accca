package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/agents/dialogue"
	"github.com/reachyd/reachyd/agents/rehearsal"
	"github.com/reachyd/reachyd/toolsandbox/guest/guesttest"
)

func TestMain(m *testing.M) { guesttest.Main(m) }

func TestMistakesNameLineAndField(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "no sentence"},
		{"turn left => body=20", "line 1: section"},
		{"## more\n", "line 1: section \"more\" is none of dialogues, singles, talk"},
		{"## talk\nturn left", "line 2: expectation: \"=>\""},
		{"## talk\nturn left =>", "line 2: expectation: there is none"},
		{"## talk\n\n=> still", "line 3: sentence"},
		{"## talk\na => still now", "line 2: expectation \"still now\": \"still\" takes no value"},
		{"## talk\na => neck=3", "line 2: expectation \"neck=3\": it is none of an axis"},
		{"## talk\na => yaw=left", "line 2: expectation \"yaw=left\": yaw: \"left\" is no number"},
		{"## talk\na => yaw=NaN", "is no number"},
		{"## talk\na => yaw bigger", "is none of =, <, >, more"},
		{"## talk\na => gesture", "the name of the gesture is missing"},
		{"## talk\na => replies yes", "between slashes"},
		{"## talk\na => replies /(/", "missing closing )"},
	} {
		_, err := parse(c.text)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v instead of %s", c.text, err, c.want)
		}
	}
	if _, err := parse("## talk\n" + strings.Repeat("a\n", mostTold+5)); err == nil || !strings.Contains(err.Error(), "5 mistakes more") {
		t.Error(err)
	}
}

func TestAnExamIsRead(t *testing.T) {
	e, err := parse("## dialogues\n# d1\nturn left 20 => body=20\nwhat now => still; replies /a;b/\n# d2\nnod => gesture nod\n\n" +
		"## singles\nlook up => pitch<-3\nlook left => yaw more\n")
	if err != nil || len(e) != 4 {
		t.Fatal(e, err)
	}
	if e[0].name != "d1" || len(e[0].turns) != 2 || e[0].turns[1].line != 4 || len(e[0].turns[1].want) != 2 || !e[0].turns[1].want[1].says.MatchString("A;B") {
		t.Errorf("%+v", e[0])
	}
	if e[1].name != "d2" || e[3].section != singles || e[2].turns[0].want[0].angle != -3 || e[3].turns[0].want[0].how != "more" {
		t.Errorf("%+v", e[1:])
	}
}

// A right and a wrong answer of each expectation.
func TestTurnsAreJudged(t *testing.T) {
	before := dialogue.Pose{Antennas: dialogue.Antennas{Left: 10, Right: -10}}
	step := func(tool, args string) []rehearsal.Step {
		return []rehearsal.Step{{Tool: tool, Args: json.RawMessage(args)}}
	}
	at := func(change func(p *dialogue.Pose)) rehearsal.Turn {
		turn := rehearsal.Turn{Before: before, Pose: before}
		change(&turn.Pose)
		return turn
	}
	yaw := at(func(p *dialogue.Pose) { p.Head.Yaw = 20 })
	carried := at(func(p *dialogue.Pose) { p.BodyYaw, p.Head.Yaw = 30, 30 })
	there := at(func(*dialogue.Pose) {})
	nods, feels, asleep, awake := there, there, there, there
	nods.Steps = step("repeat", `{"times":2,"steps":[{"tool":"gesture","args":{"name":"nod"}}]}`)
	feels.Steps = step("express_emotion", `{"emotion":"sad"}`)
	asleep.Steps, awake.Steps = step("go_to_sleep", `{}`), step("wake_up", `{}`)
	halted, question, answer := there, there, there
	halted.Stopped = true
	question.Reply, answer.Reply = "How far?", "Minus TWELVE degrees."
	asking := yaw
	asking.Reply = question.Reply
	for _, c := range []struct {
		want  string
		turn  rehearsal.Turn
		right bool
	}{
		{"yaw=20", yaw, true},
		{"yaw=21.9", yaw, true},
		{"yaw=25", yaw, false},
		{"pitch=0", yaw, false}, // the yaw is not named
		{"yaw=0; body=30", carried, true},
		{"yaw=30; body=30", carried, true},
		{"body=30", carried, true},
		{"yaw=10; body=30", carried, false},
		{"yaw>10", yaw, true},
		{"yaw>20", yaw, false},
		{"yaw<30", yaw, true},
		{"yaw<-5", yaw, false},
		{"yaw more", yaw, true},
		{"yaw less", yaw, false},
		{"body more", carried, true},
		{"yaw changed", yaw, true},
		{"yaw changed", there, false},
		{"yaw same", there, true},
		{"yaw same", yaw, false},
		{"pitch=-5", at(func(p *dialogue.Pose) { p.Head.Pitch = -5 }), true},
		{"roll=5", at(func(p *dialogue.Pose) { p.Head.Roll = -5 }), false},
		{"left=40", at(func(p *dialogue.Pose) { p.Antennas.Left = 40 }), true},
		{"left=40", at(func(p *dialogue.Pose) { p.Antennas.Right = 40 }), false},
		{"right=40", at(func(p *dialogue.Pose) { p.Antennas.Right = -40 }), true},
		{"left=20", at(func(p *dialogue.Pose) { p.Antennas.Left = 30 }), true},    // lowered by 20° from neutral
		{"right=20", at(func(p *dialogue.Pose) { p.Antennas.Right = -30 }), true}, // the same
		{"right=20", at(func(p *dialogue.Pose) { p.Antennas.Right = -45 }), false},
		{"left=20 yaw=0", at(func(p *dialogue.Pose) { p.Antennas.Left = 20 }), true},
		{"left=20 yaw=5", at(func(p *dialogue.Pose) { p.Antennas.Left = 20 }), false},
		{"left=0; right=0", there, true},
		{"left=5", there, false},
		{"neutral", there, true},
		{"neutral", yaw, false},
		{"still", there, true},
		{"still", yaw, false},
		{"still", nods, false},
		{"gesture nod", nods, true},
		{"gesture shake", nods, false},
		{"emotion sad", feels, true},
		{"emotion happy", feels, false},
		{"sleeps", asleep, true},
		{"sleeps", awake, false},
		{"wakes", awake, true},
		{"wakes", asleep, false},
		{"stopped", halted, true},
		{"stopped", there, false},
		{"asks", question, true},
		{"asks", answer, false},
		{"asks", asking, false},
		{"replies /12|twelve/", answer, true},
		{"replies /12|twelve/", question, false},
		{"still; replies /twelve/", answer, true},
	} {
		e, err := parse("## talk\nx => " + c.want)
		if err != nil {
			t.Fatal(err)
		}
		if wrong := judge(&c.turn, e[0].turns[0].want); len(wrong) == 0 != c.right {
			t.Errorf("%s: %v", c.want, wrong)
		}
	}
}

func TestAnExamIsHeld(t *testing.T) {
	file := filepath.Join(t.TempDir(), "exam.txt")
	exam := "## dialogues\nturn left 20 => body=20\nturn right 5 => body=99\n\nstop => stopped\nnod => gesture nod\n\n" +
		"## singles\nnod => gesture nod\nnod => still\n" +
		"## talk\nthe milk is in the fridge => still\n"
	if err := os.WriteFile(file, []byte(exam), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, complaint bytes.Buffer
	if code := run(t.Context(), []string{"-exam", file, "-v"}, &out, &complaint); code != 0 {
		t.Fatal(code, complaint.String())
	}
	for _, part := range []string{
		"dialogues  0 of 2", "turns      2 of 4", "singles    1 of 2", "talk       1 of 1", "line 3\n    turn left 20\n  > turn right 5",
		"body=99: body 15°", "1 wrong turns",
	} {
		if !strings.Contains(out.String(), part) {
			t.Errorf("%q is not in\n%s", part, out.String())
		}
	}
	out.Reset()
	if code := run(t.Context(), []string{"-exam", file, "-json"}, &out, &complaint); code != 0 {
		t.Fatal(code, complaint.String())
	}
	var s score
	if err := json.Unmarshal(out.Bytes(), &s); err != nil || s.Singles != (count{1, 2}) || s.Held != 1 {
		t.Errorf("%+v, %v, %s", s, err, out.String())
	}
}

func TestWhatCannotBeHeldIsSaid(t *testing.T) {
	var out, complaint bytes.Buffer
	if code := run(t.Context(), nil, &out, &complaint); code != 2 || !strings.Contains(complaint.String(), "-exam") {
		t.Errorf("%d, %s", code, &complaint)
	}
	file := filepath.Join(t.TempDir(), "exam.txt")
	if code := run(t.Context(), []string{"-exam", file}, &out, &complaint); code != 2 || !strings.Contains(complaint.String(), "exam.txt") {
		t.Errorf("%d, %s", code, &complaint)
	}
	if err := os.WriteFile(file, []byte("## talk\nhello => stil\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code := run(t.Context(), []string{"-exam", file}, &out, &complaint); code != 2 || !strings.Contains(complaint.String(), "line 2: expectation \"stil\"") {
		t.Errorf("%d, %s", code, &complaint)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("## dialogues\n# d1\nturn left 20 => body=20; replies /a;b\\/c/\n\n## talk\nhello => still\n")
	f.Add("## singles\nlook up => pitch<-3; yaw same; =>; /")
	f.Fuzz(func(t *testing.T, text string) {
		e, err := parse(text)
		if err != nil {
			return
		}
		for _, c := range e {
			for _, turn := range c.turns {
				if turn.text == "" || len(turn.want) == 0 || turn.line < 1 {
					t.Errorf("%+v", c)
				}
				judge(&rehearsal.Turn{}, turn.want)
			}
		}
	})
}
