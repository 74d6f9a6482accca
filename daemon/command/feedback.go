package command

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/reachyd/reachyd/agents/coordinator"
	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/catalog"
	"github.com/reachyd/reachyd/learner/feedback"
	"github.com/reachyd/reachyd/learner/preference"
	"github.com/reachyd/reachyd/learner/reward"
)

// Feedback is what people think of the robot's doing, and what it has learned of that. *feedback.Book is one.
type Feedback interface {
	Give(g feedback.Given) (feedback.Piece, error)
	List(limit int) []feedback.Piece
	Correct(id, session string, worth float64) (feedback.Piece, error)
	Delete(id string) (feedback.Piece, error)
	Learned(session string) []feedback.Lesson
	Forget(parameter string) (pieces int, err error)
}

// maxFeedback is how many pieces are listed at once.
const maxFeedback = 200

// feedbackVerbs are the commands for feedback and what is learned from it.
func feedbackVerbs() map[string]verb {
	session := tool.Text("who says it: the conversation", maxName).WithDefault(coordinator.DefaultSession)
	id := tool.Text("its id, as replies and lists carry it", maxName)
	parameters := make([]string, 0, 8)
	for _, p := range preference.Parameters() {
		parameters = append(parameters, p.Name)
	}
	parameters = append(parameters, feedback.RouteName)
	return map[string]verb{
		"feedback": {args: tool.Object(map[string]tool.Schema{
			"text":    tool.Text("what a person says", catalog.MaxText),
			"verdict": tool.OneOf("in a word", "great", "good", "bad", "stop"),
			"rating":  tool.Integer("in stars", 1, 5),
			"episode": tool.Text("trace of the turn that it is about, or the id of its reply; what was done last when left out", maxID),
			"session": session,
		}), run: learning(giveFeedback)},
		"feedback/list": {args: tool.Object(map[string]tool.Schema{
			"limit": tool.Integer("how many, the newest first", 1, maxFeedback).WithDefault(20),
		}), repeatable: true, run: learning(func(_ context.Context, d *Dispatcher, a feedbackArgs) (any, error) {
			return map[string]any{"feedback": d.Feedback.List(a.Limit)}, nil
		})},
		"feedback/correct": {args: tool.Object(map[string]tool.Schema{
			"feedback": id, "reward": tool.Number("what it is worth: blame is below, praise above 0", "", -1, 1), "session": session,
		}, "reward"), run: learning(func(_ context.Context, d *Dispatcher, a feedbackArgs) (any, error) {
			return d.Feedback.Correct(a.Feedback, a.Session, a.Reward)
		})},
		"feedback/delete": {args: tool.Object(map[string]tool.Schema{"feedback": id}, "feedback"), run: learning(
			func(_ context.Context, d *Dispatcher, a feedbackArgs) (any, error) {
				return d.Feedback.Delete(a.Feedback)
			})},
		"learned": {args: tool.Object(map[string]tool.Schema{"session": session}), repeatable: true, run: learning(
			func(_ context.Context, d *Dispatcher, a feedbackArgs) (any, error) {
				return map[string]any{"learned": d.Feedback.Learned(a.Session)}, nil
			})},
		"learned/forget": {args: tool.Object(map[string]tool.Schema{
			"parameter": tool.OneOf("what is forgotten; all when left out", parameters...),
		}), run: learning(func(_ context.Context, d *Dispatcher, a feedbackArgs) (any, error) {
			n, err := d.Feedback.Forget(a.Parameter)
			return map[string]any{"pieces": n}, err
		})},
	}
}

// feedbackArgs are the arguments of all these commands.
type feedbackArgs struct {
	api.FeedbackArgs
	Feedback  string  `json:"feedback"`
	Reward    float64 `json:"reward"`
	Limit     int     `json:"limit"`
	Parameter string  `json:"parameter"`
}

// learning makes a command of a function, with the errors of package feedback in public words.
func learning(fn func(ctx context.Context, d *Dispatcher, a feedbackArgs) (any, error)) func(context.Context, *Dispatcher, json.RawMessage) (any, error) {
	return func(ctx context.Context, d *Dispatcher, args json.RawMessage) (any, error) {
		var a feedbackArgs
		if err := json.Unmarshal(args, &a); err != nil {
			return nil, err
		}
		if d.Feedback == nil {
			return nil, &Error{Code: CodeNotAvailable, Message: "nothing can be learned here"}
		}
		result, err := fn(ctx, d, a)
		if wrong := (*feedback.FieldError)(nil); errors.As(err, &wrong) {
			fields := []api.FieldError{{Field: wrong.Field, Value: wrong.Value, Allowed: wrong.Allowed}}
			return nil, &Error{Code: CodeInvalid, Message: err.Error(), Fields: fields}
		}
		return result, err
	}
}

// giveFeedback stops first, when that is what is said.
func giveFeedback(ctx context.Context, d *Dispatcher, a feedbackArgs) (any, error) {
	if a.Verdict == "stop" || reward.Stops(a.Text) {
		category := 1
		if _, err := d.body(ctx, hal.Request{Verb: hal.VerbStop, Category: &category, Source: stopSource, Reason: "feedback: stop"}); err != nil {
			return nil, err
		}
	}
	return d.Feedback.Give(feedback.Given{
		Session: a.Session, Text: a.Text, Verdict: a.Verdict, Rating: a.Rating, Episode: d.episodes.trace(a.Episode),
	})
}
