package server

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/body"
	"github.com/reachyd/reachyd/hal/local"
	"github.com/reachyd/reachyd/hal/request"
)

func TestOwnerGoneParksThenAbandons(t *testing.T) {
	r := newRobot(t, func(s *Server) { s.OwnerTimeout, s.Linger = 200*time.Millisecond, 300*time.Millisecond })
	ctx := soon(t)
	owned, cancel := context.WithCancel(ctx)
	if err := r.Own(owned, 10, func(body.Message) { cancel() }); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if err := <-r.Served; !errors.Is(err, ErrAbandoned) {
		t.Fatalf("Serve: %v", err)
	}
	if r.Servos.Torque() != 0 {
		t.Error("torque is on after parking")
	}
}

func TestOwnerReturnsWithoutAJump(t *testing.T) {
	r := newRobot(t, func(s *Server) { s.OwnerTimeout = time.Hour })
	ctx := soon(t)
	for range 5 {
		owned, cancel := context.WithCancel(ctx)
		if err := r.Own(owned, 10, func(body.Message) { cancel() }); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
	ticks := r.Loop.Telemetry().Ticks
	r.until(t, func(*hal.State) bool { return r.Loop.Telemetry().Ticks > ticks+1 })
	if goals := r.Servos.Goals(); len(goals) != 1 {
		t.Fatalf("goal moved: %v", goals)
	}
}

func TestStopIsRememberedAcrossACrash(t *testing.T) {
	file := filepath.Join(t.TempDir(), "estop")
	first := newRobot(t, func(s *Server) { s.StopFile = file })
	ctx := soon(t)
	if a, err := first.Do(ctx, hal.Request{Verb: hal.VerbStop, Reason: "smoke", Source: hal.BySpeech}); err != nil || a.Outcome != hal.Accepted {
		t.Fatalf("%+v %v", a, err)
	}
	second := newRobot(t, func(s *Server) { s.StopFile = file })
	s, err := second.State(ctx)
	if err != nil || !s.EStop || !strings.Contains(s.EStopReason, "smoke") || s.EStopBy != hal.BySpeech {
		t.Errorf("state %+v %v", s, err)
	}
	if a, err := second.Do(ctx, hal.Request{Verb: hal.VerbStop, Reason: "fire", Source: "button"}); err != nil || a.Outcome != hal.Accepted {
		t.Fatalf("%+v %v", a, err)
	}
	if a, err := second.Do(ctx, hal.Request{Verb: hal.VerbReset, Source: hal.BySpeech}); err != nil || a.Code != hal.CodeEStop {
		t.Errorf("speech released the stop of a button: %+v %v", a, err)
	}
	third := newRobot(t, func(s *Server) { s.StopFile = file })
	if s, err := third.State(ctx); err != nil || s.EStopBy != "button" || s.EStopReason != recalled+"fire" {
		t.Errorf("state %+v %v", s, err)
	}
	if a, err := second.Do(ctx, hal.Request{Verb: hal.VerbReset}); err != nil || a.Outcome != hal.Accepted {
		t.Fatalf("%+v %v", a, err)
	}
	if _, err := os.Stat(file); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the stop is still written down: %v", err)
	}
}

func FuzzParseRequest(f *testing.F) {
	for _, s := range []string{
		`{"verb":"goto","head":{"yaw":1},"duration":1}`, `{"verb":"stop","category":0}`, `{"verb":"play","recording":{"time":[0,1]}}`,
		`{"verb":"motors","joints":["stewart_1"],"on":true}`, `{"verb":"goto","antennas":{"left":1e308}}`, `{"id":null}`, `{`, `"`, `1e999`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var req hal.Request
		if err := local.Parse(data, &req); err != nil {
			if err.Error() == "" {
				t.Error("an error without words")
			}
			return
		}
		if bad := request.Check(&req); bad != nil && (bad.Outcome != hal.Rejected || bad.Reason == "") {
			t.Errorf("%+v", bad)
		}
	})
}
