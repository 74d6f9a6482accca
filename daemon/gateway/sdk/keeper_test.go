package sdk

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/daemon/access"
)

const danceAndSong = `"apps":[{"name":"dance","version":"1.2","description":"it dances"},{"name":"song","version":"0.1","description":"it sings"}]`

// keeps is a keeper that says what it has and has done; it returns what it is asked for.
func (r *rig) keeps(more string) (job, what string) {
	r.t.Helper()
	asked, _ := r.must("PUT", "/api/apps/kept", `{"id":"1",`+danceAndSong+more+`}`)["asked"].(map[string]any)
	if asked == nil {
		return "", ""
	}
	return asked["job"].(string), fmt.Sprint(asked["do"], " ", asked["name"])
}

// wants makes a request beside a keeper that ends it so, and returns the answer.
func (r *rig) wants(path, what, why string) (int, any) {
	r.t.Helper()
	type reply struct {
		code int
		body any
	}
	got := make(chan reply, 1)
	go func() {
		code, v := r.call("POST", path, "")
		got <- reply{code, v}
	}()
	var job, is string
	r.soon("what is asked of the keeper", func() bool {
		job, is = r.keeps("")
		return is != ""
	})
	if is != what {
		r.t.Errorf("%s: the keeper is asked for %q, want %q", path, is, what)
	}
	if _, is = r.keeps(fmt.Sprintf(`,"done":[{"job":%q,"error":%q,"log":["a line"]}]`, job, why)); is != "" {
		r.t.Errorf("%s: %s is asked again", path, is)
	}
	answer := <-got
	return answer.code, answer.body
}

func TestAppsOfAKeeper(t *testing.T) {
	r := newRig(t)
	start := "/api/apps/start-app/"
	if code, v := r.call("POST", start+"dance", ""); code != http.StatusConflict || !strings.Contains(fmt.Sprint(v), "reachyctl app serve") {
		t.Errorf("without a keeper: %d %v", code, v)
	}
	r.keeps("")
	code, v := r.call("GET", "/api/apps/list-available/installed", "")
	if list := fmt.Sprint(v); code != http.StatusOK || !strings.Contains(list, "dance") || !strings.Contains(list, "it sings") {
		t.Errorf("%d %v", code, v)
	}
	if code, v := r.call("GET", "/api/apps/list-available/hf_space", ""); code != http.StatusOK || len(v.([]any)) != 0 {
		t.Errorf("%d %v", code, v)
	}
	if code, v := r.call("GET", "/api/apps/list-available/mine", ""); code != http.StatusUnprocessableEntity {
		t.Errorf("%d %v", code, v)
	}
	if code, v := r.call("POST", start+"nobody", ""); code != http.StatusNotFound {
		t.Errorf("%d %v", code, v)
	}
	for _, path := range []string{start + "dance", start + "dance/no-evict"} {
		code, v := r.wants(path, "start dance", "")
		if is, _ := v.(map[string]any); code != http.StatusOK || is["state"] != appStarting || is["info"].(map[string]any)["name"] != "dance" {
			t.Errorf("%s: %d %v", path, code, v)
		}
	}
	if code, v := r.wants(start+"song", "start song", "it has no voice"); code != http.StatusBadRequest || !strings.Contains(fmt.Sprint(v), "no voice") {
		t.Errorf("%d %v", code, v)
	}
	r.says("9", "dance", appStarting)
	r.says("9", "dance", appRunning)
	if code, v := r.call("POST", start+"song", ""); code != http.StatusBadRequest || !strings.Contains(fmt.Sprint(v), "already running: dance") {
		t.Errorf("%d %v", code, v)
	}
	r.says("9", "dance", appDone)

	for why, want := range map[string]string{"": "remove done [a line]", "it is in use": "remove failed [a line it is in use]"} {
		code, v := r.wants("/api/apps/remove/song", "remove song", why)
		is, _ := v.(map[string]any)
		if code != http.StatusOK || is["job_id"] == nil {
			t.Fatalf("%d %v", code, v)
		}
		r.soon(want, func() bool {
			job := r.must("GET", fmt.Sprint("/api/apps/job-status/", is["job_id"]), "")
			return fmt.Sprint(job["command"], " ", job["status"], " ", job["logs"]) == want
		})
	}
	if code, v := r.call("PUT", "/api/apps/kept", `{"id":"2","apps":[]}`); code != http.StatusConflict {
		t.Errorf("a second keeper: %d %v", code, v)
	}
}

// A keeper that goes leaves nobody waiting.
func TestAKeeperThatGoes(t *testing.T) {
	r := newRig(t)
	r.keeps("")
	got := make(chan string, 1)
	go func() {
		code, v := r.call("POST", "/api/apps/start-app/dance", "")
		got <- fmt.Sprint(code, v)
	}()
	k := &r.gateway.keeper
	r.soon("an errand", func() bool {
		k.mu.Lock()
		defer k.mu.Unlock()
		return len(k.list) == 1
	})
	k.mu.Lock()
	k.heard = time.Now().Add(-2 * tenure)
	k.mu.Unlock()
	if answer := <-got; !strings.HasPrefix(answer, "400") || !strings.Contains(answer, "has gone") {
		t.Error(answer)
	}
	if apps, there := k.known(); there || len(apps) > 0 {
		t.Errorf("%v", apps)
	}
	if k.mu.Lock(); len(k.list) > 0 {
		t.Errorf("%+v", k.list)
	}
	k.mu.Unlock()
	r.keeps("") // it may come back
}

// Who may only move the robot starts and removes nothing, and only programs of this host keep apps.
func TestWhoMayHaveAppsStarted(t *testing.T) {
	r := newRig(t)
	r.keeps("")
	r.grant = access.Grant{By: "a guest", Scopes: []api.Scope{api.ScopeRead, api.ScopeMove}}
	for _, path := range []string{"start-app/dance", "start-app/dance/no-evict", "remove/dance"} {
		if code, v := r.call("POST", "/api/apps/"+path, ""); code != http.StatusForbidden || !strings.Contains(fmt.Sprint(v), "scope tools") {
			t.Errorf("%s: %d %v", path, code, v)
		}
	}
	if _, asked := r.keeps(""); asked != "" {
		t.Errorf("the keeper is asked to %s", asked)
	}
	r.grant.Scopes = append(r.grant.Scopes, api.ScopeTools)
	if code, v := r.wants("/api/apps/start-app/dance", "start dance", ""); code != http.StatusOK {
		t.Errorf("%d %v", code, v)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPut, r.web.URL+"/api/apps/kept", strings.NewReader(`{"id":"1","apps":[]}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Origin", r.web.URL)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusForbidden {
		t.Errorf("a page of a browser keeps apps: %s", resp.Status)
	}
	for body, says := range map[string]string{
		`{"apps":[]}`:                     "id has 0 bytes",
		`{"id":"1","apps":[{"name":""}]}`: "name has 0 bytes",
		`{"id":"1","apps":[` + strings.Repeat(`{"name":"a"},`, maxKeptApps) + `{"name":"a"}]}`:       "apps are 201",
		`{"id":"1","apps":[{"name":"a","description":"` + strings.Repeat("x", maxAppText+1) + `"}]}`: "description has 1001",
		`{"id":"1","done":[{"error":"` + strings.Repeat("x", maxAppText+1) + `"}]}`:                  "error of 1001",
	} {
		if code, v := r.call("PUT", "/api/apps/kept", body); code != http.StatusUnprocessableEntity || !strings.Contains(fmt.Sprint(v), says) {
			t.Errorf("%.60s: %d %v", body, code, v)
		}
	}
}
