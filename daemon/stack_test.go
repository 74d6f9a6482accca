package daemon

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/reachyd/reachyd/daemon/store"
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
	if err == nil || !strings.Contains(err.Error(), "end gateway: port stuck") || !strings.Contains(err.Error(), "end failed: broke early") || strings.Contains(err.Error(), "worker") {
		t.Errorf("error %v", err)
	}
	if err := s.close(); err != nil {
		t.Errorf("second close: %v", err)
	}
}

func TestRepliesAreForgottenInTime(t *testing.T) {
	s := store.Memory(store.Options{})
	defer s.Close(0)
	r := newReplies(s)
	if _, ok, err := r.Get("a"); ok || err != nil {
		t.Fatalf("before: %t %v", ok, err)
	}
	if err := r.Put("a", []byte(`{"id":"a"}`), time.Hour); err != nil {
		t.Fatal(err)
	}
	if err := r.Put("old", []byte(`{"id":"old"}`), -time.Second); err != nil {
		t.Fatal(err)
	}
	if got, ok, err := r.Get("a"); !ok || err != nil || string(got) != `{"id":"a"}` {
		t.Errorf("kept: %s %t %v", got, ok, err)
	}
	if _, ok, err := r.Get("old"); ok || err != nil {
		t.Errorf("an old reply is still remembered: %t %v", ok, err)
	}
}
