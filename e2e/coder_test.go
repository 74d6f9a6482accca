package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// TestToolsWithoutAModel says ten sentences for which the robot has no tool, over MQTT and without any language model:
// each tool is written from a template, tested, registered and run; the second time it is found again.
func TestToolsWithoutAModel(t *testing.T) {
	t.Parallel() // it mostly waits
	r := newRobot(t)
	r.withPython()
	r.setenv("REACHYD_SENSE_RUN=auto")
	r.start()
	c := r.client()
	r.until("the eye to be a tool", func() bool {
		out, _ := r.ctl("say", "what do you see")
		return !strings.Contains(out, "not available")
	})
	n := 0
	say := func(text string) (reply, outcome, trace string) {
		t.Helper()
		n++
		got := c.command("chat", fmt.Sprintf(`{"id":"s%d","text":%q}`, n, text))
		result, _ := got["result"].(map[string]any)
		reply, _ = result["reply"].(string)
		outcome, _ = result["outcome"].(string)
		spans, err := json.Marshal(result["spans"])
		if err != nil {
			t.Fatal(err)
		}
		if outcome != "answered" {
			t.Errorf("%q: %s: %v", text, outcome, got["error"])
		}
		return reply, outcome, string(spans)
	}
	for _, s := range []struct {
		first, reply  string
		again, reply2 string
		noTool        bool // the robot can do it itself
	}{
		{first: "what is 15 percent of 300", reply: "45.", again: "what is 20 percent of 80", reply2: "16.", noTool: true},
		{first: "reverse hello world", reply: "dlrow olleh", again: "reverse the duck", reply2: "kcud", noTool: true},
		{first: "convert 20 miles to kilometers", reply: "32.19", again: "convert 100 fahrenheit to celsius", reply2: "37.78", noTool: true},
		{first: "how many letters are in elephant", reply: "8", again: "how many letters are in duck", reply2: "4", noTool: true},
		{first: "what is the average of 3, 7 and 20", reply: "10", again: "what is the average of 1 and 2", reply2: "1.5", noTool: true},
		{
			first: "how many days from 1 January 2026 to 25 December 2026", reply: "358",
			again: "how many days from 1 May 2026 to 2 May 2026", reply2: "1 day", noTool: true,
		},
		{first: "what is the acronym for as soon as possible", reply: "ASAP", again: "make an acronym of light amplified robot", reply2: "LAR"},
		{
			first: "what is the hypotenuse of a right triangle with sides 3 and 4", reply: "5",
			again: "what is the hypotenuse of a right triangle with sides 6 and 8", reply2: "10",
		},
		{
			first: "what is the body mass index of someone with 72 kg and 1.8 m", reply: "22.2",
			again: "what is the body mass index of someone with 80 kg and 2 m", reply2: "20", noTool: true,
		},
		{first: "take a photo every ten seconds for half a minute", reply: "photo", again: "take a photo every fifteen seconds for half a minute", reply2: "photo"},
		{first: "remind me in 20 minutes to drink water", reply: "drink water", again: "remind me in 30 minutes to sleep", reply2: "sleep", noTool: true},
		{first: "look left and right three times every hour", reply: "every hour"},
		{first: "tell me when something new is on the table", reply: "tell you"},
	} {
		from := c.mark()
		reply, _, _ := say(s.first)
		if !strings.Contains(reply, s.reply) {
			t.Errorf("%q: %q, want %q", s.first, reply, s.reply)
		}
		if s.noTool {
			if reply, _, _ := say(s.again); !strings.Contains(reply, s.reply2) {
				t.Errorf("%q: %q, want %q", s.again, reply, s.reply2)
			}
			continue
		}
		c.waitFrom(from, "the tool for "+s.first, func(m message) bool { return m.topic == "event/tool_registered" })
		if s.again == "" {
			continue
		}
		from = c.mark()
		reply, _, trace := say(s.again)
		if !strings.Contains(reply, s.reply2) || !strings.Contains(trace, "reuse") {
			t.Errorf("%q: %q, want %q; trace %s", s.again, reply, s.reply2, trace)
		}
		c.mu.Lock()
		for _, m := range c.got[from:] {
			if m.topic == "event/tool_registered" {
				t.Errorf("%q: another tool was registered: %s", s.again, m.raw)
			}
		}
		c.mu.Unlock()
	}
	reply, _, _ := say("what are you doing regularly")
	for _, want := range []string{"drink water", "sleep", "every hour"} {
		if !strings.Contains(reply, want) {
			t.Errorf("what it does regularly: %q, want %q", reply, want)
		}
	}
	// It goes on after a restart.
	r.kill()
	r.start()
	out, code := r.ctl("say", "what are you doing regularly")
	if code != 0 || !strings.Contains(out, "every hour") {
		t.Errorf("after a restart: exit %d: %s", code, out)
	}
}
