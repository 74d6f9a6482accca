package host

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/png"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/reachyd/reachyd/toolsandbox/guest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// ask makes a host call and returns what it answered, or "code: message".
func ask(tb testing.TB, s *Set, name, args string) string {
	tb.Helper()
	v, err := s.Call(tb.Context(), guest.HostCall{Name: name, Args: json.RawMessage(args)})
	var he *guest.HostError
	switch {
	case errors.As(err, &he):
		return he.Code + ": " + he.Message
	case err != nil:
		tb.Fatalf("%s %s: %v is no HostError", name, args, err)
	}
	return string(v)
}

func expect(tb testing.TB, s *Set, name, args, want string) {
	tb.Helper()
	if got := ask(tb, s, name, args); !strings.HasPrefix(got, want) {
		tb.Errorf("%s %.200s: %.300s, want %s", name, args, got, want)
	}
}

// fakeRobot remembers what it was asked for.
type fakeRobot struct {
	tool   string
	motion Motion
	at     time.Duration
	err    error
	image  image.Image
}

func (r *fakeRobot) Call(_ context.Context, tool string, args json.RawMessage) (json.RawMessage, error) {
	r.tool = tool
	return args, r.err
}

func (r *fakeRobot) Move(ctx context.Context, m Motion) (time.Duration, error) {
	r.motion, r.at = m, At(ctx)
	return m.Duration, r.err
}

func (r *fakeRobot) State(context.Context) (State, error)       { return State{Mode: "enabled"}, r.err }
func (r *fakeRobot) Frame(context.Context) (image.Image, error) { return r.image, r.err }

func TestRobotCalls(t *testing.T) {
	r := &fakeRobot{image: image.NewGray(image.Rect(0, 0, 4, 3))}
	s := New(Config{Robot: r, Camera: r})
	expect(t, s, "wave", `{"times":2}`, `{"times":2}`)
	if r.tool != "wave" {
		t.Errorf("tool %q", r.tool)
	}
	expect(t, s, CapState, `{}`, `{"mode":"enabled"`)
	expect(t, s, CapState, `{"x":1}`, "invalid: ")
	expect(t, s, CapCamera, `{"order":"bgr"}`, `{"id":1,"w":4,"h":3,"c":3}`)
	expect(t, s, CapCamera, `{"order":"xyz"}`, "invalid: order")
	if _, err := s.Call(t.Context(), guest.HostCall{Name: CapMove, At: time.Second, Args: json.RawMessage(`{"body_yaw":0.5,"duration":1.5}`)}); err != nil ||
		r.at != time.Second || r.motion.Duration != 1500*time.Millisecond || *r.motion.BodyYaw != 0.5 || r.motion.Law != "min_jerk" {
		t.Errorf("%+v %v", r, err)
	}
	for _, tc := range []struct{ args, want string }{
		{`{}`, "invalid: head, body_yaw and antennas"},
		{`{"body_yaw":0.5}`, "invalid: duration: missing"},
		{`{"body_yaw":0.5,"duration":0}`, "invalid: duration: 0"},
		{`{"body_yaw":0.5,"duration":60.1}`, "invalid: duration: 60.1"},
		{`{"body_yaw":4,"duration":1}`, "invalid: body_yaw: 4, allowed -3.1"},
		{`{"head":{"x":0.6},"duration":1}`, "invalid: head.x: 0.6, allowed -0.5 to 0.5"},
		{`{"head":{"w":1},"duration":1}`, "invalid: arguments"},
		{`{"antennas":{"left":-9},"duration":1}`, "invalid: antennas.left"},
		{`{"body_yaw":0,"duration":1,"law":"magic"}`, "invalid: law"},
		{`{"body_yaw":0,"duration":1,"stream":true}`, "invalid: duration: 1, a streamed"},
		{`{"body_yaw":0,"stream":true}`, `{"duration":0}`},
		{`{"body_yaw":0,"stream":true}{}`, "invalid: arguments: more"},
		{`[]`, "invalid: arguments"},
	} {
		expect(t, s, CapMove, tc.args, tc.want)
	}
	r.err = &guest.HostError{Code: "estop", Message: "stopped"}
	for _, c := range []struct{ name, args string }{{CapMove, `{"body_yaw":0,"stream":true}`}, {CapState, `{}`}, {CapCamera, `{"order":"rgb"}`}, {"wave", `{}`}} {
		expect(t, s, c.name, c.args, "estop: stopped")
	}
	r.err = errors.New("broken")
	expect(t, s, "wave", `{}`, "failed: broken")
	r.err = context.DeadlineExceeded
	expect(t, s, "wave", `{}`, "timeout: ")
}

func TestNothingThere(t *testing.T) {
	s := New(Config{})
	expect(t, s, "wave", `{}`, "unavailable: ")
	expect(t, s, CapState, `{}`, "unavailable: ")
	expect(t, s, CapMove, `{"body_yaw":0,"stream":true}`, "unavailable: ")
	expect(t, s, CapCamera, `{"order":"rgb"}`, "unavailable: there is no camera")
	expect(t, s, CapHTTP, `{"method":"GET","url":"http://example.org"}`, "unavailable: ")
}

func TestGrants(t *testing.T) {
	got := Grants([]string{"math", "cv2", "PIL.Image"}, []string{"analyze_scene", "frame", "detections"})
	want := []string{"analyze_scene", CapCamera, "detect_objects", CapImage, CapScratch}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := Grants([]string{"math", "numpy"}, nil); len(got) != 0 {
		t.Errorf("%v for nothing", got)
	}
}

func TestScratch(t *testing.T) {
	s := New(Config{})
	expect(t, s, CapScratch, `{"op":"write","path":"./a//b/./x.txt","data":"aGk="}`, `{"name":"a/b/x.txt"}`)
	expect(t, s, CapScratch, `{"op":"write","path":"/tmp/a/b/x.txt","data":"aGk=","add":true}`, `{"name":"a/b/x.txt"}`)
	expect(t, s, CapScratch, `{"op":"read","path":"/scratch/a/b/x.txt","offset":1}`, `{"data":"aWhp","size":4}`)
	expect(t, s, CapScratch, `{"op":"list"}`, `["a/b/x.txt"]`)
	expect(t, s, CapScratch, `{"op":"read","path":"a/b/x.txt","offset":5}`, "invalid: offset")
	expect(t, s, CapScratch, `{"op":"read","path":"other"}`, "not_found: ")
	expect(t, s, CapScratch, `{"op":"chmod","path":"other"}`, "invalid: op")
	for _, path := range []string{
		"", ".", "..", "../x", "a/../../x", "a/..", "/etc/passwd", "/tmp/../etc/passwd", "a\\b", "c:x", "a\u0000b", "a\nb", "a/", "/", "...", "a/ /b", "\u202ex",
		strings.Repeat("x", 201), strings.Repeat("x/", 8) + "x", "/proc/self/environ", "/scratch", "/tmp",
	} {
		args, err := json.Marshal(map[string]string{"op": "write", "path": path})
		if err != nil {
			t.Fatal(err)
		}
		expect(t, s, CapScratch, string(args), "invalid: file name")
	}
	expect(t, s, CapScratch, `{"op":"remove","path":"a/b/x.txt"}`, "null")
	if len(s.Files()) != 0 || s.scratch.total != 0 {
		t.Errorf("left: %v, %d bytes", s.Files(), s.scratch.total)
	}
}

func TestScratchLimits(t *testing.T) {
	s := New(Config{Limits: Limits{Files: 2, FileBytes: 10}})
	expect(t, s, CapScratch, `{"op":"write","path":"a","data":"MTIzNDU2Nzg="}`, "{") // 8 bytes
	expect(t, s, CapScratch, `{"op":"write","path":"b","data":"MTIz"}`, "limit_exceeded: file \"b\": the scratch folder would have 11 bytes, allowed 10")
	expect(t, s, CapScratch, `{"op":"write","path":"a","data":"MTIz","add":true}`, "limit_exceeded: ")
	expect(t, s, CapScratch, `{"op":"write","path":"a","data":"MTIzNDU2Nzg5MA=="}`, "{") // replaced by 10 bytes
	expect(t, s, CapScratch, `{"op":"write","path":"b"}`, "{")
	expect(t, s, CapScratch, `{"op":"write","path":"c"}`, "limit_exceeded: file \"c\": the scratch folder has 2 files, allowed 2")
	expect(t, New(Config{}), CapScratch, `{"op":"write","path":"a","data":"`+base64.StdEncoding.EncodeToString(make([]byte, maxPiece+1))+`"}`,
		"limit_exceeded: data")
}

func TestImageLimits(t *testing.T) {
	const one = `{"op":"new","w":10,"h":10,"c":3}`
	s := New(Config{Limits: Limits{ImageSide: 100}})
	expect(t, s, CapImage, `{"op":"new","w":101,"h":1,"c":1}`, "limit_exceeded: picture of 101 x 1, allowed 1 to 100 each way")
	expect(t, s, CapImage, `{"op":"new","w":0,"h":1,"c":1}`, "limit_exceeded: ")
	expect(t, s, CapImage, `{"op":"new","w":-5,"h":-5,"c":1}`, "limit_exceeded: ")
	expect(t, s, CapImage, `{"op":"new","w":1,"h":1,"c":2}`, "invalid: channels")
	expect(t, s, CapImage, one, `{"id":1`)
	expect(t, s, CapImage, `{"op":"resize","id":1,"w":101,"h":2,"kind":"linear"}`, "limit_exceeded: ")

	s = New(Config{Limits: Limits{Images: 2}})
	expect(t, s, CapImage, one, "{")
	expect(t, s, CapImage, one, "{")
	expect(t, s, CapImage, one, "limit_exceeded: 2 pictures are held, allowed 2")
	expect(t, s, CapImage, `{"op":"new","w":10,"h":10,"c":3,"free":[1,1,77]}`, `{"id":3`)
	if s.images.bytes != 600 {
		t.Errorf("%d bytes are held, want 600", s.images.bytes)
	}

	s = New(Config{Limits: Limits{ImageBytes: 599}})
	expect(t, s, CapImage, one, "{")
	expect(t, s, CapImage, one, "limit_exceeded: all pictures would take 600 bytes, allowed 599")

	s = New(Config{Limits: Limits{ImageOps: 350}})
	expect(t, s, CapImage, one, "{")
	expect(t, s, CapImage, `{"op":"blur","id":1,"w":99,"h":99,"values":[0]}`, "limit_exceeded: the tool's pictures took more work than 350 pixels")

	s = New(Config{Limits: Limits{FileBytes: 10}})
	expect(t, s, CapImage, one, "{")
	expect(t, s, CapImage, `{"op":"encode","id":1,"path":"a.png","order":"rgb"}`, "limit_exceeded: file")
}

// A small file that says it is a huge picture is refused before anything is read.
func TestPictureBomb(t *testing.T) {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 1, 1))); err != nil {
		t.Fatal(err)
	}
	data := b.Bytes()
	s := New(Config{})
	for _, tc := range []struct {
		side uint32
		want string
	}{{60000, "limit_exceeded: picture of 60000 x 60000, allowed 1 to 4096"}, {4000, "limit_exceeded: picture of 4000 x 4000, allowed 6291456 pixels"}} {
		binary.BigEndian.PutUint32(data[16:], tc.side)
		binary.BigEndian.PutUint32(data[20:], tc.side)
		binary.BigEndian.PutUint32(data[29:], crc32.ChecksumIEEE(data[12:29]))
		expect(t, s, CapImage, fmt.Sprintf(`{"op":"decode","order":"rgb","data":%q}`, base64.StdEncoding.EncodeToString(data)), tc.want)
	}
	expect(t, s, CapImage, `{"op":"decode","order":"rgb","data":"aGVsbG8="}`, "invalid: picture")
	expect(t, s, CapImage, `{"op":"decode","order":"rgb","path":"x.png"}`, "not_found: ")
	expect(t, s, CapImage, `{"op":"decode","order":"rgb","path":"../x.png"}`, "invalid: file name")
}

func TestImageArguments(t *testing.T) {
	s := New(Config{})
	expect(t, s, CapImage, `{"op":"new","w":10,"h":8,"c":3}`, `{"id":1`)
	expect(t, s, CapImage, `{"op":"new","w":10,"h":8,"c":1}`, `{"id":2`)
	for _, tc := range []struct{ args, want string }{
		{`{"op":"magic","id":1}`, "invalid: op"},
		{`{"op":"copy","id":9}`, "not_found: there is no picture 9"},
		{`{"op":"copy","id":1,"bogus":1}`, "invalid: arguments"},
		{`{"op":"crop","id":1,"x":9,"y":0,"w":2,"h":1}`, "invalid: crop"},
		{`{"op":"crop","id":1,"x":9223372036854775807,"y":0,"w":2,"h":1}`, "invalid: crop"},
		{`{"op":"crop","id":1,"x":-1,"y":0,"w":2,"h":1}`, "invalid: crop"},
		{`{"op":"resize","id":1,"w":2,"h":2,"kind":"x"}`, "invalid: kind"},
		{`{"op":"flip","id":1}`, "invalid: kind"},
		{`{"op":"rotate","id":1,"values":[4]}`, "invalid: values"},
		{`{"op":"convert","id":2,"kind":"hsv","order":"bgr"}`, "invalid: kind"},
		{`{"op":"convert","id":1,"kind":"gray","order":"x"}`, "invalid: order"},
		{`{"op":"in_range","id":1,"low":[1],"high":[2]}`, "invalid: low and high"},
		{`{"op":"blur","id":1,"w":4,"h":3,"values":[0]}`, "invalid: size of the blur: 4"},
		{`{"op":"blur","id":1,"w":101,"h":3,"values":[0]}`, "invalid: size of the blur: 101"},
		{`{"op":"blur","id":1,"w":3,"h":3,"values":[-1]}`, "invalid: values"},
		{`{"op":"absdiff","id":1,"other":2}`, "invalid: pictures of"},
		{`{"op":"threshold","id":1,"kind":"otsu","values":[1,2]}`, "invalid: kind"},
		{`{"op":"bitwise","id":1,"other":1,"kind":"nand"}`, "invalid: kind"},
		{`{"op":"bitwise","id":1,"other":1,"kind":"and","mask":1}`, "invalid: mask"},
		{`{"op":"stat","id":1,"mask":1}`, "invalid: mask"},
		{`{"op":"get","id":1,"offset":241}`, "invalid: offset"},
		{`{"op":"put","id":1,"offset":239,"data":"AAAA"}`, "invalid: data"},
		{`{"op":"put","id":1,"offset":-1,"data":"AAAA"}`, "invalid: data"},
		{`{"op":"encode","id":1,"format":"exe","order":"rgb"}`, "invalid: format"},
		{`{"op":"encode","id":1,"path":"a","order":"rgb"}`, "invalid: format"},
		{`{"op":"encode","id":1,"format":"jpg","order":"rgb","quality":101}`, "invalid: quality"},
		{`{"op":"draw","id":1,"kind":"line","points":[0],"width":1}`, "invalid: points"},
		{`{"op":"draw","id":1,"kind":"line","points":[0,0,99999,0],"width":1}`, "invalid: points: 99999"},
		{`{"op":"draw","id":1,"kind":"line","points":[0,0,1,1],"width":256}`, "invalid: width"},
		{`{"op":"draw","id":1,"kind":"circle","points":[0,0],"values":[1e9],"width":1}`, "invalid: kind"},
		{`{"op":"draw","id":1,"kind":"text","points":[0,0],"values":[11],"width":1,"text":"x"}`, "invalid: text"},
		{`{"op":"draw","id":1,"kind":"text","points":[0,0],"values":[1],"width":1,"text":"` + strings.Repeat("x", 201) + `"}`, "invalid: text"},
		{`{"op":"draw","id":1,"kind":"star","points":[0,0],"width":1}`, "invalid: kind"},
	} {
		expect(t, s, CapImage, tc.args, tc.want)
	}
}

// Transparency survives, and does not darken what it is removed from.
func TestTransparency(t *testing.T) {
	img := image.NewNRGBA(image.Rect(0, 0, 1, 1))
	img.Set(0, 0, color.NRGBA{200, 100, 50, 10})
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	data := base64.StdEncoding.EncodeToString(b.Bytes())
	s := New(Config{})
	expect(t, s, CapImage, fmt.Sprintf(`{"op":"decode","order":"rgb","data":%q}`, data), `{"id":1,"w":1,"h":1,"c":4,"format":"png"}`)
	expect(t, s, CapImage, `{"op":"get","id":1}`, `{"data":"yGQyCg=="}`)
	expect(t, s, CapImage, fmt.Sprintf(`{"op":"decode","order":"bgr","c":3,"data":%q}`, data), `{"id":2,"w":1,"h":1,"c":3`)
	expect(t, s, CapImage, `{"op":"get","id":2}`, `{"data":"MmTI"}`)
}

func TestHSV(t *testing.T) {
	worst := 0
	for r := 0; r < 256; r += 15 {
		for g := 0; g < 256; g += 15 {
			for b := 0; b < 256; b += 15 {
				h, s, v := toHSV(byte(r), byte(g), byte(b))
				if h > 179 {
					t.Fatalf("hue %d of %d %d %d", h, r, g, b)
				}
				r2, g2, b2 := fromHSV(h, s, v)
				for _, d := range []int{r - int(r2), g - int(g2), b - int(b2)} {
					worst = max(worst, int(math.Abs(float64(d))))
				}
			}
		}
	}
	if worst > 6 {
		t.Errorf("there and back changes a colour by %d", worst)
	}
}

// FuzzSet gives the host what a hostile guest might ask for: it must not panic, and keep its books.
func FuzzSet(f *testing.F) {
	for _, seed := range []struct{ name, args string }{
		{CapImage, `{"op":"new","w":10,"h":8,"c":3,"colour":[1,2,3]}`},
		{CapImage, `{"op":"crop","id":1,"x":1,"y":1,"w":2,"h":2}`},
		{CapImage, `{"op":"resize","id":1,"w":20,"h":5,"kind":"cubic"}`},
		{CapImage, `{"op":"draw","id":1,"kind":"text","points":[3,9],"values":[1.5],"width":1,"text":"hi"}`},
		{CapImage, `{"op":"blur","id":2,"w":3,"h":5,"values":[1.5]}`},
		{CapImage, `{"op":"convert","id":1,"kind":"hsv","order":"bgr"}`},
		{CapImage, `{"op":"rotate","id":1,"values":[3]}`},
		{CapImage, `{"op":"bitwise","id":1,"other":1,"kind":"xor","mask":2}`},
		{CapImage, `{"op":"encode","id":1,"path":"a/b.jpg","order":"rgb","quality":50}`},
		{CapImage, `{"op":"decode","order":"rgb","c":3,"path":"p.png"}`},
		{CapImage, `{"op":"decode","order":"rgb","data":"R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"}`},
		{CapImage, `{"op":"stat","id":1,"mask":2,"free":[1,2,3]}`},
		{CapImage, `{"op":"in_range","id":2,"low":[0],"high":[1e300]}`},
		{CapScratch, `{"op":"write","path":"a/../b","data":"aGk=","add":true}`},
		{CapScratch, `{"op":"read","path":"p.png","offset":3}`},
		{CapMove, `{"head":{"yaw":1},"antennas":{"left":1,"right":2},"duration":2,"law":"linear"}`},
		{CapState, `{}`},
		{CapCamera, `{"order":"bgr","free":[9]}`},
		{CapHTTP, `{"method":"GET","url":"http://a@[::1]:99999/","headers":{"X":"y"},"timeout":1e9}`},
		{"wave", `{}`},
	} {
		f.Add(seed.name, []byte(seed.args))
	}
	limits := Limits{ImageSide: 64, ImageBytes: 64 << 10, ImageOps: 1 << 20, FileBytes: 8 << 10, Files: 4}
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewNRGBA(image.Rect(0, 0, 3, 3))); err != nil {
		f.Fatal(err)
	}
	robot := &fakeRobot{image: image.NewRGBA(image.Rect(5, 5, 9, 9))}
	f.Fuzz(func(t *testing.T, name string, args []byte) {
		s := New(Config{Robot: robot, Camera: robot, Limits: limits})
		s.images.keep(&picture{4, 4, 3, make([]byte, 48)})
		s.images.keep(&picture{4, 4, 1, make([]byte, 16)})
		if err := s.scratch.write("p.png", b.Bytes(), false); err != nil {
			t.Fatal(err)
		}
		v, err := s.Call(t.Context(), guest.HostCall{Name: name, Args: args})
		var he *guest.HostError
		if err != nil && (!errors.As(err, &he) || he.Code == "") {
			t.Fatalf("%v is no HostError with a code", err)
		}
		if err == nil && name != "wave" && isCapability(name) && !json.Valid(v) {
			t.Fatalf("answer %q", v)
		}
		held, stored := int64(0), int64(0)
		for _, p := range s.images.held {
			if len(p.pix) != p.w*p.h*p.c || p.w > limits.ImageSide || p.h > limits.ImageSide {
				t.Fatalf("picture %d x %d x %d with %d bytes", p.w, p.h, p.c, len(p.pix))
			}
			held += int64(len(p.pix))
		}
		for path, data := range s.Files() {
			if clean, err := scratchName(path); err != nil || clean != path {
				t.Fatalf("file %q: %v", path, err)
			}
			stored += int64(len(data))
		}
		if held != s.images.bytes || held > limits.ImageBytes || stored != s.scratch.total || stored > limits.FileBytes || len(s.Files()) > limits.Files {
			t.Fatalf("%d bytes of pictures are held and %d counted; files %d and %d", held, s.images.bytes, stored, s.scratch.total)
		}
	})
}

func isCapability(name string) bool { return slices.Contains(Capabilities, name) }

func BenchmarkSavePhoto(b *testing.B) {
	img := image.NewNRGBA(image.Rect(0, 0, 640, 480))
	for i := range img.Pix {
		img.Pix[i] = byte(i * 7 / 5)
	}
	for i := 3; i < len(img.Pix); i += 4 {
		img.Pix[i] = 255
	}
	r := &fakeRobot{image: img}
	for b.Loop() {
		s := New(Config{Camera: r})
		for _, c := range []struct{ name, args string }{{CapCamera, `{"order":"bgr"}`}, {CapImage, `{"op":"encode","id":1,"path":"a.jpg","order":"bgr"}`}} {
			if _, err := s.Call(b.Context(), guest.HostCall{Name: c.name, Args: json.RawMessage(c.args)}); err != nil {
				b.Fatal(err)
			}
		}
	}
}
