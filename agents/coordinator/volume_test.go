package coordinator

import (
	"context"
	"errors"
	"testing"

	"github.com/reachyd/reachyd/agents/planner"
)

// "speak louder" goes by how loud the robot is now, and by a fixed level where that is not known.
func TestLouderGoesByTheVolumeNow(t *testing.T) {
	for _, c := range []struct {
		volume func(context.Context) (int, error)
		want   string
	}{
		{func(context.Context) (int, error) { return 80, nil }, `{"level":100}`},
		{func(context.Context) (int, error) { return 30, nil }, `{"level":80}`},
		{func(context.Context) (int, error) { return 0, errors.New("away") }, `{"level":80}`},
		{nil, `{"level":80}`},
	} {
		s := stage(t, func(o *Options) { o.Planner, o.Volume = planner.New(), c.volume })
		r, err := s.Turn(t.Context(), "", "speak louder")
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Trace.Steps) != 1 || string(r.Trace.Steps[0].Args) != c.want {
			t.Errorf("steps %+v, want %s", r.Trace.Steps, c.want)
		}
	}
}
