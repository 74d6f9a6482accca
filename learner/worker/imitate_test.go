package worker

import (
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/learner/env"
	"github.com/reachyd/reachyd/learner/train"
)

// line is a movement of the head, so many decisions long.
func line(yaw, pitch float64, decisions int) (s env.Shown) {
	for k := range decisions {
		part := float64(k) / float64(decisions-1)
		s = append(s, hal.Head{Yaw: yaw * part, Pitch: pitch * part})
	}
	return s
}

func TestARunBeginsWithWhatWasShown(t *testing.T) {
	tr := &Trainer{Dir: t.TempDir(), Plants: train.SimplePlants, Log: zerolog.Nop()}
	shown := []env.Shown{line(0.4, 0.1, 9), line(-0.5, -0.1, 11), line(0.2, 0.2, 7)}
	for says, s := range map[string]Start{
		"only reach_pose":      {Settings: train.Settings{Task: env.Follow}, Shown: shown},
		"only ppo":             {Settings: train.Settings{Task: env.ReachPose, Algorithm: train.SAC}, Shown: shown},
		"not one of clone":     {Settings: train.Settings{Task: env.ReachPose}, Shown: shown, Imitate: "copy"},
		"nothing was shown":    {Settings: train.Settings{Task: env.ReachPose}, Imitate: "gail"},
		"moves the head":       {Settings: train.Settings{Task: env.ReachPose}, Shown: []env.Shown{line(0, 0, 5)}},
		"there is no robot":    {Settings: train.Settings{Task: env.ReachPose, OnRobot: true}},
		"cannot be practised":  {Settings: train.Settings{Task: env.Greet, OnRobot: true}},
		"is not within 1…2000": {Settings: train.Settings{Task: env.ReachPose, OnRobot: true, Episodes: 2001}},
	} {
		if _, err := tr.Begin(s); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %q", err, says)
		}
	}
	st, err := tr.Begin(Start{
		Settings: train.Settings{Task: env.ReachPose, Episodes: 2, UpdateEvery: 2, EvaluateEvery: 2, EvaluateEpisodes: 4}, Shown: shown,
	})
	if err != nil {
		t.Fatal(err)
	}
	if st.Best == nil || st.Classical == nil || st.BestAt != 0 {
		t.Errorf("what was shown was not tried at once: %+v", st)
	}
	<-tr.ended
	if s, err := tr.Show(st.Run); err != nil || s.State != Done || s.Episode != 2 {
		t.Errorf("%+v, %v", s, err)
	}
}
