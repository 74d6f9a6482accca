package pylib

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/toolsandbox/guest"
	"github.com/reachyd/reachyd/toolsandbox/host"
	"github.com/reachyd/reachyd/toolsandbox/lang"
)

var testFunction = regexp.MustCompile(`(?m)^(?:async )?def (test_\w+)\(`)

// checks runs every test function of a Python file in the sandbox.
func checks(t *testing.T, s lang.Sandbox, file string, set func(test string) *host.Set, args string) {
	t.Helper()
	source := testTool(t, file)
	for _, m := range testFunction.FindAllStringSubmatch(source, -1) {
		if _, real := s.(inNumpy); real && strings.HasPrefix(m[1], "test_subset_") {
			continue // says what the subset does not have
		}
		t.Run(m[1], func(t *testing.T) {
			uses := []string{"detect_objects", "move_head", "notify", "get_robot_state", "speak"}
			r := run(t, s, set(m[1]), source, m[1], args, uses...)
			if r.Reason != guest.ReasonOK {
				t.Errorf("%s %+v\n%s", r.Reason, r.Error, r.Log)
				if r.Error != nil {
					t.Log(r.Error.Traceback)
				}
			}
		})
	}
}

func healthy(string) *host.Set { return newSet(awake()) }

func TestNumpy(t *testing.T) {
	s := lean.Open(t)
	checks(t, s, "check_numpy", healthy, "")
	source := testTool(t, "check_numpy")
	r := run(t, s, healthy(""), source, "test_result", "")
	if want := `[1.5,2,[1,2],[[true]],{"a":[0.0]}]`; string(r.Value) != want {
		t.Errorf("%s %+v, want %s", r.Value, r.Error, want)
	}
	// What the real one gave for the same expressions.
	r = run(t, s, healthy(""), source, "check", fmt.Sprintf(`{"cases":%s}`, testFile(t, "numpy_cases.json")))
	var wrong [][3]string
	if err := json.Unmarshal(r.Value, &wrong); err != nil {
		t.Fatalf("%+v %+v %v", r, r.Error, err)
	}
	for _, w := range wrong {
		t.Errorf("%s: %s, the real numpy gives %s", w[0], w[1], w[2])
	}
}

func TestPictures(t *testing.T) {
	onBoth(t, func(t *testing.T, s lang.Sandbox) { checks(t, s, "check_cv2", healthy, "") })
}

func TestRobot(t *testing.T) {
	onBoth(t, func(t *testing.T, s lang.Sandbox) { robotChecks(t, s) })
}

func robotChecks(t *testing.T, s lang.Sandbox) {
	checks(t, s, "check_robot", func(test string) *host.Set {
		if test == "test_no_camera" {
			robot := awake()
			robot.Frames = -1
			return newSet(robot)
		}
		return healthy(test)
	}, "")
}

func webServer(t *testing.T) *httptest.Server {
	mux := http.NewServeMux()
	mux.HandleFunc("/echo", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		_ = json.NewEncoder(w).Encode(map[string]string{
			"method": r.Method, "query": r.URL.RawQuery, "mine": r.Header.Get("X-Mine"), "body": string(body),
			"type": r.Header.Get("Content-Type"),
		})
	})
	mux.HandleFunc("/redirect", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/echo", http.StatusFound) })
	mux.HandleFunc("/away", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://example.org/", http.StatusFound)
	})
	mux.HandleFunc("/text", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=ISO-8859-1")
		_, _ = w.Write([]byte("Gr\xfc\xdfe"))
	})
	mux.HandleFunc("/big", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, 2<<20)) })
	mux.HandleFunc("/slow", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server
}

func TestRequests(t *testing.T) {
	server := webServer(t)
	address := strings.TrimPrefix(server.URL, "http://")
	web, err := host.NewWeb(host.WebConfig{Allow: []string{address}, AllowPrivate: []string{address}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(web.Close)
	s := lean.Open(t)
	args := fmt.Sprintf(`{"base":%q}`, server.URL)
	checks(t, s, "check_requests", func(string) *host.Set { return host.New(host.Config{HTTP: web}) }, args)

	r, err := s.Call(t.Context(), &guest.Request{
		Source: testTool(t, "check_requests"), Function: "not_granted", Args: json.RawMessage(args), Host: host.New(host.Config{HTTP: web}).Call,
	})
	if err != nil || r.Reason != guest.ReasonOK {
		t.Errorf("not granted: %+v %+v %v", r, r.Error, err)
	}
}
