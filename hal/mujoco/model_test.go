package mujoco

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestModelIsDrawnWhereTheLoopsClose(t *testing.T) {
	legs, height := legModels()
	// Where the official model's head stands with all arms at 0.
	if len(legs) != 6 || math.Abs(height-0.149571) > 1e-6 {
		t.Errorf("%d legs, head at %v m", len(legs), height)
	}
}

func TestModelIsWellFormed(t *testing.T) {
	for _, scene := range []Scene{Empty, Table} {
		text := ModelXML(scene, Light{})
		for d := xml.NewDecoder(strings.NewReader(text)); ; {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", scene, err)
			}
		}
		for name, want := range map[string]bool{
			`name="yaw_body"`: true, `name="stewart_6"`: true, `name="passive_6"`: true, `name="head_roll"`: true,
			`name="left_antenna"`: true, `name="eye_camera"`: true, `name="studio_close"`: true,
			`name="apple"`: scene == Table, `name="croissant"`: scene == Table, `name="duck"`: scene == Table,
		} {
			if strings.Contains(text, name) != want {
				t.Errorf("%s: %s is there: %v", scene, name, !want)
			}
		}
	}
}

func TestParseScene(t *testing.T) {
	if s, err := ParseScene("empty"); s != Empty || err != nil {
		t.Errorf("%v %v", s, err)
	}
	if _, err := ParseScene("moon"); err == nil || !strings.Contains(err.Error(), `"moon"`) {
		t.Errorf("%v", err)
	}
}

func TestLight(t *testing.T) {
	if text := ModelXML(Table, Light{Level: 0.5, Warmth: 0.2}); !strings.Contains(text, `ambient="0.252 0.21 0.168"`) {
		t.Error("half the light of a lamp is not in the model")
	}
}

func TestArrangementsAreOnTheTableAndApart(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	first := Arrange(rng)
	differs := false
	for range 1000 {
		all := Arrange(rng)
		if len(all) != 3 || all[0].Name != "apple" || all[1].Name != "croissant" || all[2].Name != "duck" {
			t.Fatalf("got %v", all)
		}
		differs = differs || all[0].Position != first[0].Position
		for i, o := range all {
			p := o.Position
			if p[0] < 0.2 || p[0] > 0.9 || math.Abs(p[1]) > 0.34 || p[2] <= 0 || p[2] > 0.05 {
				t.Errorf("%s at %v", o.Name, p)
			}
			for _, other := range all[:i] {
				if d := math.Hypot(p[0]-other.Position[0], p[1]-other.Position[1]); d < apart {
					t.Errorf("%s is %v m from %s", o.Name, d, other.Name)
				}
			}
		}
	}
	if !differs {
		t.Error("all arrangements are the same")
	}
}
