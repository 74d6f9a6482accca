package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/hal/catalog"
	"github.com/reachyd/reachyd/perception/client"
)

// Limits of lists.
const (
	listed     = 50 // without a limit
	mostListed = 500
)

// Senses hear recordings, make sound of texts and look at pictures, for those who have them elsewhere.
type Senses interface {
	Transcribe(ctx context.Context, wav []byte) (api.Transcription, error)
	Synthesize(ctx context.Context, text, voice string) (api.Sound, error)
	Analyze(ctx context.Context, picture []byte, prompt string) (api.Analysis, error)
}

// Photos are those that the robot keeps. The errors of a name that there is not are an *Error.
type Photos interface {
	List() (api.PhotoList, error)
	Show(name string) (api.ShownPhoto, error)
	Delete(name string) error
}

// Faces are those that the robot knows by name. The errors of a name that there is not are an *Error.
type Faces interface {
	List() api.FaceList
	// Forget forgets the face of a name, or with an empty one all.
	Forget(name string) (api.ForgottenFaces, error)
}

// Past is what happened.
type Past interface {
	// Events returns up to limit events of the types, or of all; those after an ID, or the newest when that is nil.
	Events(after *int, limit int, types []api.Type) (api.EventList, error)
	// Traces returns the latest turns, the newest first.
	Traces(limit int) (any, error)
}

// Author writes tools from sentences.
type Author interface {
	Generate(ctx context.Context, wish api.ToolGenerateArgs) (any, error)
}

// pastVerbs are the commands for the senses of others, and for what is kept.
func pastVerbs() map[string]verb {
	limit := tool.Integer("the most that are listed", 1, mostListed).WithDefault(listed)
	face := tool.Object(map[string]tool.Schema{"name": tool.Text("of the person", catalog.MaxPerson)}, "name")
	photo := tool.Object(map[string]tool.Schema{"name": tool.Text("of the photo", maxName)}, "name")
	return map[string]verb{
		string(api.VerbTranscribe): {repeatable: true, do: transcribe, args: tool.Object(map[string]tool.Schema{
			"audio": tool.Text("a recording, base64: WAV, FLAC, Ogg Opus or MP3", maxGiven),
		}, "audio")},
		string(api.VerbSynthesize): {repeatable: true, do: synthesize, args: tool.Object(map[string]tool.Schema{
			"text": tool.Text("what is to be heard", catalog.MaxText), "voice": tool.Text("of espeak-ng or Piper; the robot's own when left out", maxName),
		}, "text")},
		string(api.VerbAnalyze): {repeatable: true, do: analyze, args: tool.Object(map[string]tool.Schema{
			"image": tool.Text("a picture, base64: JPEG or PNG", maxGiven), "prompt": tool.Text("what is asked about it", 500),
		}, "image")},
		string(api.VerbPhotosList): {repeatable: true, args: tool.Object(nil), run: func(_ context.Context, d *Dispatcher, _ json.RawMessage) (any, error) {
			return d.Photos.List()
		}},
		string(api.VerbPhotosShow): {repeatable: true, args: photo, run: func(_ context.Context, d *Dispatcher, args json.RawMessage) (any, error) {
			var a api.PhotoArgs
			if err := json.Unmarshal(args, &a); err != nil {
				return nil, err
			}
			return d.Photos.Show(a.Name)
		}},
		string(api.VerbPhotosDelete): {args: photo, run: func(_ context.Context, d *Dispatcher, args json.RawMessage) (any, error) {
			var a api.PhotoArgs
			if err := json.Unmarshal(args, &a); err != nil {
				return nil, err
			}
			return a, d.Photos.Delete(a.Name)
		}},
		string(api.VerbFacesList): {repeatable: true, args: tool.Object(nil), run: func(_ context.Context, d *Dispatcher, _ json.RawMessage) (any, error) {
			return d.Faces.List(), nil
		}},
		string(api.VerbFacesForget): {args: face, run: func(_ context.Context, d *Dispatcher, args json.RawMessage) (any, error) {
			var a api.FaceArgs
			if err := json.Unmarshal(args, &a); err != nil {
				return nil, err
			}
			if strings.TrimSpace(a.Name) == "" {
				return nil, field("name", a.Name, "names nobody")
			}
			return d.Faces.Forget(a.Name)
		}},
		string(api.VerbFacesClear): {args: tool.Object(nil), run: func(_ context.Context, d *Dispatcher, _ json.RawMessage) (any, error) {
			return d.Faces.Forget("")
		}},
		string(api.VerbMovesList): {repeatable: true, args: tool.Object(nil), run: func(_ context.Context, d *Dispatcher, _ json.RawMessage) (any, error) {
			list := api.MoveList{Poses: catalog.PoseNames(), Gestures: catalog.GestureNames(), Emotions: catalog.EmotionNames(), Recorded: []string{}}
			if d.Recorded == nil {
				return list, nil
			}
			names, err := d.Recorded()
			list.Recorded = append(list.Recorded, names...)
			return list, err
		}},
		string(api.VerbEventsList): {repeatable: true, run: listEvents, args: tool.Object(map[string]tool.Schema{
			"after": tool.Integer("ID of an event; those after it are listed, without it the newest", 0, 1e15), "limit": limit,
			"types": {Type: tool.TypeArray, Items: &tool.Schema{Type: tool.TypeString, MaxLength: maxName}, MaxItems: 64, Description: "of events; all when left out"},
		})},
		string(api.VerbTracesList): {repeatable: true, args: tool.Object(map[string]tool.Schema{"limit": limit}), run: listTraces},
		string(api.VerbToolsGenerate): {run: generate, args: tool.Object(map[string]tool.Schema{
			"description": tool.Text("what the tool is to do, in a sentence", catalog.MaxText), "author": authorSchema, "test_cases": givenCasesSchema,
		}, "description")},
	}
}

var errNoSenses = &Error{Code: CodeNotAvailable, Message: "the robot neither hears nor speaks nor sees: reachyctl doctor says why"}

// sense calls a sense and says what went wrong as a gateway tells it.
func sense[T any](call func(Senses) (T, error), d *Dispatcher) (any, error) {
	if d.Senses == nil {
		return nil, errNoSenses
	}
	v, err := call(d.Senses)
	var refused *client.Error
	switch {
	case err == nil:
		return v, nil
	case errors.Is(err, client.ErrUnavailable):
		return nil, &Error{Code: api.CodeUnavailable, Message: err.Error()}
	case !errors.As(err, &refused):
		return nil, err
	}
	code, known := map[int]string{
		http.StatusBadRequest: CodeInvalid, http.StatusRequestEntityTooLarge: CodeInvalid, http.StatusUnsupportedMediaType: CodeInvalid,
		http.StatusConflict: CodeInterrupted, http.StatusNotImplemented: CodeNotAvailable, http.StatusServiceUnavailable: api.CodeBusy,
	}[refused.Status]
	if !known {
		code = api.CodeFailed
	}
	return nil, &Error{Code: code, Message: refused.Reason}
}

// bytesOf decodes an argument that is base64.
func bytesOf(args map[string]any, name string) ([]byte, error) {
	var data []byte
	text, err := json.Marshal(args[name])
	if err == nil {
		err = json.Unmarshal(text, &data)
	}
	if err != nil || len(data) == 0 {
		return nil, &Error{Code: CodeInvalid, Message: fmt.Sprintf("%s: %s is not base64 of a file", name, Shorten(text))}
	}
	return data, nil
}

func transcribe(ctx context.Context, d *Dispatcher, args map[string]any) (any, error) {
	wav, err := bytesOf(args, "audio")
	if err != nil {
		return nil, err
	}
	return sense(func(s Senses) (api.Transcription, error) { return s.Transcribe(ctx, wav) }, d)
}

func synthesize(ctx context.Context, d *Dispatcher, args map[string]any) (any, error) {
	var a api.SynthesizeArgs
	if err := tool.Bind(args, &a); err != nil {
		return nil, err
	}
	if err := sayable(a.Text); err != nil {
		return nil, err
	}
	sound, err := sense(func(s Senses) (api.Sound, error) { return s.Synthesize(ctx, a.Text, a.Voice) }, d)
	var refused *Error
	if errors.As(err, &refused) && refused.Code == CodeInvalid {
		if allowed, ok := strings.CutPrefix(refused.Message, "voice: "); ok {
			return nil, field("voice", a.Voice, allowed)
		}
		return nil, field("text", a.Text, strings.TrimPrefix(refused.Message, "text: "))
	}
	return sound, err
}

// sayable refuses a text in which there is nothing.
func sayable(text string) error {
	if strings.TrimSpace(text) == "" {
		return field("text", text, "says nothing; allowed are 1 to "+strconv.Itoa(catalog.MaxText)+" characters")
	}
	return nil
}

// field says that an argument, a text, is wrong.
func field(name, value, allowed string) error {
	wrong := tool.ArgumentErrors{{Field: name, Value: Shorten(raw(value)), Allowed: allowed}}
	return &Error{Code: CodeInvalid, Message: wrong.Error(), Fields: FieldErrors(wrong)}
}

func analyze(ctx context.Context, d *Dispatcher, args map[string]any) (any, error) {
	picture, err := bytesOf(args, "image")
	if err != nil {
		return nil, err
	}
	prompt, _ := args["prompt"].(string)
	return sense(func(s Senses) (api.Analysis, error) { return s.Analyze(ctx, picture, prompt) }, d)
}

func listEvents(_ context.Context, d *Dispatcher, args json.RawMessage) (any, error) {
	var a api.EventsArgs
	if err := json.Unmarshal(args, &a); err != nil {
		return nil, err
	}
	return d.Past.Events(a.After, a.Limit, a.Types)
}

func listTraces(_ context.Context, d *Dispatcher, args json.RawMessage) (any, error) {
	var a api.TracesArgs
	if err := json.Unmarshal(args, &a); err != nil {
		return nil, err
	}
	return d.Past.Traces(a.Limit)
}

func generate(ctx context.Context, d *Dispatcher, args json.RawMessage) (any, error) {
	var a api.ToolGenerateArgs
	if err := json.Unmarshal(args, &a); err != nil {
		return nil, err
	}
	if d.Author == nil {
		return nil, &Error{Code: CodeNotAvailable, Message: "tools cannot be written here; the log of reachyd says why"}
	}
	return d.Author.Generate(ctx, a)
}
