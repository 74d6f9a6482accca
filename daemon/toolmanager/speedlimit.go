package toolmanager

import (
	"context"

	"github.com/reachyd/reachyd/agents/tools"
	"github.com/reachyd/reachyd/hal"
)

// slowFactor is by how much movements are slower while a new version runs for the first time.
const slowFactor = 3

// usualDuration is how long a goto takes that says nothing, seconds; streamed targets become such.
const usualDuration = 1.0

// longestScore is more than any gesture or emotion takes, seconds.
const longestScore = 6.0

// longestDuration is the longest movement that the body accepts, seconds.
const longestDuration = 60.0

type slowKey struct{}

// slowly makes everything that is moved with ctx slow, by way of a SpeedLimited body.
func slowly(ctx context.Context) context.Context { return context.WithValue(ctx, slowKey{}, true) }

// SpeedLimited is a body that moves slowly for versions that run for the first time. It is a tools.Body.
type SpeedLimited struct{ tools.Body }

// Do asks for a change, or for a slower one.
func (c SpeedLimited) Do(ctx context.Context, req hal.Request) (hal.Answer, error) {
	return c.Body.Do(ctx, slower(ctx, req))
}

// Perform implements tools.Performer.
func (c SpeedLimited) Perform(ctx context.Context, req hal.Request) (hal.Answer, hal.Event, error) {
	return tools.Perform(ctx, c.Body, slower(ctx, req))
}

// slower returns the request as it is made for versions that run for the first time, and as it is for the others.
func slower(ctx context.Context, req hal.Request) hal.Request {
	if ctx.Value(slowKey{}) == nil {
		return req
	}
	switch req.Verb {
	case hal.VerbTarget: // streams move as fast as the envelope allows
		req.Verb, req.Source, req.Duration = hal.VerbGoto, "", usualDuration
	case hal.VerbGoto, hal.VerbGesture, hal.VerbEmotion:
	case hal.VerbPlay:
		if req.Recording != nil {
			slow := *req.Recording
			slow.Time = make([]float64, len(req.Recording.Time))
			for i, at := range req.Recording.Time {
				slow.Time[i] = slowFactor * at
			}
			req.Recording = &slow
		}
		return req
	default:
		return req
	}
	if req.Duration <= 0 {
		req.Duration = usualDuration
		if req.Verb != hal.VerbGoto { // gestures and emotions have times of their own
			req.Duration = longestScore
		}
	}
	req.Duration = min(slowFactor*req.Duration, longestDuration)
	return req
}
