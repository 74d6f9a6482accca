package daemon

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"github.com/reachyd/reachyd/daemon/config"
	"github.com/reachyd/reachyd/daemon/store"
)

// A start that fails at the last part has closed all the others when Run returns: no goroutine is left (TestMain looks),
// and the store can be opened again.
func TestAStartThatFailsClosesWhatWasOpened(t *testing.T) {
	dir := t.TempDir()
	pem := filepath.Join(dir, "broken.pem")
	if err := os.WriteFile(pem, []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Load(config.Source{Env: []string{
		"HOME=" + dir, "PATH=/nowhere", "REACHYD_DATA_DIR=" + filepath.Join(dir, "d"), "REACHYD_RUN_DIR=" + filepath.Join(dir, "r"),
		"REACHYD_MQTT_LISTEN=127.0.0.1:0", "REACHYD_MQTT_TLS_CERT=" + pem, "REACHYD_MQTT_TLS_KEY=" +
			pem, "REACHYD_HTTP_LISTEN=127.0.0.1:0", "REACHYD_SENSE_RUN=never",
	}})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	d := Daemon{Config: cfg, Log: zerolog.Nop(), Out: &out}
	if err := d.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "tls") {
		t.Errorf("Run: %v, want that the certificate cannot be read", err)
	}
	if out.Len() != 0 {
		t.Errorf("it says that it is ready: %s", out.String())
	}
	s, err := store.Open(filepath.Join(dir, "d", "store"), store.Options{})
	if err != nil {
		t.Fatalf("the store was left open: %v", err)
	}
	if err := s.Close(0); err != nil {
		t.Error(err)
	}
}
