package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/client"
)

// robot answers as reachyd does; routes are "METHOD /path" and what is answered, with its type.
func robot(routes map[string]string) *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer, ok := routes[r.Method+" "+r.URL.Path]
		switch {
		case !ok:
			w.WriteHeader(http.StatusNotFound)
			_, _ = io.WriteString(w, "<html>nothing here")
		case strings.HasPrefix(answer, "event:"):
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, answer)
		case strings.Contains(answer, `"status":4`):
			w.Header().Set("Content-Type", "application/problem+json")
			w.Header().Set("Retry-After", "3")
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, answer)
		default:
			_, _ = io.WriteString(w, answer)
		}
	}))
}

// A robot is told something, and moved. On the robot's own host no token is needed.
func Example() {
	s := robot(map[string]string{
		"POST /api/v1/chat": `{"response":"I look left.","session_id":"kitchen","agent_used":"planner","tools_called":["move_head"],"trace_id":"t",` +
			`"outcome":"plan"}`,
		"POST /api/v1/robot/goto": `{"outcome":"accepted","move":"m7","duration":1.5}`,
	})
	defer s.Close()
	robot, err := client.New(s.URL) // http://127.0.0.1:8000
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	said, err := robot.Chat(ctx, api.ChatRequest{Message: "look left", SessionID: "kitchen"})
	fmt.Println(said.Response, said.ToolsCalled, err)
	move, err := robot.Goto(ctx, api.GotoArgs{Head: &api.HeadTarget{Pitch: new(-10.0)}, Duration: 1.5})
	fmt.Println(move.Outcome, move.Duration, err)
	// Output:
	// I look left. [move_head] <nil>
	// accepted 1.5 <nil>
}

// What happens while the robot answers.
func ExampleClient_ChatStream() {
	s := robot(map[string]string{
		"POST /api/v1/chat": "event: token\ndata: {\"text\":\"Hello\"}\n\n: still there\n\nevent: done\ndata: {\"response\":\"Hello.\"}\n\n",
	})
	defer s.Close()
	robot, err := client.New(s.URL)
	if err != nil {
		fmt.Println(err)
		return
	}
	answer, err := robot.ChatStream(context.Background(), api.ChatRequest{Message: "hello"}, func(s client.Said) { fmt.Println(s.Event, string(s.Data)) })
	fmt.Println(answer.Response, err)
	// Output:
	// token {"text":"Hello"}
	// Hello. <nil>
}

// What happened since an event, and what happens from now on.
func ExampleClient_Events() {
	s := robot(map[string]string{
		"GET /api/v1/events": "id: 8\nevent: photo\ndata: {\"id\":8,\"ts\":\"2026-05-01T12:00:00.000Z\",\"type\":\"photo\",\"name\":\"p\"}\n\n",
	})
	defer s.Close()
	robot, err := client.New(s.URL, client.WithToken("reachy_…"))
	if err != nil {
		fmt.Println(err)
		return
	}
	for e, err := range robot.Events(context.Background(), 7, api.TypePhoto) {
		if err != nil {
			fmt.Println(err)
			break
		}
		fmt.Println(e.ID, e.Type)
	}
	// Output:
	// 8 photo
	// unexpected EOF
}

// A refusal names the field, its value and what is allowed.
func ExampleError() {
	s := robot(map[string]string{
		"PATCH /api/v1/config": `{"status":400,"detail":"idle: \"loud\" is not allowed","code":"invalid",` +
			`"errors":[{"field":"values.idle","allowed":"off, calm, lively"}]}`,
	})
	defer s.Close()
	robot, err := client.New(s.URL)
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = robot.Configure(context.Background(), map[string]any{"idle": "loud"})
	var refused *client.Error
	if errors.As(err, &refused) {
		fmt.Println(refused.Code, refused.Errors[0].Field, refused.Errors[0].Allowed, refused.RetryAfter)
	}
	// Output: invalid values.idle off, calm, lively 3s
}

func TestAddressesThatAreNone(t *testing.T) {
	for _, address := range []string{"", "127.0.0.1:8000", "mqtt://robot", "http://", "http://%"} {
		if _, err := client.New(address); err == nil || !strings.Contains(err.Error(), "http://127.0.0.1:8000") {
			t.Errorf("%q: %v", address, err)
		}
	}
}

func TestCommands(t *testing.T) {
	s := robot(map[string]string{
		"POST /api/cmd/tools/ps": `{"id":"1","ok":true,"result":{"runs":[{"run":3}]}}`,
		"POST /api/cmd/goto":     `{"id":"2","ok":false,"error":{"code":"invalid","message":"body_yaw: 200","fields":[{"field":"body_yaw"}]}}`,
		"POST /api/cmd/plan":     `<`,
	})
	defer s.Close()
	robot, err := client.New(s.URL + "/")
	if err != nil {
		t.Fatal(err)
	}
	var running struct{ Runs []api.RunningTool }
	if err := robot.Do(t.Context(), api.VerbToolsPs, nil, &running); err != nil || running.Runs[0].Run != 3 {
		t.Errorf("%+v %v", running, err)
	}
	var refused *client.Error
	if err := robot.Do(t.Context(), api.VerbGoto, api.GotoArgs{}, nil); !errors.As(err, &refused) || refused.Code != api.CodeInvalid ||
		refused.Errors[0].Field != "body_yaw" {
		t.Errorf("%v", err)
	}
	if err := robot.Do(t.Context(), api.VerbPlan, nil, nil); err == nil || !strings.Contains(err.Error(), "cmd/plan") {
		t.Errorf("%v", err)
	}
	if err := robot.Do(t.Context(), "levitate", nil, nil); !errors.As(err, &refused) || refused.Status != 404 || !strings.Contains(err.Error(), "nothing here") {
		t.Errorf("%v", err)
	}
	if _, err := robot.ChatStream(t.Context(), api.ChatRequest{}, func(client.Said) {}); !errors.As(err, &refused) {
		t.Errorf("%v", err)
	}
}

// A program elsewhere should get no more than package api with this one.
func TestItNeedsNothingElse(t *testing.T) {
	for _, file := range []string{"client.go", "robot.go", "talk.go"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if path := strings.Trim(strings.TrimSpace(line), `"`); strings.HasPrefix(path, "github.com/") && path != "github.com/reachyd/reachyd/api" {
				t.Errorf("%s imports %s", file, path)
			}
		}
	}
}
