package perception

import (
	"fmt"

	"github.com/rs/zerolog"

	"github.com/reachyd/reachyd/agents/llm"
	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/agents/tools"
	"github.com/reachyd/reachyd/perception/client"
)

// Sense is reachy-sense as the robot's tools and a language model that sees use it; *client.Client is one.
type Sense interface {
	Caller
	Pictures
}

// Registrar registers the robot's own tools, and again whenever a sense has come or gone. It is used by one goroutine at a time.
type Registrar struct {
	Registry *tool.Registry
	Base     tools.Options // what does not change
	Sense    Sense
	Model    llm.Model // that describes pictures; nil: only reachy-sense does
	Events   Publisher
	Log      zerolog.Logger
}

// RegisterWithout registers the tools of a robot that has no senses now, and why.
func (r *Registrar) RegisterWithout(why string) error {
	return r.register(tools.Options{NoCamera: why, NoSpeaker: why, NoEars: why})
}

// Changed registers the tools for what the senses can do now.
func (r *Registrar) Changed(now client.State) {
	o := Tools(r.Sense, r.Events, now)
	if o.Vision != nil && r.Model != nil {
		o.Vision = describer{o.Vision, r.Model, r.Sense}
	}
	if err := r.register(o); err != nil {
		r.Log.Error().Err(err).Msg("the tools of the senses")
	}
}

func (r *Registrar) register(sense tools.Options) error {
	o := r.Base
	o.Camera, o.Vision, o.Looker, o.Portraits, o.NoCamera = sense.Camera, sense.Vision, sense.Looker, sense.Portraits, sense.NoCamera
	o.Speaker, o.NoSpeaker = sense.Speaker, sense.NoSpeaker
	o.Ears, o.NoEars = sense.Ears, sense.NoEars
	if err := tools.Register(r.Registry, o); err != nil {
		return fmt.Errorf("register the robot's tools: %w", err)
	}
	return nil
}

var _ Sense = (*client.Client)(nil)
