package tools

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/perception/scene"
)

func failed(ctx context.Context, doing string, err error) tool.Result {
	if ctx.Err() != nil {
		return tool.Interrupted(ctx)
	}
	return tool.Errorf(tool.CodeFailed, "I could not %s: %v.", doing, err)
}

func trackFace(v Vision, why string) tool.Tool {
	type args struct{ Enabled bool }
	return tool.Func(available("track_face", v == nil, why), func(ctx context.Context, a args) tool.Result {
		if t, ok := v.(tracker); ok && !a.Enabled {
			if on, err := t.Tracking(ctx); err == nil && !on {
				return tool.Success("I am not following anything.", nil)
			}
		}
		if err := v.Track(ctx, a.Enabled); err != nil {
			return failed(ctx, "follow a face", err)
		}
		if a.Enabled {
			return tool.Success("I follow your face from now on.", nil)
		}
		return tool.Success("I stopped following.", nil)
	})
}

func takePhoto(c Camera, why string) tool.Tool {
	return tool.Func(available("take_photo", c == nil, why), func(ctx context.Context, _ struct{}) tool.Result {
		name, err := c.Photo(ctx)
		if err != nil {
			return failed(ctx, "take a photo", err)
		}
		return tool.Success("I took a photo.", map[string]any{"photo": name})
	})
}

func analyzeScene(v Vision, why string) tool.Tool {
	type args struct{ Prompt string }
	return tool.Func(available("analyze_scene", v == nil, why), func(ctx context.Context, a args) tool.Result { return described(ctx, v, "", a.Prompt) })
}

func describeImage(v Vision, why string) tool.Tool {
	type args struct{ Photo, Prompt string }
	return tool.Func(available("describe_image", v == nil, why), func(ctx context.Context, a args) tool.Result { return described(ctx, v, a.Photo, a.Prompt) })
}

func described(ctx context.Context, v Vision, photo, prompt string) tool.Result {
	text, err := v.Describe(ctx, photo, prompt)
	if err != nil {
		return failed(ctx, "understand the picture", err)
	}
	return tool.Success(text, map[string]any{"description": text})
}

func detectObjects(f finder, why string) tool.Tool {
	type args struct{ Name string }
	return tool.Func(available("detect_objects", f.vision == nil, why), func(ctx context.Context, a args) tool.Result {
		found, err := f.see(ctx, a.Name)
		if err != nil {
			return failed(ctx, "look for things", err)
		}
		data := map[string]any{"objects": found}
		if len(found) == 0 {
			if a.Name != "" {
				return tool.Success("I do not see any "+a.Name+"."+f.recall(a.Name).words(a.Name), data)
			}
			return tool.Success("I do not see anything that I know.", data)
		}
		return tool.Success(places(found, a.Name), data)
	})
}

// places says where things are: "The apple is in front of me.", "I see two cups: on the left and in front of me.",
// "I see a duck on the left (12°) and an apple in front of me."
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
	if asked != "" && !slices.ContainsFunc(found, func(d Detection) bool { return d.Name != found[0].Name }) {
		var sides []string
		for _, d := range found {
			if side := where(d); !slices.Contains(sides, side) {
				sides = append(sides, side)
			}
		}
		if len(sides) == 1 {
			return "I see " + scene.Count(len(found), found[0].Name) + " " + sides[0] + "."
		}
		return "I see " + scene.Count(len(found), found[0].Name) + ": " + scene.List(sides) + "."
	}
	words := make([]string, len(found))
	for i, d := range found {
		words[i] = scene.Article(d.Name) + " " + where(d)
	}
	return "I see " + scene.List(words) + "."
}

func speak(s Speaker, why string) tool.Tool {
	type args struct{ Text string }
	return tool.Func(available("speak", s == nil, why), func(ctx context.Context, a args) tool.Result {
		if err := s.Speak(ctx, a.Text); err != nil {
			return failed(ctx, "speak", err)
		}
		return tool.Success(fmt.Sprintf("I said %q.", a.Text), nil)
	})
}

func setVolume(s Speaker, why string) tool.Tool {
	type args struct{ Level int }
	return tool.Func(available("set_volume", s == nil, why), func(ctx context.Context, a args) tool.Result {
		if v, ok := s.(meter); ok {
			if now, err := v.Volume(ctx); err == nil && now == a.Level {
				return tool.Success(fmt.Sprintf("My volume was %d already.", now), map[string]any{"level": now})
			}
		}
		if err := s.SetVolume(ctx, a.Level); err != nil {
			return failed(ctx, "set the volume", err)
		}
		return tool.Success(fmt.Sprintf("I set my volume to %d.", a.Level), map[string]any{"level": a.Level})
	})
}

func searchWeb(s Searcher, why string) tool.Tool {
	type args struct{ Query string }
	return tool.Func(available("search_web", s == nil, why), func(ctx context.Context, a args) tool.Result {
		text, err := s.Search(ctx, a.Query)
		if err != nil {
			return failed(ctx, "search the web", err)
		}
		return tool.Success(text, map[string]any{"answer": text})
	})
}
