package main

import (
	"fmt"
	"io"
	"time"
	"unicode/utf8"

	"github.com/rs/zerolog"

	"github.com/reachyd/reachyd/cmd/internal/program"
)

// options are the settings of the program.
type options struct {
	socket, bodySocket, simSocket string
	models, photos                string
	microphone, speaker, camera   string
	speech, language, wakePhrase  string
	voice                         string
	volume, threads               int
	untuned, faces                bool
	linger                        time.Duration
	logLevel                      zerolog.Level
}

// off is what a device is called that is not to be used.
const off = "none"

func parseOptions(args []string, stderr io.Writer) (options, error) {
	var o options
	f := program.Flags("reachy-sense", stderr)
	f.StringVar(&o.socket, "socket", program.DefaultSocket("reachy-sense"), "unix socket to serve on")
	f.StringVar(&o.bodySocket, "body-socket", "", "unix socket of reachy-body, for the stop word and for the head; empty: none")
	f.StringVar(&o.simSocket, "sim-socket", "", "unix socket of reachy-sim, whose eye is the camera when no other is named; empty: none")
	f.StringVar(&o.models, "models", "", "directory of the model files, before the usual ones")
	f.StringVar(&o.photos, "photos", "", "directory in which photos are kept; empty: nowhere")
	f.StringVar(&o.microphone, "microphone", "",
		"part of its name, a WAV file, a named pipe (16 kHz, 16 bits, mono), null or none; empty: the robot's own, else the system's")
	f.StringVar(&o.speaker, "speaker", "", "part of its name, a WAV file to write, null or none; empty: the robot's own, else the system's")
	f.StringVar(&o.camera, "camera", "", "/dev/video…, rpicam, a picture, a directory of pictures, or none; empty: the robot's own, else the simulated one's")
	f.StringVar(&o.speech, "speech", "", "speech model by name or file, built-in (commands only), or none; empty: the best that is there")
	f.BoolVar(&o.untuned, "untuned", false, "use Whisper tiny.en as it was published, without the changes by which it understands commands in noise")
	f.StringVar(&o.language, "language", "en", "language that is spoken to the robot, or auto")
	f.StringVar(&o.wakePhrase, "wake-phrase", "", "what must begin a sentence; empty: nothing")
	f.BoolVar(&o.faces, "faces", false, "a request is for the robot when one face looks at it meanwhile: uses the camera while somebody speaks")
	f.StringVar(&o.voice, "voice", "", "the robot's voice, as espeak-ng or Piper name it; empty: one that fits the language")
	f.IntVar(&o.volume, "volume", 80, "loudness of the voice at first, 0…100")
	f.IntVar(&o.threads, "threads", 0, "threads of the speech recogniser, 0…64; 0: by the host")
	f.DurationVar(&o.linger, "linger", 0, "exit when no owner has watched for so long; 0 is never")
	program.LogLevel(f, &o.logLevel)
	if err := program.Parse(f, args); err != nil {
		return o, err
	}
	return o, o.check()
}

func (o *options) check() error {
	switch {
	case o.volume < 0 || o.volume > 100:
		return fmt.Errorf("-volume is %d; allowed is 0…100", o.volume)
	case o.threads < 0 || o.threads > 64:
		return fmt.Errorf("-threads is %d; allowed is 0…64", o.threads)
	case o.linger < 0:
		return fmt.Errorf("-linger is %v; it must not be negative", o.linger)
	case utf8.RuneCountInString(o.wakePhrase) > 60:
		return fmt.Errorf("-wake-phrase has %d characters; allowed are 60", utf8.RuneCountInString(o.wakePhrase))
	}
	return nil
}
