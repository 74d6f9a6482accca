package rest

import (
	"encoding/json"
	"path"

	"github.com/reachyd/reachyd/api"
)

// processed is what feedback was taken for.
func processed(result json.RawMessage) (any, error) {
	var of struct{ Reward float64 }
	_ = json.Unmarshal(result, &of) // without one it is 0
	return api.FeedbackAnswer{Status: "processed", Reward: of.Reward}, nil
}

// kept is where a demonstration of a program is.
func kept(result json.RawMessage) (any, error) {
	var d struct{ Name string }
	err := json.Unmarshal(result, &d)
	return api.DemonstrationAnswer{DemoID: d.Name, Status: "kept"}, err
}

// trainingStatus is the status of the trainer.
func trainingStatus(result json.RawMessage) (any, error) {
	var in struct {
		api.TrainingStatus
		Reward float64 `json:"reward"`
		Best   *struct {
			Success float64 `json:"success"`
		} `json:"best"`
	}
	err := json.Unmarshal(result, &in)
	s := in.TrainingStatus
	s.AvgReward = in.Reward
	if in.Best != nil {
		s.BestCheckpoint, s.BestSuccess = path.Join(s.Run, "best.policy"), in.Best.Success
	}
	return s, err
}
