package rehearsal

import (
	"bufio"
	"encoding/json"
	"flag"
	"maps"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/reachyd/reachyd/agents/dialogue"
	"github.com/reachyd/reachyd/perception/language"
)

var paraphrased = flag.Int("paraphrases", 3, "how many commands of the corpus TestParaphrases says in each form")

// corpus are the plain commands of the planner's corpus: imperatives without politeness, that are done.
func corpus(t testing.TB) []string {
	t.Helper()
	var all []string
	for _, file := range []string{"motion", "gestures_and_emotions", "looking_and_waiting", "sequences", "repetition"} {
		f, err := os.Open("../planner/testdata/" + file + ".jsonl")
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(f)
		for lines.Scan() {
			var row struct{ Text, Outcome string }
			if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
				t.Fatal(err)
			}
			text := strings.TrimRight(row.Text, ".! ")
			words := strings.Fields(strings.ToLower(text))
			if row.Outcome == "plan" && len(words) > 1 && language.IsVerb(words[0]) && words[0] != "stop" &&
				!strings.ContainsAny(text, ",;:.?!\"'") && !strings.Contains(text, "every") {
				all = append(all, strings.ToLower(text[:1])+text[1:])
			}
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

var articles = strings.NewReplacer(" your ", " ", " the ", " ", " a ", " ")

// paraphrase puts a command into a form; empty where it does not fit.
func paraphrase(form, command string, at *rand.Rand) string {
	words := strings.Fields(command)
	k := 1 + at.IntN(len(words)-1)
	capital := string(unicode.ToUpper(rune(command[0]))) + command[1:]
	bare := articles.Replace(articles.Replace(command))
	if strings.Contains(form, "{-}") && bare == command {
		return ""
	}
	return strings.NewReplacer("{c}", command, "{C}", capital, "{^}", strings.ToUpper(command), "{-}", bare,
		"{1}", strings.Join(words[:k], " "), "{2}", strings.Join(words[k:], " ")).Replace(form)
}

// said is what came of one sentence in a new conversation.
func (s *Stage) said(t *testing.T, text string) ([]Step, dialogue.Pose, string) {
	t.Helper()
	c := s.Begin()
	defer func() {
		if err := c.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}()
	turn, err := c.Say(t.Context(), text)
	if err != nil {
		t.Error(err)
	}
	return turn.Steps, turn.Pose, turn.Reply
}

// sameSteps compares what was done, but not words that are passed on as they were said.
func sameSteps(a, b []Step) bool {
	return slices.EqualFunc(a, b, func(a, b Step) bool {
		var left, right map[string]any
		if json.Unmarshal(a.Args, &left) != nil || json.Unmarshal(b.Args, &right) != nil {
			return false
		}
		for _, words := range []string{"prompt", "query"} {
			delete(left, words)
			delete(right, words)
		}
		return a.Tool == b.Tool && reflect.DeepEqual(left, right)
	})
}

// What people put around a command changes nothing of what is done.
func TestParaphrases(t *testing.T) {
	const mostWrong = 0.06 // of 507 are 26 wrong
	forms := wordingsOf(t, "testdata/paraphrase/transformations.txt")
	commands, stage := corpus(t), newStage(t)
	random := rand.New(rand.NewPCG(11, 5))
	type doing struct {
		steps []Step
		pose  dialogue.Pose
	}
	plain := map[string]doing{}
	right, asked, made := 0, 0, 0
	for _, name := range slices.Sorted(maps.Keys(forms)) {
		good, all := 0, 0
		for _, form := range forms[name] {
			var wrong []string
			for range *paraphrased {
				command := commands[random.IntN(len(commands))]
				text := paraphrase(form, command, random)
				if made++; text == "" || made%oneIn != 0 {
					continue
				}
				want, known := plain[command]
				if !known {
					want.steps, want.pose, _ = stage.said(t, command)
					plain[command] = want
				}
				all++
				steps, pose, reply := stage.said(t, text)
				if sameSteps(steps, want.steps) && pose == want.pose {
					good++
					continue
				}
				wrong = append(wrong, text+" => "+reply)
			}
			if len(wrong) > 0 {
				t.Logf("%2d wrong of %q\n      %s", len(wrong), form, strings.Join(wrong, "\n      "))
			}
		}
		t.Logf("== %s: %d of %d", name, good, all)
		right, asked = right+good, asked+all
	}
	t.Logf("%d of %d paraphrases of %d commands do what the command does", right, asked, len(commands))
	if wrong := float64(asked - right); wrong > mostWrong*float64(made) {
		t.Errorf("%g of %d paraphrases are not understood, at most %g may be", wrong, asked, mostWrong*float64(made))
	}
}
