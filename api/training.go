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
}

// DemonstrationArgs are the arguments of demonstration.
type DemonstrationArgs struct {
	Action string `json:"action"`
	Name   string `json:"name,omitempty"`
	As     string `json:"as,omitempty"`
	How    string `json:"how,omitempty"`
	Task   string `json:"task,omitempty"`
	Data   []byte `json:"data,omitempty"` // base64 in JSON
}

// Training is what the trainer does, after each update and when it begins or ends.
type Training struct {
	Algorithm   string  `json:"algorithm,omitempty"`
	BestEpisode int     `json:"best_episode,omitempty"` // after which the best policy was found
	BestSuccess float64 `json:"best_success,omitempty"` // part of the episodes of its evaluation
	Episode     int     `json:"episode"`
	Episodes    int     `json:"episodes"`
	Human       float64 `json:"human"`  // mean of what people said of the latest episodes, −1…1
	LeftS       float64 `json:"left_s"` // s until it is done, at this speed
	Message     string  `json:"message,omitempty"`
	Reward      float64 `json:"reward"` // mean return of the latest episodes
	Run         string  `json:"run,omitempty"`
	State       string  `json:"state"` // idle, training, paused, done, stopped, failed
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
