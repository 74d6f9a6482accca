package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/reachyd/reachyd/api"
	robotclient "github.com/reachyd/reachyd/client"
	"github.com/reachyd/reachyd/hal/body"
	"github.com/reachyd/reachyd/perception/client"
)

const (
	startTime = 3 * time.Minute // on a busy machine
	endTime   = 20 * time.Second
	clock     = "15:04:05.000"
)

// events are those of reachyd.
type events interface {
	Events(ctx context.Context, after uint64, types ...api.Type) iter.Seq2[api.Event, error]
}

// robot is a simulated one with all its processes, what it hears with, and what is heard of it.
type robot struct {
	*notes
	mic     *microphone
	speaker *loudspeaker
	hears   client.Hearing // how

	cmd    *exec.Cmd
	exited chan error
	stop   context.CancelFunc
	ended  chan struct{} // notes.follow has
	ear    *client.Client
	limbs  *body.Client
}

// startRobot starts reachyd in a directory, in which it keeps all that it has, with a microphone that is fed. What it plays and logs is in keep.
func startRobot(ctx context.Context, program, dir, keep string) (r *robot, err error) {
	r = &robot{notes: &notes{}, exited: make(chan error, 1), ended: make(chan struct{})}
	defer func() {
		if err != nil {
			err = errors.Join(err, r.close())
		}
	}()
	if r.mic, err = newMicrophone(dir); err != nil {
		return r, err
	}
	sound := filepath.Join(keep, "loudspeaker.wav")
	r.speaker = newLoudspeaker(sound)
	log, err := os.Create(filepath.Join(keep, "reachyd.log"))
	if err != nil {
		return r, err
	}
	defer log.Close() //nolint:errcheck // the process has its own
	run := filepath.Join(dir, "run")
	r.cmd = exec.CommandContext(context.WithoutCancel(ctx), program, "run", "--sim")
	r.cmd.Stdout, r.cmd.Stderr = log, log
	r.cmd.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+dir, "REACHYD_DATA_DIR="+filepath.Join(dir, "data"), "REACHYD_RUN_DIR="+run,
		"REACHYD_MQTT_LISTEN=127.0.0.1:0", "REACHYD_HTTP_LISTEN=127.0.0.1:0",
		"REACHYD_SENSE_MICROPHONE="+filepath.Join(dir, "microphone"), "REACHYD_SENSE_SPEAKER="+sound)
	if err := r.cmd.Start(); err != nil {
		r.cmd = nil
		return r, err
	}
	go func() { r.exited <- r.cmd.Wait() }()
	r.ear, r.limbs = client.New(filepath.Join(run, "sense.sock")), body.New(filepath.Join(run, "body.sock"))
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	if err := r.until(ctx, "HTTP", func() bool { _, err := os.Stat(filepath.Join(run, "http")); return err == nil }); err != nil {
		return r, err
	}
	address, err := os.ReadFile(filepath.Join(run, "http"))
	if err != nil {
		return r, err
	}
	web, err := robotclient.New(strings.TrimSpace(string(address)))
	if err != nil {
		return r, err
	}
	err = r.until(ctx, "the ear", func() bool {
		s, err := r.ear.State(ctx)
		r.hears = s.Hearing
		return err == nil && s.Hearing.Off == "" && s.Speech.Off == ""
	})
	if err != nil {
		return r, fmt.Errorf("%w (%s)", err, r.hears.Off)
	}
	following, stop := context.WithCancel(context.WithoutCancel(ctx))
	r.stop = stop
	go func() {
		defer close(r.ended)
		r.follow(following, web, r.ear, r.limbs)
	}()
	return r, nil
}

// until waits for something of the robot that starts.
func (r *robot) until(ctx context.Context, what string, there func() bool) error {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for !there() {
		select {
		case <-tick.C:
		case err := <-r.exited:
			r.exited <- err
			return fmt.Errorf("reachyd has ended before %s was there: %w", what, err)
		case <-ctx.Done():
			return fmt.Errorf("%s is not there: %w", what, ctx.Err())
		}
	}
	return nil
}

// close ends the robot.
func (r *robot) close() (err error) {
	if r.stop != nil {
		r.stop()
		<-r.ended
	}
	if r.cmd != nil {
		_ = r.cmd.Process.Signal(syscall.SIGTERM) // it may have ended
		select {
		case err = <-r.exited:
		case <-time.After(endTime):
			err = errors.Join(errors.New("reachyd does not end"), r.cmd.Process.Kill(), <-r.exited)
		}
		r.ear.Close()
		r.limbs.Close()
	}
	if r.speaker != nil {
		r.speaker.close()
	}
	if r.mic != nil {
		err = errors.Join(err, r.mic.close())
	}
	return err
}
