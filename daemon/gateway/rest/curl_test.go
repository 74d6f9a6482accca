package rest

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/daemon/access"
	"github.com/reachyd/reachyd/daemon/command"
	"github.com/reachyd/reachyd/daemon/event"
)

var update = flag.Bool("update", false, "write docs/curl.md anew")

const (
	curlFile = "../../../docs/curl.md"
	curlAt   = "http://127.0.0.1:8000"
	curlHead = `<!-- Written by "go test ./daemon/gateway/rest -run Curl -update" from the table of routes: do not edit. -->
# An example for each request

What each takes and answers is at ` + "`/docs`" + ` and in ` + "`/openapi.json`" + `; [http.md](http.md) says more. From another host add
` + "`-k -H 'Authorization: Bearer reachy_…'`" + ` and ask ` + "`https://`" + `.
`
)

// curlBodies are what the examples send, by method and path; curlQueries what stands behind the path.
var (
	curlBodies = map[string]string{
		"POST /chat":                         `{"message":"look left, then nod","session_id":"kitchen"}`,
		"POST /plan":                         `{"text":"look left and nod"}`,
		"POST /voice/stt":                    "@recording.wav",
		"POST /voice/tts":                    `{"text":"Hello."}`,
		"POST /voice/speak":                  `{"text":"Hello."}`,
		"POST /vision/analyze":               `{"image":"/9j/4AAQ","prompt":"what is on the table?"}`,
		"POST /camera":                       `{"seconds":10,"rate":5}`,
		"POST /tools/execute":                `{"tool_name":"move_head","parameters":{"yaw":30}}`,
		"POST /tools/kill":                   `{"run":3}`,
		"POST /tools/generate":               `{"description":"a tool that counts the vowels of a text"}`,
		"POST /tools/{name}/rollback":        `{"version":1}`,
		"POST /tools/add":                    `{"source":"def double(x: float) -> float:\n    \"\"\"Double a number.\"\"\"\n    return 2 * x\n"}`,
		"POST /tools/new":                    `{"name":"double"}`,
		"POST /tools/check":                  `{"source":"def double(x: float) -> float:\n    return 2 * x\n","mode":"lenient"}`,
		"POST /tools/test":                   `{"source":"def double(x: float) -> float:\n    return 2 * x\n","cases":[{"name":"two","input":{"x":2},"expected":4}]}`,
		"POST /tools/run":                    `{"source":"def double(x: float) -> float:\n    return 2 * x\n","args":{"x":2}}`,
		"POST /tools/files":                  `{"files":[{"name":"sales.csv","data":"cHJpY2UKMQo="}]}`,
		"POST /tools/review":                 `{"action":"approve","name":"double","author":"bob"}`,
		"POST /tools/export":                 `{"names":["double"]}`,
		"POST /tools/import":                 `{"file":"(the text that tools/export wrote)"}`,
		"POST /feedback":                     `{"feedback_text":"good, but a bit slow"}`,
		"POST /feedback/correct":             `{"feedback":"f00000012","reward":0.7}`,
		"POST /learned/forget":               `{"parameter":"speed"}`,
		"POST /training/start":               `{"task":"follow","episodes":500}`,
		"POST /training/consent":             `{"consent":"c1","answer":"no"}`,
		"POST /training/evaluate":            `{"tries":100}`,
		"POST /training/compare":             `{"run":"follow-2","other":"follow-1"}`,
		"POST /demonstration":                `{"task_description":"bow","actions":[{"head":{"pitch":20},"duration":0.6},{"head":{},"duration":0.6}]}`,
		"POST /demonstrations/record":        `{"name":"curious look","how":"hand"}`,
		"POST /demonstrations/import":        `{"name":"bow","data":"UEsDBA=="}`,
		"POST /demonstrations/{name}/name":   `{"as":"curious"}`,
		"POST /robot/goto":                   `{"head":{"pitch":-10,"yaw":30},"duration":1.5}`,
		"POST /robot/target":                 `{"antennas":{"left":10,"right":-10},"source":"joystick"}`,
		"POST /robot/stop":                   `{"reason":"somebody is near"}`,
		"POST /robot/motors":                 `{"on":true}`,
		"POST /models/pull":                  `{"name":"tiny.en-q8_0"}`,
		"POST /models/cancel":                `{"name":"tiny.en-q8_0"}`,
		"PATCH /config":                      `{"values":{"idle":"lively","sense.volume":60}}`,
		"POST /demonstrations/{name}/replay": "", "POST /demonstrations/stop": "", "POST /robot/reset": "", "POST /training/stop": "",
		"POST /tools/{name}/activate": "", "POST /tools/{name}/deactivate": "", "POST /vision/capture": "",
	}
	curlQueries = map[string]string{
		"GET /tools/{name}/diff": "?from=1&to=2", "GET /events": "?types=reply,tool_call", "GET /events/list": "?limit=20", "GET /config/list": "?key=sense",
		"GET /logs":           "?level=warn&limit=20",
		"GET /training/curve": "?run=follow-1", "GET /ws/events": "?types=move_done",
	}
	curlNames = map[string]string{
		"session": "kitchen", "name": "double", "feedback": "f00000012", "trace": "019de38d7b9b0001c0ffee42", "run": "follow-1",
	}
)

// curl is the example of a route, and the request that it sends.
func curl(t *testing.T, rt *route) (text string, r *http.Request) {
	key := rt.method + " " + rt.path
	path := rt.path + curlQueries[key]
	for name, value := range curlNames {
		path = strings.ReplaceAll(path, "{"+name+"}", value)
	}
	body, known := curlBodies[key]
	if !known && (rt.method == post || rt.method == patch) {
		t.Errorf("%s has no example: add one to curlBodies (\"\" where it needs no body) and run go test ./daemon/gateway/rest -run Curl -update", key)
	}
	r = httptest.NewRequest(rt.method, Prefix+path, strings.NewReader(body))
	text = "curl "
	if rt.method != get && (rt.method != post || body == "") {
		text += "-X " + rt.method + " "
	}
	switch {
	case rt.upgrade:
		text += "-N --http1.1 -H 'Connection: Upgrade' -H 'Upgrade: websocket' -H 'Sec-WebSocket-Version: 13' -H 'Sec-WebSocket-Key: cmVhY2h5cmVhY2h5cmVhYw==' "
	case rt.answers == "text/event-stream":
		text += "-N "
	case rt.answers != "":
		text += "-o answer." + rt.answers[strings.Index(rt.answers, "/")+1:] + " "
	}
	text += "'" + curlAt + Prefix + path + "'"
	kind := "application/json"
	if strings.HasPrefix(body, "@") {
		kind = "audio/wav"
	}
	if body != "" {
		r.Header.Set("Content-Type", kind)
		data := "-d"
		if kind != "application/json" {
			data = "--data-binary"
		}
		text += " -H 'Content-Type: " + kind + "' " + data + " '" + body + "'"
	}
	return text, r
}

// checker answers commands whose arguments are as their schemas have them.
type checker struct {
	t     *testing.T
	asked []string
}

func (c *checker) Do(_ context.Context, verb string, payload []byte) (string, []byte) {
	c.asked = append(c.asked, verb)
	schema, _, known := command.Describe(verb)
	args, err := tool.Decode(payload)
	if err != nil || !known {
		c.t.Errorf("%s %s: %v", verb, payload, err)
	}
	if _, err := schema.CheckValues(args); err != nil {
		c.t.Errorf("%s %s: %v", verb, payload, err)
	}
	return "1", []byte(`{"ok":true,"result":{"status":"success","id":"1","history":[{"ts":"2026-05-01T12:00:00Z","text":"hello"}],"data":{"name":"p"}}}`)
}

// Every request has an example in docs/curl.md, which is one that the robot understands.
func TestCurlExamples(t *testing.T) {
	c := &checker{t: t}
	events := event.NewBus(0, nil)
	a := &API{
		Commander: c, Events: events, State: func() []byte { return []byte("{}") }, Version: "test", Changed: func() <-chan struct{} { return nil },
		Follow: func() func() { return func() {} },
	}
	a.Tools = func() []tool.Spec { // what tools/list answers with
		c.asked = append(c.asked, string(api.VerbToolsList))
		return []tool.Spec{{Name: "move_head"}}
	}
	a.Telemetry, a.Health = a.State, func() api.Health { return api.Health{} }
	mux := http.NewServeMux()
	a.Mount(mux)
	t.Cleanup(func() {
		a.Close()
		if err := events.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	var doc strings.Builder
	doc.WriteString(curlHead)
	tag := ""
	for _, rt := range routes() {
		text, r := curl(t, rt)
		if rt.tag != tag {
			tag = rt.tag
			fmt.Fprintf(&doc, "\n## %s\n", tag)
		}
		fmt.Fprintf(&doc, "\n%s\n```\n%s\n```\n", rt.about, text)
		if rt.upgrade || rt.answers == "text/event-stream" { // they do not end
			if _, pattern := mux.Handler(r); pattern != rt.method+" "+rt.pattern() {
				t.Errorf("%s: is answered by %q", text, pattern)
			}
			continue
		}
		c.asked = nil
		answer := httptest.NewRecorder()
		mux.ServeHTTP(answer, r.WithContext(access.With(r.Context(), access.Everything("test"))))
		absent := answer.Code == http.StatusConflict && strings.Contains(answer.Body.String(), api.CodeNotAvailable) // this test has no senses
		unknown := answer.Code == http.StatusNotFound && rt.missing != ""
		if answer.Code != http.StatusOK && !absent && !unknown {
			t.Errorf("%s: %d %s", text, answer.Code, answer.Body)
		}
		if rt.verb != "" && !slices.Contains(c.asked, string(rt.verb)) {
			t.Errorf("%s: asked for %v instead of %s", text, c.asked, rt.verb)
		}
	}
	if *update {
		if err := os.WriteFile(curlFile, []byte(doc.String()), 0o644); err != nil { //nolint:gosec // a document that everybody may read
			t.Fatal(err)
		}
	}
	kept, err := os.ReadFile(curlFile)
	if err != nil || string(kept) != doc.String() {
		t.Errorf("docs/curl.md is not that of the routes (go test ./daemon/gateway/rest -run Curl -update): %v", err)
	}
}
