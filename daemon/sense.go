package daemon

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/jpeg"
	"sync"

	"github.com/reachyd/reachyd/agents/coordinator"
	"github.com/reachyd/reachyd/agents/llm"
	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/agents/tools"
	"github.com/reachyd/reachyd/daemon/event"
	"github.com/reachyd/reachyd/daemon/perception"
	"github.com/reachyd/reachyd/daemon/worker"
	"github.com/reachyd/reachyd/perception/client"
	"github.com/reachyd/reachyd/perception/voice"
)

// Why there are no senses at all.
const (
	notInstalled = "reachy-sense is not installed beside reachyd (make build builds it where its libraries are)"
	switchedOff  = "the senses are switched off (sense.run: never)"
)

// sensing is the worker of the senses as the daemon's parts use it. client is nil when there is none, and why says so.
type sensing struct {
	client *client.Client
	why    string
}

// openSensing finds out whether there can be senses.
func (d *Daemon) openSensing(parts *stack) sensing {
	if d.Config.Sense.Run == "never" {
		return sensing{why: switchedOff}
	}
	if _, err := worker.Find("reachy-sense", d.Config.Programs.Dir); err != nil {
		d.Log.Info().Msg("the robot neither hears nor sees nor speaks: " + notInstalled)
		return sensing{why: notInstalled}
	}
	c := client.New(d.Config.Socket(senseName))
	parts.push("sense client", func() error { c.Close(); return nil })
	return sensing{client: c}
}

// toolset registers the robot's own tools, and again whenever a sense has come or gone.
type toolset struct {
	mu       sync.Mutex
	registry *tool.Registry
	base     tools.Options // what does not change
}

func (t *toolset) register(sense tools.Options) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	o := t.base
	o.Camera, o.Vision, o.Looker, o.NoCamera = sense.Camera, sense.Vision, sense.Looker, sense.NoCamera
	o.Speaker, o.NoSpeaker = sense.Speaker, sense.NoSpeaker
	return tools.Register(t.registry, o)
}

// without are the options of a robot that has no senses, and why.
func without(why string) tools.Options { return tools.Options{NoCamera: why, NoSpeaker: why} }

// startSensing starts the worker and brings what it hears to the mind. nil when there is none.
func (d *Daemon) startSensing(parts *stack, s sensing, set *toolset, mind *coordinator.Coordinator, model *llm.Client, p *plans, events *event.Bus) *perception.Senses {
	if s.client == nil {
		return nil
	}
	parts.run("sense", d.senseWorker().Run)
	all := &perception.Senses{
		Worker: s.client, Mind: voiceMind{mind, p}, Events: events, Log: d.Log,
		Changed: func(now client.State) {
			o := perception.Tools(s.client, events, now)
			o.Vision = newSeeing(o.Vision, model, s.client)
			if err := set.register(o); err != nil {
				d.Log.Error().Err(err).Msg("the tools of the senses")
			}
		},
	}
	parts.run("senses", all.Run)
	return all
}

// voiceMind answers what is said aloud.
type voiceMind struct {
	mind  *coordinator.Coordinator
	plans *plans
}

// Turn implements perception.Mind. What the turn has said itself is not said again.
func (v voiceMind) Turn(ctx context.Context, session, text string) (reply string, aloud bool, err error) {
	r, err := v.mind.Turn(ctx, session, text)
	if err != nil {
		return "", true, err
	}
	spoken := len(r.Trace.Steps) > 0
	for _, s := range r.Trace.Steps {
		spoken = spoken && s.Tool == "speak" && s.Result.OK()
	}
	return r.Text, !spoken, nil
}

// Complete implements perception.Mind: what the planner can carry out is a whole sentence, unless its last word waits for more.
func (v voiceMind) Complete(text string) client.Verdict {
	verdict := voice.Completeness(text)
	if verdict != client.Unknown {
		return verdict
	}
	if o := v.plans.Plan(text).Outcome; o != planner.OutcomeNone {
		return client.Complete
	}
	return client.Unknown
}

// Interrupt implements perception.Mind.
func (v voiceMind) Interrupt(why error) { v.mind.Interrupt(why) }

// eye gives self-made tools pictures of the camera.
type eye struct{ client *client.Client }

// maxPixels is the largest picture that is decoded for a tool.
const maxPixels = 16 << 20

// Frame implements toolbox.Camera.
func (e eye) Frame(ctx context.Context) (image.Image, error) {
	data, err := e.client.Frame(ctx)
	if err != nil {
		return nil, err
	}
	c, err := jpeg.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("the camera's picture: %w", err)
	}
	if c.Width*c.Height > maxPixels {
		return nil, fmt.Errorf("the camera's picture has %d×%d pixels; at most %d are allowed", c.Width, c.Height, maxPixels)
	}
	return jpeg.Decode(bytes.NewReader(data))
}

var _ perception.Mind = voiceMind{}
