package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// ask makes a request with a JSON body and returns what it was answered; its trace is the header.
func (r *robot) ask(path, body string) (status int, trace string, answer map[string]any) {
	r.t.Helper()
	resp, err := http.Post(r.api(path), "application/json", strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err == nil {
		err = json.Unmarshal(data, &answer)
	}
	if err != nil {
		r.t.Fatalf("%s %s: %v: %.200s", path, body, err, data)
	}
	return resp.StatusCode, resp.Header.Get("X-Request-Id"), answer
}

// Feedback names a turn by any id that the robot has answered with, while it runs, afterwards and after a restart; an id of nothing is
// refused, over HTTP and MQTT alike.
func TestFeedbackNamesAnEpisode(t *testing.T) {
	t.Parallel() // it mostly waits
	r := newRobot(t)
	r.start()
	c := r.client()
	ids := map[string]string{}
	_, ids["header of a chat"], _ = r.ask("/api/v1/chat", `{"message":"what is 3 times 4?"}`)
	_, _, chat := r.ask("/api/v1/chat", `{"message":"what is 3 times 5?"}`)
	ids["trace of a chat"] = chat["trace_id"].(string)
	_, ids["header of a tool"], _ = r.ask("/api/v1/tools/execute", `{"tool_name":"get_pose"}`)
	_, ids["header of a command"], _ = r.ask("/api/v1/robot/motors", `{"on":true}`)
	_, _, completion := r.ask("/v1/chat/completions", `{"messages":[{"role":"user","content":"what is 3 times 6?"}]}`)
	ids["chat completion"] = completion["id"].(string)
	from := c.mark()
	c.publish("cmd/chat", `{"text":"what is 3 times 7?"}`, false)
	made := c.waitFrom(from, "a reply", func(m message) bool { return strings.HasPrefix(m.topic, "reply/auto-") })
	ids["made-up id of a reply"] = strings.TrimPrefix(made.topic, "reply/")
	c.command("tool", `{"id":"my-tool","name":"get_pose"}`)
	ids["own id of a reply"] = "my-tool"
	from = c.mark()
	c.publish("cmd/chat", `{"id":"long","text":"wait 2 seconds"}`, false)
	begun := c.waitFrom(from, "the turn to begin", func(m message) bool { return m.topic == "event/utterance" })
	ids["trace of a turn that runs"], ids["id of a turn that runs"] = begun.payload["trace"].(string), "long"
	good := func(when string, ids map[string]string) {
		t.Helper()
		for what, id := range ids {
			status, _, answer := r.ask("/api/v1/feedback", fmt.Sprintf(`{"episode_id":%q,"rating":4}`, id))
			if status != http.StatusOK || answer["status"] != "processed" {
				t.Errorf("%s: %s %s: %d %v", when, what, id, status, answer)
			}
			if answer := c.command("feedback", fmt.Sprintf(`{"id":"of-%s-%s","episode":%q,"verdict":"good"}`, id, when, id)); answer["ok"] != true {
				t.Errorf("%s: %s %s over MQTT: %v", when, what, id, answer)
			}
		}
	}
	good("at-once", ids)
	for _, id := range []string{"no-such-episode", "0", "chatcmpl-", "000000000000000000000000", ids["trace of a chat"] + "0"} {
		status, _, answer := r.ask("/api/v1/feedback", fmt.Sprintf(`{"episode_id":%q,"feedback_text":"good"}`, id))
		fields, _ := answer["errors"].([]any)
		if status != http.StatusBadRequest || len(fields) != 1 || fields[0].(map[string]any)["field"] != "episode_id" ||
			fields[0].(map[string]any)["value"] != fmt.Sprintf("%q", id) || !strings.Contains(fmt.Sprint(answer["detail"]), "allowed is") {
			t.Errorf("%s: %d %v", id, status, answer)
		}
		answer = c.command("feedback", fmt.Sprintf(`{"id":"no-%.20s","episode":%q,"text":"good"}`, id, id))
		wrong, _ := answer["error"].(map[string]any)
		if fields, _ = wrong["fields"].([]any); answer["ok"] == true || wrong["code"] != "invalid" || len(fields) != 1 ||
			fields[0].(map[string]any)["field"] != "episode" {
			t.Errorf("%s over MQTT: %v", id, answer)
		}
	}
	r.stop()
	r.start()
	c = r.client()
	good("restarted", map[string]string{
		"trace of a chat": ids["trace of a chat"], "chat completion": ids["chat completion"], "judged tool": ids["header of a tool"],
	})
}
