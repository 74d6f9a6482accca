package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The wireless robot has /dev/video0 of which only rpicam-vid makes pictures; the Lite's camera on USB is known by its name.
func TestOwnCamera(t *testing.T) {
	program := t.TempDir()
	if err := os.WriteFile(filepath.Join(program, "rpicam-vid"), []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	const reachy, webcam, first = "dev/v4l/by-id/usb-Pollen_Reachy_Mini-video-index0", "dev/v4l/by-id/usb-Acme-video-index0", "dev/video0"
	for _, c := range []struct {
		devices []string
		rpicam  bool
		want    string
	}{
		{nil, false, ""},
		{nil, true, "rpicam-vid"},
		{[]string{first}, false, first},
		{[]string{first}, true, "rpicam-vid or " + first},
		{[]string{first, webcam}, true, "rpicam-vid or " + webcam + " or " + first},
		{[]string{first, webcam, reachy}, true, reachy + " or rpicam-vid or " + webcam + " or " + first},
		{[]string{first, reachy}, false, reachy + " or " + first},
	} {
		root := t.TempDir()
		for _, name := range c.devices {
			if err := os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(root, name), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		t.Setenv("PATH", t.TempDir())
		if c.rpicam {
			t.Setenv("PATH", program)
		}
		source, err := ownCamera(root)
		if c.want == "" {
			if err == nil || !strings.Contains(err.Error(), "there is no camera") {
				t.Errorf("%v, %v", source, err)
			}
			continue
		}
		if err != nil || strings.ReplaceAll(source.String(), root+"/", "") != c.want {
			t.Errorf("%v, rpicam %v: %v, %v; want %s", c.devices, c.rpicam, source, err, c.want)
		}
	}
}
