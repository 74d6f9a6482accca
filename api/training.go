package api

// TrainArgs are the arguments of train.
type TrainArgs struct {
	Action    string `json:"action"`
	Task      string `json:"task,omitempty"`
	Algorithm string `json:"algorithm,omitempty"`
	Model     string `json:"model,omitempty"`
	Person    string `json:"person,omitempty"`
	Run       string `json:"run,omitempty"`
	Other     string `json:"other,omitempty"`
	Episodes  int    `json:"episodes,omitempty"`
	Seed      int    `json:"seed,omitempty"`
	Tries     int    `json:"tries,omitempty"`
	HeldOut   bool   `json:"held_out,omitempty"`
	OnRobot   bool   `json:"on_robot,omitempty"`
	Consent   string `json:"consent,omitempty"`
	Answer    string `json:"answer,omitempty"`
	FromDemo  string `json:"from_demo,omitempty"`
	Imitate   string `json:"imitate,omitempty"`
}

// DemonstrationArgs are the arguments of demonstration.
type DemonstrationArgs struct {
	Action string `json:"action"`
	Name   string `json:"name,omitempty"`
	As     string `json:"as,omitempty"`
	How    string `json:"how,omitempty"`
	Task   string `json:"task,omitempty"`
	Data   []byte `json:"data,omitempty"` // base64 in JSON

	Actions []ShownAction `json:"actions,omitempty"`
}

// ShownAction is one step of a demonstration in targets: as goto, it begins where the one before it ended.
type ShownAction struct {
	Head     *HeadTarget     `json:"head,omitempty"`
	BodyYaw  *float64        `json:"body_yaw,omitempty"` // °
	Antennas *AntennasTarget `json:"antennas,omitempty"`
	Duration float64         `json:"duration,omitempty"` // s
}

// DemonstrationAnswer says under which name it is kept.
type DemonstrationAnswer struct {
	DemoID string `json:"demo_id"`
	Status string `json:"status"` // kept
}

// TrainingStatus is what is practised, and how it goes.
type TrainingStatus struct {
	State          string  `json:"state"` // idle, asking, training, paused, done, stopped, failed
	Run            string  `json:"run"`   // empty: nothing has been practised
	Task           string  `json:"task"`
	Algorithm      string  `json:"algorithm"`
	Model          string  `json:"model"`
	Episode        int     `json:"episode"`
	Episodes       int     `json:"episodes"`
	SuccessRate    float64 `json:"success_rate"`    // of the last 50 episodes
	AvgReward      float64 `json:"avg_reward"`      // mean return of the latest episodes
	BestCheckpoint string  `json:"best_checkpoint"` // the policy that is kept, below the directory of the runs; empty: none yet
	BestEpisode    int     `json:"best_episode"`
	BestSuccess    float64 `json:"best_success"`
	StepsPerS      float64 `json:"steps_per_s"`
	LeftS          float64 `json:"left_s"`
	Message        string  `json:"message"`
}

// CurvePoint is a run after some episodes. What was not evaluated there is missing.
type CurvePoint struct {
	Episode     int      `json:"episode"`
	Reward      float64  `json:"reward"`       // mean return since the last point
	SuccessRate float64  `json:"success_rate"` // of the last 50 episodes
	Human       float64  `json:"human"`        // mean of what people said, −1…1
	Unsafe      float64  `json:"unsafe"`       // part of the actions that the envelope had to change
	EvalSuccess *float64 `json:"eval_success,omitempty"`
	EvalReward  *float64 `json:"eval_reward,omitempty"`
}

// TrainingCurve is how a run went, at most some hundred points of it.
type TrainingCurve struct {
	Run    string       `json:"run"`
	Points []CurvePoint `json:"points"`
}

// Training is what the trainer does, after each update and when it begins or ends.
type Training struct {
	Algorithm   string  `json:"algorithm,omitempty"`
	BestEpisode int     `json:"best_episode,omitempty"` // after which the best policy was found
	BestSuccess float64 `json:"best_success,omitempty"` // part of the episodes of its evaluation
	Consent     string  `json:"consent,omitempty"`      // id of the question whether the robot may move; while asking
	Episode     int     `json:"episode"`
	Episodes    int     `json:"episodes"`
	Human       float64 `json:"human"`  // mean of what people said of the latest episodes, −1…1
	LeftS       float64 `json:"left_s"` // s until it is done, at this speed
	Message     string  `json:"message,omitempty"`
	OnRobot     bool    `json:"on_robot,omitempty"` // the robot itself moves
	Reward      float64 `json:"reward"`             // mean return of the latest episodes
	Run         string  `json:"run,omitempty"`
	State       string  `json:"state"` // idle, asking, training, paused, done, stopped, failed
	StepsPerS   float64 `json:"steps_per_s"`
	SuccessRate float64 `json:"success_rate"` // of the last 50 episodes
	Task        string  `json:"task,omitempty"`
	Unsafe      float64 `json:"unsafe"` // part of the latest actions that the envelope had to change
}

// EventType implements Payload.
func (Training) EventType() Type { return TypeTraining }

// Demonstration is a demonstration that is being recorded, was kept, or became a move.
type Demonstration struct {
	Frames int     `json:"frames"`
	How    string  `json:"how"` // hand, commands
	Move   string  `json:"move,omitempty"`
	Name   string  `json:"name"`
	Length float64 `json:"seconds"`
	State  string  `json:"state"` // recording, kept, named, deleted
}

// EventType implements Payload.
func (Demonstration) EventType() Type { return TypeDemonstration }
