package feedback

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/reachyd/reachyd/learner/preference"
)

// shelf is a Store in memory that outlives the book.
type shelf struct {
	all  map[string]Piece
	full bool
}

var errFull = errors.New("the disk is full")

func (s *shelf) Put(p Piece) error {
	if s.full {
		return errFull
	}
	s.all[p.ID] = p
	return nil
}

func (s *shelf) Delete(id string) error { delete(s.all, id); return nil }

func (s *shelf) All() (out []Piece, err error) {
	for _, id := range slices.Sorted(maps.Keys(s.all)) {
		out = append(out, s.all[id])
	}
	return out, nil
}

type rig struct {
	*Book
	shelf   *shelf
	learner *preference.Learner
	now     time.Time
	told    []string
}

func open(t *testing.T, s *shelf) *rig {
	t.Helper()
	r := &rig{shelf: s, learner: preference.New(nil, 1), now: time.Unix(1_800_000_000, 0)}
	b, err := Open(Options{Store: s, Learner: r.learner, Now: func() time.Time { return r.now }, Told: func(p Piece, deleted bool) {
		r.told = append(r.told, fmt.Sprint(p.ID, " ", p.Reward, " ", deleted))
	}})
	if err != nil {
		t.Fatal(err)
	}
	r.Book = b
	return r
}

func (r *rig) give(t *testing.T, g Given) Piece {
	t.Helper()
	p, err := r.Give(g)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestFeedbackIsCreditedByTime(t *testing.T) {
	r := open(t, &shelf{all: map[string]Piece{}})
	r.Did(Action{Episode: "t1", Tool: "gesture", Words: "I nodded."})
	r.now = r.now.Add(10 * time.Second)
	r.Did(Action{Episode: "t2", Tool: "move_head", Words: "I looked left."})
	r.now = r.now.Add(2 * time.Second)
	p := r.give(t, Given{Session: "a", Text: "That was perfect!"})
	if len(p.Credits) != 2 || p.Credits[0].Episode != "t2" || p.Credits[0].Share < 0.6 || p.Reward != 1 {
		t.Errorf("%+v", p)
	}
	r.now = r.now.Add(maxAge)
	if p = r.give(t, Given{Verdict: "bad"}); len(p.Credits) != 0 {
		t.Errorf("what was done long ago is credited: %+v", p)
	}
}

func TestFeedbackIsCreditedByWords(t *testing.T) {
	for text, want := range map[string]string{
		"the first one was better": "gesture nod", "I loved the dance": "gesture dance", "the second one was better": "gesture dance",
		"the last one was great": "look",
	} {
		r := open(t, &shelf{all: map[string]Piece{}})
		for _, w := range []string{"gesture nod", "gesture dance", "look"} {
			r.Did(Action{Episode: "t1", Tool: strings.Fields(w)[0], Words: w})
			r.now = r.now.Add(3 * time.Second)
		}
		p := r.give(t, Given{Text: text})
		best := slices.MaxFunc(p.Credits, func(a, b Credit) int { return int(1000 * (a.Share - b.Share)) })
		if best.Words != want || best.Share < 0.6 {
			t.Errorf("%q is credited to %+v, want %q", text, p.Credits, want)
		}
	}
}

func TestFeedbackOfAnEpisode(t *testing.T) {
	r := open(t, &shelf{all: map[string]Piece{}})
	r.Did(Action{Episode: "t1", Tool: "gesture"})
	r.Did(Action{Episode: "t2", Tool: "gesture"})
	if p := r.give(t, Given{Rating: 5, Episode: "t1"}); len(p.Credits) != 1 || p.Credits[0].Episode != "t1" || p.Reward != 1 {
		t.Errorf("%+v", p)
	}
	if p := r.give(t, Given{Verdict: "good", Episode: "long ago"}); len(p.Credits) != 1 || p.Credits[0].Episode != "long ago" {
		t.Errorf("%+v", p)
	}
}

// An episode is one in which something was done just now, one that is remembered elsewhere, or one that was judged before; no other.
func TestFeedbackOfAnEpisodeThatNeverWas(t *testing.T) {
	s := &shelf{all: map[string]Piece{}}
	r := open(t, s)
	r.Did(Action{Episode: "t1", Tool: "gesture"})
	broken := errors.New("the disk is broken")
	r.o.Known = func(episode string) (bool, error) {
		return episode == "long ago", map[string]error{"unread": broken}[episode]
	}
	r.give(t, Given{Verdict: "good", Episode: "t1"})
	r.give(t, Given{Verdict: "good", Episode: "long ago"})
	r.give(t, Given{Verdict: "good"})
	told := len(r.told)
	_, err := r.Give(Given{Verdict: "good", Episode: "never"})
	wrong := (*FieldError)(nil)
	if !errors.As(err, &wrong) || !errors.Is(err, ErrInvalid) || wrong.Field != "episode" || wrong.Value != `"never"` ||
		!strings.Contains(wrong.Allowed, "trace") {
		t.Errorf("%v", err)
	}
	if _, err := r.Give(Given{Verdict: "good", Episode: "unread"}); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
	if len(r.List(9)) != 3 || len(s.all) != 3 || len(r.told) != told {
		t.Errorf("kept %v, told %v", s.all, r.told)
	}
	again := open(t, s)
	again.o.Known = func(string) (bool, error) { return false, nil }
	again.give(t, Given{Verdict: "bad", Episode: "t1"})
}

func TestBadFeedbackIsRefused(t *testing.T) {
	r := open(t, &shelf{all: map[string]Piece{}})
	for says, g := range map[string]Given{
		"verdict": {Verdict: "soso"}, "1…5": {Rating: 6}, "one must be given": {Text: "…"}, "2000": {Text: strings.Repeat("a", maxText+1)},
	} {
		if _, err := r.Give(g); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), says) {
			t.Errorf("%+v: %v", g, err)
		}
	}
	if _, err := r.Correct("f1", "", 0.5); !errors.Is(err, ErrUnknown) {
		t.Error(err)
	}
	if _, err := r.Correct("", "", 2); !errors.Is(err, ErrInvalid) {
		t.Error(err)
	}
	if _, err := r.Delete(""); !errors.Is(err, ErrUnknown) {
		t.Error(err)
	}
}

// What cannot be stored is not taken.
func TestFullDisk(t *testing.T) {
	r := open(t, &shelf{all: map[string]Piece{}, full: true})
	if _, err := r.Give(Given{Verdict: "good"}); !errors.Is(err, errFull) || len(r.List(9)) != 0 || len(r.told) != 0 {
		t.Errorf("%v, %v, told %v", err, r.List(9), r.told)
	}
}

// slow lets somebody say n times that moves are too fast.
func slow(t *testing.T, r *rig, n int) {
	t.Helper()
	for range n {
		r.Did(Action{Episode: "t", Tool: "gesture", Words: "I nodded.", Choices: map[string]int{preference.Speed: r.learner.Choose("a", preference.Speed)}})
		text := "That was too fast"
		if r.learner.Choose("a", preference.Speed) < 2 {
			text = "That was perfect!"
		}
		r.give(t, Given{Session: "a", Text: text})
		r.now = r.now.Add(5 * time.Minute)
	}
}

func TestWhatWasLearnedSurvivesAndIsForgotten(t *testing.T) {
	s := &shelf{all: map[string]Piece{}}
	r := open(t, s)
	slow(t, r, 12)
	again := open(t, s)
	l := again.Learned("a")[0]
	if !l.Learned || !strings.Contains(l.Words, "slowly") || len(l.From) != maxFrom || l.Pieces != 12 {
		t.Fatalf("%+v", l)
	}
	if n, err := again.Forget(preference.Speed); err != nil || n != 12 {
		t.Error(n, err)
	}
	if l := open(t, s).Learned("a")[0]; l.Learned || l.Option != "usual" || len(again.List(99)) != 12 {
		t.Errorf("after it was forgotten: %+v", l)
	}
	if _, err := again.Forget("taste"); !errors.Is(err, ErrUnknown) {
		t.Error(err)
	}
}

func TestCorrectionsCount(t *testing.T) {
	s := &shelf{all: map[string]Piece{}}
	r := open(t, s)
	r.Did(Action{Episode: "t", Tool: "gesture"})
	p := r.give(t, Given{Session: "a", Text: "well that was something else"})
	if reply, ok := r.Answered("a", "No, I meant that as praise!"); !ok || reply != "I take that as praise. Thank you." {
		t.Errorf("%q %v", reply, ok)
	}
	if got := s.all[p.ID]; got.Reward != meantGood || !got.Corrected || got.Uncertainty != 0 {
		t.Errorf("%+v", got)
	}
	again := open(t, s) // also after a restart
	if q := again.give(t, Given{Session: "a", Text: "Well, that was something else."}); q.Reward != meantGood {
		t.Errorf("the same words again: %+v", q)
	}
	if q := again.give(t, Given{Session: "b", Text: "Well, that was something else."}); q.Reward == meantGood {
		t.Errorf("somebody else's words: %+v", q)
	}
	if _, err := again.Delete(p.ID); err != nil {
		t.Fatal(err)
	}
	if _, there := s.all[p.ID]; there || len(again.List(9)) != 2 {
		t.Error("it is still there")
	}
	if _, ok := r.Answered("a", "look left"); ok {
		t.Error("a command is taken for an answer")
	}
}

func TestTurnsThatAreFeedback(t *testing.T) {
	r := open(t, &shelf{all: map[string]Piece{}})
	if _, ok := r.Heard("a", "That was perfect!"); ok {
		t.Error("taken as feedback, though nothing was done")
	}
	r.Did(Action{Episode: "t", Tool: "gesture"})
	for text, want := range map[string]string{
		"That was perfect!": "I take that as praise. Thank you.", "that was too fast": "I take that as criticism: too fast. Thank you.",
		"what time is it": "", "my boss is awful": "", "no, how deep do penguins dive": "",
	} {
		if reply, ok := r.Heard("a", text); reply != want || ok != (want != "") {
			t.Errorf("%q: %q %v, want %q", text, reply, ok, want)
		}
	}
}

// It asks when it is unsure, at most once in ten minutes.
func TestItAsksSeldom(t *testing.T) {
	r := open(t, &shelf{all: map[string]Piece{}})
	unsure := ""
	for _, text := range []string{
		"well that was quite a thing you did", "you really did it this time", "that was a lot", "what a way to do it", "you and your dance",
		"that was something", "well, you tried", "so that is how you do it", "now that is a dance", "that again", "hm, that one", "you do what you can",
	} {
		s := r.judge.Score("a", text)
		if s.Uncertainty > takenFrom && s.Uncertainty <= askFrom && (s.Reward > 0.15 || s.Reward < -0.15) {
			unsure = text
		}
	}
	if unsure == "" {
		t.Fatal("it is sure of all of these")
	}
	r.Did(Action{Episode: "t", Tool: "gesture"})
	if reply, ok := r.Heard("a", unsure); !ok || !strings.HasSuffix(reply, "?") {
		t.Fatalf("%q: %q %v", unsure, reply, ok)
	}
	if reply, ok := r.Answered("a", "Good!"); !ok || !strings.Contains(reply, "praise") {
		t.Errorf("%q %v", reply, ok)
	}
	r.now = r.now.Add(time.Minute)
	r.Did(Action{Episode: "t", Tool: "gesture"})
	if reply, ok := r.Heard("b", unsure); ok {
		t.Errorf("asked again after a minute: %q", reply)
	}
	r.now = r.now.Add(askEvery)
	r.Did(Action{Episode: "t", Tool: "gesture"})
	if reply, ok := r.Heard("b", unsure); !ok || !strings.HasSuffix(reply, "?") {
		t.Errorf("%q %v", reply, ok)
	}
}

// Somebody has asked for slower and smaller gestures, and then wants another greeting: verdicts on the greeting alone must not
// undo what was asked for.
func TestVerdictsOnAGreetingLeaveWhatWasAskedFor(t *testing.T) {
	for seed := range uint64(40) {
		r := open(t, &shelf{all: map[string]Piece{}})
		r.learner = preference.New(nil, seed)
		r.o.Learner = r.learner
		best := func(parameter string) int { o, _ := r.learner.Best("p", parameter); return o }
		turn := 0
		moves := func() (speed, size int) {
			speed, size = r.learner.Choose("p", preference.Speed), r.learner.Choose("p", preference.Size)
			r.Did(Action{Episode: fmt.Sprint(turn), Tool: "gesture", Choices: map[string]int{preference.Speed: speed, preference.Size: size}})
			return speed, size
		}
		for range 10 {
			r.now = r.now.Add(2 * time.Second)
			turn++
			text := "That was perfect!"
			if speed, size := moves(); speed >= 2 {
				text = "that was too fast"
			} else if size >= 2 {
				text = "good, but smaller please"
			}
			r.give(t, Given{Session: "p", Text: text})
		}
		for range 20 {
			r.now = r.now.Add(2 * time.Second)
			turn++
			greeting := r.learner.Choose("p", preference.Greeting)
			if greeting != 0 {
				moves()
			}
			r.Did(Action{Episode: fmt.Sprint(turn), Tool: "greeting", Choices: map[string]int{preference.Greeting: greeting}})
			verdict := "bad"
			if greeting == 2 {
				verdict = "great"
			}
			r.give(t, Given{Session: "p", Verdict: verdict})
		}
		if best(preference.Speed) > 1 || best(preference.Size) > 1 || best(preference.Greeting) != 2 {
			t.Errorf("seed %d: speed %d, size %d, greeting %d", seed, best(preference.Speed), best(preference.Size), best(preference.Greeting))
		}
	}
}

// How it spoke is meant only where that is said, or nothing else can be.
func TestFeedbackIsAboutTheVoiceOrTheMove(t *testing.T) {
	for text, want := range map[string][]string{
		"that was too fast": {preference.Speed}, "you speak too fast": {preference.Length, preference.Rate, preference.Volume},
		"that was perfect":         {preference.Speed},
		"that was too loud":        {preference.Speed, preference.Volume},
		"your answer was too long": {preference.Length, preference.Rate, preference.Volume},
	} {
		r := open(t, &shelf{all: map[string]Piece{}})
		r.Did(Action{Episode: "t1", Tool: "gesture", Choices: map[string]int{preference.Speed: 2}})
		r.Spoke("a", map[string]int{preference.Length: 1})
		r.Spoke("a", map[string]int{preference.Volume: 2, preference.Rate: 2})
		p := r.give(t, Given{Session: "a", Text: text})
		all := observations(&p)
		if len(all) != 1 || !slices.Equal(slices.Sorted(maps.Keys(all[0].Choices)), want) {
			t.Errorf("%q is about %+v, want %v", text, all, want)
		}
		if len(p.Credits[0].Choices) != 4 {
			t.Errorf("%q: %+v", text, p.Credits)
		}
	}
}

// Who has only spoken is told how that was.
func TestFeedbackOnTheVoiceAlone(t *testing.T) {
	r := open(t, &shelf{all: map[string]Piece{}})
	if _, ok := r.Heard("a", "that was too loud"); ok {
		t.Error("taken, though nothing was said")
	}
	for range 3 {
		r.Spoke("a", map[string]int{preference.Volume: 2})
		r.now = r.now.Add(time.Second)
		if reply, ok := r.Heard("a", "that was too loud"); !ok {
			t.Fatalf("not taken: %q", reply)
		}
	}
	if value, _ := r.learner.Value("a", preference.Volume); value >= 1 {
		t.Errorf("volume %g", value)
	}
	if _, ok := r.Heard("a", "my boss is awful"); ok {
		t.Error("taken for its own")
	}
}

// What somebody says of the voice is about how it spoke to them, though it has spoken to somebody else since.
func TestFeedbackIsAboutTheVoiceOneHas(t *testing.T) {
	r := open(t, &shelf{all: map[string]Piece{}})
	r.Spoke("a", map[string]int{preference.Volume: 4, preference.Rate: 3})
	r.now = r.now.Add(time.Second)
	r.Spoke("b", map[string]int{preference.Volume: 1})
	r.now = r.now.Add(time.Second)
	for who, want := range map[string]map[string]int{
		"a": {preference.Volume: 4, preference.Rate: 3}, "b": {preference.Volume: 1}, "who only heard it": {preference.Volume: 1},
	} {
		if p := r.give(t, Given{Session: who, Text: "you speak too loud"}); len(p.Credits) != 1 || !maps.Equal(p.Credits[0].Choices, want) {
			t.Errorf("%s: %+v, want %v", who, p.Credits, want)
		}
	}
	r.now = r.now.Add(maxAge)
	if p := r.give(t, Given{Session: "a", Text: "you speak too loud"}); len(p.Credits) != 0 {
		t.Errorf("it spoke long ago: %+v", p.Credits)
	}
	for k := range 2 * maxSessions {
		r.Spoke(fmt.Sprint("somebody", k), map[string]int{preference.Volume: 2})
	}
	if n := len(r.spoke); n > maxSessions {
		t.Errorf("it is kept how it spoke to %d", n)
	}
}

// Who answered a sentence of which no rule was sure is praised and blamed like what was done, explained, and forgotten on demand.
func TestFeedbackOnWhoAnswered(t *testing.T) {
	r := open(t, &shelf{all: map[string]Piece{}})
	r.o.Routes = &preference.Routes{}
	ways := []string{"ask", "direct", "vision"}
	const asked = "fancy the corner over there"
	const content = "tell me of trains" // somebody who blames everything would count as a grumbler
	chosen := map[string]string{}
	for turn := range 24 {
		text, good := asked, "vision"
		if turn%2 == 0 {
			text, good = content, "direct"
		}
		way, _ := r.o.Routes.Choose("a", text, "direct", ways)
		r.Chose("a", Route{Episode: fmt.Sprint(turn), Asked: text, Way: way, Usual: "direct"})
		r.now = r.now.Add(time.Second)
		verdict := "bad"
		if way == good {
			verdict = "great"
		}
		if p := r.give(t, Given{Session: "a", Verdict: verdict}); p.Route == nil || p.Route.Way != way {
			t.Fatalf("%+v", p)
		}
		chosen[text] = way
	}
	way := chosen[asked]
	if way != "vision" || chosen[content] != "direct" {
		t.Errorf("after twelve turns of each: %v", chosen)
	}
	explained := func() bool {
		return slices.ContainsFunc(r.Learned("a"), func(l Lesson) bool {
			return l.Parameter == RouteName && l.Option == "vision" && strings.Contains(l.Words, asked)
		})
	}
	if !explained() {
		t.Errorf("not explained: %+v", r.Learned("a"))
	}
	r.Did(Action{Episode: "later", Tool: "gesture", At: r.now.Add(time.Second)})
	if p := r.give(t, Given{Session: "a", Verdict: "bad"}); p.Route != nil {
		t.Errorf("what was done later is not about who answered: %+v", p.Route)
	}
	if n, err := r.Forget(RouteName); n != 24 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if way, learned := r.o.Routes.Choose("a", asked, "direct", ways); way != "direct" || learned || explained() {
		t.Errorf("forgotten: %s %v", way, learned)
	}
}
