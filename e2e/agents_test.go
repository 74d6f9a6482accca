package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/reachyd/reachyd/agents/llm/ollamatest"
)

// withModel lets a robot think with the parrot of a real language model server.
func (r *robot) withModel(s *ollamatest.Server) {
	r.t.Helper()
	file := filepath.Join(r.dir, "reachyd.yaml")
	text := fmt.Sprintf("llm:\n  talk: [%s]\n  call: [%s]\n  context: %d\n  threads: 1\n  calls: plain\n",
		ollamatest.Parrot, ollamatest.Parrot, ollamatest.Context)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		r.t.Fatal(err)
	}
	r.args = append(r.args, "--config", file)
	r.setenv("REACHYD_LLM_URL=" + s.URL)
}

// says lets a person say something and returns the reply's text.
func (c *client) says(id, text string) string {
	c.t.Helper()
	reply := c.command("chat", fmt.Sprintf(`{"id":%q,"text":%q}`, id, text))
	if result, ok := reply["result"].(map[string]any); ok {
		return fmt.Sprint(result["reply"])
	}
	c.t.Fatalf("%q: %v", text, reply)
	return ""
}

// leftAlone is longer than a model is left alone that was too slow once: a minute, which a busy host may cost.
const leftAlone = 3 * time.Minute

// untilItTalks waits for the language model, which reachyd looks for in the background. It asks in a session of its own: what
// is said over and over makes a long history, and the parrot reads slowly.
func (r *robot) untilItTalks(c *client) {
	r.t.Helper()
	r.untilIn(leftAlone, "the language model", func() bool {
		reply := c.command("chat", fmt.Sprintf(`{"id":"talk%d","session":"waiting","text":"how deep do penguins dive"}`, c.mark()))
		return strings.Contains(mustJSON(reply), "Penguins are birds.")
	})
}

// What a person sees of the mind when there is a language model: agents that hand over, tools within their limits, replies
// that grow, and a plain sentence when the server dies.
func TestTheMindWithARealLanguageModelServer(t *testing.T) {
	s := ollamatest.Start(t,
		ollamatest.Rule{
			On:  "does this shirt suit me",
			Say: ollamatest.UseTool("hand_off", `{"to":"robot","reason":"the head must turn","task":"look up at the shirt"}`),
		},
		ollamatest.Rule{On: "look up at the shirt)", Say: ollamatest.UseTool("move_head", `{"pitch":-90,"yaw":30}`)},
		ollamatest.Rule{On: `"end":"done"}`, Say: "It suits you well. I could not look up any further."},
		ollamatest.Rule{On: "how deep do penguins dive", Say: "Penguins are birds. They cannot fly, but swim well."},
		ollamatest.Rule{On: "turn towards the harbour", Say: ollamatest.UseTool("move_head", `{"yaw":60,"duration":10}`)},
		ollamatest.Rule{On: "tell me a story about rain", Say: "And then it rained again. ", Loop: true},
	)
	r := newRobot(t)
	r.withModel(s)
	r.start()
	c := r.client()
	r.untilItTalks(c)

	t.Run("agents hand over and move the head", func(t *testing.T) {
		from := c.mark()
		seen := r.watchTruth()
		if got := c.says("shirt", "does this shirt suit me"); got != "It suits you well. I could not look up any further." {
			t.Errorf("reply %q", got)
		}
		if _, hi := seen(); hi.Head.Yaw*180/3.141592653589793 < 20 {
			t.Errorf("the head turned to %.2f rad, asked for 30°", hi.Head.Yaw)
		}
		c.waitFrom(from, "hand-off", event("handoff", "from", "coordinator", "to", "vision", "reason", "it is about what the camera sees"))
		c.waitFrom(from, "hand-off", event("handoff", "from", "vision", "to", "robot", "reason", "the head must turn"))
		call := c.waitFrom(from, "the call", event("tool_call", "tool", "move_head"))
		if args, _ := call.payload["args"].(map[string]any); args["pitch"] != -40.0 || args["yaw"] != 30.0 {
			t.Errorf("called with %v, want what is out of range at its limit", call.payload["args"])
		}
		c.waitFrom(from, "hand-back", event("handoff", "from", "robot", "to", "vision", "reason", "done"))
		c.waitFrom(from, "hand-back", event("handoff", "from", "vision", "to", "coordinator", "reason", "done"))
		c.waitFrom(from, "the growing reply", event("partial", "speaker", "robot", "text", "It suits you well."))
		out, code := r.ctl("trace")
		for _, want := range []string{
			"handoff coordinator → vision: it is about what the camera sees", "handoff vision → robot: the head must turn",
			"tool move_head", "model call",
		} {
			if code != 0 || !strings.Contains(out, want) {
				t.Errorf("exit %d, trace without %q:\n%s", code, want, out)
			}
		}
	})
	t.Run("talk is streamed", func(t *testing.T) {
		from := c.mark()
		if got := c.says("penguins", "how deep do penguins dive"); got != "Penguins are birds. They cannot fly, but swim well." {
			t.Errorf("reply %q", got)
		}
		c.waitFrom(from, "the beginning", event("partial", "text", "Penguins are birds."))
	})
	t.Run("the server dies in the middle of an answer", func(t *testing.T) {
		var reply map[string]any
		for attempt := range 5 { // the parrot is quick: on a busy machine it may be at the story's end before we kill it
			from, id := c.mark(), fmt.Sprint("story", attempt)
			c.publish("cmd/chat", fmt.Sprintf(`{"id":%q,"text":"tell me a story about rain"}`, id), false)
			c.waitFrom(from, "the story's beginning", event("partial", "speaker", "robot", "text", "And then it rained again."))
			s.Kill()
			if reply = c.waitFrom(from, "the last word", func(m message) bool { return m.topic == "reply/"+id }).payload; reply["ok"] != true {
				break
			}
			s.Restart(t)
			r.untilItTalks(c)
		}
		if e, _ := reply["error"].(map[string]any); reply["ok"] != false || !strings.Contains(fmt.Sprint(e["message"]), "Simple commands work all the same.") {
			t.Errorf("reply %v", reply)
		}
		if out, code := r.ctl("say", "look straight ahead"); code != 0 || !strings.Contains(out, "I looked") {
			t.Errorf("exit %d: %s", code, out)
		}
		if got := c.says("away", "how deep do penguins dive"); !strings.Contains(got, "“") { // what it suggests instead
			t.Errorf("without a server: %q", got)
		}
	})
	t.Run("and comes back", func(t *testing.T) {
		s.Restart(t)
		r.untilItTalks(c)
	})
	t.Run("a correction and a stop interrupt what it does", func(t *testing.T) {
		for _, then := range []struct{ id, text, reply, why string }{
			{"correct", "no, how deep do penguins dive", "Penguins are birds.", "a newer command took over"},
			{"halt", "stop", "", "stop was said"},
		} {
			from := c.mark()
			id := r.turning(c, then.id)
			if got := c.says(id+"-it", then.text); !strings.Contains(got, then.reply) {
				t.Errorf("%s: %q", then.text, got)
			}
			reply := c.waitFrom(from, "the end of what was interrupted", func(m message) bool { return m.topic == "reply/"+id }).payload
			if e, _ := reply["error"].(map[string]any); e["code"] != "interrupted" || !strings.Contains(fmt.Sprint(e["message"]), then.why) {
				t.Errorf("after %q: %v, want %q", then.text, reply, then.why)
			}
		}
	})
}

// turning lets the mind begin a move of ten seconds and returns the command's id. On a machine that is so busy that the simulated servos
// or the model are late, the robot refuses to move for a while: then it is asked again.
func (r *robot) turning(c *client, name string) (id string) {
	r.t.Helper()
	attempt := 0
	r.untilIn(leftAlone, "a move that the mind began", func() bool {
		from := c.mark()
		attempt++
		id = fmt.Sprint(name, attempt)
		c.publish("cmd/chat", fmt.Sprintf(`{"id":%q,"text":"be a lighthouse and turn towards the harbour"}`, id), false)
		m := c.waitFrom(from, "the beginning of the move", func(m message) bool { return m.topic == "event/move_started" || m.topic == "reply/"+id })
		if m.topic != "event/move_started" {
			r.t.Logf("not yet: %v", m.payload)
			time.Sleep(time.Second) // a minute of asking over and over would fill the history
		}
		return m.topic == "event/move_started"
	})
	return id
}

// Conversations are kept apart, survive a restart, and go when they are to be forgotten. No language model is there, though
// the settings name one.
func TestSessionsOverARestart(t *testing.T) {
	t.Parallel() // it mostly waits
	r := newRobot(t)
	r.setenv(fmt.Sprintf("REACHYD_LLM_URL=http://127.0.0.1:%d", freePort(t)))
	r.start()
	say := func(session, text, want string) {
		t.Helper()
		if out, code := r.ctl("say", "--session", session, text); code != 0 || !strings.Contains(out, want) {
			t.Errorf("%s, %q: exit %d: %s, want %q", session, text, code, out, want)
		}
	}
	shows := func(args string, wantCode int, want ...string) {
		t.Helper()
		out, code := r.ctl(strings.Fields("session " + args)...)
		for _, w := range want {
			if code != wantCode || !strings.Contains(out, w) {
				t.Errorf("session %s: exit %d:\n%swant %d with %q", args, code, out, wantCode, w)
			}
		}
	}
	say("anna", "my name is Anna", "I will remember")
	say("bob", "remember that my name is Bob", "I will remember")
	say("bob", "nod", "I nodded")
	r.kill()
	r.start()
	say("anna", "what is my name", "Your name is Anna")
	say("bob", "what is my name", "Your name is Bob")
	shows("list", 0, "anna", "bob", "what is my name")
	shows("show bob", 0, "my name is Bob", "> nod", "< I nodded.")
	shows("export anna", 0, `"text": "my name is Anna"`, `"history": [`)
	shows("forget anna", 0, "Forgotten: session anna, said 2, remembered 1.")
	shows("show anna", 1, "there is none")
	r.stop()
	r.start()
	shows("show anna", 1, "there is none")
	shows("show bob", 0, "my name is Bob")
	if out, code := r.ctl("say", "--session", "anna", "what is my name"); strings.Contains(out, "Anna") {
		t.Errorf("exit %d, what was forgotten is still known: %s", code, out)
	}
}
