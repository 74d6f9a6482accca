package tools

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/moves"
)

// senses stands in for all senses. What it is told is in log.
type senses struct {
	err  error
	seen []Detection
	look func(string) error
	log  []string
}

func (s *senses) say(parts ...string) error {
	s.log = append(s.log, strings.Join(parts, " "))
	return s.err
}
func (s *senses) Photo(context.Context) (string, error) { return "p1", s.say("photo") }
func (s *senses) Detect(_ context.Context, name string) ([]Detection, error) {
	return s.seen, s.say("detect", name)
}

func (s *senses) Describe(_ context.Context, photo, prompt string) (string, error) {
	return "I see a duck.", s.say("describe", photo, prompt)
}

func (s *senses) Track(_ context.Context, on bool) error {
	return s.say("track", map[bool]string{true: "on", false: "off"}[on])
}
func (s *senses) Speak(_ context.Context, text string) error { return s.say("speak", text) }
func (s *senses) SetVolume(_ context.Context, level int) error {
	return s.say("volume", string(rune('0'+level/10)))
}

func (s *senses) Search(_ context.Context, q string) (string, error) {
	return "42.", s.say("search", q)
}
func (s *senses) Look(_ context.Context, name string) error   { return s.look(name) }
func (s *senses) Follow(_ context.Context, name string) error { return s.say("follow", name) }

// talking is a voice that says a reply, which is no call of a tool.
type talking struct {
	senses
	on bool
}

func (v *talking) Speaking(context.Context) (bool, error) { return v.on, nil }
func (v *talking) Hush(context.Context) error             { v.on = false; return nil }

// Who is told to be quiet does not deny that it was talking.
func TestHushWhileAReplyIsSaid(t *testing.T) {
	v := &talking{on: true}
	r := registry(t, Options{Body: &bodyDouble{}, Speaker: v})
	for _, want := range []string{"I stopped talking.", "I am not saying anything."} {
		if got := call(r, "stop", `{"only":"speech"}`); got.Message != want || v.on {
			t.Errorf("%q, want %q; it talks: %v", got.Message, want, v.on)
		}
	}
}

var sensing = [][4]string{ // tool, arguments, what the sense is told, what is said
	{"take_photo", ``, "photo", "I took a photo."},
	{"analyze_scene", ``, "describe  What do you see?", "I see a duck."},
	{"describe_image", `{"photo":"p1","prompt":"Who?"}`, "describe p1 Who?", "I see a duck."},
	{"detect_objects", `{"name":"duck"}`, "detect duck", "I see two ducks: on the left (12°) and in front of me."},
	{"find_object", `{"name":"duck"}`, "detect duck", "I see two ducks: on the left (12°) and in front of me."},
	{"track_face", ``, "track on", "I follow your face from now on."},
	{"track_face", `{"enabled":false}`, "track off", "I stopped following."},
	{"speak", `{"text":"hello"}`, "speak hello", `I said "hello".`},
	{"set_volume", `{"level":50}`, "volume 5", "I set my volume to 50."},
	{"search_web", `{"query":"the answer"}`, "search the answer", "42."},
}

func TestToolsWithSenses(t *testing.T) {
	s := &senses{seen: []Detection{{Name: "duck", Yaw: 12}, {Name: "duck"}}}
	r := registry(t, Options{Body: &bodyDouble{}, Camera: s, Vision: s, Speaker: s, Searcher: s})
	for _, c := range sensing {
		s.log = nil
		res := call(r, c[0], c[1])
		if !res.OK() || res.Message != c[3] || len(s.log) != 1 || s.log[0] != c[2] {
			t.Errorf("%s: %+v, told %q", c[0], res, s.log)
		}
	}
	s.seen = s.seen[:1]
	if res := call(r, "detect_objects", `{"name":"duck"}`); res.Message != "The duck is on the left (12°)." {
		t.Errorf("%+v", res)
	}
	s.seen = nil
	for args, says := range map[string]string{`{"name":"cat"}`: "I do not see any cat.", ``: "I do not see anything that I know."} {
		if res := call(r, "detect_objects", args); res.Message != says {
			t.Errorf("%+v", res)
		}
	}
	s.err = errors.New("broken")
	for _, c := range sensing {
		if res := call(r, c[0], c[1]); res.Code != tool.CodeFailed || !strings.Contains(res.Message, ": broken.") {
			t.Errorf("%s: %+v", c[0], res)
		}
	}
}

func TestToolsWithoutSensesSayWhatTheyLack(t *testing.T) {
	r := registry(t, Options{Body: &bodyDouble{}})
	for _, c := range sensing {
		lacks := "no camera"
		switch c[0] {
		case "speak", "set_volume":
			lacks = "no speaker"
		case "search_web":
			lacks = "no web search"
		}
		res := call(r, c[0], c[1])
		if spec, _ := r.Get(c[0]); res.Code != tool.CodeUnavailable || spec.Unavailable != lacks ||
			!strings.Contains(res.Message, "not available: "+lacks) {
			t.Errorf("%s: %+v", c[0], res)
		}
	}
	if res := call(r, "play_move", `{"name":"x"}`); res.Message != "play_move is not available: no recorded moves." {
		t.Errorf("%+v", res)
	}
}

const recording = `{"description":"a move","time":[0,0.1],"set_target_data":[
	{"head":[[1,0,0,0],[0,1,0,0],[0,0,1,0],[0,0,0,1]],"antennas":[0,0],"check_collision":false},
	{"head":[[1,0,0,0],[0,1,0,0],[0,0,1,0],[0,0,0,1]],"antennas":[0.1,-0.1],"body_yaw":0.2}],"more":"is ignored"}`

func TestPlayMove(t *testing.T) {
	outside, dir := t.TempDir(), t.TempDir()
	write := func(path, text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(outside, "secret.json"), recording)
	write(filepath.Join(dir, "Happy_Dance-1.json"), recording)
	write(filepath.Join(dir, "broken.json"), `{"time":`)
	write(filepath.Join(dir, "uneven.json"), `{"time":[0,1],"set_target_data":[]}`)
	write(filepath.Join(dir, "huge.json"), strings.Repeat(" ", 8<<20+1))
	write(filepath.Join(dir, "notes.txt"), "x")
	if err := os.Symlink(filepath.Join(outside, "secret.json"), filepath.Join(dir, "link.json")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "sub.json"), 0o700); err != nil {
		t.Fatal(err)
	}
	library := &moves.Library{Dir: dir}
	names, err := library.List("")
	names = slices.DeleteFunc(names, func(n string) bool {
		return slices.ContainsFunc(moves.Own(), func(m moves.Move) bool { return m.Name == n })
	})
	if err != nil || strings.Join(names, " ") != "Happy_Dance-1 broken huge uneven" {
		t.Errorf("names: %v, %v", names, err)
	}
	find := func(name string) (*hal.Recording, string, error) {
		m, err := library.Get("", name)
		if err != nil {
			return nil, "", err
		}
		return m.Recording, m.Name, nil
	}
	b := &bodyDouble{}
	r := registry(t, Options{Body: b, Moves: find})
	for _, name := range []string{"Happy_Dance-1", "happy dance 1"} {
		res := call(r, "play_move", `{"name":"`+name+`"}`)
		req := b.last(t)
		if res.Message != "I played the move Happy_Dance-1." || req.Verb != hal.VerbPlay || req.Name != "Happy_Dance-1" ||
			len(req.Recording.Frames) != 2 || *req.Recording.Frames[1].BodyYaw != 0.2 {
			t.Errorf("%+v, %+v", res, req)
		}
	}
	asked := len(b.seen)
	for name, says := range map[string]string{
		"broken": "broken.json: unexpected end", "uneven": "it has 2 times and 0 frames", "huge": "larger than 8 MiB",
		"link": "is not one of Happy_Dance-1, agree", "sub": "is not one of", "notes": "is not one of",
		"../" + filepath.Base(outside) + "/secret": "is not one of", filepath.Join(outside, "secret"): "is not one of",
		"": "is not one of",
	} {
		if res := call(r, "play_move", `{"name":"`+name+`"}`); res.Code != tool.CodeFailed || !strings.Contains(res.Message, says) {
			t.Errorf("%q: %+v", name, res)
		}
	}
	if len(b.seen) != asked {
		t.Error("the body was asked to play what cannot be played")
	}
	library.Dir = filepath.Join(dir, "none") // our own moves are there all the same
	if res := call(r, "play_move", `{"name":"x"}`); !strings.Contains(res.Message, "is not one of ") {
		t.Errorf("%+v", res)
	}
	if res := call(r, "play_move", `{"name":"Metronome"}`); res.Message != "I played the move metronome." {
		t.Errorf("%+v", res)
	}
}
