package perception

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"image"
	"image/jpeg"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"github.com/reachyd/reachyd/agents/coordinator"
	"github.com/reachyd/reachyd/agents/llm"
	"github.com/reachyd/reachyd/agents/llm/llmtest"
	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/perception/client"
)

// sight is a reachy-sense that takes pictures, too.
type sight struct {
	caller
	fakePhotos
}

func TestToolsFollowTheSenses(t *testing.T) {
	reg := tool.NewRegistry(nil)
	r := &Registrar{Registry: reg, Sense: &sight{}, Events: &diary{}, Log: zerolog.Nop()}
	describe := func() tool.Result {
		return reg.Call(t.Context(), "describe_image", json.RawMessage(`{"photo":"p1","prompt":"what is it?"}`))
	}
	if err := r.RegisterWithout("switched off"); err != nil {
		t.Fatal(err)
	}
	if got := describe(); got.OK() || !strings.Contains(got.Message, "switched off") {
		t.Errorf("without senses: %+v", got)
	}
	r.Changed(client.State{})
	if got := describe(); !got.OK() || !strings.Contains(got.Message, "what is it?") {
		t.Errorf("by reachy-sense: %+v", got)
	}
	r.Model = llmtest.New().In(llm.RoleSee, llmtest.Say("A red apple."))
	r.Changed(client.State{})
	if got := describe(); !got.OK() || !strings.Contains(got.Message, "A red apple.") {
		t.Errorf("by a model: %+v", got)
	}
	r.Changed(client.State{Sight: client.Sight{Off: "no camera is plugged in"}})
	if got := describe(); got.OK() || !strings.Contains(got.Message, "no camera is plugged in") {
		t.Errorf("with a model, without a camera: %+v", got)
	}
}

// turn is a coordinator whose turns all end in the same way.
type turn struct {
	reply coordinator.Reply
	err   error
	why   error
	heard string
}

func (t *turn) Turn(context.Context, string, string) (coordinator.Reply, error) {
	return t.reply, t.err
}

func (t *turn) Interrupt(why error) { t.why = why }

func (t *turn) Heard(_, trace, text string) { t.heard = trace + ": " + text }

func TestDialogue(t *testing.T) {
	spoke := coordinator.Step{Tool: "speak", Result: tool.Success("said", nil)}
	moved := coordinator.Step{Tool: "move_head", Result: tool.Success("moved", nil)}
	for _, c := range []struct {
		steps []coordinator.Step
		err   error
		aloud bool
	}{
		{nil, nil, true},
		{[]coordinator.Step{spoke}, nil, false},
		{[]coordinator.Step{spoke, moved}, nil, true},
		{[]coordinator.Step{{Tool: "speak", Result: tool.Errorf("failed", "no voice")}}, nil, true},
		{nil, coordinator.ErrBusy, false}, // the service says what is wrong
	} {
		d := Dialogue{Turns: &turn{reply: coordinator.Reply{Text: "done", Trace: &coordinator.Trace{Steps: c.steps}}, err: c.err}}
		if a, err := d.Turn(t.Context(), "voice", "hello", nil); a.Aloud != c.aloud || !errors.Is(err, c.err) {
			t.Errorf("%+v: aloud %t, %v", c.steps, a.Aloud, err)
		}
	}
	turns := &turn{}
	d := Dialogue{Turns: turns, Planner: planner.New()}
	for text, want := range map[string]client.Endpoint{
		"look left": client.Complete, "look left and": client.Incomplete, "purple elephants sing": client.Unknown,
	} {
		if got := d.Complete(text); got != want {
			t.Errorf("%q is %v, want %v", text, got, want)
		}
	}
	if d.Heard("voice", "t1", "I am"); turns.heard != "t1: I am" {
		t.Errorf("heard %q", turns.heard)
	}
	if d.Interrupt(errStopWord); !errors.Is(turns.why, errStopWord) {
		t.Errorf("interrupted because of %v", turns.why)
	}
}

// still is a camera with one picture.
type still struct {
	data []byte
	err  error
}

func (s still) Frame(context.Context) ([]byte, error) { return s.data, s.err }

func TestPicturesForTools(t *testing.T) {
	var small bytes.Buffer
	if err := jpeg.Encode(&small, image.NewGray(image.Rect(0, 0, 8, 4)), nil); err != nil {
		t.Fatal(err)
	}
	if m, err := (Camera{still{data: small.Bytes()}}).Frame(t.Context()); err != nil || m.Bounds().Dx() != 8 {
		t.Errorf("%v, %v", m, err)
	}
	// The size of a picture stands in its header, after the marker of the frame (SOF0): height, then width.
	huge := bytes.Clone(small.Bytes())
	at := bytes.Index(huge, []byte{0xff, 0xc0}) + 5
	copy(huge[at:], []byte{0x40, 0x00, 0x40, 0x00})
	for name, c := range map[string]struct {
		frames still
		says   string
	}{
		"too large": {still{data: huge}, "16384×16384 pixels; at most 16777216"},
		"no JPEG":   {still{data: []byte("GIF89a")}, "the camera's picture"},
		"none":      {still{err: client.ErrUnavailable}, client.ErrUnavailable.Error()},
	} {
		if _, err := (Camera{c.frames}).Frame(t.Context()); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", name, err, c.says)
		}
	}
}
