package command

import (
	"fmt"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/agents/coordinator"
	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/learner/feedback"
	"github.com/reachyd/reachyd/learner/preference"
)

// pages is a feedback.Store in memory.
type pages map[string]feedback.Piece

func (p pages) Put(v feedback.Piece) error { p[v.ID] = v; return nil }

func (p pages) Delete(id string) error { delete(p, id); return nil }

func (p pages) All() ([]feedback.Piece, error) { return nil, nil }

func withFeedback(t *testing.T) (*Dispatcher, *robot, pages) {
	t.Helper()
	d, r := newDispatcher()
	kept := pages{}
	happened := func(trace string) (bool, error) { return strings.HasPrefix(trace, "t"), nil }
	book, err := feedback.Open(feedback.Options{Store: kept, Learner: preference.New(nil, 1), Known: happened})
	if err != nil {
		t.Fatal(err)
	}
	d.Feedback = book
	return d, r, kept
}

func TestFeedbackIsKeptCorrectedAndDeleted(t *testing.T) {
	d, r, kept := withFeedback(t)
	for i, payload := range []string{`{"text":"Good, but a bit slow"}`, `{"rating":1,"session":"anna"}`, `{"verdict":"great","episode":"t1"}`} {
		reply := do(t, d, "feedback", payload)
		if !reply.OK || len(kept) != i+1 {
			t.Fatalf("%s: %+v, kept %v", payload, reply, kept)
		}
	}
	if len(r.requests()) != 0 {
		t.Error("feedback moved the robot")
	}
	if kept["f00000001"].Reward != 0.5 || kept["f00000002"].Reward != -1 || kept["f00000002"].Session != "anna" || kept["f00000003"].Reward != 1 {
		t.Errorf("%+v", kept)
	}
	do(t, d, "feedback/correct", `{"feedback":"f00000001","reward":-0.2}`)
	do(t, d, "feedback/delete", `{"feedback":"f00000002"}`)
	if kept["f00000001"].Reward != -0.2 || len(kept) != 2 {
		t.Errorf("%+v", kept)
	}
	if list := fmt.Sprint(do(t, d, "feedback/list", `{}`).Result); strings.Count(list, "f0000000") != 2 {
		t.Error(list)
	}
	if learned := fmt.Sprint(do(t, d, "learned", `{}`).Result); !strings.Contains(learned, "as I always did") {
		t.Error(learned)
	}
	if reply := do(t, d, "learned/forget", `{}`); !reply.OK {
		t.Error(reply.Error)
	}
}

// What a robot has answered with names the turn that it was, while that runs and afterwards.
func TestFeedbackByTheIDOfAReply(t *testing.T) {
	d, _, kept := withFeedback(t)
	traces := 0
	d.NewTrace = func() string { traces++; return fmt.Sprint("t", traces) }
	d.Conversation = talk(func() (coordinator.Reply, error) {
		if reply := do(t, d, "feedback", `{"verdict":"good","episode":"mine"}`); !reply.OK {
			t.Errorf("while the turn runs: %+v", reply.Error)
		}
		return answered, nil
	})
	do(t, d, "chat", `{"id":"mine","text":"hello"}`)
	made := do(t, d, "motors", `{"on":true}`).ID
	for i, c := range []struct{ episode, want string }{
		{"mine", "t1"}, {made, "t3"}, {"chatcmpl-t1", "t1"}, {"resp_t1", "t1"}, {"msg_t1", "t1"}, {"call_t1_0", "t1"}, {"t1", "t1"},
	} {
		reply := do(t, d, "feedback", `{"verdict":"good","episode":"`+c.episode+`"}`)
		piece := kept[fmt.Sprintf("f%08d", i+2)]
		if !reply.OK || len(piece.Credits) != 1 || piece.Credits[0].Episode != c.want {
			t.Errorf("%s: %+v, %+v", c.episode, reply.Error, piece)
		}
	}
	for i := range rememberMost { // of so many others
		do(t, d, "motors", fmt.Sprintf(`{"id":"m%d","on":true}`, i))
	}
	for _, episode := range []string{"mine", "chatcmpl-", "call_x", "m", "auto-1"} {
		if reply := do(t, d, "feedback", `{"verdict":"good","episode":"`+episode+`"}`); reply.OK || reply.Error.Fields[0].Field != "episode" {
			t.Errorf("%s: %+v", episode, reply)
		}
	}
}

func TestStopAsFeedbackStops(t *testing.T) {
	for _, payload := range []string{`{"verdict":"stop"}`, `{"text":"No! Stop!"}`, `{"text":"stop"}`} {
		d, r, kept := withFeedback(t)
		do(t, d, "feedback", payload)
		if got := r.requests(); len(got) != 1 || got[0].Verb != hal.VerbStop || len(kept) != 1 || kept["f00000001"].Reward != -1 {
			t.Errorf("%s: robot got %+v, kept %+v", payload, got, kept)
		}
	}
	d, r, _ := withFeedback(t)
	if do(t, d, "feedback", `{"text":"please stop being so quiet, it was lovely"}`); len(r.requests()) != 0 {
		t.Error("a sentence with stop in it stopped the robot")
	}
}

func TestBadFeedback(t *testing.T) {
	d, _, kept := withFeedback(t)
	for verb, cases := range map[string]map[string]string{
		"feedback": {
			`{}`: "one must be given", `{"verdict":"good","episode":"never"}`: `episode: "never"`,
			`{"verdict":"soso"}`: "great", `{"rating":6}`: "5", `{"text":"…"}`: "one must be given",
		},
		"feedback/correct": {`{"reward":2}`: "reward", `{"reward":1,"feedback":"f9"}`: "f9", `{}`: "reward"},
		"feedback/delete":  {`{"feedback":"f9"}`: "f9"},
		"feedback/list":    {`{"limit":0}`: "limit"},
		"learned/forget":   {`{"parameter":"colour"}`: "speed"},
	} {
		for payload, says := range cases {
			if reply := do(t, d, verb, payload); reply.OK || !strings.Contains(reply.Error.Message, says) || len(reply.Error.Fields) == 0 {
				t.Errorf("%s %s: %+v", verb, payload, reply.Error)
			}
		}
	}
	if len(kept) != 0 {
		t.Error(kept)
	}
	none, _ := newDispatcher()
	if reply := do(t, none, "feedback", `{"verdict":"good"}`); reply.OK || reply.Error.Code != CodeNotAvailable {
		t.Errorf("%+v", reply)
	}
}
