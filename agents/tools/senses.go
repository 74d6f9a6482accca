package tools

import (
	"context"
	"fmt"
	"math"

	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/perception/scene"
)

// maxText is the most characters of what is said, asked or searched.
const maxText = 2000

func failed(ctx context.Context, doing string, err error) tool.Result {
	if ctx.Err() != nil {
		return tool.Interrupted(ctx)
	}
	return tool.Errorf(tool.CodeFailed, "I could not %s: %v.", doing, err)
}

func trackFace(v Vision, why string) tool.Tool {
	spec := tool.Spec{
		Name:        "track_face",
		Description: "Begin or end following a face with the head.",
		Parameters:  tool.Object(map[string]tool.Schema{"enabled": tool.Boolean("true begins, false ends").WithDefault(true)}),
		Moves:       true,
		Unavailable: without(v == nil, why),
	}
	type args struct{ Enabled bool }
	return tool.Func(spec, func(ctx context.Context, a args) tool.Result {
		if err := v.Track(ctx, a.Enabled); err != nil {
			return failed(ctx, "follow a face", err)
		}
		if a.Enabled {
			return tool.Success("I follow your face from now on.", nil)
		}
		return tool.Success("I stopped following faces.", nil)
	})
}

func takePhoto(c Camera, why string) tool.Tool {
	spec := tool.Spec{
		Name: "take_photo", Description: "Take a photo of what is in view.", Parameters: tool.Object(nil),
		Unavailable: without(c == nil, why),
	}
	return tool.Func(spec, func(ctx context.Context, _ struct{}) tool.Result {
		name, err := c.Photo(ctx)
		if err != nil {
			return failed(ctx, "take a photo", err)
		}
		return tool.Success("I took a photo.", map[string]any{"photo": name})
	})
}

func analyzeScene(v Vision, why string) tool.Tool {
	spec := tool.Spec{
		Name:        "analyze_scene",
		Description: "Look at what is in view and answer a question about it.",
		Parameters: tool.Object(map[string]tool.Schema{
			"prompt": tool.Text("the question", maxText).WithDefault("What do you see?"),
		}),
		Unavailable: without(v == nil, why),
	}
	type args struct{ Prompt string }
	return tool.Func(spec, func(ctx context.Context, a args) tool.Result { return described(ctx, v, "", a.Prompt) })
}

func describeImage(v Vision, why string) tool.Tool {
	spec := tool.Spec{
		Name:        "describe_image",
		Description: "Answer a question about a photo that was taken before.",
		Parameters: tool.Object(map[string]tool.Schema{
			"photo":  tool.Text("name of the photo, as take_photo gave it", 200),
			"prompt": tool.Text("the question", maxText).WithDefault("What is in this picture?"),
		}, "photo"),
		Unavailable: without(v == nil, why),
	}
	type args struct{ Photo, Prompt string }
	return tool.Func(spec, func(ctx context.Context, a args) tool.Result { return described(ctx, v, a.Photo, a.Prompt) })
}

func described(ctx context.Context, v Vision, photo, prompt string) tool.Result {
	text, err := v.Describe(ctx, photo, prompt)
	if err != nil {
		return failed(ctx, "understand the picture", err)
	}
	return tool.Success(text, map[string]any{"description": text})
}

func detectObjects(v Vision, why string) tool.Tool {
	spec := tool.Spec{
		Name:        "detect_objects",
		Description: "Say which things are in view and in which direction.",
		Parameters: tool.Object(map[string]tool.Schema{
			"name": tool.Text("only things of this name", 100),
		}),
		Unavailable: without(v == nil, why),
	}
	type args struct{ Name string }
	return tool.Func(spec, func(ctx context.Context, a args) tool.Result {
		found, err := v.Detect(ctx, a.Name)
		if err != nil {
			return failed(ctx, "look for things", err)
		}
		data := map[string]any{"objects": found}
		if len(found) == 0 {
			if a.Name != "" {
				return tool.Success("I do not see any "+a.Name+".", data)
			}
			return tool.Success("I do not see anything that I know.", data)
		}
		return tool.Success(places(found, a.Name), data)
	})
}

// places says where things are: "The apple is in front of me.", "I see a duck on the left (12°) and an apple in front of me."
func places(found []Detection, asked string) string {
	where := func(d Detection) string {
		side := scene.Side(d.Yaw)
		if degrees := math.Round(math.Abs(d.Yaw)); side != scene.Side(0) {
			side += fmt.Sprintf(" (%.0f°)", degrees)
		}
		return side
	}
	if asked != "" && len(found) == 1 {
		return "The " + found[0].Name + " is " + where(found[0]) + "."
	}
	words := make([]string, len(found))
	for i, d := range found {
		words[i] = scene.Article(d.Name) + " " + where(d)
	}
	return "I see " + scene.List(words) + "."
}

func speak(s Speaker, why string) tool.Tool {
	spec := tool.Spec{
		Name: "speak", Description: "Say something aloud.",
		Parameters:  tool.Object(map[string]tool.Schema{"text": tool.Text("what to say", maxText)}, "text"),
		Unavailable: without(s == nil, why),
	}
	type args struct{ Text string }
	return tool.Func(spec, func(ctx context.Context, a args) tool.Result {
		if err := s.Speak(ctx, a.Text); err != nil {
			return failed(ctx, "speak", err)
		}
		return tool.Success(fmt.Sprintf("I said %q.", a.Text), nil)
	})
}

func setVolume(s Speaker, why string) tool.Tool {
	spec := tool.Spec{
		Name: "set_volume", Description: "Set how loud the robot speaks.",
		Parameters:  tool.Object(map[string]tool.Schema{"level": tool.Integer("0 is silent, 100 the loudest", 0, 100)}, "level"),
		Unavailable: without(s == nil, why),
	}
	type args struct{ Level int }
	return tool.Func(spec, func(ctx context.Context, a args) tool.Result {
		if err := s.SetVolume(ctx, a.Level); err != nil {
			return failed(ctx, "set the volume", err)
		}
		return tool.Success(fmt.Sprintf("I set my volume to %d.", a.Level), map[string]any{"level": a.Level})
	})
}

func searchWeb(s Searcher, why string) tool.Tool {
	spec := tool.Spec{
		Name: "search_web", Description: "Search the web.",
		Parameters:  tool.Object(map[string]tool.Schema{"query": tool.Text("what to search for", maxText)}, "query"),
		Unavailable: without(s == nil, why),
	}
	type args struct{ Query string }
	return tool.Func(spec, func(ctx context.Context, a args) tool.Result {
		text, err := s.Search(ctx, a.Query)
		if err != nil {
			return failed(ctx, "search the web", err)
		}
		return tool.Success(text, map[string]any{"answer": text})
	})
}
