package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"github.com/reachyd/reachyd/cmd/internal/program"
	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/body"
	"github.com/reachyd/reachyd/hal/local"
	"github.com/reachyd/reachyd/perception/models"
	"github.com/reachyd/reachyd/perception/sense"
)

// run is the program: it serves until ctx ends, and returns the exit code.
func run(ctx context.Context, args, env []string, _, stderr io.Writer) int {
	o, err := parseOptions(args, stderr)
	if code, done := program.Refused("reachy-sense", err, stderr); done {
		return code
	}
	log := zerolog.New(program.Log(stderr)).Level(o.logLevel).With().Timestamp().Logger()
	if err := serve(ctx, &o, env, log); err != nil {
		log.Error().Err(err).Msg("reachy-sense ends")
		return program.ExitError
	}
	return program.ExitOK
}

// senses is what serve puts together and takes apart again.
type senses struct {
	options *options
	log     zerolog.Logger
	body    *body.Client // nil when there is none
	models  *models.Store
	server  *sense.Server
	// attention is nil where a face that looks is no address.
	attention *attention
	closers   []func() error
}

// onClose notes what is closed at the end, in the reverse order.
func (w *senses) onClose(f func() error) { w.closers = append(w.closers, f) }

func (w *senses) close() {
	for i := len(w.closers) - 1; i >= 0; i-- {
		if err := w.closers[i](); err != nil {
			w.log.Debug().Err(err).Msg("close")
		}
	}
}

func serve(ctx context.Context, o *options, env []string, log zerolog.Logger) error {
	// The socket comes first: a second worker must find out before it opens the devices.
	l, err := local.Listen(o.socket)
	if errors.Is(err, local.ErrInUse) {
		return fmt.Errorf("another reachy-sense serves on %s", o.socket)
	}
	if err != nil {
		return err
	}
	defer l.Close() //nolint:errcheck // Serve has closed it, unless it never began
	if err := local.OpenToGroup(o.socket); err != nil {
		log.Warn().Err(err).Msg("only this user and root can use reachyctl listen, see and mute")
	}

	w := &senses{options: o, log: log, models: store(o, env), server: &sense.Server{Log: log, Linger: o.linger, MuteFile: o.socket + ".mute"}}
	defer w.close()
	if o.bodySocket != "" {
		w.body = body.New(o.bodySocket)
		w.onClose(func() error { w.body.Close(); return nil })
		w.server.Brake, w.server.Stop = w.brake, w.stop
	}
	w.server.Speech = w.speech(ctx)
	w.server.Sight = w.sight(ctx)
	w.server.Hearing = w.hearing(ctx)
	h := &w.server.Hearing
	log.Info().Str("socket", o.socket).Str("microphone", h.Microphone).Str("model", h.Model).Str("detector", h.DetectorName).
		Str("speaker", w.server.Speech.Device).Str("voice", w.server.Speech.Voice).Str("camera", w.server.Sight.Device).Msg("serving")
	err = w.server.Serve(ctx, l)
	if errors.Is(err, sense.ErrAbandoned) {
		log.Warn().Msg("no owner has come back; leaving")
		return nil
	}
	return err
}

// stop stops the robot at the body itself, so that neither reachyd nor anything else has to be alive.
func (w *senses) stop(ctx context.Context) error {
	return w.tell(ctx, hal.Request{Verb: hal.VerbStop, Source: hal.BySpeech, Reason: "a stop word was heard"})
}

// brake ends what the body does, which goes on when it is asked to again.
func (w *senses) brake(ctx context.Context) error {
	return w.tell(ctx, hal.Request{Verb: hal.VerbHold, Source: hal.BySpeech})
}

func (w *senses) tell(ctx context.Context, r hal.Request) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	a, err := w.body.Do(ctx, r)
	if err == nil && a.Outcome == hal.Rejected {
		err = errors.New(a.Reason)
	}
	return err
}

// store finds the models, in the given directory first.
func store(o *options, env []string) *models.Store {
	getenv := func(key string) string {
		for i := len(env) - 1; i >= 0; i-- {
			if v, ok := strings.CutPrefix(env[i], key+"="); ok {
				return v
			}
		}
		return ""
	}
	s := models.NewStore("", getenv)
	if o.models != "" {
		s.Dirs = append([]string{o.models}, s.Dirs...)
	}
	return s
}

// isFile reports whether a device is named by a file.
func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

// isPipe reports whether a device is named by a named pipe.
func isPipe(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode()&os.ModeNamedPipe != 0
}
