package local

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestSocketIsPrivateAndExclusive(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	l, err := Listen(path)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v %v", info.Mode(), err)
	}
	if _, err := Listen(path); !errors.Is(err, ErrInUse) {
		t.Errorf("a second server: %v", err)
	}
	l.Close()
	l.Close()
	// What a killed server leaves behind.
	stale, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	stale.SetUnlinkOnClose(false)
	stale.Close()
	l, err = Listen(path)
	if err != nil {
		t.Fatalf("stale socket: %v", err)
	}
	l.Close()
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Listen(path); err == nil || !strings.Contains(err.Error(), "not a socket") {
		t.Errorf("a file in the way: %v", err)
	}
}

func TestUsageOfThisProcess(t *testing.T) {
	var u Usage
	rss, load := u.Get()
	if rss < 1<<20 || load != 0 {
		t.Errorf("at first %d bytes, %v %%", rss, load)
	}
	u.at = u.at.Add(-time.Second) // as if a second had passed
	u.cpu -= time.Second / 4
	if _, load = u.Get(); load <= 0 {
		t.Errorf("a second later %v %%", load)
	}
	if again, same := u.Get(); same != load || again < 1<<20 {
		t.Errorf("asked again at once: %d bytes, %v %% and not %v %%", again, same, load)
	}
}

func TestWhatIsWrongWithARequestIsNamed(t *testing.T) {
	type request struct {
		Name  string  `json:"name,omitempty"`
		Level int     `json:"level"`
		On    *bool   `json:"on"`
		Turn  uint64  `json:"turn"`
		Yaw   float64 `json:"yaw"`
	}
	for text, want := range map[string]string{
		`{"nome":1}`:   `field "nome" is unknown; known are name level on turn yaw`,
		`{"name":1}`:   "field name is number; allowed is a text",
		`{"level":""}`: "field level is string; allowed is a whole number",
		`{"turn":-1}`:  "field turn is number -1; allowed is a whole number",
		`{"on":1}`:     "field on is number; allowed is true or false",
		`{"yaw":[]}`:   "field yaw is array; allowed is a number",
		`[]`:           "a request is a JSON object, not array",
		`{"on":`:       "it ends in the middle",
		``:             "it ends in the middle",
		`{} {}`:        "more after the JSON object",
		`{on}`:         "not JSON at byte 2",
	} {
		var r request
		if err := Parse([]byte(text), &r); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	var r request
	if err := Parse([]byte(`{"name":"x","on":true,"turn":18446744073709551615}`), &r); err != nil || !*r.On || r.Turn != 1<<64-1 {
		t.Errorf("%+v, %v", r, err)
	}
}
