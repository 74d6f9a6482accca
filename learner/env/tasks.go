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
}

func look(id, about, unit string, classic func() Controller) Task {
	return Task{id, about, unit, func(o Options) Env { return NewLook(id, o) }, classic}
}

// Tasks are all of them.
var Tasks = []Task{
	look(LookAtThing, "bring a thing into the middle of the picture", "s", func() Controller { return &ClassicLook{} }),
	look(Follow, "keep a moving thing in the middle of the picture", "° off", func() Controller { return ClassicFollow{} }),
	look(LookAtSpeaker, "look at a person who was heard", "s", func() Controller { return &ClassicLook{} }),
	{
		ReachPose, "take a pose quickly, without going beyond it", "s",
		func(o Options) Env { return NewReach(o) }, func() Controller { return &ClassicReach{} },
	},
	{
		Greet, "greet people as each likes it", "off",
		func(o Options) Env { return NewGreet(o) }, func() Controller { return ClassicGreet{} },
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
