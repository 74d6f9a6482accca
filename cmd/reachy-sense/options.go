package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/rs/zerolog"
)

// options are the settings of the program.
type options struct {
	socket, bodySocket, simSocket string
	models, photos                string
	microphone, speaker, camera   string
	speech, language, wakePhrase  string
	voice                         string
	volume, threads               int
	linger                        time.Duration
	logLevel                      zerolog.Level
}

// off is what a device is called that is not to be used.
const off = "none"

func parseOptions(args []string, stderr io.Writer) (options, error) {
	var o options
	var level string
	f := flag.NewFlagSet("reachy-sense", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.StringVar(&o.socket, "socket", defaultSocket(), "unix socket to serve on")
	f.StringVar(&o.bodySocket, "body-socket", "", "unix socket of reachy-body, for the stop word and for the head; empty: none")
	f.StringVar(&o.simSocket, "sim-socket", "", "unix socket of reachy-sim, whose eye is the camera when no other is named; empty: none")
	f.StringVar(&o.models, "models", "", "directory of the model files, before the usual ones")
	f.StringVar(&o.photos, "photos", "", "directory in which photos are kept; empty: nowhere")
	f.StringVar(&o.microphone, "microphone", "", "part of its name, a WAV file, null or none; empty: the robot's own, else the system's")
	f.StringVar(&o.speaker, "speaker", "", "part of its name, a WAV file to write, null or none; empty: the robot's own, else the system's")
	f.StringVar(&o.camera, "camera", "", "/dev/video…, rpicam, a picture, a directory of pictures, or none; empty: the robot's own, else the simulated one's")
	f.StringVar(&o.speech, "speech", "", "speech model by name or file, or none; empty: the best that is there")
	f.StringVar(&o.language, "language", "en", "language that is spoken to the robot, or auto")
	f.StringVar(&o.wakePhrase, "wake-phrase", "", "what must begin a sentence; empty: nothing")
	f.StringVar(&o.voice, "voice", "", "the robot's voice, as espeak-ng or Piper name it; empty: one that fits the language")
	f.IntVar(&o.volume, "volume", 80, "loudness of the voice at first, 0…100")
	f.IntVar(&o.threads, "threads", 0, "threads of the speech recogniser, 0…64; 0: by the host")
	f.DurationVar(&o.linger, "linger", 0, "exit when no owner has watched for so long; 0 is never")
	f.StringVar(&level, "log-level", "info", "trace, debug, info, warn or error")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	var err error
	if o.logLevel, err = zerolog.ParseLevel(level); err != nil || level == "" {
		return o, fmt.Errorf("-log-level is %q; allowed are trace debug info warn error", level)
	}
	return o, o.check(f.Args())
}

func (o *options) check(rest []string) error {
	switch {
	case len(rest) > 0:
		return fmt.Errorf("argument %q is not understood; there are only flags", rest[0])
	case o.volume < 0 || o.volume > 100:
		return fmt.Errorf("-volume is %d; allowed is 0…100", o.volume)
	case o.threads < 0 || o.threads > 64:
		return fmt.Errorf("-threads is %d; allowed is 0…64", o.threads)
	case o.linger < 0:
		return fmt.Errorf("-linger is %v; it must not be negative", o.linger)
	case len(o.wakePhrase) > 60:
		return fmt.Errorf("-wake-phrase has %d bytes; allowed are 60", len(o.wakePhrase))
	}
	return nil
}

// defaultSocket is where a service keeps its sockets, or where a person may.
func defaultSocket() string {
	dir := os.Getenv("RUNTIME_DIRECTORY")
	if dir == "" {
		dir = os.Getenv("XDG_RUNTIME_DIR")
	}
	if dir == "" {
		dir = os.TempDir()
	}
	return filepath.Join(dir, "reachy-sense.sock")
}
