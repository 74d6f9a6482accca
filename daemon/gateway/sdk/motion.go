package sdk

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"time"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/body"
)

const (
	// streamPause is the silence after which a target begins anew, and does not repeat what earlier ones asked for.
	streamPause = time.Second
	// reopenPause is the time between two tries to open a stream to the body.
	reopenPause = 200 * time.Millisecond
	// bodyPatience is how long the body may take to answer: on a host that is busy it may look at a long move for seconds.
	bodyPatience = 10 * time.Second
	// endPatience is how much later than planned a move may end, on a host that is busy.
	endPatience = 15 * time.Second
	// flushPatience is how long a move waits for the targets that were sent before it.
	flushPatience = 200 * time.Millisecond
	// taskSlack is how much longer than asked for a move may take before the SDK, which waits a second longer, gives up.
	taskSlack = 900 * time.Millisecond
	// maxMoves is how many moves may be under way.
	maxMoves = 64
	// What a goal may be clamped by and still count as reached, m and rad.
	missedLength, missedAngle = 0.020, 20 * math.Pi / 180
	// What a head may be beside its goal without a word, m and rad.
	toldLength, toldAngle = 0.002, 1.5 * math.Pi / 180
)

// target is what a client's stream asks for: a message names some of it, and the rest stays.
type target struct {
	head     *hal.Head
	antennas *hal.AntennaGoal
	bodyYaw  *float64
	at       time.Time
}

// aim hands a target to the body.
func (c *client) aim(ctx context.Context, m *message) error {
	var head *hal.Head
	if m.Head != nil {
		h, err := headOf(m.Head)
		if err != nil {
			return err
		}
		head = &h
	}
	var antennas *hal.AntennaGoal
	if m.Antennas != nil {
		var err error
		if antennas, err = antennasOf(m.Antennas); err != nil {
			return err
		}
	}
	return c.send(ctx, head, antennas, m.BodyYaw)
}

// send streams a target. While the gateway performs a move the targets of all clients are ignored, as the official daemon does.
func (c *client) send(ctx context.Context, head *hal.Head, antennas *hal.AntennaGoal, bodyYaw *float64) error {
	if head == nil && antennas == nil && bodyYaw == nil {
		return errors.New("head, antennas or body_yaw is needed")
	}
	now := time.Now()
	if c.g.moves.any() {
		c.want = target{}
		return errors.New("a move is running; targets are taken again when it is over")
	}
	w := &c.want
	if now.Sub(w.at) > streamPause {
		*w = target{}
	}
	w.at = now
	if head != nil {
		if w.head != nil {
			head.Yaw = unwrap(head.Yaw, w.head.Yaw)
		}
		w.head = head
	}
	if antennas != nil {
		w.antennas = antennas
	}
	if bodyYaw != nil {
		w.bodyYaw = bodyYaw
	}
	if err := c.openStream(ctx); err != nil {
		return err
	}
	req := hal.Request{Antennas: w.antennas, BodyYaw: w.bodyYaw}
	if w.head != nil {
		req.Head = w.head.Goal()
	}
	if err := c.stream.Send(req); err != nil {
		c.closeStream()
		return err
	}
	return nil
}

// maxYaw is as far as the head can look round: the body's range and the head's on it, rad.
const maxYaw = (160 + 65) * math.Pi / 180

// unwrap returns the angle equal to yaw that is nearest to the one before, so that a head that turns past the back goes on.
func unwrap(yaw, before float64) float64 {
	near := before + math.Remainder(yaw-before, 2*math.Pi)
	if math.Abs(near) > maxYaw {
		return yaw
	}
	return near
}

func (c *client) openStream(ctx context.Context) error {
	if c.stream != nil {
		return nil
	}
	if time.Since(c.opened) < reopenPause {
		return errors.New("the body cannot be reached")
	}
	c.opened = time.Now()
	s, err := c.g.Body.AnsweredStream(ctx, c.name())
	if err != nil {
		return err
	}
	c.stream = s
	c.answers.Go(func() { c.hear(s) })
	return nil
}

func (c *client) closeStream() {
	if c.stream == nil {
		return
	}
	c.stream.Close() //nolint:errcheck // always nil
	c.answers.Wait()
	c.stream = nil
	c.g.mu.Lock()
	if c.g.owner == c.name() {
		c.g.owner = ""
	}
	c.g.mu.Unlock()
}

// hear notes what the body says to the targets.
func (c *client) hear(s *body.Stream) {
	for a := range s.Answers() {
		if a.Outcome == hal.Rejected {
			c.note(a.Reason)
			continue
		}
		c.note("")
		c.g.mu.Lock()
		c.g.owner = c.name()
		c.g.mu.Unlock()
		if c.g.Arbiter != nil {
			c.g.Arbiter.Streams(c.name())
		}
	}
}

// laws are the time laws by the official names.
var laws = map[string]hal.Easing{
	"": hal.EasingMinJerk, "minjerk": hal.EasingMinJerk, "linear": hal.EasingLinear, "ease_in_out": hal.EasingEaseInOut, "cartoon": hal.EasingCartoon,
}

// gotoRequest converts a goto of the SDK.
func gotoRequest(t *taskReq) (hal.Request, error) {
	req := hal.Request{Verb: hal.VerbGoto, BodyYaw: t.BodyYaw, Duration: t.Duration}
	var known bool
	if req.Easing, known = laws[t.Method]; !known {
		return req, fmt.Errorf("method is %.40q; allowed are linear, minjerk, ease_in_out, cartoon", t.Method)
	}
	if !(t.Duration > 0) {
		return req, fmt.Errorf("duration is %g s; it must be greater than 0", t.Duration)
	}
	if t.Head != nil {
		h, err := headOf(t.Head)
		if err != nil {
			return req, err
		}
		req.Head = h.Goal()
	} else if h, err := t.pose.head(); err != nil {
		return req, err
	} else if h != nil {
		req.Head = h.Goal()
	}
	if t.Antennas != nil {
		var err error
		if req.Antennas, err = antennasOf(t.Antennas); err != nil {
			return req, err
		}
	}
	if req.Head == nil && req.Antennas == nil && req.BodyYaw == nil {
		return req, errors.New("head, antennas or body_yaw is needed")
	}
	return req, nil
}

func gotoTarget(ctx context.Context, c *client, m *message) error {
	t := taskReq{Head: m.Head, Antennas: m.Antennas, BodyYaw: m.BodyYaw, Duration: 0.5}
	if m.Duration != nil {
		t.Duration = *m.Duration
	}
	req, err := gotoRequest(&t)
	if err != nil {
		return err
	}
	return c.move(ctx, req, c.completed(m.Type))
}

// task performs a move and tells the client how it ended: the SDK raises what is told as an error.
func task(ctx context.Context, c *client, m *message) error {
	if m.UUID == "" || m.Req == nil {
		return errors.New("uuid and req are needed")
	}
	fail := func(err error) error {
		c.tell(encode(progress(m.UUID, err.Error())))
		return err
	}
	if m.Req.Move != "" {
		return fail(errors.New("move_name is not offered in a task; send play_recorded_move"))
	}
	req, err := gotoRequest(m.Req)
	if err != nil {
		return fail(err)
	}
	req.ID = m.UUID
	if err := c.move(ctx, req, func(failure string) { c.tell(encode(progress(m.UUID, failure))) }); err != nil {
		return fail(err)
	}
	return nil
}

// move begins a move of the client; over, unless it is nil, is called once with what went wrong.
func (c *client) move(ctx context.Context, req hal.Request, over func(failure string)) error {
	c.want = target{}
	if c.stream != nil { // a move that comes after a target replaces it, and not the other way round
		short, cancel := context.WithTimeout(ctx, flushPatience)
		_ = c.stream.Flush(short) // a stream that is over has nothing on the way
		cancel()
	}
	id, err := c.g.perform(ctx, req, func(id, failure string) {
		c.mu.Lock()
		delete(c.begun, id)
		c.mu.Unlock()
		if over != nil {
			over(failure)
		}
	})
	if err != nil {
		return err
	}
	c.note("")
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.begun != nil && c.g.moves.has(id) {
		c.begun[id] = true
	}
	return nil
}

// running are the moves that the gateway performs.
type running struct {
	mu   sync.Mutex
	list map[string]struct{}
}

func (m *running) init() { m.list = map[string]struct{}{} }

func (m *running) add(id string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.list) >= maxMoves {
		return false
	}
	m.list[id] = struct{}{}
	return true
}

func (m *running) remove(id string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.list, id)
}

func (m *running) has(id string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, ok := m.list[id]
	return ok
}

// ids lists the moves that run.
func (m *running) ids() []moveID {
	m.mu.Lock()
	defer m.mu.Unlock()
	list := make([]moveID, 0, len(m.list))
	for id := range m.list {
		list = append(list, moveID{id})
	}
	return list
}

func (m *running) any() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.list) > 0
}

// perform begins a move. The error is why it did not begin; otherwise over is called once with what went wrong, which is
// nothing when the robot arrived where it was asked to be, in the time that it was given.
func (g *Gateway) perform(ctx context.Context, req hal.Request, over func(id, failure string)) (id string, err error) {
	if req.ID == "" {
		req.ID = newUUID()
	}
	if !g.moves.add(req.ID) {
		return "", fmt.Errorf("%d moves are under way already", maxMoves)
	}
	a, err := g.do(ctx, req)
	if err != nil {
		g.moves.remove(req.ID)
		return "", err
	}
	if g.Arbiter != nil {
		g.Arbiter.TookOver()
	}
	deadline := time.Duration(max(a.Duration, req.Duration)*float64(time.Second)) + endPatience
	late := time.Duration(0)
	if req.Duration > 0 && a.Duration > req.Duration+taskSlack.Seconds() {
		late = time.Duration(req.Duration*float64(time.Second)) + taskSlack
	}
	if !g.begin() {
		return "", errors.New("reachyd is ending")
	}
	g.listeners.tell(update{Type: "move_started", UUID: req.ID})
	go func() {
		defer g.work.Done()
		var once sync.Once
		tell := func(failure string) { once.Do(func() { over(req.ID, failure) }) }
		if late > 0 {
			timer := time.AfterFunc(late, func() {
				tell(fmt.Sprintf("the move goes on for %.1f s: %s", a.Duration-late.Seconds(), changesText(a.Changes)))
			})
			defer timer.Stop()
		}
		end, failure, off := g.await(req.ID, deadline)
		if failure == "" && missed(&req, a.Changes) {
			end, failure = hal.EndFailed, "not reached: "+changesText(a.Changes)
		}
		details := failure
		if failure == "" && off != "" {
			details = off
			g.Log.Info().Str("move", req.ID).Str("off", off).Msg("a move has ended beside its goal")
		}
		g.moves.remove(req.ID)
		g.listeners.tell(update{updateTypes[end], req.ID, details})
		tell(failure)
	}()
	return req.ID, nil
}

// await waits for the end of a move and returns what went wrong, and by how much a move that went well has missed its goal.
func (g *Gateway) await(id string, patience time.Duration) (end, failure, off string) {
	ctx, cancel := context.WithTimeout(g.ctx, patience)
	defer cancel()
	e, err := g.Body.Wait(ctx, id)
	switch {
	case err != nil:
		return hal.EndFailed, err.Error(), ""
	case e.End == hal.EndDone:
		return e.End, "", offBy(&e)
	case e.Reason != "":
		return e.End, e.End + ": " + e.Reason, ""
	}
	return e.End, e.End, ""
}

// offBy tells how far from where it should be the head was when a move had ended; nothing where that is little. Motors give way under
// the head's weight, most where it is turned far against the body.
func offBy(e *hal.Event) string {
	if e.To == nil || e.Goal == nil {
		return ""
	}
	to, goal := e.To.Head.Pose(), e.Goal.Head.Pose()
	way := math.Hypot(math.Hypot(to.T[0]-goal.T[0], to.T[1]-goal.T[1]), to.T[2]-goal.T[2])
	trace := 0.0
	for i := range to.R {
		trace += to.R[i] * goal.R[i]
	}
	angle := math.Acos(max(-1, min(1, (trace-1)/2)))
	if angle < toldAngle && way < toldLength {
		return ""
	}
	return fmt.Sprintf("the head is %.1f° and %.1f mm from its goal", angle*180/math.Pi, way*1000)
}

// updateTypes are the official daemon's words for how a move ended.
var updateTypes = map[string]string{
	hal.EndDone: "move_completed", hal.EndCancelled: "move_cancelled", hal.EndStopped: "move_cancelled", hal.EndFailed: "move_failed",
}

// do asks the body; the error says why it refused.
func (g *Gateway) do(ctx context.Context, req hal.Request) (hal.Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, bodyPatience)
	defer cancel()
	a, err := g.Body.Do(ctx, req)
	if errors.Is(err, context.DeadlineExceeded) {
		return a, fmt.Errorf("%s: the body has not answered within %v: %w", req.Verb, bodyPatience, err)
	}
	if err != nil {
		return a, err
	}
	if a.Outcome == hal.Rejected {
		return a, &refusal{a}
	}
	return a, nil
}

// refusal is an answer that rejects a request.
type refusal struct{ hal.Answer }

func (r *refusal) Error() string {
	if r.Code == hal.CodeTorqueOff {
		return r.Reason + "; enable_motors() or `reachyctl wake` switches them on"
	}
	return r.Reason
}

// motors switches the torque of the joints, or of all.
func (g *Gateway) motors(ctx context.Context, on bool, joints []string) error {
	_, err := g.do(ctx, hal.Request{Verb: hal.VerbMotors, On: &on, Joints: joints})
	if err == nil && !on && g.Arbiter != nil {
		g.Arbiter.TookOver()
	}
	return err
}

// hold stops a move, or all when id is empty.
func (g *Gateway) hold(id string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(g.ctx), bodyPatience)
	defer cancel()
	if _, err := g.do(ctx, hal.Request{Verb: hal.VerbHold, ID: id}); err != nil {
		g.Log.Warn().Err(err).Str("move", id).Msg("a move of the SDK could not be stopped")
	}
}

// missed says whether a goal was changed by so much that it does not count as reached. The body turns as far as a head
// that was asked for needs it: scripts leave its angle at 0 when they turn the head, and do not expect to hear of it.
func missed(req *hal.Request, changes []hal.Change) bool {
	for _, c := range changes {
		most := missedAngle
		switch c.Field {
		case "duration":
			continue
		case "body_yaw":
			if req.Head != nil {
				continue
			}
		case "head.x", "head.y", "head.z":
			most = missedLength
		}
		if math.Abs(c.Asked-c.Given) > most {
			return true
		}
	}
	return false
}

func changesText(changes []hal.Change) string {
	list := make([]string, 0, len(changes))
	for _, c := range changes {
		list = append(list, fmt.Sprintf("%s asked %.4g, given %.4g (%s)", c.Field, c.Asked, c.Given, c.Limit))
	}
	return strings.Join(list, "; ")
}

// setOffsets leans the head while the client speaks.
func setOffsets(ctx context.Context, c *client, m *message) error {
	if len(m.Offsets) != 6 {
		return fmt.Errorf("offsets has %d numbers; allowed are 6, x, y, z, roll, pitch, yaw", len(m.Offsets))
	}
	o := m.Offsets
	head := hal.Head{X: o[0], Y: o[1], Z: o[2], Roll: o[3], Pitch: o[4], Yaw: o[5]}
	_, err := c.g.do(ctx, hal.Request{Verb: hal.VerbOffset, Head: head.Goal(), Source: c.name()})
	return err
}
