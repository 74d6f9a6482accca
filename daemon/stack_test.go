package daemon

import (
	"context"
	"errors"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestPartsEndInReverseOrder(t *testing.T) {
	var s stack
	var ended []string
	s.push("store", func() error { ended = append(ended, "store"); return nil })
	running := make(chan struct{})
	s.run("worker", func(ctx context.Context) error {
		close(running)
		<-ctx.Done()
		ended = append(ended, "worker")
		return ctx.Err()
	})
	s.push("gateway", func() error { ended = append(ended, "gateway"); return errors.New("port stuck") })
	s.run("failed", func(context.Context) error { return errors.New("broke early") })
	<-running
	err := s.close()
	if got := strings.Join(ended, " "); got != "gateway worker store" {
		t.Errorf("ended in the order %s", got)
	}
	if err == nil || !strings.Contains(err.Error(), "end gateway: port stuck") || !strings.Contains(err.Error(), "end failed: broke early") ||
		strings.Contains(err.Error(), "worker") {
		t.Errorf("error %v", err)
	}
	if err := s.close(); err != nil {
		t.Errorf("second close: %v", err)
	}
}
