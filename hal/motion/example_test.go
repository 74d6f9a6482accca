package motion_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"time"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/motion"
	"github.com/reachyd/reachyd/hal/servo"
	"github.com/reachyd/reachyd/hal/virtual"
)

// A whole robot in one process: simulated servos, the driver on their bus, and the control loop that turns a request
// into a movement.
func Example() {
	dir, err := os.MkdirTemp("", "robot")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	bus := filepath.Join(dir, "bus.sock")
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	chain := virtual.New(virtual.Options{Plant: virtual.NewSimple(virtual.SleepJoints)})
	ready, served, simulated := make(chan struct{}), make(chan error), make(chan struct{})
	go func() { served <- chain.ServeUnix(ctx, bus, func() { close(ready) }) }()
	go func() { chain.Run(ctx, 1); close(simulated) }()
	<-ready

	robot, err := servo.Open(servo.Options{Port: "unix:" + bus, CycleTime: time.Second, Silence: 10 * time.Second})
	if err != nil {
		fmt.Println(err)
		return
	}
	loop := motion.New(robot, motion.Config{})
	ended := make(chan error)
	looping, endLoop := context.WithCancel(ctx)
	defer endLoop()
	go func() { ended <- loop.Run(looping) }()

	on, yaw := true, 20*math.Pi/180
	fmt.Println("motors:", loop.Do(ctx, hal.Request{Verb: hal.VerbMotors, On: &on}).Outcome)
	answer := loop.Do(ctx, hal.Request{Verb: hal.VerbGoto, BodyYaw: &yaw, Duration: 0.5})
	end, err := loop.Wait(ctx, answer.Move)
	fmt.Println("goto:", answer.Outcome, end.End, err)

	endLoop()
	fmt.Println(<-ended, robot.Close())
	cancel()
	<-simulated
	fmt.Println(<-served)
	// Output:
	// motors: accepted
	// goto: accepted done <nil>
	// context canceled <nil>
	// <nil>
}
