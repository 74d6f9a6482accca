package env

import (
	"fmt"
	"strings"
)

// Task is something that the robot can learn.
type Task struct {
	ID      string
	About   string
	Unit    string // of Outcome.Merit
	New     func(Options) Env
	Classic func() Controller
	OnRobot bool // the robot itself can practise it: its joints tell all that is to be known
}

func look(id, about, unit string, classic func() Controller) Task {
	return Task{ID: id, About: about, Unit: unit, New: func(o Options) Env { return NewLook(id, o) }, Classic: classic}
}

// Tasks are all of them.
var Tasks = []Task{
	look(LookAtThing, "bring a thing into the middle of the picture", "s", func() Controller { return &ClassicLook{} }),
	look(Follow, "keep a moving thing in the middle of the picture", "° off", func() Controller { return ClassicFollow{} }),
	look(LookAtSpeaker, "look at a person who was heard", "s", func() Controller { return &ClassicLook{} }),
	{
		ID: ReachPose, About: "take a pose quickly, without going beyond it", Unit: "s", OnRobot: true,
		New: func(o Options) Env { return NewReach(o) }, Classic: func() Controller { return &ClassicReach{} },
	},
	{
		ID: Greet, About: "greet people as each likes it", Unit: "off",
		New: func(o Options) Env { return NewGreet(o) }, Classic: func() Controller { return ClassicGreet{} },
	},
}

// TaskNamed returns a task by its id; the error lists them.
func TaskNamed(id string) (Task, error) {
	var known []string
	for _, t := range Tasks {
		if t.ID == id {
			return t, nil
		}
		known = append(known, t.ID)
	}
	return Task{}, fmt.Errorf("task: %q is not one of %s", id, strings.Join(known, ", "))
}
