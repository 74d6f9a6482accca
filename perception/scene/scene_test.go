package scene

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/hal"
)

var table = View{Detections: []Detection{
	{Name: Apple, Yaw: 30, Colour: "red", Place: &hal.Vec3{0.4, 0.3, 0.03}},
	{Name: Duck, Yaw: 2, Colour: "yellow"},
	{Name: Duck, Yaw: -33, Colour: "yellow"},
	{Name: Duck, Yaw: -36, Colour: "yellow"},
	{Name: QRCode, Yaw: -70, Text: "hello"},
}}

func TestAnswers(t *testing.T) {
	const all = "I see an apple on the left, a duck in front of me, two ducks on the right and a qr code far to the right. " +
		"The code says \"hello\"."
	for question, want := range map[string]string{
		"What do you see?":                   all,
		"":                                   all,
		"How many apples do you see?":        "I see one apple.",
		"how many ducks are there":           "I see three ducks.",
		"How many croissants?":               "I see no croissants.",
		"how many people are in the room":    "I see no faces.",
		"How many things do you see?":        "I see five things.",
		"Is there a duck?":                   "Yes, I see a duck in front of me and two ducks on the right.",
		"is there a croissant on the table?": "No, I do not see a croissant.",
		"Do you see me?":                     "No, I do not see a face.",
		"Is anybody there?":                  "No, I do not see a face.",
		"can you see the apple":              "Yes, I see an apple on the left.",
		"What colour is the duck?":           "The duck is yellow.",
		"what color is the apple":            "The apple is red.",
		"what colour is the croissant":       "I do not see a croissant.",
		"what colour is the qr code":         "I cannot tell what colour the qr code has.",
		"Where is the apple?":                "The apple is on the left, 50 centimetres away.",
		"where are the ducks":                "I see three ducks: in front of me and on the right.",
		"Where’s the croissant?":             "I do not see a croissant here.",
		"read the code":                      "The code says \"hello\".",
		"is anything moving":                 "No, nothing moves.",
	} {
		if got := table.Answer(question); got != want {
			t.Errorf("%q:\n got %s\nwant %s", question, got, want)
		}
	}
}

func TestNothingInView(t *testing.T) {
	for _, c := range []struct {
		v    View
		want string
	}{
		{View{}, "I do not see anything that I know."},
		{View{Colours: []string{"grey", "brown"}}, "I do not see anything that I know. It is mostly grey and brown."},
		{View{Dark: true}, "It is too dark for me to see anything."},
		{View{Detections: []Detection{{Name: Motion, Yaw: -90}}}, "I see something moving far to the right."},
	} {
		if got := c.v.Describe(); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

// A learned detector's names come before the other words for what is found without one.
func TestNamed(t *testing.T) {
	faces := View{Detections: []Detection{{Name: Face}, {Name: Duck}}}
	both := View{Detections: []Detection{{Name: Face}, {Name: Person}, {Name: Person}, {Name: Duck}, {Name: "bird"}}}
	for _, c := range []struct {
		v    View
		name string
		n    int
		is   string
	}{
		{faces, "people", 1, Face},
		{faces, "a person", 1, Face},
		{faces, "birds", 1, Duck},
		{faces, "dog", 0, ""},
		{both, "people", 2, Person},
		{both, "faces", 1, Face},
		{both, "birds", 1, "bird"},
		{both, "duck", 1, Duck},
	} {
		if got := c.v.Named(c.name); len(got) != c.n || c.n > 0 && got[0].Name != c.is {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

func TestThing(t *testing.T) {
	for in, want := range map[string]string{
		"the Apples": Apple, "a person": Face, "people": Face, "glass": "glass", "cherries": "cherry", "boxes": "box",
		"my head": Face, " DUCK. ": Duck, "bus": "bus", "": "", "qr codes": QRCode, "bananas": "banana",
	} {
		if got := Thing(in); got != want {
			t.Errorf("Thing(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestSides(t *testing.T) {
	for yaw, want := range map[float64]string{
		0: "in front of me", -10: "in front of me", 11: "on the left", -59: "on the right", 61: "far to the left",
		-100: "far to the right", 170: "behind me", -131: "behind me",
	} {
		if got := Side(yaw); got != want {
			t.Errorf("Side(%v) = %q, want %q", yaw, got, want)
		}
	}
}

func TestOverlap(t *testing.T) {
	a := Box{0, 0, 10, 10}
	for _, c := range []struct {
		b    Box
		want float64
	}{{a, 1}, {Box{5, 0, 10, 10}, 1.0 / 3}, {Box{10, 0, 10, 10}, 0}, {Box{}, 0}, {Box{2, 2, 5, 5}, 0.25}} {
		if got := a.Overlap(c.b); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%v: %v, want %v", c.b, got, c.want)
		}
		if a.Overlap(c.b) != c.b.Overlap(a) {
			t.Errorf("%v: not symmetric", c.b)
		}
	}
}

// What a detection does not have must not be in what others read.
func TestWireForm(t *testing.T) {
	data, err := json.Marshal(Detection{Name: Apple, By: ByShape, Score: 0.5})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"name":"apple","by":"colour and shape","score":0.5,"box":{"x":0,"y":0,"w":0,"h":0},"yaw":0,"pitch":0}`
	if string(data) != want {
		t.Errorf("got  %s\nwant %s", data, want)
	}
}

// Whatever is asked, there is an answer in a sentence.
func FuzzAnswer(f *testing.F) {
	for _, s := range []string{"where is", "how many", "what colour is the", "is there a", "\xff", "where is the  ", "how many how many"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, q string) {
		if a := table.Answer(q); !strings.HasSuffix(a, ".") || strings.Contains(a, "  ") {
			t.Errorf("%q: %q", q, a)
		}
	})
}
