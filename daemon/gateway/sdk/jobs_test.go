package sdk

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/coder/websocket"
)

func TestJobs(t *testing.T) {
	r := newRig(t)
	status := func(id any) (text string, logs []any) {
		t.Helper()
		is := r.must("GET", fmt.Sprint("/api/apps/job-status/", id), "")
		return fmt.Sprint(is["command"], " ", is["status"]), is["logs"].([]any)
	}
	nothing := r.must("POST", "/api/daemon/stop?goto_sleep=false", "")["job_id"]
	if is, logs := status(nothing); is != "daemon-stop done" || len(logs) != 1 {
		t.Errorf("%s, %v", is, logs)
	}
	wake := r.must("POST", "/api/daemon/start?wake_up=true", "")["job_id"]
	r.soon("the end of waking up", func() bool {
		is, _ := status(wake)
		return is == "daemon-start done"
	})
	if code, v := r.call("GET", "/api/apps/job-status/nobody", ""); code != http.StatusNotFound {
		t.Errorf("%d %v", code, v)
	}
	failed := r.gateway.jobs.add("remove")
	r.gateway.jobs.end(failed, "it could not", "a line")
	if is, logs := status(failed); is != "remove failed" || len(logs) != 2 || logs[1] != "it could not" {
		t.Errorf("%s, %v", is, logs)
	}
	for range maxJobs {
		r.gateway.jobs.add("more")
	}
	if code, _ := r.call("GET", fmt.Sprint("/api/apps/job-status/", failed), ""); code != http.StatusNotFound {
		t.Errorf("an old job: %d", code)
	}
	r.gateway.jobs.end(failed, "") // who is forgotten may end
}

// A page follows a job by a WebSocket, as it does with the official daemon: lines as they come, and the job with them, to its end.
func TestAJobIsFollowed(t *testing.T) {
	r := newRig(t)
	read := func(p *peer) string {
		t.Helper()
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		_, data, err := p.conn.Read(ctx)
		if err != nil {
			return fmt.Sprint("closed: ", websocket.CloseStatus(err))
		}
		return string(data)
	}
	says := func(p *peer, wants ...string) {
		t.Helper()
		for _, want := range append(wants, "closed: StatusNormalClosure") {
			if got := read(p); got != want {
				t.Errorf("%q, want %q", got, want)
			}
		}
	}
	says(r.listen(jobSocket+"nobody"), `{"error":"Job ID not found"}`)
	id := r.gateway.jobs.add("remove")
	p := r.listen(jobSocket + id)
	r.gateway.jobs.end(id, "it is in use", "it was asked to end")
	last := `{"command":"remove","status":"failed","logs":["it was asked to end","it is in use"]}`
	says(p, "it was asked to end", "it is in use", last)
	says(r.listen(jobSocket+id), "it was asked to end", "it is in use", last) // one that comes late
	silent := r.gateway.jobs.add("daemon-start")
	r.gateway.jobs.end(silent, "")
	says(r.listen(jobSocket+silent), `{"command":"daemon-start","status":"done","logs":[]}`)
}

func TestTheNumberOfTheRobot(t *testing.T) {
	dir := t.TempDir()
	if id := hardwareID(filepath.Join(dir, "nowhere")); id != nil {
		t.Errorf("without USB: %s", *id)
	}
	device := func(name, vendor, product, serial string) {
		t.Helper()
		for file, text := range map[string]string{"idVendor": vendor, "idProduct": product, "serial": serial} {
			if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
				t.Fatal(err)
			}
			if text == "" {
				continue
			}
			if err := os.WriteFile(filepath.Join(dir, name, file), []byte(text+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	device("1-1", "1d6b", "0002", "abc")
	device("1-2", "38fb", "1001", "")
	if id := hardwareID(dir); id != nil {
		t.Errorf("a card without a serial number: %s", *id)
	}
	device("1-3", "38fb", "1001", "abc")
	const want = "ba7816bf8f01cfea" // of SHA-256's first test vector
	if id := hardwareID(dir); id == nil || *id != want {
		t.Errorf("%v, want %s", id, want)
	}
	r := newRig(t)
	if v := r.must("GET", "/api/daemon/hardware-id", ""); v["hardware_id"] != nil {
		t.Errorf("a simulated robot: %v", v)
	}
}

// Who waits for a sign-in is told that there will be none, in the official daemon's words.
func TestNobodySignsIn(t *testing.T) {
	r := newRig(t)
	for _, path := range []string{"/api/hf-auth/oauth/status/x", "/api/hf-auth/oauth/device/status/x"} {
		if v := r.must("GET", path, ""); v["status"] != "expired" || v["message"] == "" {
			t.Errorf("%s: %v", path, v)
		}
	}
	if v := r.must("POST", "/api/hf-auth/refresh-relay", ""); v["status"] != "skipped" || v["reason"] != "relay_unavailable" || v["token_available"] != false {
		t.Errorf("%v", v)
	}
	if code, v := r.call("GET", "/api/hf-auth/oauth/start", ""); code != http.StatusNotImplemented {
		t.Errorf("%d %v", code, v)
	}
}
