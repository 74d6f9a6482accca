package rehearsal

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/reachyd/reachyd/agents/dialogue"
	"github.com/reachyd/reachyd/agents/fake"
	"github.com/reachyd/reachyd/agents/rehearsal/truth"
	"github.com/reachyd/reachyd/hal/body/bodytest"
	"github.com/reachyd/reachyd/hal/body/bodytest/simulated"
	"github.com/reachyd/reachyd/hal/body/server"
	"github.com/reachyd/reachyd/hal/motion"
)

// onServos is a judge of what is said on a robot with a body under it: door, control loop, driver, bus and servos with physics. What
// is said is compared with what the servos' registers hold, read past all of that.
func onServos(t *testing.T, seed uint64) (*judge, *Stage, *simulated.Body) {
	robot := simulated.New(t, func(l *motion.Loop) bodytest.Server { return &server.Server{Loop: l} })
	j := &judge{t: t, random: rand.New(rand.NewPCG(seed, 7)), within: 2.5} //nolint:gosec // the same dialogues each time
	j.where = func(*Conversation) dialogue.Pose {
		at := robot.Registers(t)
		return dialogue.PoseOf(at.Head, at.BodyYaw, at.Antennas)
	}
	stage := newStage(t)
	stage.body = func() fake.Moving {
		robot.Rest(t)
		return robot
	}
	began, clock := time.Now(), robot.Now()
	t.Cleanup(func() {
		t.Logf("%s: %.0f s of the robot in %.0f s", robot.Physics, (robot.Now() - clock).Seconds(), time.Since(began).Seconds())
	})
	return j, stage, robot
}

// No reply of a random dialogue says of a robot with servos what is not so.
func TestRepliesAreTrueOfTheServos(t *testing.T) {
	j, stage, robot := onServos(t, uint64(*servos)) //nolint:gosec // the flag is no negative number
	for range *servos {
		pause := robot.Run()
		j.hold(stage, 1)
		pause()
	}
	j.end()
}

// What is interrupted, and by what.
var (
	longMoves = []string{
		"slowly turn SIDE NUMBER degrees", "turn SIDE NUMBER degrees", "slowly look SIDE NUMBER degrees", "slowly look SIDE and HEIGHT",
		"slowly tilt your head to the SIDE", "slowly raise your SIDE antenna", "slowly lower both antennas", "slowly turn SIDE, then look HEIGHT",
		"slowly look HEIGHT", "slowly turn SIDE and look HEIGHT",
	}
	interruptions = []string{"stop", "stop turning", "stop moving", "look HEIGHT", "hold still", "turn SIDE", "please stop", "nod"}
)

// What a robot says of a movement that was cut short is how far it went.
func TestInterruptedRepliesAreTrueOfTheServos(t *testing.T) {
	j, stage, robot := onServos(t, 3)
	cut := 0
	for range max(10, *servos/2) {
		pause := robot.Run()
		if j.interrupt(stage, robot) {
			cut++
		}
		pause()
	}
	if cut < 3 {
		t.Errorf("only %d movements were cut short", cut)
	}
	t.Logf("%d movements, %d of them cut short, %d claims, %d replies that are not so", j.held, cut, j.checked, j.lies)
}

// interrupt says something while the robot does something else, and compares both replies. It reports whether the first was cut short.
func (j *judge) interrupt(stage *Stage, robot *simulated.Body) bool {
	var c *Conversation
	j.watch(stage, &c)
	c = stage.Begin()
	defer j.close(c)
	text := sentence(j.random, longMoves[j.random.IntN(len(longMoves))])
	later := time.Duration((0.1 + 2.5*j.random.Float64()) * float64(time.Second))
	first := make(chan *truth.Turn, 1)
	began := robot.Now()
	go func() { first <- j.say(c, text, nil) }()
	robot.Advance(began + later)
	second := j.say(c, sentence(j.random, interruptions[j.random.IntN(len(interruptions))]), nil)
	h := <-first
	if len(h.At) > 0 { // what the second did is none of the first's
		h.Pose, h.Stopped = h.At[len(h.At)-1], false
	}
	j.compare(h)
	cut := strings.Contains(h.Reply, " By then ")
	if len(second.At) > 0 && (cut || second.Tools[0] != "stop") { // a stop that came before the movement had nothing to end
		second.Before = h.Pose
		j.compare(second)
	}
	return cut
}
