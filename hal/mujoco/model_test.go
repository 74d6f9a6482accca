package mujoco

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
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
		text := ModelXML(scene)
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
