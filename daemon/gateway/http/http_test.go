package http

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/reachyd/reachyd/hal"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type commander struct{ verbs []string }

func (c *commander) Do(_ context.Context, verb string, payload []byte) (string, []byte) {
	c.verbs = append(c.verbs, verb+" "+string(payload))
	return "1", []byte(`{"id":"1","ok":true}`)
}

func open(t *testing.T, state hal.State) (*Gateway, *commander, *http.Client) {
	t.Helper()
	return openWith(t, state, nil)
}

func openWith(t *testing.T, state hal.State, frame func(context.Context) ([]byte, error)) (*Gateway, *commander, *http.Client) {
	t.Helper()
	c := &commander{}
	g := &Gateway{
		Listen: "127.0.0.1:0", Commander: c, Version: "test", Frame: frame,
		State:     func() hal.State { return state },
		StateJSON: func() []byte { return []byte(`{"mode":"enabled"}`) },
		Telemetry: func() hal.Telemetry {
			return hal.Telemetry{LoopHz: 100, JitterP99: 50, Servos: []hal.ServoHealth{{Joint: "stewart_1", Voltage: 7.1}}}
		},
	}
	if err := g.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	tr := &http.Transport{}
	t.Cleanup(func() {
		tr.CloseIdleConnections()
		if err := g.Close(); err != nil {
			t.Error(err)
		}
		if err := g.Close(); err != nil {
			t.Errorf("second Close: %v", err)
		}
	})
	return g, c, &http.Client{Transport: tr}
}

func request(t *testing.T, c *http.Client, method, url, body string, header ...string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		if header[i] == "Host" {
			req.Host = header[i+1]
		}
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(data)
}

func TestCommandsHealthStateAndMetrics(t *testing.T) {
	g, c, client := open(t, hal.State{Mode: hal.ModeEnabled})
	base := "http://" + g.Addr()
	if code, body := request(t, client, "POST", base+"/api/cmd/tools/list", `{"id":"1"}`, "Content-Type", "application/json; charset=utf-8"); code != 200 ||
		!strings.Contains(body, `"ok":true`) {
		t.Errorf("command: %d %s", code, body)
	}
	if len(c.verbs) != 1 || c.verbs[0] != `tools/list {"id":"1"}` {
		t.Errorf("reached the dispatcher: %q", c.verbs)
	}
	if code, body := request(t, client, "GET", base+"/api/state", ""); code != 200 || !json.Valid([]byte(body)) {
		t.Errorf("state: %d %s", code, body)
	}
	if code, body := request(t, client, "GET", base+"/healthz", ""); code != 200 || !strings.Contains(body, `"ok"`) {
		t.Errorf("health: %d %s", code, body)
	}
	_, body := request(t, client, "GET", base+"/metrics", "")
	for _, want := range []string{
		"reachyd_loop_hertz 100", `reachyd_loop_lateness_seconds{quantile="0.99"} 5e-05`, `reachyd_servo_volts{joint="stewart_1"} 7.1`,
		"reachyd_estop 0", "go_gc_cycles_total_gc_cycles_total ", "process_cpu_seconds_total ",
	} {
		if !strings.Contains(body, want) {
			t.Errorf("metrics lack %q in:\n%s", want, body)
		}
	}
	if _, body := request(t, client, "GET", base+"/", ""); !strings.Contains(body, g.Addr()) {
		t.Errorf("index: %s", body)
	}
}

func TestUnhealthyRobot(t *testing.T) {
	for _, s := range []hal.State{{Mode: hal.ModeOffline}, {Mode: hal.ModeEnabled, Faults: []hal.Fault{{Name: hal.FaultOverload}}}} {
		g, _, client := open(t, s)
		if code, body := request(t, client, "GET", "http://"+g.Addr()+"/healthz", ""); code != http.StatusServiceUnavailable {
			t.Errorf("%+v: %d %s", s, code, body)
		}
	}
}

func TestForeignPagesAndBadRequestsAreKeptOut(t *testing.T) {
	g, c, client := open(t, hal.State{Mode: hal.ModeEnabled})
	url := "http://" + g.Addr() + "/api/cmd/stop"
	for _, bad := range []struct {
		want   int
		body   string
		header []string
	}{
		{http.StatusForbidden, `{}`, []string{"Content-Type", "application/json", "Origin", "http://evil.example"}},
		{http.StatusForbidden, `{}`, []string{"Content-Type", "application/json", "Host", "evil.example"}},
		{http.StatusUnsupportedMediaType, `{}`, []string{"Content-Type", "text/plain"}},
		{http.StatusUnsupportedMediaType, `{}`, nil},
		{http.StatusRequestEntityTooLarge, `{"text":"` + strings.Repeat("x", maxBody) + `"}`, []string{"Content-Type", "application/json"}},
	} {
		if code, body := request(t, client, "POST", url, bad.body, bad.header...); code != bad.want {
			t.Errorf("%v: %d %s, want %d", bad.header, code, body, bad.want)
		}
	}
	if len(c.verbs) != 0 {
		t.Errorf("reached the dispatcher: %q", c.verbs)
	}
	if code, _ := request(t, client, "POST", url, `{}`, "Content-Type", "application/json", "Origin", "http://"+g.Addr()); code != 200 {
		t.Errorf("our own page: %d", code)
	}
}

func TestTakenPortIsSaid(t *testing.T) {
	g, _, _ := open(t, hal.State{})
	other := &Gateway{Listen: g.Addr()}
	if err := other.Open(t.Context()); err == nil || !strings.Contains(err.Error(), "http.listen") {
		t.Errorf("got %v", err)
	}
	if err := other.Close(); err != nil {
		t.Error(err)
	}
}
